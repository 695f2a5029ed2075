//! Where records lie, how this process is reached by others that want one, and why something was not recorded.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use pollux_agent::FileError;
use pollux_ledger::LedgerError;

/// Where the records of all folders lie.
#[derive(Clone, Debug)]
pub(crate) struct Records {
    pub(crate) base: PathBuf,
    /// Where other processes can hand over their edits.
    pub(crate) socket: Option<PathBuf>,
    /// How long edits wait for a record that another process is about to close.
    pub(crate) patience: Duration,
}

/// Why something could not be written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotRecorded {
    kind: io::ErrorKind,
    reason: String,
}

impl NotRecorded {
    pub(crate) fn error(&self) -> FileError {
        FileError::NotRecorded {
            source: io::Error::new(self.kind, self.reason.clone()),
        }
    }

    /// Whether another process has the record.
    pub(crate) fn is_busy(&self) -> bool {
        self.kind == io::ErrorKind::ResourceBusy
    }

    pub(crate) fn reason(&self) -> &str {
        &self.reason
    }
}

impl From<&LedgerError> for NotRecorded {
    fn from(error: &LedgerError) -> Self {
        let kind = match error {
            LedgerError::Io { source, .. } => source.kind(),
            LedgerError::InUse { .. } => io::ErrorKind::ResourceBusy,
            _ => io::ErrorKind::Other,
        };
        Self {
            kind,
            reason: error.to_string(),
        }
    }
}
