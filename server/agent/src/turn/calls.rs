//! The calls of one answer: run, told, taken down, and counted when they fail.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use pollux_model::{FunctionCall, FunctionResponse, Part};
use pollux_policy::Presence;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::{Events, Pending, Turn};
use crate::api::{
    Answer, Approval, ApprovalId, Event, Subject, ToolOutcome, ToolReport, TurnOutcome,
};
use crate::prompt::Memory;
use crate::scheduler::{Ended, Scheduler, Verdicts, groups};
use crate::tools::{Caller, ToolError};
use crate::{Entry, Journal, SessionConfig};

/// The same call may fail this often before somebody is asked whether to go on.
const PATIENCE: u32 = 3;

/// The tools that show the model a folder; with the first look it gets the folder's own rules.
const LOOKING_AROUND: [&str; 4] = ["read_file", "list_directory", "write_file", "replace"];

/// How often the same call has failed in this turn.
#[derive(Default)]
pub(crate) struct Failures(HashMap<u64, u32>);

impl Failures {
    fn count(&mut self, call: &FunctionCall) -> u32 {
        let mut hasher = DefaultHasher::new();
        call.name.hash(&mut hasher);
        // Maps keep their order; a model that only shuffles its arguments is a model that tries something.
        Value::Object(call.args.clone())
            .to_string()
            .hash(&mut hasher);
        let count = self.0.entry(hasher.finish()).or_default();
        *count += 1;
        *count
    }

    fn forgive(&mut self) {
        self.0.clear();
    }
}

/// What the model is told about its calls, and whether the turn goes on.
pub(super) struct Results {
    pub(super) parts: Vec<Part>,
    pub(super) end: Option<TurnOutcome>,
}

impl Turn<'_> {
    pub(super) fn scheduler(&self) -> Scheduler<'_> {
        Scheduler {
            config: self.config,
            events: &self.events,
            pending: &self.pending,
            running: &self.running,
            mode: &self.mode,
            topic: &self.topic,
            cancel: &self.cancel,
            turn: self.id,
            caller: Caller::Model,
        }
    }

    /// Runs the calls and returns their results in the order of the calls.
    pub(super) async fn run_calls(&mut self, calls: &[FunctionCall]) -> Results {
        let scheduler = Scheduler {
            config: self.config,
            events: &self.events,
            pending: &self.pending,
            running: &self.running,
            mode: &self.mode,
            topic: &self.topic,
            cancel: &self.cancel,
            turn: self.id,
            caller: Caller::Model,
        };
        let mut clerk = Clerk {
            config: self.config,
            events: &self.events,
            journal: &mut *self.journal,
            pending: &self.pending,
            memory: self.memory.as_deref_mut(),
            cancel: &self.cancel,
            results: vec![Vec::new(); calls.len()],
            failed: Vec::new(),
        };
        let mut verdicts = Verdicts::Fine;
        for group in groups(calls) {
            let group: Vec<(usize, &FunctionCall)> = group
                .into_iter()
                .filter_map(|place| Some((place, calls.get(place)?)))
                .collect();
            for (_, call) in &group {
                clerk.announce(call).await;
            }
            if self.cancel.is_cancelled() || verdicts != Verdicts::Fine {
                for (place, call) in group {
                    let error = match self.cancel.is_cancelled() {
                        true => ToolError::cancelled(),
                        false => ToolError::called_off(),
                    };
                    clerk
                        .take_down(place, call, Err(error), Duration::ZERO)
                        .await;
                }
                continue;
            }
            verdicts = scheduler.run_group(&group, &mut clerk).await;
        }
        let Clerk {
            results, failed, ..
        } = clerk;
        let end = match (self.cancel.is_cancelled(), verdicts) {
            (true, _) => Some(TurnOutcome::Cancelled),
            (false, Verdicts::Stopped(reason)) => Some(TurnOutcome::StoppedByHook { reason }),
            // A person who rejects a call rejects that call. The model is told, and the turn goes on.
            (false, Verdicts::Fine | Verdicts::Redirected | Verdicts::Denied) => {
                self.patience(&failed).await
            }
        };
        Results {
            parts: results.into_iter().flatten().collect(),
            end,
        }
    }

    /// A model that fails the same way for the third time is not left alone with it.
    async fn patience(&mut self, failed: &[(FunctionCall, ToolError)]) -> Option<TurnOutcome> {
        let mut stuck = None;
        for (call, error) in failed {
            if self.failures.count(call) >= PATIENCE {
                stuck = Some((call, error));
            }
        }
        let (call, error) = stuck?;
        let message = match error.outcome() {
            ToolOutcome::Failed { message, .. } => message,
            _ => return None,
        };
        if self.config.gate.presence() == Presence::Headless {
            let found = format!(
                "`{}` failed {PATIENCE} times with the same arguments: {message}",
                call.name
            );
            return Some(TurnOutcome::LoopDetected(found));
        }
        let approval = Approval {
            id: ApprovalId(self.pending.number()),
            call: Some(call.id.clone()),
            tool: call.name.clone(),
            title: self.config.tools.title(call),
            reason: format!("the same call failed {PATIENCE} times"),
            rule: None,
            subject: Subject::Stuck {
                error: message,
                times: PATIENCE,
            },
            offers: Vec::new(),
        };
        match self.scheduler().answer_to(approval, None).await {
            Err(_) => Some(TurnOutcome::Cancelled),
            Ok(Answer::Deny { feedback: None }) => Some(TurnOutcome::Declined),
            Ok(answer) => {
                self.failures.forgive();
                if let Answer::Deny {
                    feedback: Some(feedback),
                } = answer
                {
                    self.steering.push(feedback.as_str().into());
                }
                None
            }
        }
    }
}

/// Takes down what becomes of each call, for the person, the record and the model.
pub(crate) struct Clerk<'turn> {
    config: &'turn SessionConfig,
    events: &'turn Events,
    journal: &'turn mut dyn Journal,
    pending: &'turn Pending,
    memory: Option<&'turn mut Memory>,
    cancel: &'turn CancellationToken,
    /// For the model, by the call's place in its answer.
    results: Vec<Vec<Part>>,
    failed: Vec<(FunctionCall, ToolError)>,
}

impl Clerk<'_> {
    async fn announce(&mut self, call: &FunctionCall) {
        let started = Event::ToolStarted {
            call: call.clone(),
            title: self.config.tools.title(call),
            parent: None,
        };
        self.events.emit(started).await;
    }

    /// The call has ended, after so long.
    pub(crate) async fn take_down(
        &mut self,
        place: usize,
        call: &FunctionCall,
        end: Ended,
        took: Duration,
    ) {
        let (mut edited, mut edit, mut exit) = (None, None, None);
        let agent;
        let (outcome, response, attachments) = match end {
            Ok(mut output) => {
                self.add_discovered_memory(call, &mut output.response).await;
                (edited, edit) = (output.edited.take(), output.edit.take());
                (exit, agent) = (output.exit, output.agent.take());
                let summary = output.summary;
                let outcome = ToolOutcome::Succeeded { summary };
                (outcome, output.response, output.attachments)
            }
            Err(error) => {
                let (outcome, response) = (error.outcome(), error.response());
                agent = error.agent().map(str::to_owned);
                if matches!(outcome, ToolOutcome::Failed { .. }) {
                    self.failed.push((call.clone(), error));
                }
                (outcome, response, Vec::new())
            }
        };
        let response = Part::FunctionResponse(FunctionResponse {
            id: call.id.clone(),
            name: call.name.clone(),
            response,
        });
        self.journal.record(Entry::Tool {
            call,
            title: &self.config.tools.title(call),
            outcome: &outcome,
            response: &response,
            shown: &attachments,
            took,
            edited: edited.as_ref(),
            edit: edit.as_ref(),
            exit,
            agent: agent.as_deref(),
            given: self.pending.given(&call.id).as_ref(),
        });
        let ended = Event::ToolEnded {
            call: call.id.clone(),
            outcome,
            report: Arc::new(ToolReport {
                edited,
                exit,
                ..ToolReport::of_part(&response, took)
            }),
        };
        self.events.emit(ended).await;
        if let Some(slot) = self.results.get_mut(place) {
            slot.push(response);
            slot.extend(attachments);
        }
    }

    /// A folder may have rules of its own. The model gets them with the first file it touches there.
    async fn add_discovered_memory(
        &mut self,
        call: &FunctionCall,
        response: &mut Map<String, Value>,
    ) {
        if !LOOKING_AROUND.contains(&call.name.as_str()) {
            return;
        }
        let named = call.args.get("file_path").or(call.args.get("dir_path"));
        let (Some(path), Some(memory), Some(surroundings)) = (
            named.and_then(Value::as_str),
            self.memory.as_deref_mut(),
            &self.config.surroundings,
        ) else {
            return;
        };
        let path = self.config.root.join(path);
        // A disk that does not answer is no reason to let a stop wait.
        let found = tokio::select! {
            biased;
            () = self.cancel.cancelled() => None,
            found = memory.discover(surroundings.reading(), &path) => found,
        };
        if let (Some(found), Some(Value::String(output))) = (found, response.get_mut("output")) {
            output.push_str(&found);
        }
    }
}
