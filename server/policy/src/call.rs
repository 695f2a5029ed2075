use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Map, Value};

use crate::{ApprovalMode, Decision, WorkspaceView};

/// A tool call that is to be judged.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// For a tool of an MCP server: its own name, or the one of [`mcp_tool_name`](crate::mcp_tool_name).
    pub tool: &'a str,
    pub args: &'a Map<String, Value>,
    /// The MCP server that the tool belongs to.
    pub server: Option<&'a str>,
    /// The sub-agent that makes the call.
    pub subagent: Option<&'a str>,
    /// What the tool's owner says about it, such as `readOnlyHint`.
    pub annotations: Option<&'a Map<String, Value>>,
}

/// Where and how a call is made.
pub struct Context<'a> {
    pub mode: ApprovalMode,
    pub presence: Presence,
    pub trust: Trust,
    /// Where relative paths begin.
    pub cwd: &'a Path,
    /// The folders of the workspace, absolute and without links.
    pub roots: &'a [PathBuf],
    /// Links, folders and variables.
    pub view: &'a dyn WorkspaceView,
}

/// Whether somebody is there who can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Presence {
    Interactive,
    Headless,
}

impl Presence {
    /// What a call comes to that somebody would have to be asked about.
    pub(crate) fn question(self) -> Decision {
        match self {
            Self::Interactive => Decision::Ask,
            Self::Headless => Decision::Deny,
        }
    }
}

/// Whether the person trusts the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    Trusted,
    Untrusted,
}
