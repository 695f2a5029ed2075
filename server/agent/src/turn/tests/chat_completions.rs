//! The rules of the turn loop do not depend on the provider: what holds for Gemini holds for chat completions. Each
//! script is played to both, and they must tell the same.

use expect_test::expect;
use pollux_model::{
    Http, Jitter, Model, NetworkOptions, OnCapacity, OpenAi, OpenAiConfig, RetryPolicy,
};
use pollux_testkit::{Reply, ReplyEnd, Script, Step};
use serde_json::Value;
use tokio::time::{Duration, Instant};

use super::{MODEL, Stage, is_end, ok, reads};
use crate::OneVoice;
use crate::api::{Event, Op};

fn open_ai(base: &str) -> Model {
    let config = OpenAiConfig {
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

async fn chat(script: Script) -> Stage {
    Stage::start_with(script, |base, config| {
        config.voices = OneVoice::shared(open_ai(base));
    })
    .await
}

/// The messages of a request, one line each.
fn messages(stage: &Stage, order: usize) -> String {
    let body = stage.server.requests()[order - 1].json();
    let line = |message: &Value| {
        let role = message["role"].as_str().unwrap();
        let calls = message.get("tool_calls").map(Value::to_string);
        format!(
            "{role}: {} {}\n",
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

/// Plays the script to both providers; the transcripts of two prompts must be equal.
async fn same(reply: impl Fn() -> Script) -> String {
    let mut shown = Vec::new();
    for provider in ["gemini", "chat completions"] {
        let mut stage = match provider {
            "gemini" => Stage::start(reply()).await,
            _ => chat(reply()).await,
        };
        shown.push(stage.turn("fix it").await + &stage.turn("again").await);
    }
    assert_eq!(shown[0], shown[1]);
    shown.remove(0)
}

#[tokio::test(start_paused = true)]
async fn answers_that_are_none_are_asked_for_again_and_leave_no_trace() {
    let finish = |reason: &str| Reply::new().finish(reason);
    let table = [
        Reply::new().thought("think").finish("STOP"),
        Reply::text("no end").without_done(),
        Reply::new().without_done(),
        finish("MAX_TOKENS"),
        finish("SAFETY"),
        finish("STOP"),
        Reply::text("\u{200b} <!-- nothing -->\n").finish("STOP"),
    ];
    for invalid in table {
        let script = || Script::new().reply(invalid.clone().times(4)).reply(ok());
        let shown = same(script).await;
        assert_eq!(shown.matches("discarded: ").count(), 3, "{shown}");
        assert!(shown.contains("7s turn 1 ended InvalidAnswer"), "{shown}");
        let mut stage = chat(script()).await;
        stage.turn("fix it").await;
        stage.turn("again").await;
        assert_eq!(messages(&stage, 5), "user: \"again\" \n");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_breaks_off_is_discarded_and_asked_for_again() {
    let table = [
        Reply::text("half").cut(),
        Reply::text("half").reset(),
        Reply::text("half").stall(),
        Reply::new().thought("think").cut(),
        Reply::text("half").raw_event("{half"),
    ];
    for broken in table {
        let shown = same(|| Script::new().reply(broken.clone()).reply(ok()).reply(ok())).await;
        assert_eq!(shown.matches("discarded: ").count(), 1, "{shown}");
        assert!(shown.contains("turn 1 ended: Completed"), "{shown}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_fault_before_the_first_word_is_retried_by_the_request() {
    let table = [
        Reply::new().before_headers(Step::Reset),
        Reply::new().reset(),
        Reply::new().cut(),
        Reply::new().raw_event("{half"),
        Reply::error(500, "INTERNAL", "oops"),
        Reply::error(503, "UNAVAILABLE", "busy"),
    ];
    for fault in table {
        let shown = same(|| Script::new().reply(fault.clone()).reply(ok()).reply(ok())).await;
        assert!(shown.contains("0s retries 1/3 after 5s"), "{shown}");
        assert!(shown.contains("5s turn 1 ended: Completed"), "{shown}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_another_try_would_not_change_fails_at_once() {
    let table = [
        Reply::error(400, "INVALID_ARGUMENT", "bad"),
        Reply::error(401, "UNAUTHENTICATED", "who?"),
        Reply::error(404, "NOT_FOUND", "none"),
    ];
    for refusal in table {
        let shown = same(|| Script::new().reply(refusal.clone()).reply(ok())).await;
        assert!(shown.contains("0s turn 1 ended Failed: "), "{shown}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_is_a_stop() {
    let mut stage = chat(
        Script::new()
            .reply(Reply::text("so far").stall())
            .reply(ok()),
    )
    .await;
    stage.submit(Op::Queue("fix it".into())).await;
    stage
        .until(|event| matches!(event, Event::TextReceived(_)))
        .await;
    let stopped = Instant::now();
    stage.submit(Op::CancelTurn).await;
    assert!(stage.until(is_end).await.ends_with("Cancelled\n"));
    assert!(stopped.elapsed() < Duration::from_millis(100));
    assert_eq!(stage.server.reply_end(1).await, ReplyEnd::ClientLeft);
    stage.turn("again").await;
    assert_eq!(messages(&stage, 2), "user: \"again\" \n");
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_failed_behind_its_tools_is_marked_and_keeps_their_results() {
    let script = || {
        Script::new()
            .reply(reads("a.rs", "1"))
            .reply(Reply::error(400, "INVALID_ARGUMENT", "bad"))
            .reply(ok())
    };
    same(script).await;
    let mut stage = chat(script()).await;
    stage.turn("fix it").await;
    stage.turn("again").await;
    expect![[r#"
        user: "fix it" 
        assistant: null [{"id":"1","type":"function","function":{"name":"read_file","arguments":"{\"file_path\":\"a.rs\"}"}}]
        tool: "one\n" 
        assistant: "[The previous response was interrupted before it completed.]" 
        user: "again" 
    "#]].assert_eq(&messages(&stage, 3));
}
