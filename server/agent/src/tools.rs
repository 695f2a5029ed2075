//! The tools that a model can call: one file each, checked parameters in, a result for the model and a line for
//! the person out.

mod ask_user;
mod citations;
mod desk;
mod discovered;
mod error;
mod params;
mod plan_mode;
mod read_file;
mod replace;
mod schema;
mod tool;
mod toolset;
mod tracker;
mod untrusted;
mod update_topic;
mod web_fetch;
mod web_search;
mod write_todos;

pub(crate) use desk::{Consent, Desk};
pub use discovered::{Discovered, DiscoveryError};
pub(crate) use error::{Denial, ErrorKind, ToolError};
pub use plan_mode::PlansFolder;
pub(crate) use tool::{Asks, Tool, ToolOutput};
pub(crate) use toolset::waits_for_previous;
pub use toolset::{Equipment, Fetching, Offered, ToolSet};
