//! How much is looked at and kept for one command.

use std::time::Duration;

#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Files of the workspace. With more it is not watched.
    pub(super) scanned: usize,
    /// For one look at all of them.
    pub(super) patience: Duration,
    /// Copies that are taken before the command.
    pub(super) copied_file: u64,
    pub(super) copies: Budget,
    /// What has changed, before and after together.
    pub(super) changed_file: u64,
    pub(super) changed: Budget,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    pub(super) files: usize,
    pub(super) bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            scanned: 500_000,
            patience: Duration::from_secs(10),
            copied_file: 1 << 20,
            copies: Budget {
                files: 5_000,
                bytes: 64 << 20,
            },
            changed_file: pollux_agent::MAX_FILE_BYTES,
            changed: Budget {
                files: 5_000,
                bytes: 128 << 20,
            },
        }
    }
}

impl Budget {
    pub(super) fn take(&mut self, bytes: u64) -> bool {
        match (self.files.checked_sub(1), self.bytes.checked_sub(bytes)) {
            (Some(files), Some(bytes)) => {
                *self = Self { files, bytes };
                true
            }
            _ => false,
        }
    }
}
