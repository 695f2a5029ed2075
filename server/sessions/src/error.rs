//! What can go wrong, by what the caller can do about it.

use std::io;
use std::path::{Path, PathBuf};

use crate::id::SessionId;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    #[error("cannot use {}: {}", path.display(), reason(source))]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// Another program held the lock for as long as we were willing to wait.
    #[error("another program is writing {}", path.display())]
    Busy { path: PathBuf },
    #[error("{} is not an absolute path that JSON can hold", folder.display())]
    UnsuitableFolder { folder: PathBuf },
    /// The id would not make a file name.
    #[error("{id:?} cannot name a session")]
    UnsuitableId { id: String },
    #[error("a session with the id {id} exists already")]
    AlreadyExists { id: SessionId },
    /// Only for `latest`: the twin starts a new session then.
    #[error("no previous sessions found for this project")]
    NoSessions,
    #[error(
        "invalid session identifier {reference:?}\n  \
         Searched for sessions in {}.\n  \
         Use --list-sessions to see available sessions, then use --resume {{number}}, \
         --resume {{uuid}}, or --resume latest.",
        chats.display()
    )]
    NotFound { reference: String, chats: PathBuf },
    /// Somebody records to the session right now.
    #[error("the session in {} is in use", path.display())]
    InUse { path: PathBuf },
    /// The session that asks to be deleted is the one that asks.
    #[error("{id} is the current session")]
    Current { id: SessionId },
    #[error("{} holds no session that can be read", path.display())]
    Unreadable { path: PathBuf },
    #[error("{} is too large to be read", path.display())]
    TooLarge { path: PathBuf },
    /// Deleted while it was recorded to. What was recorded before is gone unless the caller still has it.
    #[error("{} was deleted while the session was recorded to it", path.display())]
    Vanished { path: PathBuf },
    /// A link leads out of the project's folder, and nothing behind it is ours to delete.
    #[error("{} leads out of the project's folder", path.display())]
    Outside { path: PathBuf },
}

impl SessionError {
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Busy { .. })
    }

    /// Names the file that could not be used.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        |source| Self::Io { path, source }
    }
}

/// What a person can do something about, in words; the rest as the system says it.
fn reason(error: &io::Error) -> String {
    /// `EMFILE` and `ENFILE`, which the standard library gives no kind.
    const TOO_MANY_FILES: [i32; 2] = [24, 23];
    match error.kind() {
        io::ErrorKind::StorageFull => "the disk is full".to_owned(),
        io::ErrorKind::QuotaExceeded => "the disk quota is used up".to_owned(),
        io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ if error
            .raw_os_error()
            .is_some_and(|code| TOO_MANY_FILES.contains(&code)) =>
        {
            "too many open files".to_owned()
        }
        _ => error.to_string(),
    }
}
