//! `!command`: a person who sits at a door runs a command, and the model hears of it with the next prompt.

use std::sync::Arc;

use pollux_model::{CallId, FunctionCall, FunctionResponse, Part, Role};
use pollux_policy::Presence;
use serde_json::{Map, Value};

use super::Turn;
use crate::api::{Event, Prompt, ToolOutcome, ToolReport, TurnOutcome};
use crate::tools::SHELL;
use crate::{Entry, Said, history};

/// Characters of the output that the model is told.
const LONGEST_OUTPUT: usize = 10_000;

/// The command in a prompt that is one.
pub(super) fn command_in(prompt: &Prompt) -> Option<&str> {
    let command = prompt.text.strip_prefix('!')?.trim();
    let is_typed = prompt.attachments.is_empty() && prompt.stands_for.is_none();
    (!command.is_empty() && is_typed).then_some(command)
}

impl Turn<'_> {
    /// Runs the command as a call of the shell tool. `None` if the prompt is for the model: it is no command, or nobody
    /// is there who could have typed one. What a script pipes in is text, whatever it begins with.
    pub(super) async fn run_command(&mut self, prompt: &Prompt) -> Option<TurnOutcome> {
        if self.config.gate.presence() == Presence::Headless {
            return None;
        }
        let command = command_in(prompt)?;
        let mut args = Map::new();
        args.insert("command".to_owned(), Value::from(command));
        let call = FunctionCall {
            id: CallId::new(format!("typed-{}", self.id)),
            name: SHELL.to_owned(),
            args,
            signature: None,
        };
        let title = self.config.tools.title(&call);
        let started = Event::ToolStarted {
            call: call.clone(),
            title,
            parent: None,
        };
        self.events.emit(started).await;
        let (ended, took) = self.scheduler().run_for_person(&call).await;
        let mut exit = None;
        let (outcome, response, denial) = match ended {
            Ok(output) => {
                exit = output.exit;
                let summary = output.summary;
                (ToolOutcome::Succeeded { summary }, output.response, None)
            }
            Err(error) => (error.outcome(), error.response(), error.denial()),
        };
        let result = response.get("output").or(response.get("error"));
        let result = result.and_then(Value::as_str).unwrap_or_default();
        let told = match &outcome {
            ToolOutcome::Succeeded { .. } => {
                told("I ran this shell command myself", command, result)
            }
            _ => told("I tried to run this shell command myself", command, result),
        };
        let parts = vec![Part::Text(told)];
        self.journal.record(Entry::Prompt {
            typed: &prompt.text,
            parts: &parts,
            how: Said::Asked {
                turn: self.id,
                items: &[],
                editor: None,
            },
            kept: prompt.kept,
        });
        history::mark_interruption(self.history);
        self.remember(Role::User, parts);
        let turn_outcome = match outcome {
            _ if denial.is_some() => TurnOutcome::Declined,
            ToolOutcome::Cancelled => TurnOutcome::Cancelled,
            ToolOutcome::Succeeded { .. } | ToolOutcome::Failed { .. } => TurnOutcome::Completed,
        };
        let response = FunctionResponse {
            id: call.id.clone(),
            name: call.name,
            response,
        };
        let over = Event::ToolEnded {
            call: call.id,
            outcome,
            report: Arc::new(ToolReport {
                exit,
                ..ToolReport::new(&response, took)
            }),
        };
        self.events.emit(over).await;
        Some(turn_outcome)
    }
}

fn told(introduction: &str, command: &str, result: &str) -> String {
    let escaped = |text: &str| text.replace('\\', "\\\\").replace('`', "\\`");
    let mut shown: String = result.chars().take(LONGEST_OUTPUT).collect();
    if shown.len() < result.len() {
        shown.push_str("\n... (truncated)");
    }
    format!(
        "{introduction}:\n```sh\n{}\n```\n\nIt had this result:\n```\n{}\n```",
        escaped(command),
        escaped(&shown)
    )
}
