//! The tools that a model can call: one file each, checked parameters in, a result for the model and a line for
//! the person out.

mod citations;
mod desk;
mod editing;
mod error;
mod params;
mod reviewed;
mod schema;
mod searching;
mod server_tools;
mod shell_setup;
mod tool;
mod toolset;
mod untrusted;
mod watched;

mod ask_user;
mod complete_task;
mod discovered;
mod glob;
mod grep_search;
mod invoke_agent;
mod list_background_processes;
mod list_directory;
mod list_mcp_resources;
mod plan_mode;
mod read_background_output;
mod read_file;
mod read_many_files;
mod read_mcp_resource;
mod replace;
mod run_shell_command;
mod server_tool;
mod tracker;
mod update_topic;
mod web_fetch;
mod web_search;
mod write_file;
mod write_todos;

pub(crate) use complete_task::CompleteTask;
pub(crate) use desk::{Caller, Consent, Desk};
pub use discovered::{Discovered, DiscoveryError};
pub(crate) use error::{Denial, ErrorKind, ToolError};
pub use plan_mode::PlansFolder;
pub(crate) use run_shell_command::NAME as SHELL;
pub use searching::SearchSetup;
pub use shell_setup::{Keeper, ShellSetup};
pub(crate) use tool::{Asks, TailCall, Tool, ToolOutput};
pub use toolset::{Equipment, Fetching, Offered, ToolSet};
pub(crate) use toolset::{current_name, waits_for_previous};
pub(crate) use untrusted::wrap;
pub(crate) use watched::Watched;
