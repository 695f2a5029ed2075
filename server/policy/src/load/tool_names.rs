//! Names that are probably not what their author meant.

use crate::ToolPattern;

/// The tools that Gemini CLI and Pollux ship.
const BUILT_IN: &[&str] = &[
    "activate_skill",
    "ask_user",
    "cli_help",
    "codebase_investigator",
    "complete_task",
    "enter_plan_mode",
    "exit_plan_mode",
    "get_internal_docs",
    "glob",
    "google_web_search",
    "grep_search",
    "invoke_agent",
    "list_background_processes",
    "list_directory",
    "list_mcp_resources",
    "read_background_output",
    "read_file",
    "read_many_files",
    "read_mcp_resource",
    "replace",
    "run_shell_command",
    "save_memory",
    "search_file_content",
    "update_topic",
    "web_fetch",
    "write_file",
    "write_todos",
];

const NEAR: usize = 3;

/// What to say about the name of a tool that nobody has: neither Pollux nor, by its form, a server or a project.
pub fn unknown_tool(name: &str) -> Option<String> {
    let is_of_others = ["mcp_", "discovered_tool_", "tracker_"]
        .iter()
        .any(|beginning| name.starts_with(beginning));
    if is_of_others || name == crate::names::SHELL_FORMERLY || BUILT_IN.contains(&name) {
        return None;
    }
    Some(match nearest(name) {
        Some(nearest) => format!("there is no tool `{name}`; did you mean `{nearest}`?"),
        None => format!("there is no tool `{name}`"),
    })
}

pub(super) fn warning(pattern: &ToolPattern) -> Option<String> {
    let name = pattern.tool.as_str();
    if name.contains("__") {
        return Some(format!(
            "`{name}` is an old spelling: tools of MCP servers are written `mcp_<server>_<tool>`"
        ));
    }
    let is_plain = pattern.server.is_none() && !name.contains('*') && !name.starts_with("mcp_");
    if !is_plain || BUILT_IN.contains(&name) {
        return None;
    }
    nearest(name)
        .map(|nearest| format!("there is no tool `{name}`; did its author mean `{nearest}`?"))
}

fn nearest(name: &str) -> Option<&'static str> {
    let (nearest, distance) = BUILT_IN
        .iter()
        .map(|known| (*known, distance(name, known)))
        .min_by_key(|(_, distance)| *distance)?;
    (distance <= NEAR).then_some(nearest)
}

/// How many characters must be put in, taken out or replaced.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (place, left) in left.chars().enumerate() {
        let mut diagonal = place;
        let mut before = place + 1;
        let mut next = vec![before];
        for (right, above) in right.iter().zip(row.iter().skip(1)) {
            let replaced = diagonal + usize::from(left != *right);
            before = replaced.min(before + 1).min(above + 1);
            next.push(before);
            diagonal = *above;
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}
