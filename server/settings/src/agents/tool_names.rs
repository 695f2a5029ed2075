//! Which words may stand in the list of tools of an agent.

/// The tools of the twin and of Pollux that an agent can be given. Agents are none: no agent asks another.
const BUILT_IN: &[&str] = &[
    "activate_skill",
    "ask_user",
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
    "tracker_add_dependency",
    "tracker_create_task",
    "tracker_get_task",
    "tracker_list_tasks",
    "tracker_update_task",
    "tracker_visualize",
    "update_topic",
    "web_fetch",
    "write_file",
    "write_todos",
];

/// Whether `name` is that of a tool, or stands for several: `*`, `mcp_*`, `mcp_<server>_*`.
pub fn is_known(name: &str) -> bool {
    if name == "*" || BUILT_IN.contains(&name) {
        return true;
    }
    if let Some(rest) = name.strip_prefix("discovered_tool_") {
        return is_word(rest);
    }
    match name.strip_prefix("mcp_") {
        Some("*") => true,
        Some(rest) => rest
            .split_once('_')
            .is_some_and(|(server, tool)| is_word(server) && (tool == "*" || is_word(tool))),
        None => false,
    }
}

fn is_word(text: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "_-.:".contains(letter);
    !text.is_empty() && text.chars().all(is_letter)
}
