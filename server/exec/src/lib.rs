//! Processes: starting them so that they end when they should, and knowing when others end.
//!
//! This crate decides nothing; it does what it is told.

#![cfg_attr(
    not(any(unix, test)),
    expect(dead_code, reason = "nothing is started there yet")
)]

mod background;
mod capture;
#[cfg(unix)]
mod daemon;
mod environment;
#[cfg(unix)]
mod guard;
mod private_folder;
mod program;
mod refused;
mod sandbox;
#[cfg(unix)]
mod server;
mod server_program;
mod shell;
mod watch;

pub use background::{Background, BackgroundProcess};
pub use capture::{Captured, Cut, Limits, OutputKind, Spool, Spooled, captured};
#[cfg(unix)]
pub use daemon::{StartError, detach, start_daemon};
pub use environment::{EnvironmentOptions, GitIdentity, Redaction, Variable, redacted, sanitised};
#[cfg(unix)]
pub use guard::guard_main;
pub use private_folder::PrivateFolder;
pub use program::{Deadline, Overflow, ProgramEnd, ProgramRun, ProgramVariables, run_program};
pub use refused::{AccessKind, RefusedAccess};
pub use sandbox::{
    FileSupport, InForce, Network, NetworkSupport, ReadOnlySupport, Readable, SandboxProfile,
    Support, private_caches, read_only_support, sandbox_support,
};
#[cfg(unix)]
pub use server::{ServerProcess, ServerStreams, start_server};
pub use server_program::{ServerError, ServerExit, ServerProgram};
pub use shell::{
    CommandAccess, Ended, Exit, Guard, Input, Live, OutputStream, Running, ShellCommand,
    ShellError, Size, Terminal, start, start_streaming,
};
pub use watch::process_ended;
