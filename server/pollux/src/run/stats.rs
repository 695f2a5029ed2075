//! What a run cost, for the two formats that programs read.

mod sums;

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use pollux_agent::api::{Activity, Event, ToolOutcome, TurnOutcome, Usage};
use serde_json::{Map, Value, json};

use sums::{Decisions, ModelStats, Requests, ToolStats, milliseconds};

/// Counted from the session's events.
pub(super) struct Stats {
    started: Instant,
    /// Who is asked now, or was last.
    model: String,
    /// When a request may have been sent last.
    asked: Instant,
    models: BTreeMap<String, ModelStats>,
    tools: BTreeMap<String, ToolStats>,
    /// The tools that run, by call.
    running: BTreeMap<String, (String, Instant)>,
    /// The sub-agents that were asked, by name.
    agents: BTreeSet<String>,
    lines_added: usize,
    lines_removed: usize,
}

impl Stats {
    pub(super) fn new() -> Self {
        let now = Instant::now();
        Self {
            started: now,
            model: String::new(),
            asked: now,
            models: BTreeMap::new(),
            tools: BTreeMap::new(),
            running: BTreeMap::new(),
            agents: BTreeSet::new(),
            lines_added: 0,
            lines_removed: 0,
        }
    }

    pub(super) fn count(&mut self, event: &Event) {
        match event {
            Event::RetryStarted => self.asked = Instant::now(),
            // The first is a guess, the second the choice, and the third what became of it.
            Event::TurnStarted { model, .. }
            | Event::ModelChosen { model, .. }
            | Event::ModelChanged { to: model, .. } => {
                self.model.clone_from(model);
                self.asked = Instant::now();
            }
            Event::AnswerEnded { usage, .. } => {
                let (model, took) = (self.model.clone(), self.since_asked());
                self.count_request(model, "main", *usage, took);
            }
            Event::UtilityUsed { task, model, usage } => {
                let took = self.since_asked();
                let role = match self.agents.contains(task) {
                    true => "subagent",
                    false => role(task),
                };
                self.count_request(model.clone(), role, *usage, took);
            }
            Event::RequestRetried(retry) => self.count_error(retry.error.kind()),
            Event::AnswerDiscarded { .. } => self.count_error("invalid_answer"),
            Event::TurnEnded {
                outcome: TurnOutcome::Failed(error),
                ..
            } => self.count_error(error.kind()),
            Event::ToolStarted { call, .. } => {
                if Activity::of_tool(&call.name) == Activity::Agent
                    && let Some(Value::String(agent)) = call.args.get("agent_name")
                {
                    self.agents.insert(agent.clone());
                }
                let started = (call.name.clone(), Instant::now());
                self.running.insert(call.id.to_string(), started);
            }
            Event::ToolEnded { call, outcome, .. } => {
                self.asked = Instant::now();
                let Some((name, started)) = self.running.remove(call.as_str()) else {
                    return;
                };
                let tool = self.tools.entry(name).or_default();
                tool.duration += started.elapsed();
                match outcome {
                    // The twin counts a cancelled call as one that did not go wrong.
                    ToolOutcome::Succeeded { .. } | ToolOutcome::Cancelled => tool.succeeded += 1,
                    ToolOutcome::Failed { .. } => tool.failed += 1,
                }
                tool.decisions.count(outcome);
            }
            // What is proposed is not made: nobody is there to agree.
            Event::EditMade(proposal) => {
                for hunk in proposal.hunks.iter() {
                    self.lines_added += hunk.current_lines().len();
                    self.lines_removed += hunk.base_lines().len();
                }
            }
            _ => {}
        }
    }

    fn since_asked(&mut self) -> Duration {
        let now = Instant::now();
        now.duration_since(std::mem::replace(&mut self.asked, now))
    }

    fn count_request(&mut self, model: String, role: &'static str, usage: Usage, took: Duration) {
        let model = self.models.entry(model).or_default();
        model.all.add(usage, took);
        model.roles.entry(role).or_default().add(usage, took);
    }

    fn count_error(&mut self, kind: &'static str) {
        let took = self.since_asked();
        let model = self.models.entry(self.model.clone()).or_default();
        *model.errors_by_type.entry(kind).or_default() += 1;
        let main = model.roles.entry("main").or_default();
        for requests in [&mut model.all, main] {
            requests.errors += 1;
            requests.latency += took;
        }
    }

    /// The `stats` of the `json` format.
    pub(super) fn whole(&self) -> Value {
        let models = self.models.iter();
        let models = models.map(|(name, model)| (name.clone(), model.whole()));
        let by_name = self.tools.iter();
        let by_name = by_name.map(|(name, tool)| (name.clone(), tool.whole()));
        let sum = |of: fn(&ToolStats) -> u64| self.tools.values().map(of).sum::<u64>();
        let decisions = self.tools.values().map(|tool| tool.decisions);
        json!({
            "models": models.collect::<Map<_, _>>(),
            "tools": {
                "totalCalls": sum(ToolStats::calls),
                "totalSuccess": sum(|tool| tool.succeeded),
                "totalFail": sum(|tool| tool.failed),
                "totalDurationMs": sum(|tool| milliseconds(tool.duration)),
                "totalDecisions": decisions.sum::<Decisions>().whole(),
                "byName": by_name.collect::<Map<_, _>>(),
            },
            "files": {
                "totalLinesAdded": self.lines_added,
                "totalLinesRemoved": self.lines_removed,
            },
        })
    }

    /// The `stats` of the last line of the `stream-json` format.
    pub(super) fn line(&self) -> Value {
        let models = self.models.iter();
        let models = models.map(|(name, model)| (name.clone(), model.all.line().into()));
        let total = self.models.values().map(|model| &model.all);
        let mut line = total.fold(Requests::default(), Requests::and).line();
        let calls: u64 = self.tools.values().map(ToolStats::calls).sum();
        let took = milliseconds(self.started.elapsed());
        line.insert("duration_ms".to_owned(), took.into());
        line.insert("tool_calls".to_owned(), calls.into());
        line.insert("models".to_owned(), Value::Object(models.collect()));
        line.into()
    }
}

/// What the twin calls the tasks that a model is asked for beside the conversation.
fn role(task: &str) -> &'static str {
    const ROLES: [(&str, &str); 9] = [
        ("unfinished-answer", "main"),
        ("chat-compression", "utility_compressor"),
        ("classifier", "utility_router"),
        ("loop-detection", "utility_loop_detector"),
        ("next-speaker", "utility_next_speaker"),
        ("summarizer", "utility_summarizer"),
        ("edit-corrector", "utility_edit_corrector"),
        ("llm-edit-fixer", "utility_edit_corrector"),
        ("prompt-completion", "utility_autocomplete"),
    ];
    let found = ROLES.iter().find(|(alias, _)| task.starts_with(alias));
    found.map_or("utility_tool", |(_, role)| role)
}

#[cfg(test)]
mod tests;
