//! The files of a session as its client has them: with what is not saved, and written by its own hands.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent_client_protocol_schema::v1::{
    CLIENT_METHOD_NAMES, ReadTextFileRequest, ReadTextFileResponse, SessionId, WriteTextFileRequest,
};
use pollux_workspace::{Answering, ClientFailure, ClientFiles, ClientFolder, FileOffer};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::client::Client;

pub(crate) struct SessionFiles {
    client: Arc<Client>,
    session: SessionId,
    offers: FileOffer,
}

impl SessionFiles {
    /// Nothing for a client that offers none.
    pub(crate) fn of(client: &Arc<Client>, session: &str) -> Option<Arc<Self>> {
        let fs = &client.capabilities()?.fs;
        let offers = match (fs.read_text_file, fs.write_text_file) {
            (true, true) => FileOffer::ReadsAndWrites,
            (true, false) => FileOffer::Reads,
            (false, true) => FileOffer::Writes,
            (false, false) => return None,
        };
        Some(Arc::new(Self {
            client: Arc::clone(client),
            session: SessionId::new(session),
            offers,
        }))
    }
}

impl ClientFiles for SessionFiles {
    fn offers(&self) -> FileOffer {
        self.offers
    }

    fn read(&self, path: PathBuf) -> Answering<String> {
        let client = Arc::clone(&self.client);
        let request = ReadTextFileRequest::new(self.session.clone(), path);
        Box::pin(async move {
            let method = CLIENT_METHOD_NAMES.fs_read_text_file;
            let answer = asked(&client, method, &request).await?;
            let read: ReadTextFileResponse = serde_json::from_str(answer.get())
                .map_err(|error| ClientFailure::Refused(error.to_string()))?;
            Ok(read.content)
        })
    }

    fn write(&self, path: PathBuf, text: String) -> Answering<()> {
        let client = Arc::clone(&self.client);
        let request = WriteTextFileRequest::new(self.session.clone(), path, text);
        Box::pin(async move {
            let method = CLIENT_METHOD_NAMES.fs_write_text_file;
            // Clients say nothing, `null` or an object: that there is an answer is the answer.
            asked(&client, method, &request).await.map(drop)
        })
    }
}

/// The question is taken back when nobody waits any more.
async fn asked(
    client: &Arc<Client>,
    method: &'static str,
    request: &impl Serialize,
) -> Result<Box<RawValue>, ClientFailure> {
    let (_question, coming) = client.ask(method, request).await;
    match coming.await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(error)) => Err(ClientFailure::Refused(error.message)),
        Err(_) => Err(ClientFailure::NoAnswer),
    }
}

/// The folders of a session, by their true names and by the client's.
pub(crate) fn folders(cwd: &Path, others: &[PathBuf]) -> Vec<ClientFolder> {
    let named = std::iter::once(cwd).chain(others.iter().map(PathBuf::as_path));
    let folder = |named: &Path| {
        Some(ClientFolder {
            real: named.canonicalize().ok()?,
            named: named.to_owned(),
        })
    };
    named.filter_map(folder).collect()
}
