//! What the reviews hear from the threads and clocks they have set to work.

use std::path::PathBuf;

use pollux_agent::FileError;
use pollux_ledger::GroupId;

use super::Replaced;
use super::file::State;
use super::record::{NotRecorded, Recovered};
use super::road::Saved;
use crate::{DocumentKey, DoorId, EditId};

/// Something that the reviews had begun elsewhere is over. Nobody else makes these.
#[derive(Debug)]
pub struct ReviewWork(pub(super) Work);

#[derive(Debug)]
pub(super) enum Work {
    /// A closed file was to be replaced.
    Replaced {
        key: DocumentKey,
        id: EditId,
        result: Result<Replaced, FileError>,
    },
    /// A closed file was read.
    Read {
        key: DocumentKey,
        id: EditId,
        result: Result<Option<String>, FileError>,
    },
    /// Somebody has opened the file as it was before the agent's edits; this is what the disk has.
    OpenedBefore {
        key: DocumentKey,
        without: String,
        wanted: Box<State>,
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
    /// An editor that is behind the others should have caught up by now.
    Behind {
        key: DocumentKey,
        door: DoorId,
        id: EditId,
    },
    /// An operation is written down under this name, or could not be.
    Recorded {
        key: DocumentKey,
        id: EditId,
        result: Result<GroupId, NotRecorded>,
    },
    /// The record of a folder cannot be opened for now.
    Blocked { root: PathBuf, why: NotRecorded },
    /// The record of a folder was removed, and has begun anew.
    BegunAnew(PathBuf),
    /// Something that was done could not be written down, or all of it is by now.
    Unwritten {
        root: PathBuf,
        why: Option<NotRecorded>,
    },
    /// What earlier days have left in the record of a folder.
    Recovered(Box<Recovered>),
    /// A file was to get another name.
    Renamed {
        key: DocumentKey,
        id: EditId,
        result: Result<(), FileError>,
    },
    /// A file is gone whose text somebody has opened under another name.
    Gone { from: DocumentKey, to: DocumentKey },
    /// A file that was emptied is gone, or was not to go.
    Removed,
}
