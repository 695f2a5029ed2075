//! A sub-agent, as its call shows it: what it thinks about, what it has done, and what it says.
//!
//! The protocol has no calls within calls, so those of a sub-agent stand beside it; what it shows itself is their list.

use agent_client_protocol_schema::v1::ToolCallContent;
use pollux_agent::api::{CallId, Progress, ToolOutcome, ToolReport};

use super::content::{self, Tail};

/// Steps that are shown, the latest.
const SHOWN: usize = 20;

/// Bytes of what it says that are shown.
const WORDS: usize = 2_000;

/// What a sub-agent is at.
pub(super) struct Job {
    /// What people call it.
    pub(super) name: String,
    /// What it thinks about, and in which turn it is.
    pub(super) now: Option<String>,
    steps: Vec<Step>,
}

struct Step {
    call: CallId,
    title: String,
    mark: &'static str,
}

impl Job {
    /// The title of its call names it, before what it is to do.
    pub(super) fn of(title: &str) -> Self {
        let name = title.split_once(": ").map_or(title, |(name, _)| name);
        Self {
            name: name.to_owned(),
            now: None,
            steps: Vec::new(),
        }
    }

    pub(super) fn begins(&mut self, call: &CallId, title: &str) {
        self.steps.push(Step {
            call: call.clone(),
            title: title.lines().next().unwrap_or_default().to_owned(),
            mark: "…",
        });
    }

    pub(super) fn ends(&mut self, call: &CallId, outcome: &ToolOutcome) {
        let mut steps = self.steps.iter_mut();
        if let Some(step) = steps.rfind(|step| step.call == *call) {
            step.mark = match outcome {
                ToolOutcome::Succeeded { .. } => "✓",
                ToolOutcome::Failed { .. } => "✗",
                ToolOutcome::Cancelled => "–",
            };
        }
    }

    /// While it works.
    pub(super) fn shown(&self, said: &Tail) -> Vec<ToolCallContent> {
        let now = self.now.iter().map(|now| format!("*{now}*"));
        let words = said.end(WORDS).trim();
        let words = (!words.is_empty()).then(|| words.to_owned());
        let parts: Vec<String> = now.chain(self.list()).chain(words).collect();
        text(&parts)
    }

    /// When it has ended: what it did, and what came of it.
    pub(super) fn of_end(
        &self,
        outcome: &ToolOutcome,
        report: &ToolReport,
    ) -> Vec<ToolCallContent> {
        let result = match outcome {
            ToolOutcome::Succeeded { summary } if report.output.is_empty() => summary.clone(),
            ToolOutcome::Succeeded { .. } => content::both_ends(result(&report.output)),
            ToolOutcome::Failed { message, .. } => message.clone(),
            ToolOutcome::Cancelled => "Cancelled".to_owned(),
        };
        let parts: Vec<String> = self.list().into_iter().chain([result]).collect();
        text(&parts)
    }

    fn list(&self) -> Option<String> {
        let before = self.steps.len().saturating_sub(SHOWN);
        let mut lines = Vec::new();
        match before {
            0 => {}
            1 => lines.push("- 1 call before".to_owned()),
            before => lines.push(format!("- {before} calls before")),
        }
        for step in self.steps.iter().skip(before) {
            lines.push(format!("- {} {}", step.mark, content::code(&step.title)));
        }
        (!lines.is_empty()).then(|| lines.join("\n"))
    }
}

/// What it thinks about, and how often it has asked its model.
pub(super) fn now(progress: &Progress) -> String {
    let turn = match progress.total {
        Some(total) => format!("turn {} of {total}", progress.done),
        None => format!("turn {}", progress.done),
    };
    match &progress.message {
        Some(message) => format!("{message} ({turn})"),
        None => turn,
    }
}

/// Without the words around it, which are for the model.
fn result(output: &str) -> &str {
    match output.split_once("\nResult:\n") {
        Some((head, result)) if head.starts_with("Subagent '") => result,
        _ => output,
    }
}

fn text(parts: &[String]) -> Vec<ToolCallContent> {
    match parts {
        [] => Vec::new(),
        parts => vec![parts.join("\n\n").into()],
    }
}
