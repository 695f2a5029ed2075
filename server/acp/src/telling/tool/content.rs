//! What a call shows of itself.

use agent_client_protocol_schema::v1::ToolCallContent;
use pollux_agent::api::{Approval, Progress, Subject, ToolOutcome, ToolReport};
use serde_json::{Value, json};

use super::LONGEST_RAW;

/// Bytes of an output that are shown.
const LONGEST_SHOWN: usize = 16 * 1024;

/// Bytes of what a running tool prints that are shown. All of them are sent with every change.
const LONGEST_TAIL: usize = 8 * 1024;

/// The end of what a tool has printed.
#[derive(Default)]
pub(super) struct Tail(String);

impl Tail {
    pub(super) fn push(&mut self, text: &str) {
        self.0.push_str(text);
        // Cut in large steps, so that a long output is not moved about for every line.
        if self.0.len() > 2 * LONGEST_TAIL {
            let cut = self.0.ceil_char_boundary(self.0.len() - LONGEST_TAIL);
            self.0.drain(..cut);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn shown(&self) -> String {
        fenced("", &self.0)
    }

    /// The last so many bytes, from the beginning of a line where something is left out.
    pub(super) fn end(&self, most: usize) -> &str {
        let cut = self.0.ceil_char_boundary(self.0.len().saturating_sub(most));
        let end = self.0.get(cut..).unwrap_or_default();
        match (cut, end.split_once('\n')) {
            (0, _) | (_, None) => end,
            (_, Some((_, lines))) => lines,
        }
    }
}

/// Everything that is needed to judge a call, whole.
pub(super) fn of_question(approval: &Approval) -> Vec<ToolCallContent> {
    let text = match &approval.subject {
        Subject::Command {
            command,
            folder,
            cautions,
            ..
        } => {
            let mut text = fenced("sh", command);
            text.push_str(&format!("\nin {}", folder.display()));
            for caution in cautions {
                text.push_str(&format!("\n\n⚠ {caution}"));
            }
            text
        }
        Subject::Fetch { method, urls, .. } => {
            let lines = urls.iter().map(|url| format!("{method} {url}\n"));
            fenced("", &lines.collect::<String>())
        }
        Subject::Questions(questions) => {
            let texts: Vec<&str> = questions.iter().map(|one| one.text.as_str()).collect();
            texts.join("\n\n")
        }
        Subject::EnterPlan { reason } => reason.clone(),
        Subject::Plan { path, text } => format!("{text}\n\n({})", path.display()),
        Subject::Stuck { error, times } => format!("This failed {times} times: {error}"),
        Subject::Other { arguments } => fenced("json", arguments),
    };
    match text.trim().is_empty() {
        true => Vec::new(),
        false => vec![text.into()],
    }
}

pub(super) fn progress(progress: &Progress) -> String {
    let count = match progress.total {
        Some(total) => format!("{} of {total}", progress.done),
        None => progress.done.to_string(),
    };
    match &progress.message {
        Some(message) => format!("{message} ({count})"),
        None => count,
    }
}

/// What is left to be seen of a call that has ended.
pub(super) fn of_end(
    shown: &[ToolCallContent],
    is_command: bool,
    outcome: &ToolOutcome,
    report: &ToolReport,
) -> Vec<ToolCallContent> {
    let mut content = shown.to_vec();
    let is_terminal = matches!(shown, [ToolCallContent::Terminal(_)]);
    match outcome {
        ToolOutcome::Succeeded { summary } if shown.is_empty() => {
            content.push(match report.output.is_empty() {
                true => summary.as_str().into(),
                false => fenced("", &both_ends(&report.output)).into(),
            });
        }
        ToolOutcome::Succeeded { .. } => {}
        ToolOutcome::Cancelled => content.push("Cancelled".into()),
        // The output of a command says more than that it failed.
        ToolOutcome::Failed { .. } if is_command && !report.output.is_empty() && !is_terminal => {
            content.push(fenced("", &both_ends(&report.output)).into());
        }
        ToolOutcome::Failed { message, .. } => content.push(message.as_str().into()),
    }
    content
}

pub(super) fn raw_output(outcome: &ToolOutcome, report: &ToolReport) -> Value {
    let output = &report.output;
    let output = match output.len() > LONGEST_RAW {
        true => both_ends(output),
        false => output.clone(),
    };
    match outcome {
        ToolOutcome::Succeeded { summary } => json!({ "output": output, "summary": summary }),
        ToolOutcome::Failed {
            error_type,
            message,
        } => json!({ "output": output, "error": message, "errorType": error_type }),
        ToolOutcome::Cancelled => json!({ "output": output, "error": "cancelled" }),
    }
}

/// The beginning says what it is, and the end how it went.
pub(super) fn both_ends(text: &str) -> String {
    if text.len() <= LONGEST_SHOWN {
        return text.to_owned();
    }
    let head = text.floor_char_boundary(LONGEST_SHOWN / 2);
    let tail = text.ceil_char_boundary(text.len() - LONGEST_SHOWN / 2);
    format!(
        "{}\n… {} bytes left out …\n{}",
        text.get(..head).unwrap_or_default(),
        tail - head,
        text.get(tail..).unwrap_or_default()
    )
}

/// Some words as they are: no letter of theirs means anything in Markdown.
pub(super) fn code(words: &str) -> String {
    let fence = "`".repeat(longest_row(words) + 1);
    let room = match words.starts_with('`') || words.ends_with('`') {
        true => " ",
        false => "",
    };
    format!("{fence}{room}{words}{room}{fence}")
}

/// How many backticks stand together.
fn longest_row(text: &str) -> usize {
    let mut longest = 0;
    let mut row = 0;
    for letter in text.chars() {
        row = if letter == '`' { row + 1 } else { 0 };
        longest = longest.max(row);
    }
    longest
}

/// Clients show texts as Markdown; an output is none, and may hold fences itself.
fn fenced(language: &str, text: &str) -> String {
    let fence = "`".repeat((longest_row(text) + 1).max(3));
    let text = text.trim_end_matches('\n');
    format!("{fence}{language}\n{text}\n{fence}")
}

#[cfg(test)]
mod tests;
