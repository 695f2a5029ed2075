//! What a run cost, for the two formats that programs read.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use pollux_agent::api::{Event, ToolOutcome, Usage};
use serde_json::{Value, json};

/// Counted from the session's events.
pub(super) struct Stats {
    started: Instant,
    model: String,
    models: BTreeMap<String, ModelStats>,
    tools: BTreeMap<String, ToolStats>,
    /// The tools that run, by call.
    running: BTreeMap<String, (String, Instant)>,
    lines_added: usize,
    lines_removed: usize,
}

#[derive(Default)]
struct ModelStats {
    requests: u64,
    errors: u64,
    usage: Usage,
}

#[derive(Default)]
struct ToolStats {
    succeeded: u64,
    failed: u64,
    duration: Duration,
}

impl Stats {
    pub(super) fn new() -> Self {
        Self {
            started: Instant::now(),
            model: String::new(),
            models: BTreeMap::new(),
            tools: BTreeMap::new(),
            running: BTreeMap::new(),
            lines_added: 0,
            lines_removed: 0,
        }
    }

    pub(super) fn count(&mut self, event: &Event) {
        match event {
            Event::TurnStarted { model, .. } => self.model.clone_from(model),
            Event::AnswerEnded { usage, .. } => {
                let model = self.models.entry(self.model.clone()).or_default();
                model.requests += 1;
                model.usage = add(model.usage, *usage);
            }
            Event::RequestRetried(_) | Event::AnswerDiscarded { .. } => {
                let model = self.models.entry(self.model.clone()).or_default();
                model.errors += 1;
            }
            Event::ToolStarted { call, .. } => {
                let started = (call.name.clone(), Instant::now());
                self.running.insert(call.id.to_string(), started);
            }
            Event::ToolEnded { call, outcome, .. } => {
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
            }
            Event::EditProposed(proposal) => {
                for hunk in proposal.hunks.iter() {
                    self.lines_added += hunk.current_lines().len();
                    self.lines_removed += hunk.base_lines().len();
                }
            }
            _ => {}
        }
    }

    /// The `stats` of the `json` format.
    pub(super) fn whole(&self) -> Value {
        let models = self.models.iter().map(|(name, model)| {
            let usage = model.usage;
            let tokens = json!({
                "input": usage.prompt_tokens.saturating_sub(usage.cached_tokens),
                "prompt": usage.prompt_tokens,
                "candidates": usage.answer_tokens,
                "total": usage.total_tokens,
                "cached": usage.cached_tokens,
                "thoughts": usage.thought_tokens,
                "tool": usage.tool_tokens,
            });
            let api = json!({ "totalRequests": model.requests, "totalErrors": model.errors });
            (name.clone(), json!({ "api": api, "tokens": tokens }))
        });
        let by_name = self.tools.iter().map(|(name, tool)| {
            let line = json!({
                "count": tool.succeeded + tool.failed,
                "success": tool.succeeded,
                "fail": tool.failed,
                "durationMs": milliseconds(tool.duration),
            });
            (name.clone(), line)
        });
        let sum = |of: fn(&ToolStats) -> u64| self.tools.values().map(of).sum::<u64>();
        json!({
            "models": models.collect::<serde_json::Map<_, _>>(),
            "tools": {
                "totalCalls": sum(|tool| tool.succeeded + tool.failed),
                "totalSuccess": sum(|tool| tool.succeeded),
                "totalFail": sum(|tool| tool.failed),
                "totalDurationMs": sum(|tool| milliseconds(tool.duration)),
                "byName": by_name.collect::<serde_json::Map<_, _>>(),
            },
            "files": {
                "totalLinesAdded": self.lines_added,
                "totalLinesRemoved": self.lines_removed,
            },
        })
    }

    /// The `stats` of the last line of the `stream-json` format.
    pub(super) fn line(&self) -> Value {
        let tokens = |usage: Usage| {
            json!({
                "total_tokens": usage.total_tokens,
                "input_tokens": usage.prompt_tokens,
                "output_tokens": usage.answer_tokens,
                "cached": usage.cached_tokens,
                "input": usage.prompt_tokens.saturating_sub(usage.cached_tokens),
            })
        };
        let models = self.models.iter();
        let models = models.map(|(name, model)| (name.clone(), tokens(model.usage)));
        let total = self.models.values().map(|model| model.usage);
        let mut line = tokens(total.fold(Usage::default(), add));
        if let Value::Object(line) = &mut line {
            let calls: u64 = self
                .tools
                .values()
                .map(|tool| tool.succeeded + tool.failed)
                .sum();
            line.insert(
                "duration_ms".to_owned(),
                milliseconds(self.started.elapsed()).into(),
            );
            line.insert("tool_calls".to_owned(), calls.into());
            line.insert("models".to_owned(), Value::Object(models.collect()));
        }
        line
    }
}

fn add(one: Usage, two: Usage) -> Usage {
    Usage {
        prompt_tokens: one.prompt_tokens + two.prompt_tokens,
        cached_tokens: one.cached_tokens + two.cached_tokens,
        answer_tokens: one.answer_tokens + two.answer_tokens,
        thought_tokens: one.thought_tokens + two.thought_tokens,
        tool_tokens: one.tool_tokens + two.tool_tokens,
        total_tokens: one.total_tokens + two.total_tokens,
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
