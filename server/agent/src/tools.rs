//! The tools that a model can call: one file each, checked parameters in, a result for the model and a line for
//! the person out.

mod desk;
mod editing;
mod error;
mod params;
mod reviewed;
mod schema;
mod searching;
mod shell_setup;
mod tool;
mod toolset;
mod untrusted;
mod watched;

mod glob;
mod grep_search;
mod list_background_processes;
mod list_directory;
mod read_background_output;
mod read_file;
mod replace;
mod run_shell_command;
mod write_file;

pub(crate) use desk::{Consent, Desk};
pub(crate) use error::{Denial, ErrorKind, ToolError};
pub use searching::SearchSetup;
pub use shell_setup::{Keeper, ShellSetup};
pub(crate) use tool::{Asks, TailCall, Tool, ToolOutput};
pub(crate) use toolset::waits_for_previous;
pub use toolset::{Equipment, ToolSet};
