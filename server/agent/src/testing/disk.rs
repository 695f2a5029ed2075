//! A workspace on the disk, with real bytes.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_text::{decode, encode_edit};
use serde_json::Value;
use tempfile::TempDir;

use super::{Played, config, function_call, play};
use crate::api::{Answer, ApprovalMode, Event};
use crate::{EditOrigin, FileError, Files, MAX_FILE_BYTES, SessionConfig, WorkspacePath, Written};

/// A folder that goes with the test, and a session in it.
pub(crate) struct Workspace {
    folder: TempDir,
    pub(crate) config: SessionConfig,
}

impl Workspace {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("project");
        fs::create_dir(&root).unwrap();
        let mut config = config(Arc::new(DiskFiles(root.clone())));
        config.root = root;
        let workspace = Self { folder, config };
        for (path, text) in files {
            workspace.put(path, text.as_bytes());
        }
        workspace
    }

    /// Edits are made without a question.
    pub(crate) fn editing(files: &[(&str, &str)]) -> Self {
        let mut workspace = Self::new(files);
        workspace.config.mode = ApprovalMode::AutoEdit;
        workspace
    }

    pub(crate) fn root(&self) -> &Path {
        &self.config.root
    }

    /// A folder that tools must not get at.
    pub(crate) fn outside(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("outside")
    }

    pub(crate) fn put(&self, path: &str, bytes: &[u8]) -> PathBuf {
        let place = self.root().join(path);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(&place, bytes).unwrap();
        place
    }

    pub(crate) fn bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.root().join(path)).unwrap()
    }

    pub(crate) fn text(&self, path: &str) -> String {
        String::from_utf8(self.bytes(path)).unwrap()
    }

    /// Runs a call. Whatever is asked is allowed.
    pub(crate) async fn call(&self, tool: &str, args: Value) -> Played {
        self.call_answered(tool, args, &Answer::Allow).await
    }

    /// Runs a call. Whatever is asked gets this answer.
    pub(crate) async fn call_answered(&self, tool: &str, args: Value, answer: &Answer) -> Played {
        play(
            &self.config,
            &function_call(tool, args),
            |event, pending| {
                let asked = match event {
                    Event::EditProposed(proposal) => proposal.id.into(),
                    Event::ApprovalRequested(approval) => approval.id,
                    _ => return,
                };
                pending.answer(asked, answer.clone()).unwrap();
            },
        )
        .await
    }

    /// What the model is told, with the root of the workspace left out.
    pub(crate) async fn told(&self, tool: &str, args: Value) -> String {
        let played = self.call(tool, args).await;
        let root = self.root().display().to_string();
        played.text().replace(&root, "<root>")
    }
}

struct DiskFiles(PathBuf);

impl DiskFiles {
    fn bytes(&self, path: &WorkspacePath, limit: u64) -> Result<Vec<u8>, FileError> {
        let place = self.0.join(path.as_path());
        let unreadable = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound => FileError::NotFound,
            _ => FileError::Unreadable { source },
        };
        let real = place.canonicalize().map_err(unreadable)?;
        if !real.starts_with(&self.0) {
            return Err(FileError::OutsideWorkspace);
        }
        let metadata = fs::metadata(&real).map_err(unreadable)?;
        match metadata.len() {
            _ if metadata.is_dir() => Err(FileError::IsFolder),
            bytes if bytes > limit => Err(FileError::TooLarge { bytes, limit }),
            _ => fs::read(&real).map_err(unreadable),
        }
    }

    fn text(&self, path: &WorkspacePath) -> Result<String, FileError> {
        let bytes = self.bytes(path, MAX_FILE_BYTES)?;
        Ok(decode(&bytes).map_err(|_| FileError::NotText)?.text)
    }

    fn replace(&self, path: &WorkspacePath, base: &str, text: &str) -> Result<(), FileError> {
        let bytes = self.bytes(path, MAX_FILE_BYTES)?;
        let decoded = decode(&bytes).map_err(|_| FileError::NotText)?;
        if decoded.text != base {
            return Err(FileError::Changed);
        }
        let bytes = encode_edit(&bytes, &decoded, text)?;
        let written = fs::write(self.0.join(path.as_path()), bytes);
        written.map_err(|source| FileError::Unwritable { source })
    }

    fn make(&self, path: &WorkspacePath, text: &str) -> Result<(), FileError> {
        let place = self.0.join(path.as_path());
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        let made = fs::File::create_new(place).and_then(|mut file| file.write_all(text.as_bytes()));
        made.map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists => FileError::Exists,
            _ => FileError::Unwritable { source },
        })
    }
}

impl Files for DiskFiles {
    fn read<'a>(&'a self, path: &'a WorkspacePath) -> BoxFuture<'a, Result<String, FileError>> {
        async { self.text(path) }.boxed()
    }

    fn read_bytes<'a>(
        &'a self,
        path: &'a WorkspacePath,
        limit: u64,
    ) -> BoxFuture<'a, Result<Vec<u8>, FileError>> {
        async move { self.bytes(path, limit) }.boxed()
    }

    fn write<'a>(
        &'a self,
        path: &'a WorkspacePath,
        base: &'a str,
        text: &'a str,
        _: &'a EditOrigin,
    ) -> BoxFuture<'a, Result<Written, FileError>> {
        async move {
            self.replace(path, base, text)?;
            Ok(Written::default())
        }
        .boxed()
    }

    fn create<'a>(
        &'a self,
        path: &'a WorkspacePath,
        text: &'a str,
        _: &'a EditOrigin,
    ) -> BoxFuture<'a, Result<Written, FileError>> {
        async move {
            self.make(path, text)?;
            Ok(Written::default())
        }
        .boxed()
    }
}
