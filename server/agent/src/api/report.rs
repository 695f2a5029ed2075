use std::time::Duration;

use pollux_model::{FunctionResponse, Part};
use serde_json::Value;

/// Bytes of an output that are kept for people. The model gets less than this in any case.
const LONGEST_OUTPUT: usize = 2 * 1024 * 1024;

/// What a call came to, beyond how it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolReport {
    /// What the model was shown, as text.
    pub output: String,
    /// How long it ran. Zero when that is not known, or when it never ran.
    pub duration: Duration,
    /// The file it changed.
    pub edited: Option<EditedFile>,
    /// How a command ended. Nothing for other tools, and for a command that did not end by itself.
    pub exit: Option<CommandExit>,
}

/// How a command ended that nobody has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandExit {
    Code(i32),
    Signal(i32),
}

/// A file that a call has changed, and by how much.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditedFile {
    /// Relative to the session's folder.
    pub path: String,
    /// Lines.
    pub added: usize,
    pub removed: usize,
}

impl ToolReport {
    pub fn new(response: &FunctionResponse, duration: Duration) -> Self {
        Self {
            output: shown(response),
            duration,
            edited: None,
            exit: None,
        }
    }

    pub(crate) fn of_part(response: &Part, duration: Duration) -> Self {
        match response {
            Part::FunctionResponse(response) => Self::new(response, duration),
            _ => Self::default(),
        }
    }
}

/// The text of a response. One that is more than text is shown as the model gets it.
fn shown(response: &FunctionResponse) -> String {
    let text = |name: &str| response.response.get(name).and_then(Value::as_str);
    let mut output = match text("output").or(text("error")) {
        Some(text) => text.to_owned(),
        None if response.response.is_empty() => String::new(),
        None => serde_json::to_string_pretty(&response.response).unwrap_or_default(),
    };
    if output.len() > LONGEST_OUTPUT {
        output.truncate(output.floor_char_boundary(LONGEST_OUTPUT));
        output.push_str("\n... [TRUNCATED]");
    }
    output
}
