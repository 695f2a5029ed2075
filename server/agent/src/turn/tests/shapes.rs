//! The two shapes in which a provider speaks. What a rule of the loop says does not depend on them, so a script is
//! played to both.

use pollux_model::{
    ContextWindow, Http, Jitter, Model, NetworkOptions, OnCapacity, OpenAi, OpenAiConfig,
    RetryPolicy,
};
use pollux_testkit::Script;
use serde_json::Value;

use super::{MODEL, Stage, gemini};
use crate::{OneVoice, SessionConfig};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Gemini,
    ChatCompletions,
}

impl Shape {
    pub(super) const BOTH: [Self; 2] = [Self::Gemini, Self::ChatCompletions];

    pub(super) fn model(self, base: &str) -> Model {
        match self {
            Self::Gemini => gemini(base, MODEL, 3),
            Self::ChatCompletions => open_ai(base),
        }
    }

    pub(super) async fn stage(self, script: Script) -> Stage {
        self.stage_with(script, |_| {}).await
    }

    pub(super) async fn stage_with(
        self,
        script: Script,
        change: impl FnOnce(&mut SessionConfig),
    ) -> Stage {
        Stage::start_with(script, |base, config| {
            config.voices = OneVoice::shared(self.model(base));
            change(config);
        })
        .await
    }

    /// What a request says, one line for each turn.
    pub(super) fn said(self, stage: &Stage, order: usize) -> String {
        match self {
            Self::Gemini => stage.contents(order),
            Self::ChatCompletions => messages(stage, order),
        }
    }
}

/// A model that pauses for exactly 5, 10, 20, 30 … seconds, and takes as much as the other one.
fn open_ai(base: &str) -> Model {
    let config = OpenAiConfig {
        window: ContextWindow::of(1_048_576),
        retry: RetryPolicy {
            attempts: 3,
            jitter: Jitter::fixed(0.5),
            capacity: OnCapacity::TryTwiceMore,
            ..RetryPolicy::default()
        },
        ..OpenAiConfig::new(format!("{base}/v1"), MODEL)
    };
    Model::OpenAi(OpenAi::new(config, Http::new(NetworkOptions::default())).unwrap())
}

fn messages(stage: &Stage, order: usize) -> String {
    let body = stage.server.requests()[order - 1].json();
    let line = |message: &Value| {
        let role = message["role"].as_str().unwrap();
        let calls = message.get("tool_calls").map(|calls| format!(" {calls}"));
        format!(
            "{role}: {}{}\n",
            message["content"],
            calls.unwrap_or_default()
        )
    };
    body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(line)
        .collect()
}
