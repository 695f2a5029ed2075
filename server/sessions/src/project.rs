//! One project's folder in the twin's runtime folder, and the names of what lies in it.

use std::fs::ReadDir;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pollux_settings::{Locations, find_project, real_path};
use sha2::{Digest, Sha256};

use crate::error::SessionError;
use crate::id::{SessionId, file_segment};
use crate::index::SessionIndex;

/// A workspace folder under the name by which its sessions are recorded.
#[derive(Clone, Debug)]
pub struct Project {
    pub slug: String,
    /// The workspace folder, links resolved.
    pub root: PathBuf,
    /// `tmp/<slug>`: everything that is recorded about the project. May not exist yet.
    pub folder: PathBuf,
    /// Where the summaries of its files are kept, if somebody lists it more than once.
    pub(crate) index: Option<Arc<SessionIndex>>,
}

impl Project {
    /// Where the run of an agent is recorded that a session has started. Nothing for names that make no file.
    pub fn subagent_file(&self, parent: &SessionId, run: &str) -> Option<PathBuf> {
        let folder = self.chats().join(parent.file_segment()?);
        Some(folder.join(format!("{}.jsonl", file_segment(run)?)))
    }

    /// The project of `folder` if it has a name already. Writes nothing, so it suits listing and deleting.
    pub fn find(locations: &Locations, folder: &Path) -> Option<Self> {
        let found = find_project(locations, folder).project?;
        Some(Self::new(locations, found.slug, real_path(folder)))
    }

    pub(crate) fn new(locations: &Locations, slug: String, root: PathBuf) -> Self {
        Self {
            folder: locations.runtime_dir.join("tmp").join(&slug),
            slug,
            root,
            index: None,
        }
    }

    /// The same project, whose files are read only when they have changed since the index saw them.
    #[must_use]
    pub fn with_index(self, index: Arc<SessionIndex>) -> Self {
        Self {
            index: Some(index),
            ..self
        }
    }

    pub fn chats(&self) -> PathBuf {
        self.folder.join("chats")
    }

    /// What session files call the project: it stayed a hash when the folder became a name.
    pub fn hash(&self) -> String {
        root_hash(&self.root)
    }

    /// The main sessions' files, in the order of their names. Files whose names are not text are none of
    /// the twin's.
    pub(crate) fn session_files(&self) -> Result<Vec<PathBuf>, SessionError> {
        let chats = self.chats();
        let mut files: Vec<PathBuf> = entries(&chats)?
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
            .filter(|entry| entry.file_name().to_str().is_some_and(is_session_file))
            .map(|entry| entry.path())
            .collect();
        files.sort();
        Ok(files)
    }

    /// Those of the main sessions' files whose names mention `id`; they may still be of another session.
    pub(crate) fn files_mentioning(&self, id: &SessionId) -> Result<Vec<PathBuf>, SessionError> {
        let Some(short) = id.short() else {
            return Ok(Vec::new());
        };
        let mut files = self.session_files()?;
        files.retain(|path| file_name(path).is_some_and(|name| mentions(name, &short)));
        Ok(files)
    }
}

/// `None` if there is no such folder.
pub(crate) fn entries(folder: &Path) -> Result<Option<ReadDir>, SessionError> {
    match std::fs::read_dir(folder) {
        Ok(entries) => Ok(Some(entries)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(source) => Err(SessionError::io(folder)(source)),
    }
}

pub(crate) fn file_name(path: &Path) -> Option<&str> {
    path.file_name()?.to_str()
}

pub(crate) fn root_hash(root: &Path) -> String {
    let digest = Sha256::digest(root.as_os_str().as_encoded_bytes());
    hex(&digest)
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn is_session_file(name: &str) -> bool {
    name.starts_with("session-") && (name.ends_with(".json") || name.ends_with(".jsonl"))
}

/// Whether a file's name ends with the short id.
pub(crate) fn mentions(name: &str, short: &str) -> bool {
    name.strip_suffix(".jsonl")
        .or_else(|| name.strip_suffix(".json"))
        .and_then(|stem| stem.strip_suffix(short))
        .is_some_and(|before| before.ends_with('-'))
}
