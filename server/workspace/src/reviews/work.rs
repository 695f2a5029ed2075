//! What the reviews hear from the threads and clocks they have set to work.

use pollux_agent::FileError;

use super::Replaced;
use super::road::Saved;
use crate::{DocumentKey, EditId};

/// Something that was begun elsewhere is over.
#[derive(Debug)]
pub enum ReviewWork {
    /// A closed file was to be replaced.
    Replaced {
        key: DocumentKey,
        id: EditId,
        result: Result<Replaced, FileError>,
    },
    /// A closed file was read.
    Read {
        key: DocumentKey,
        result: Result<Option<String>, FileError>,
    },
    /// An open file was compared with the disk, as it was before an edit.
    Compared {
        key: DocumentKey,
        id: EditId,
        was: Saved,
    },
    /// An edit should have arrived by now.
    Overdue { key: DocumentKey, id: EditId },
    /// A file that was emptied is gone, or was not to go.
    Removed(DocumentKey),
}
