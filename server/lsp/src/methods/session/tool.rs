//! Calls of tools, in the protocol's words.

use pollux_agent::api::{Activity, CallId, FunctionCall, ToolOutcome, ToolReport};

use super::event::milliseconds;
use crate::protocol::{SessionEvent, ToolActivity, ToolStatus};

/// Bytes of an input or output that come with an event.
const LONGEST: usize = 4_000;

pub(super) fn started(call: &FunctionCall, title: &str, parent: Option<&CallId>) -> SessionEvent {
    let input = serde_json::to_string_pretty(&call.args).unwrap_or_default();
    SessionEvent::ToolStarted {
        call: call.id.to_string(),
        title: title.to_owned(),
        tool: call.name.clone(),
        activity: match Activity::of_tool(&call.name) {
            Activity::Read => ToolActivity::Read,
            Activity::Search => ToolActivity::Search,
            Activity::Edit => ToolActivity::Edit,
            Activity::Command => ToolActivity::Command,
            Activity::Fetch => ToolActivity::Fetch,
            Activity::Think => ToolActivity::Think,
            Activity::Agent => ToolActivity::Agent,
            Activity::Other => ToolActivity::Other,
        },
        input: beginning(input),
        parent: parent.map(CallId::to_string),
    }
}

pub(super) fn ended(call: &CallId, outcome: &ToolOutcome, report: &ToolReport) -> SessionEvent {
    let (status, message) = match outcome {
        ToolOutcome::Succeeded { summary } => (ToolStatus::Succeeded, summary.clone()),
        ToolOutcome::Failed { message, .. } => (ToolStatus::Failed, message.clone()),
        ToolOutcome::Cancelled => (ToolStatus::Cancelled, String::new()),
    };
    let edited = report.edited.as_ref();
    SessionEvent::ToolEnded {
        call: call.to_string(),
        status,
        message,
        output: both_ends(&report.output),
        output_lines: report.output.lines().count() as u64,
        duration_ms: milliseconds(report.duration),
        path: edited.map(|edited| edited.path.clone()),
        added: edited.map(|edited| edited.added as u64),
        removed: edited.map(|edited| edited.removed as u64),
    }
}

fn beginning(mut text: String) -> String {
    if text.len() > LONGEST {
        text.truncate(text.floor_char_boundary(LONGEST));
        text.push('…');
    }
    text
}

/// The beginning says what it is, and the end how it went.
fn both_ends(text: &str) -> String {
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    let head = text.floor_char_boundary(LONGEST / 2);
    let tail = text.ceil_char_boundary(text.len() - LONGEST / 2);
    let left_out = tail - head;
    format!(
        "{}\n… {left_out} bytes left out …\n{}",
        text.get(..head).unwrap_or_default(),
        text.get(tail..).unwrap_or_default()
    )
}

#[cfg(test)]
mod tests;
