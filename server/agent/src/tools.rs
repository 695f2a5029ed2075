//! The tools that a model can call: one file each, checked parameters in, a result for the model and a line for
//! the person out.

mod desk;
mod error;
mod params;
mod read_file;
mod replace;
mod schema;
mod tool;
mod toolset;

pub(crate) use desk::{Consent, Desk};
pub(crate) use error::{Denial, ErrorKind, ToolError};
pub(crate) use tool::{Asks, Tool, ToolOutput};
pub(crate) use toolset::waits_for_previous;
pub use toolset::{Equipment, ToolSet};
