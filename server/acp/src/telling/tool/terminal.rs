//! Commands of ours as terminals that a client only shows. Clients say by `_meta.terminal_output` that they can.

use std::path::Path;

use agent_client_protocol_schema::v1::{Meta, Terminal, ToolCallContent, ToolCallId};
use pollux_agent::api::{ToolOutcome, ToolReport};
use serde_json::{Value, json};

use super::content::Tail;

/// The terminal of a call has the call's name.
pub(super) fn content(call: &ToolCallId) -> ToolCallContent {
    ToolCallContent::Terminal(Terminal::new(call.0.to_string()))
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
pub(super) fn ended(
    call: &ToolCallId,
    printed: &Tail,
    outcome: &ToolOutcome,
    report: &ToolReport,
) -> Meta {
    let number = |label: &str| {
        let mut lines = report.output.lines().rev();
        let line = lines.find_map(|line| line.strip_prefix(label));
        line.and_then(|number| number.trim().parse::<i64>().ok())
    };
    let signal = number("Signal: ");
    let code = match (outcome, number("Exit Code: "), signal) {
        (_, Some(code), _) => Some(code),
        (ToolOutcome::Succeeded { .. }, None, None) => Some(0),
        _ => None,
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
