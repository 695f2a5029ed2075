//! Waits before a request is sent again: told, ended by a person, and paid for.

use std::sync::Arc;

use expect_test::expect;
use pollux_testkit::{Reply, Script, Usage};
use serde_json::json;

use super::fallback::GeminiVoices;
use super::{Stage, is_end, ok, reads};
use crate::api::{Event, Op, Prompt, PromptMark};
use crate::{LoopDetection, NextSpeaker, NoCommands};

fn busy() -> Reply {
    Reply::error(503, "UNAVAILABLE", "busy")
}

fn waits(event: &Event) -> bool {
    matches!(event, Event::RequestRetried(_))
}

fn started(event: &Event) -> bool {
    matches!(event, Event::RetryStarted)
}

#[tokio::test(start_paused = true)]
async fn a_request_that_waits_is_sent_when_the_person_wants_it() {
    let script = Script::new().reply(busy()).reply(busy()).reply(ok());
    let mut stage = Stage::start(script).await;
    stage.submit(Op::Queue("fix it".into())).await;
    stage.until(waits).await;
    stage.submit(Op::RetryNow).await;
    stage.until(started).await;
    expect![[r#"
        0s retries 2/3 after 10s: the model is busy (HTTP 503): busy
    "#]]
    .assert_eq(&stage.until(waits).await);
    expect![[r#"
        10s text: ok
        10s answer ended: Stop, prompt of 0
        10s turn 1 ended: Completed
    "#]]
    .assert_eq(&stage.until(is_end).await);
    assert_eq!(stage.request_count(), 3);
}

#[tokio::test(start_paused = true)]
async fn the_command_retry_does_the_same_and_is_no_prompt() {
    let mut stage = Stage::start_with(Script::new().reply(busy()).reply(ok()), |_, config| {
        config.commands = Some(Arc::new(NoCommands));
    })
    .await;
    stage.submit(Op::Queue("fix it".into())).await;
    stage.until(waits).await;
    let typed = Prompt {
        mark: Some(PromptMark("mine".into())),
        ..Prompt::from("/retry")
    };
    stage.submit(Op::Queue(typed)).await;
    let shown = stage.until(is_end).await;
    assert!(
        shown.contains("0s prompt mine served by Command\n"),
        "{shown}"
    );
    assert!(shown.ends_with("0s turn 1 ended: Completed\n"), "{shown}");
    assert!(!shown.contains("queued"), "{shown}");
    stage.submit(Op::Queue("/retry".into())).await;
    let answered = |event: &Event| matches!(event, Event::CommandAnswered { .. });
    expect![[r#"
        0s /retry: No request waits to be retried.
    "#]]
    .assert_eq(&stage.until(answered).await);
}

#[tokio::test(start_paused = true)]
async fn where_nothing_waits_there_is_nothing_to_retry() {
    let mut stage = Stage::start(Script::new().reply(ok().gate("go"))).await;
    let refused = |event: &Event| matches!(event, Event::OpRefused(_));
    stage.submit(Op::RetryNow).await;
    expect![[r#"
        0s refused: no turn is running
    "#]]
    .assert_eq(&stage.until(refused).await);
    stage.submit(Op::Queue("fix it".into())).await;
    stage.submit(Op::RetryNow).await;
    let shown = stage.until(refused).await;
    assert!(
        shown.ends_with("refused: no request waits to be sent again\n"),
        "{shown}"
    );
    stage.server.open_gate("go");
    stage.until(is_end).await;
}

#[tokio::test(start_paused = true)]
async fn a_pause_behind_an_answer_that_was_none_can_be_ended_too() {
    let script = Script::new().reply(Reply::text("half")).reply(ok());
    let mut stage = Stage::start(script).await;
    stage.submit(Op::Queue("fix it".into())).await;
    let discarded = |event: &Event| matches!(event, Event::AnswerDiscarded { .. });
    stage.until(discarded).await;
    stage.submit(Op::RetryNow).await;
    let shown = stage.until(is_end).await;
    assert!(shown.ends_with("0s turn 1 ended: Completed\n"), "{shown}");
}

#[tokio::test(start_paused = true)]
async fn the_wait_of_a_routing_call_is_told_and_can_be_ended() {
    let script = Script::new()
        .reply(busy().when_path("/classifier:"))
        .reply(
            Reply::text(r#"{"complexity_reasoning":"so","complexity_score":10}"#)
                .finish("STOP")
                .when_path("/classifier:"),
        )
        .reply(ok().when_path("/gemini-3-flash-preview:"));
    let mut stage = Stage::start_with(script, |base, config| {
        config.voices = Arc::new(GeminiVoices {
            requested: "auto",
            base: base.to_owned(),
        });
    })
    .await;
    stage.submit(Op::Queue("fix it".into())).await;
    expect![[r#"
        0s turn 1 with gemini-3-pro-preview: fix it
        0s retries 1/4 after 5s: the model is busy (HTTP 503): busy
    "#]]
    .assert_eq(&stage.until(waits).await);
    stage.submit(Op::RetryNow).await;
    let shown = stage.until(is_end).await;
    assert!(shown.ends_with("0s turn 1 ended: Completed\n"), "{shown}");
}

#[tokio::test(start_paused = true)]
async fn a_quota_that_is_used_up_is_not_asked_for_again() {
    let message = "You exceeded your current quota, please check your plan and billing details.";
    let refused = Reply::error(429, "RESOURCE_EXHAUSTED", message);
    let mut stage = Stage::start(Script::new().reply(refused)).await;
    expect![[r#"
        0s turn 1 with gemini-test: fix it
        0s turn 1 ended Failed: Quota used up: You exceeded your current quota, please check your plan and billing details.
    "#]]
    .assert_eq(&stage.turn("fix it").await);
    assert_eq!(stage.request_count(), 1);
}

fn piece(total: u64) -> serde_json::Value {
    json!({
        "candidates": [{ "content": { "parts": [{ "text": "x" }] } }],
        "usageMetadata": { "promptTokenCount": 5, "totalTokenCount": total },
    })
}

#[tokio::test(start_paused = true)]
async fn answers_that_are_discarded_or_cut_off_are_paid_for() {
    let paid = Usage {
        prompt: 5,
        output: 2,
        ..Usage::default()
    };
    let script = Script::new()
        .reply(Reply::new().event(piece(6)).event(piece(7)).reset())
        .reply(Reply::new().event(piece(8)))
        .reply(Reply::new().finish_with_usage("STOP", paid))
        .reply(ok());
    let mut stage = Stage::start(script).await;
    expect![[r#"
        0s turn 1 with gemini-test: fix it
        0s text: xx
        0s unfinished-answer by gemini-test for 7 tokens
        0s discarded: the connection was reset (<host>: Connection reset by peer)
        1s text: x
        1s unfinished-answer by gemini-test for 8 tokens
        1s discarded: NO_FINISH_REASON
        3s answer ended: Stop, prompt of 5
        3s discarded: NO_RESPONSE_TEXT
        7s text: ok
        7s answer ended: Stop, prompt of 0
        7s turn 1 ended: Completed
    "#]]
    .assert_eq(&stage.turn("fix it").await);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_the_person_stops_is_paid_for() {
    let script = Script::new().reply(Reply::new().event(piece(9)).stall());
    let mut stage = Stage::start(script).await;
    stage.submit(Op::Queue("fix it".into())).await;
    let text = |event: &Event| matches!(event, Event::TextReceived(_));
    stage.until(text).await;
    stage.submit(Op::CancelTurn).await;
    expect![[r#"
        0s unfinished-answer by gemini-test for 9 tokens
        0s turn 1 ended: Cancelled
    "#]]
    .assert_eq(&stage.until(is_end).await);
}

#[tokio::test(start_paused = true)]
async fn a_prompt_may_have_as_many_results_of_tools_as_it_needs() {
    let mut script = Script::new();
    for round in 0..150 {
        script = script.reply(reads("a.rs", &round.to_string()));
    }
    let mut stage = Stage::start_with(script.reply(ok()), |_, config| {
        config.loop_detection = LoopDetection::Off;
    })
    .await;
    let shown = stage.turn("fix it").await;
    assert!(shown.ends_with("ended: Completed\n"), "{shown}");
    assert_eq!(stage.request_count(), 151);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_goes_on_and_on_without_a_tool_is_stopped() {
    let more = || {
        let answer = r#"{"reasoning":"so","next_speaker":"model"}"#;
        Reply::text(answer)
            .finish("STOP")
            .when_path("/next-speaker")
    };
    let says = |text: &str| Reply::text(text).finish("STOP");
    let script = Script::new()
        .reply(says("one"))
        .reply(more())
        .reply(reads("a.rs", "1"))
        .reply(says("two"))
        .reply(more())
        .reply(says("three"))
        .reply(more());
    let mut stage = Stage::start_with(script, |base, config| {
        config.voices = Arc::new(GeminiVoices {
            requested: "gemini-test",
            base: base.to_owned(),
        });
        config.context.next_speaker = NextSpeaker::Judged;
        config.continuation_limit = 2;
    })
    .await;
    let shown = stage.turn("fix it").await;
    assert!(
        shown.ends_with(
            "ended RoundLimitReached: the model went on 2 times without calling a tool or coming to an end\n"
        ),
        "{shown}"
    );
}
