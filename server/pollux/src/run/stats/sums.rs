//! What is counted for one model, and for one tool, in the twin's words.

use std::collections::BTreeMap;
use std::time::Duration;

use pollux_agent::api::{ToolOutcome, Usage};
use serde_json::{Map, Value, json};

#[derive(Default)]
pub(super) struct ModelStats {
    pub(super) all: Requests,
    pub(super) errors_by_type: BTreeMap<&'static str, u64>,
    pub(super) roles: BTreeMap<&'static str, Requests>,
}

impl ModelStats {
    pub(super) fn whole(&self) -> Value {
        let mut api = self.all.counts();
        api.insert("errorsByType".to_owned(), json!(self.errors_by_type));
        let roles = self.roles.iter().map(|(role, requests)| {
            let mut of_role = requests.counts();
            of_role.insert("tokens".to_owned(), requests.tokens());
            ((*role).to_owned(), Value::Object(of_role))
        });
        let roles: Map<String, Value> = roles.collect();
        json!({ "api": api, "tokens": self.all.tokens(), "roles": roles })
    }
}

#[derive(Clone, Copy, Default)]
pub(super) struct Requests {
    pub(super) count: u64,
    pub(super) errors: u64,
    pub(super) latency: Duration,
    usage: Usage,
}

impl Requests {
    pub(super) fn add(&mut self, usage: Usage, took: Duration) {
        self.count += 1;
        self.latency += took;
        self.usage = add(self.usage, usage);
    }

    pub(super) fn and(self, other: &Self) -> Self {
        Self {
            count: self.count + other.count,
            errors: self.errors + other.errors,
            latency: self.latency + other.latency,
            usage: add(self.usage, other.usage),
        }
    }

    fn counts(&self) -> Map<String, Value> {
        Map::from_iter([
            ("totalRequests".to_owned(), self.count.into()),
            ("totalErrors".to_owned(), self.errors.into()),
            (
                "totalLatencyMs".to_owned(),
                milliseconds(self.latency).into(),
            ),
        ])
    }

    fn tokens(&self) -> Value {
        let usage = self.usage;
        json!({
            "input": usage.prompt_tokens.saturating_sub(usage.cached_tokens),
            "prompt": usage.prompt_tokens,
            "candidates": usage.answer_tokens,
            "total": usage.total_tokens,
            "cached": usage.cached_tokens,
            "thoughts": usage.thought_tokens,
            "tool": usage.tool_tokens,
        })
    }

    /// The same for a line of a stream.
    pub(super) fn line(&self) -> Map<String, Value> {
        let usage = self.usage;
        let fresh = usage.prompt_tokens.saturating_sub(usage.cached_tokens);
        Map::from_iter([
            ("total_tokens".to_owned(), usage.total_tokens.into()),
            ("input_tokens".to_owned(), usage.prompt_tokens.into()),
            ("output_tokens".to_owned(), usage.answer_tokens.into()),
            ("cached".to_owned(), usage.cached_tokens.into()),
            ("input".to_owned(), fresh.into()),
        ])
    }
}

#[derive(Default)]
pub(super) struct ToolStats {
    pub(super) succeeded: u64,
    pub(super) failed: u64,
    pub(super) duration: Duration,
    pub(super) decisions: Decisions,
}

impl ToolStats {
    pub(super) fn calls(&self) -> u64 {
        self.succeeded + self.failed
    }

    pub(super) fn whole(&self) -> Value {
        json!({
            "count": self.calls(),
            "success": self.succeeded,
            "fail": self.failed,
            "durationMs": milliseconds(self.duration),
            "decisions": self.decisions.whole(),
        })
    }
}

/// Who let calls run. Nobody is there to be asked, so that rules alone decide.
#[derive(Clone, Copy, Default)]
pub(super) struct Decisions {
    reject: u64,
    auto_accept: u64,
}

impl Decisions {
    /// Nothing is decided about a call that goes wrong by itself.
    pub(super) fn count(&mut self, outcome: &ToolOutcome) {
        match outcome {
            ToolOutcome::Succeeded { .. } => self.auto_accept += 1,
            ToolOutcome::Failed {
                error_type: "policy_violation",
                ..
            } => self.reject += 1,
            ToolOutcome::Failed { .. } | ToolOutcome::Cancelled => {}
        }
    }

    pub(super) fn whole(self) -> Value {
        json!({
            "accept": 0,
            "reject": self.reject,
            "modify": 0,
            "auto_accept": self.auto_accept,
        })
    }
}

impl std::iter::Sum for Decisions {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |one, two| Self {
            reject: one.reject + two.reject,
            auto_accept: one.auto_accept + two.auto_accept,
        })
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

pub(super) fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
