//! Which tool a rule means.

use serde::Serialize;
use serde_json::Value;

use crate::mcp_name::{self, mcp_tool_name};
use crate::{Call, Decision};

#[cfg(test)]
mod tests;

pub(crate) const SHELL: &str = "run_shell_command";
pub(crate) const SHELL_FORMERLY: &str = "ShellTool";
pub(crate) const INVOKE_AGENT: &str = "invoke_agent";
const ANY: &str = "*";
const MCP: &str = mcp_name::PREFIX;

/// Names that mean the same tool.
const ALIASES: &[(&str, &str)] = &[
    ("search_file_content", "grep_search"),
    (SHELL_FORMERLY, SHELL),
];

/// The tools of a rule: a name or a pattern with `*`, possibly of one MCP server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolPattern {
    pub tool: String,
    /// `*` for any server; none for a rule that names no server, which may still be about `mcp_…` names.
    pub server: Option<String>,
}

impl ToolPattern {
    pub fn tool(tool: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            server: None,
        }
    }

    /// Every tool of an MCP server.
    pub fn server(server: &str) -> Self {
        Self {
            tool: ANY.to_owned(),
            server: Some(server.to_owned()),
        }
    }

    pub(crate) fn is_shell(&self) -> bool {
        self.server.is_none() && (self.tool == SHELL || self.tool == SHELL_FORMERLY)
    }

    /// A deny is read generously and everything else strictly: a short name forbids a server's tool, but the
    /// permission to use our `read_file` is none for a server's tool of that name.
    pub(crate) fn matches(&self, names: &Names<'_>, decision: Decision) -> bool {
        match (&self.server, &names.mcp) {
            (Some(_), None) => false,
            (Some(server), Some(name)) => {
                (server == ANY || name.is_of(server))
                    && (name.is_called(&self.tool)
                        || glob(&self.tool, &name.full)
                        || mcp_tool_name(name.server, &self.tool) == name.full)
            }
            (None, None) => names.plain.iter().any(|name| glob(&self.tool, name)),
            (None, Some(name)) => self.matches_mcp(name, decision),
        }
    }

    fn matches_mcp(&self, name: &McpName<'_>, decision: Decision) -> bool {
        if self.tool == ANY {
            return true;
        }
        let Some(rest) = self.tool.strip_prefix(MCP) else {
            return decision == Decision::Deny && name.is_called(&self.tool);
        };
        if rest == ANY {
            return true;
        }
        if let Some(short) = rest.strip_prefix("*_") {
            return name.is_called(short);
        }
        // Server names may contain `_`, so the text alone would let `mcp_a_*` reach into the server `a_b`.
        if let Some(server) = rest.strip_suffix("_*").filter(|rest| !rest.contains('*')) {
            let guessed = name.server_is_a_guess && decision == Decision::Deny;
            return name.is_of(server) || guessed && glob(&self.tool, &name.full);
        }
        match rest.contains('*') {
            true => [name.server.to_owned(), mcp_name::accepted(name.server)]
                .iter()
                .filter_map(|server| rest.strip_prefix(server.as_str())?.strip_prefix('_'))
                .any(|tools| name.is_called(tools)),
            false => self.tool == name.full || mcp_name::valid_name(&self.tool) == name.full,
        }
    }
}

/// The names a call goes by.
pub(crate) struct Names<'a> {
    plain: Vec<&'a str>,
    mcp: Option<McpName<'a>>,
}

struct McpName<'a> {
    server: &'a str,
    server_is_a_guess: bool,
    short: String,
    full: String,
}

impl<'a> Names<'a> {
    pub(crate) fn of(call: &Call<'a>) -> Self {
        let mcp = McpName::of(call);
        let mut plain = Vec::new();
        if mcp.is_none() {
            plain.push(call.tool);
            for alias in aliases(call.tool) {
                plain.push(alias);
            }
            if call.tool == INVOKE_AGENT {
                plain.extend(call.args.get("agent_name").and_then(Value::as_str));
            }
        }
        Self { plain, mcp }
    }

    pub(crate) fn is_shell(&self) -> bool {
        self.plain.contains(&SHELL)
    }
}

impl<'a> McpName<'a> {
    fn of(call: &Call<'a>) -> Option<Self> {
        let Some(server) = call.server else {
            let rest = call.tool.strip_prefix(MCP)?;
            let (server, short) = rest.split_once('_').unwrap_or((rest, ""));
            return Some(Self {
                server,
                server_is_a_guess: true,
                short: short.to_owned(),
                full: call.tool.to_owned(),
            });
        };
        // Any other beginning is a part of the tool's own name: a server could give its tool the name of another
        // server's tool.
        let beginning = mcp_name::beginning(server);
        let is_full = call.tool.starts_with(mcp_name::kept(&beginning));
        let short = match is_full {
            true => call.tool.strip_prefix(&beginning).unwrap_or(call.tool),
            false => call.tool,
        };
        Some(Self {
            server,
            server_is_a_guess: false,
            short: short.to_owned(),
            full: match is_full {
                true => call.tool.to_owned(),
                false => mcp_tool_name(server, call.tool),
            },
        })
    }

    /// By the server, or as models read it.
    fn is_called(&self, pattern: &str) -> bool {
        glob(pattern, &self.short) || glob(pattern, &mcp_name::accepted(&self.short))
    }

    fn is_of(&self, server: &str) -> bool {
        self.server == server || mcp_name::accepted(self.server) == server
    }
}

/// The tool's name without what only says which server it belongs to.
pub(crate) fn short_name(call: &Call<'_>) -> String {
    McpName::of(call).map_or_else(|| call.tool.to_owned(), |name| name.short)
}

pub(crate) fn aliases(tool: &str) -> impl Iterator<Item = &'static str> {
    ALIASES.iter().filter_map(move |(left, right)| {
        if *left == tool {
            Some(*right)
        } else if *right == tool {
            Some(*left)
        } else {
            None
        }
    })
}

/// `*` stands for any characters; everything else for itself.
fn glob(pattern: &str, text: &str) -> bool {
    let Some((first, mut pattern)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut text) = text.strip_prefix(first) else {
        return false;
    };
    while let Some((middle, rest)) = pattern.split_once('*') {
        let Some((_, after)) = text.split_once(middle) else {
            return false;
        };
        (text, pattern) = (after, rest);
    }
    text.ends_with(pattern)
}
