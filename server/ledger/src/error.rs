//! What can go wrong, by what the caller can do about it.

use std::io;
use std::path::{Path, PathBuf};

use crate::entry::OpId;
use crate::hash::Hash;
use crate::holder::Holder;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    #[error("cannot use {}: {source}", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// Another process writes the record of this workspace.
    #[error("{} has the review record open", used_by(holder.as_ref()))]
    InUse {
        folder: PathBuf,
        holder: Option<Holder>,
    },
    /// It was dropped because the record had grown too large, or somebody has removed it.
    #[error("the text {hash} is no longer kept")]
    Missing { hash: Hash },
    #[error("the text {hash} is damaged")]
    Damaged { hash: Hash },
    #[error("a text of {bytes} bytes is too large to be kept")]
    TooLarge { bytes: usize },
    #[error("there is no operation {op} that is still open")]
    NotOpen { op: OpId },
    /// The log was written by a newer version, which may mean more by it than this one knows.
    #[error("the record in {} was written by a newer version", folder.display())]
    Newer { folder: PathBuf },
}

impl LedgerError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        |source| Self::Io { path, source }
    }
}

fn used_by(holder: Option<&Holder>) -> String {
    match holder {
        Some(holder) => format!("another Pollux (process {})", holder.process),
        None => "another Pollux".to_owned(),
    }
}
