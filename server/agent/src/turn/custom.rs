//! Fills the places of a command that somebody has written. Its shell commands are judged like any other call.

use std::sync::Arc;

use pollux_model::{FunctionCall, FunctionResponse};
use serde_json::Value;

use super::Turn;
use super::prompt::scope;
use crate::api::{Event, Prompt, ToolOutcome, ToolReport, TurnOutcome};
use crate::commands::{
    CustomCommand, Invocation, Piece, Trigger, pieces, shell_call, shell_with_arguments,
    takes_arguments, with_arguments,
};
use crate::tools::SHELL;

impl Turn<'_> {
    /// The prompt that the command stands for, or why there is none.
    pub(super) async fn fill(
        &mut self,
        custom: &CustomCommand,
        invocation: &Invocation<'_>,
    ) -> Result<Prompt, TurnOutcome> {
        let text = self.with_files(custom).await?;
        let mut text = self.with_outputs(custom, invocation, &text).await?;
        if !takes_arguments(&custom.prompt) && !invocation.arguments.is_empty() {
            text.push_str("\n\n");
            text.push_str(invocation.typed);
        }
        Ok(Prompt {
            text,
            stands_for: Some(invocation.typed.to_owned()),
            ..Prompt::default()
        })
    }

    async fn with_files(&mut self, custom: &CustomCommand) -> Result<String, TurnOutcome> {
        let Some(surroundings) = &self.config.surroundings else {
            return Ok(custom.prompt.clone());
        };
        let roots = [self.config.root.clone()];
        let ignoring = surroundings.ignoring();
        let scope = scope(&**surroundings, &roots, &*ignoring);
        let filled = tokio::select! {
            biased;
            () = self.cancel.cancelled() => return Err(TurnOutcome::Cancelled),
            filled = custom.with_files(scope) => filled,
        };
        match filled {
            Ok((text, problems)) => {
                if !problems.is_empty() {
                    let told = format!("Not all files are there: {}.", problems.join("; "));
                    self.answer_command(custom, told).await;
                }
                Ok(text)
            }
            Err(unclosed) => Err(self.unclosed(custom, &unclosed.to_string()).await),
        }
    }

    async fn with_outputs(
        &mut self,
        custom: &CustomCommand,
        invocation: &Invocation<'_>,
        text: &str,
    ) -> Result<String, TurnOutcome> {
        let arguments = &invocation.arguments;
        if !self.config.tools.has(SHELL) {
            return Ok(with_arguments(text, arguments));
        }
        let pieces = match pieces(text, Trigger::Shell) {
            Ok(pieces) => pieces,
            Err(unclosed) => return Err(self.unclosed(custom, &unclosed.to_string()).await),
        };
        let mut filled = String::new();
        for (number, piece) in pieces.into_iter().enumerate() {
            match piece {
                Piece::Text(text) => filled.push_str(&with_arguments(text, arguments)),
                Piece::Place("") => {}
                Piece::Place(command) => {
                    let command = shell_with_arguments(command, arguments);
                    let call = shell_call(self.id.0, number, &command);
                    filled.push_str(&self.output_of(custom, &call).await?);
                }
            }
        }
        Ok(filled)
    }

    /// What a command prints, once somebody has allowed it.
    async fn output_of(
        &mut self,
        custom: &CustomCommand,
        call: &FunctionCall,
    ) -> Result<String, TurnOutcome> {
        let started = Event::ToolStarted {
            call: call.clone(),
            title: self.config.tools.title(call),
            parent: None,
        };
        self.events.emit(started).await;
        let (ended, took) = self.scheduler().run_timed(call).await;
        let mut exit = None;
        let (outcome, response, denial) = match ended {
            Ok(output) => {
                exit = output.exit;
                let summary = output.summary;
                (ToolOutcome::Succeeded { summary }, output.response, None)
            }
            Err(error) => (error.outcome(), error.response(), error.denial()),
        };
        let report = |response: &FunctionResponse| ToolReport {
            exit,
            ..ToolReport::new(response, took)
        };
        self.tell_end(call, &outcome, &response, report).await;
        match outcome {
            ToolOutcome::Succeeded { .. } => {
                let output = response.get("output").and_then(Value::as_str);
                Ok(output.unwrap_or_default().to_owned())
            }
            _ if denial.is_some() => Err(TurnOutcome::Declined),
            ToolOutcome::Cancelled => Err(TurnOutcome::Cancelled),
            ToolOutcome::Failed { message, .. } => {
                let told = format!("`/{}` cannot be run: {message}.", custom.name);
                self.answer_command(custom, told).await;
                Err(TurnOutcome::Declined)
            }
        }
    }

    async fn tell_end(
        &mut self,
        call: &FunctionCall,
        outcome: &ToolOutcome,
        response: &serde_json::Map<String, Value>,
        report: impl FnOnce(&FunctionResponse) -> ToolReport,
    ) {
        let response = FunctionResponse {
            id: call.id.clone(),
            name: call.name.clone(),
            response: response.clone(),
        };
        let ended = Event::ToolEnded {
            call: call.id.clone(),
            outcome: outcome.clone(),
            report: Arc::new(report(&response)),
        };
        self.events.emit(ended).await;
    }

    async fn unclosed(&mut self, custom: &CustomCommand, reason: &str) -> TurnOutcome {
        let told = format!("`/{}` cannot be used: {reason}.", custom.name);
        self.answer_command(custom, told).await;
        TurnOutcome::Declined
    }

    async fn answer_command(&mut self, custom: &CustomCommand, text: String) {
        let answered = Event::CommandAnswered {
            command: custom.name.clone(),
            text,
        };
        self.events.emit(answered).await;
    }
}
