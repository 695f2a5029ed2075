//! The files that no editor has open.

use std::path::{Path, PathBuf};

use pollux_agent::FileError;
use tokio_util::sync::CancellationToken;

use crate::SessionId;

/// Where a file lies, and the folder that it must not lead out of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    pub root: PathBuf,
    /// Absolute.
    pub path: PathBuf,
}

/// Reads and replaces files. The room calls it on threads where waiting for a disk is fine.
///
/// Texts are as the agent's [`Files`](pollux_agent::Files) has them: a charset and a byte order mark are the file's, and a
/// replacement keeps them, as it keeps the mode of a file and the link that leads to it.
pub trait Disk: Send + Sync + 'static {
    /// The text of a file, or nothing where there is none.
    fn read(&self, at: &Location) -> Result<Option<String>, FileError>;

    /// Makes `after` of `before`, whole or not at all; nothing stands for no file. What the file holds is compared with `before`
    /// by content.
    fn replace(
        &self,
        at: &Location,
        before: Option<&str>,
        after: Option<&str>,
    ) -> Result<Replaced, FileError>;

    /// Gives a file another name. One that has it already stays, and the answer is [`FileError::Exists`].
    fn rename(&self, from: &Location, to: &Location) -> Result<(), FileError>;

    /// Removes what a process that was killed while it replaced this file has left beside it.
    fn clean_up(&self, _at: &Location) {}

    /// Where a file that is gone is now, by its text: beside where it was, or in one of these places.
    fn find_moved(&self, _at: &Location, _text: &str, _candidates: &[PathBuf]) -> Option<PathBuf> {
        None
    }

    /// The same as [`Self::replace`], by the hands of somebody who holds the file without being an editor of the room, if
    /// there is such a one. What is compared with `before` is what they have then.
    fn hand_over(
        &self,
        at: &Location,
        before: Option<&str>,
        after: Option<&str>,
        _delivery: &Delivery,
    ) -> Result<Replaced, FileError> {
        self.replace(at, before, after)
    }

    /// What such a one has as the text of a file, where it is not what the disk has.
    fn unsaved(&self, _at: &Location, _session: &SessionId) -> Option<String> {
        None
    }

    /// The files of a folder for which that is so, as far as anybody has asked before.
    fn all_unsaved(&self, _root: &Path, _session: &SessionId) -> Vec<(PathBuf, String)> {
        Vec::new()
    }
}

/// On whose behalf a file is changed.
#[derive(Clone, Debug, Default)]
pub struct Delivery {
    /// Nothing for what a person has decided.
    pub session: Option<SessionId>,
    /// Ends with the turn.
    pub stopped: CancellationToken,
}

/// What became of a replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replaced {
    Done,
    /// Somebody has taken it, and this is what they have made of it: a formatter may have run.
    Taken(String),
    /// The file holds something else, and still does.
    Differs(Option<String>),
}
