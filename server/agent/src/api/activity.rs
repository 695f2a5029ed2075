/// What a tool does, in one word, so that people see it before they read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    Read,
    Search,
    Edit,
    Command,
    Fetch,
    Think,
    /// Hands a job to a sub-agent.
    Agent,
    Other,
}

impl Activity {
    /// By the tool's name. Tools that a project brings along may do anything.
    pub fn of_tool(name: &str) -> Self {
        match name {
            "read_file" | "read_many_files" | "list_directory" => Self::Read,
            "grep_search" | "glob" | "search_file_content" => Self::Search,
            "replace" | "write_file" => Self::Edit,
            "run_shell_command" | "list_background_processes" | "read_background_output" => {
                Self::Command
            }
            "web_fetch" | "google_web_search" => Self::Fetch,
            "write_todos" | "update_topic" | "enter_plan_mode" | "exit_plan_mode" | "ask_user" => {
                Self::Think
            }
            "invoke_agent" => Self::Agent,
            name if name.starts_with("tracker_") => Self::Think,
            _ => Self::Other,
        }
    }
}
