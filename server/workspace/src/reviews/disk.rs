//! The files that no editor has open.

use std::path::PathBuf;

use pollux_agent::FileError;

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
}

/// What became of a replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replaced {
    Done,
    /// The file holds something else, and still does.
    Differs(Option<String>),
}
