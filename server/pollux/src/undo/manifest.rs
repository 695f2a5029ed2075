//! What a snapshot says about itself, in two files: a short one to list it by, and one with every path.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Enough to list a snapshot without reading about each of its files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct About {
    /// What was about to run.
    pub(crate) command: String,
    pub(crate) folder: KeptPath,
    pub(crate) time: String,
    /// The snapshot that was brought back when this one was made, if it was.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) undoes: Option<String>,
    pub(crate) files: usize,
    pub(crate) bytes: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Manifest {
    /// In the order of their paths, so that a folder comes before what is in it.
    pub(crate) entries: Vec<Entry>,
    #[serde(default)]
    pub(crate) repositories: Vec<Repository>,
    #[serde(default)]
    pub(crate) left_out: Vec<LeftOut>,
}

/// A path and what was there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// Absolute, and without links on the way.
    pub(crate) path: KeptPath,
    #[serde(flatten)]
    pub(crate) state: State,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub(crate) enum State {
    File {
        /// The number under which the bytes are stored.
        blob: usize,
        size: u64,
        mode: u32,
        /// Nanoseconds since 1970.
        modified: Option<u64>,
        /// Of the bytes, as SHA-256.
        hash: String,
    },
    Link {
        target: KeptPath,
    },
    Folder {
        mode: u32,
    },
    /// There was nothing, and there will be nothing again.
    Absent,
    /// There was no folder, so there was nothing in it either. One that is empty in the end goes away.
    NoFolder,
}

/// What git knew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Repository {
    pub(crate) root: KeptPath,
    pub(crate) head: Option<String>,
    pub(crate) branch: Option<String>,
    /// The blob with git's index. Files that had no changes come back from it.
    pub(crate) index: Option<usize>,
    /// The only places in which they do; everywhere, if there are none.
    #[serde(default)]
    pub(crate) within: Vec<KeptPath>,
    /// The newest first, as git lists them.
    #[serde(default)]
    pub(crate) stashes: Vec<Stash>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stash {
    pub(crate) commit: String,
    pub(crate) message: String,
}

/// Something that was not worth keeping, or could not be kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LeftOut {
    pub(crate) path: KeptPath,
    pub(crate) why: String,
}

/// A path in JSON. Names need not be text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum KeptPath {
    Text(String),
    Bytes(Vec<u8>),
}

impl KeptPath {
    pub(crate) fn to_path(&self) -> PathBuf {
        match self {
            Self::Text(text) => PathBuf::from(text),
            Self::Bytes(bytes) => PathBuf::from(from_bytes(bytes)),
        }
    }
}

impl From<&Path> for KeptPath {
    fn from(path: &Path) -> Self {
        match path.to_str() {
            Some(text) => Self::Text(text.to_owned()),
            None => Self::Bytes(path.as_os_str().as_encoded_bytes().to_vec()),
        }
    }
}

#[cfg(unix)]
pub(crate) fn from_bytes(bytes: &[u8]) -> OsString {
    use std::os::unix::ffi::OsStringExt;
    OsString::from_vec(bytes.to_vec())
}

#[cfg(not(unix))]
pub(crate) fn from_bytes(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}
