//! What a server is started with, and what can be said about its start and its end.

use std::io;
use std::path::{Path, PathBuf};

use crate::Variable;

/// What is to be run.
#[derive(Clone, Copy, Debug)]
pub struct ServerProgram<'a> {
    /// The name and the arguments.
    pub argv: &'a [String],
    pub folder: &'a Path,
    /// All of it; nothing is inherited.
    pub environment: &'a [Variable],
}

/// How a server ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerExit {
    Code(i32),
    Signal(i32),
    /// Its guard has gone first.
    Unknown,
}

#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    #[error("there is no program to run")]
    NoProgram,
    #[error("{} is not a folder", folder.display())]
    NoFolder { folder: PathBuf },
    #[error("the program cannot be started: {0}")]
    NotStarted(#[source] io::Error),
    #[error("the guard of the program ended before it had started anything")]
    GuardEnded,
    #[error("the program was not started: {why}")]
    Refused { why: String },
    #[error("servers cannot be started on this system yet")]
    Unsupported,
}
