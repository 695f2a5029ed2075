//! Shell commands: what to run, and how it is started.
//!
//! Between us and the command stands a [guard](crate::guard_main), which ends all of it when we
//! say so or are no more. Its terminal is ours: output comes here directly, from the first byte on.

#[cfg(unix)]
mod driver;
mod inactivity;
mod running;
#[cfg(unix)]
mod start;
#[cfg(unix)]
mod terminal;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

pub use self::running::{Ended, Exit, Live, OutputStream, Running};
#[cfg(unix)]
pub use self::start::{start, start_streaming};
use crate::capture::{Limits, Spool};
use crate::environment::Variable;
use crate::sandbox::SandboxProfile;

/// How to start a guard: a program that calls [`crate::guard_main`] with the arguments that follow
/// these.
#[derive(Debug, Clone)]
pub struct Guard {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
}

/// A command for `bash -c`, and everything around it.
#[derive(Debug, Clone)]
pub struct ShellCommand {
    pub command: String,
    pub folder: PathBuf,
    /// All of it; nothing is inherited. See [`crate::sanitised`].
    pub environment: Vec<Variable>,
    pub terminal: Terminal,
    pub input: Input,
    /// Ends the command when it has printed nothing for so long.
    pub inactivity: Option<Duration>,
    pub sandbox: Option<SandboxProfile>,
    pub access: CommandAccess,
    pub spool: Spool,
    pub limits: Limits,
}

/// What the caller knows about a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandAccess {
    /// It may write, as far as its sandbox lets it.
    Write,
    /// It only reads, and the kernel holds it to that: it writes to a scratch folder of its own,
    /// which goes with it, and has no network. Where [`crate::read_only_support`] says that the
    /// kernel cannot, the command runs with its sandbox alone and [`Running::sandbox`] says so.
    ReadOnly,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Terminal {
    Emulated(Size),
    /// Output goes through a pipe, and programs see no terminal.
    Pipes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    pub rows: u16,
    pub columns: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// Whoever asks for input is told at once that there is none.
    Nothing,
    /// Input is written with [`Running::write`].
    Interactive,
}

#[derive(Debug, thiserror::Error)]
pub enum ShellError {
    #[error("{} is not a folder", folder.display())]
    NoFolder { folder: PathBuf },
    #[error("the terminal of the command could not be opened")]
    Terminal(#[source] io::Error),
    #[error("the guard of the command did not start")]
    Guard(#[source] io::Error),
    #[error("the guard of the command ended before it had started anything")]
    GuardEnded,
    #[error("the shell did not start: {why}")]
    Shell { why: String },
    #[error("the sandbox cannot be put in force: {why}")]
    Sandbox { why: String },
    #[error("shell commands cannot be run on this system yet")]
    Unsupported,
    #[error("the command takes no input")]
    NoInput,
    #[error("the command did not take the input")]
    Input(#[source] io::Error),
}

impl ShellCommand {
    /// The command as the shell gets it: with the options that would change how it is read off,
    /// whatever the shell's own start-up does.
    #[cfg(unix)]
    fn script(&self) -> OsString {
        const READ_AS_WRITTEN: &str = "shopt -u promptvars nullglob extglob nocaseglob dotglob; ";
        format!("{READ_AS_WRITTEN}{}", self.command).into()
    }
}

/// Starts a command, on a system where that can be done.
#[cfg(not(unix))]
pub async fn start(_: &Guard, _: ShellCommand) -> Result<Running, ShellError> {
    Err(ShellError::Unsupported)
}

/// Starts a command, on a system where that can be done.
#[cfg(not(unix))]
pub async fn start_streaming(
    _: &Guard,
    _: ShellCommand,
) -> Result<(Running, OutputStream), ShellError> {
    Err(ShellError::Unsupported)
}
