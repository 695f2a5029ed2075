//! Commands of ours as terminals that a client only shows. Clients say by `_meta.terminal_output` that they can.

use std::path::Path;

use agent_client_protocol_schema::v1::{Meta, Terminal, ToolCallContent, ToolCallId};
use pollux_agent::api::{CommandExit, ToolReport};
use serde_json::{Value, json};

use super::content::Tail;

/// A terminal of ours has the name of its call.
pub(super) fn content(id: &str) -> ToolCallContent {
    ToolCallContent::Terminal(Terminal::new(id.to_owned()))
}

pub(super) fn info(call: &ToolCallId, folder: &Path) -> Meta {
    let info = json!({ "terminal_id": call.0, "cwd": folder });
    Meta::from_iter([("terminal_info".to_owned(), info)])
}

pub(super) fn output(call: &ToolCallId, data: &str) -> Meta {
    let output = json!({ "terminal_id": call.0, "data": data });
    Meta::from_iter([("terminal_output".to_owned(), output)])
}

/// How the command ended, and what it has printed if nobody has seen that.
pub(super) fn ended(call: &ToolCallId, printed: &Tail, report: &ToolReport) -> Meta {
    let (code, signal) = match report.exit {
        Some(CommandExit::Code(code)) => (Some(code), None),
        Some(CommandExit::Signal(signal)) => (None, Some(signal)),
        None => (None, None),
    };
    let mut meta = match printed.is_empty() {
        true => output(call, report.output.trim_start_matches("Output: ")),
        false => Meta::new(),
    };
    let exit = json!({
        "terminal_id": call.0,
        "exit_code": code,
        "signal": signal.map(|signal| Value::from(signal.to_string())),
    });
    meta.insert("terminal_exit".to_owned(), exit);
    meta
}
