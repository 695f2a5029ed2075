//! Processes: starting them so that they end when they should, and knowing when others end.
//!
//! This crate decides nothing; it does what it is told.

#[cfg(unix)]
mod daemon;
mod program;
mod watch;

#[cfg(unix)]
pub use daemon::{StartError, detach, start_daemon};
pub use program::{Overflow, ProgramEnd, run_program};
pub use watch::process_ended;
