//! The files of a client, as an editor has them: some with text that is not saved, all written by its own hands.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use agent_client_protocol::Error;
use agent_client_protocol::v1::Responder;
use agent_client_protocol::v1::schema::{
    ClientCapabilities, FileSystemCapabilities, ReadTextFileRequest, ReadTextFileResponse,
    WriteTextFileRequest, WriteTextFileResponse,
};
use tokio::sync::mpsc;

/// How a client goes about files.
pub(super) struct Ways {
    /// What it says of a file that is not there.
    pub(super) missing: fn() -> Error,
    pub(super) format: fn(String) -> String,
    pub(super) writes: Writes,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Writes {
    ToDisk,
    /// Into a text that stays unsaved.
    ToBuffer,
    /// Never.
    Not,
}

pub(super) struct Desk {
    ways: Ways,
    unsaved: Mutex<BTreeMap<PathBuf, String>>,
    written: Mutex<Vec<(PathBuf, String)>>,
    ignored: mpsc::UnboundedSender<Responder<WriteTextFileResponse>>,
}

impl Default for Ways {
    fn default() -> Self {
        Self {
            missing: || Error::new(-32002, "Resource not found"),
            format: |text| text,
            writes: Writes::ToDisk,
        }
    }
}

impl Default for Desk {
    fn default() -> Self {
        Self::new(Ways::default()).0
    }
}

impl Desk {
    /// With the requests that it never answers.
    pub(super) fn new(
        ways: Ways,
    ) -> (
        Self,
        mpsc::UnboundedReceiver<Responder<WriteTextFileResponse>>,
    ) {
        let (ignored, seen) = mpsc::unbounded_channel();
        let desk = Self {
            ways,
            unsaved: Mutex::default(),
            written: Mutex::default(),
            ignored,
        };
        (desk, seen)
    }

    pub(super) fn capabilities() -> ClientCapabilities {
        let files = FileSystemCapabilities::new()
            .read_text_file(true)
            .write_text_file(true);
        ClientCapabilities::new().fs(files)
    }

    /// Somebody types.
    pub(super) fn types(&self, path: &Path, text: &str) {
        let mut unsaved = self.unsaved.lock().unwrap_or_else(PoisonError::into_inner);
        unsaved.insert(path.to_owned(), text.to_owned());
    }

    /// What it was asked to write, in that order.
    pub(super) fn written(&self) -> Vec<(PathBuf, String)> {
        self.written.lock().unwrap().clone()
    }

    pub(super) fn read(
        &self,
        request: ReadTextFileRequest,
        responder: Responder<ReadTextFileResponse>,
    ) -> Result<(), Error> {
        let held = self.unsaved.lock().unwrap().get(&request.path).cloned();
        match held.or_else(|| fs::read_to_string(&request.path).ok()) {
            Some(text) => responder.respond(ReadTextFileResponse::new(text)),
            None => responder.respond_with_error((self.ways.missing)()),
        }
    }

    pub(super) fn write(
        &self,
        request: WriteTextFileRequest,
        responder: Responder<WriteTextFileResponse>,
    ) -> Result<(), Error> {
        let WriteTextFileRequest { path, content, .. } = request;
        let mut written = self.written.lock().unwrap();
        written.push((path.clone(), content.clone()));
        drop(written);
        let text = (self.ways.format)(content);
        match self.ways.writes {
            Writes::ToDisk => {
                self.unsaved.lock().unwrap().remove(&path);
                fs::write(&path, text).unwrap();
            }
            Writes::ToBuffer => self.types(&path, &text),
            Writes::Not => {
                let _test_has_ended = self.ignored.send(responder);
                return Ok(());
            }
        }
        responder.respond(WriteTextFileResponse::new())
    }
}
