//! Sub-agents that people have described: one Markdown file each, in a folder of the project or of the user.
//!
//! Owns the files and what is wrong in them. Who is asked, and with what, is decided elsewhere. A file that cannot be
//! used is a [`crate::Problem`], and the others still count.

mod acknowledged;
mod definition;
mod folders;
mod frontmatter;
mod overrides;
mod tool_names;
mod yaml;

use std::path::PathBuf;
use std::time::Duration;

pub use acknowledged::{AcknowledgeError, Acknowledged, acknowledge};
pub use folders::{AgentFolders, FolderStamp};
pub use overrides::{AgentOverride, agent_override, agents_are_on};
pub use tool_names::is_known as is_tool_name;

use crate::problem::Problem;

/// What the folders hold.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgentFiles {
    /// Those of the project first; by the names of their files.
    pub agents: Vec<AgentFile>,
    pub problems: Vec<Problem>,
}

/// A sub-agent as its file describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentFile {
    pub name: String,
    pub display_name: Option<String>,
    pub description: String,
    /// What it is told before its job: the text below the description.
    pub instructions: String,
    /// Nothing: whatever its session has.
    pub tools: Option<Vec<String>>,
    /// Nothing: that of its session.
    pub model: Option<String>,
    pub temperature: Option<f64>,
    pub max_turns: Option<u32>,
    pub max_time: Option<Duration>,
    pub origin: AgentOrigin,
    pub path: PathBuf,
    /// SHA-256 of the whole file, in hexadecimal digits: what a person has acknowledged is this and nothing else.
    pub hash: String,
}

/// Whose agent it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentOrigin {
    /// Comes with a folder, and so from whoever wrote that.
    Project,
    User,
}
