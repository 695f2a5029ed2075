//! What a shell command did to the files of the workspace: who looks, what is seen, and who takes it in.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::api::{CallId, TurnId};

/// Looks at the workspace around a command.
pub trait ShellWatch: Send + Sync {
    /// Called before the command runs, which waits for it. Nothing: no file can change by this command.
    fn before<'a>(&'a self, command: Upcoming<'a>) -> BoxFuture<'a, Option<Box<dyn Watching>>>;
}

/// A look at the workspace that is to be compared with a later one.
pub trait Watching: Send {
    /// Called when the command has ended, in whatever way.
    fn after(self: Box<Self>) -> BoxFuture<'static, Changes>;
}

/// Takes in what a command changed.
pub trait ShellChanges: Send + Sync {
    /// Called in the order in which commands end, for changes that are some. The tool's result waits for it.
    fn absorb<'a>(&'a self, origin: ShellOrigin, changes: Arc<Changes>) -> BoxFuture<'a, ()> {
        let _nobody_reviews = (origin, changes);
        Box::pin(async {})
    }
}

/// A command that is about to run.
#[derive(Clone, Debug)]
pub struct Upcoming<'a> {
    pub command: &'a str,
    /// Absolute.
    pub folder: &'a Path,
    /// Texts that people know better than the disk does: by the editors, or by a review.
    pub known: Vec<(PathBuf, Arc<str>)>,
}

/// Which command it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellOrigin {
    pub turn: TurnId,
    pub call: CallId,
    pub command: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// In the order of their paths.
    pub files: Vec<ChangedFile>,
    pub not_reversible: Vec<NotReversible>,
}

/// A file before and after. Both are there unless it was made or deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    /// Absolute.
    pub path: PathBuf,
    /// Where it was, if it was elsewhere.
    pub moved_from: Option<PathBuf>,
    pub before: Option<FileThen>,
    pub after: Option<FileThen>,
}

/// What a file was at some time.
#[derive(Clone, PartialEq, Eq)]
pub struct FileThen {
    pub content: Content,
    /// The permission bits, where the system has them.
    pub mode: u32,
}

#[derive(Clone, PartialEq, Eq)]
pub enum Content {
    Bytes(Arc<[u8]>),
    /// From an editor: not yet in the file's own charset.
    Text(Arc<str>),
    /// A link and where it leads.
    Link(PathBuf),
}

/// Something that has changed and cannot be brought back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotReversible {
    /// Absolute.
    pub path: PathBuf,
    /// "it is too large to be kept".
    pub reason: String,
}

impl Changes {
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.not_reversible.is_empty()
    }
}

impl fmt::Debug for FileThen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {:o}", self.content, self.mode)
    }
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => write!(f, "{:?}", String::from_utf8_lossy(bytes)),
            Self::Text(text) => write!(f, "{text:?} in an editor"),
            Self::Link(target) => write!(f, "-> {}", target.display()),
        }
    }
}

/// Sees nothing, and takes nothing in.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl ShellWatch for Unwatched {
    fn before<'a>(&'a self, _: Upcoming<'a>) -> BoxFuture<'a, Option<Box<dyn Watching>>> {
        Box::pin(async { None })
    }
}

impl ShellChanges for Unwatched {}
