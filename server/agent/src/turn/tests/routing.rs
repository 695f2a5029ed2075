//! Which model answers, and who chose it.

use std::sync::Arc;

use expect_test::expect;
use pollux_testkit::{Reply, Script, Step};
use serde_json::json;

use super::fallback::GeminiVoices;
use super::{Stage, is_end, ok, read, reads};
use crate::api::{ApprovalMode, Event, Op};
use crate::{Classification, NumericalRouting, PlanRouting, SessionConfig};

const CLASSIFIER: &str = "/classifier:";

async fn stage(
    requested: &'static str,
    script: Script,
    change: impl FnOnce(&mut SessionConfig),
) -> Stage {
    let mut stage = Stage::start_with(script, |base, config| {
        config.voices = Arc::new(GeminiVoices {
            requested,
            base: base.to_owned(),
        });
        change(config);
    })
    .await;
    stage.shows_choice = true;
    stage
}

fn says(answer: &str) -> Reply {
    Reply::text(answer).finish("STOP").when_path(CLASSIFIER)
}

fn score(score: u32) -> Reply {
    says(&json!({ "complexity_reasoning": "so", "complexity_score": score }).to_string())
}

/// The lines about the choice.
async fn choice(stage: &mut Stage, prompt: &str) -> String {
    let shown = stage.turn(prompt).await;
    let lines = shown.lines().filter(|line| line.contains("agent-router/"));
    let lines: Vec<&str> = lines.collect();
    format!("{}\n", lines.join("\n"))
}

#[tokio::test(start_paused = true)]
async fn b13_a_score_of_89_is_for_flash_and_90_for_pro() {
    let script = Script::new()
        .reply(score(89))
        .reply(ok().when_path("/gemini-3-flash-preview:"))
        .reply(score(90))
        .reply(ok().when_path("/gemini-3-pro-preview:"));
    let mut stage = stage("auto", script, |_| {}).await;
    let shown = choice(&mut stage, "one").await + &choice(&mut stage, "two").await;
    expect![[r#"
        0s agent-router/numerical-classifier chose gemini-3-flash-preview
        0s agent-router/numerical-classifier chose gemini-3-pro-preview
    "#]]
    .assert_eq(&shown);
    expect![[r#"
        user: "one"
        model: "ok"
        user: "<request_to_score>" + "two" + "</request_to_score>"
    "#]]
    .assert_eq(&stage.contents(3));
    let body = stage.server.requests()[0].json();
    assert_eq!(
        body["generationConfig"]["responseMimeType"],
        "application/json"
    );
    let schema = &body["generationConfig"]["responseJsonSchema"];
    assert_eq!(schema["properties"]["complexity_score"]["maximum"], 100);
}

#[tokio::test(start_paused = true)]
async fn an_older_generation_is_chosen_from_by_name() {
    let script = Script::new()
        .reply(says(
            "```json\n{\"reasoning\": \"easy\", \"model_choice\": \"flash\"}\n```",
        ))
        .reply(ok().when_path("/gemini-3.5-flash:"))
        .reply(says(r#"{"reasoning": "hard", "model_choice": "pro"}"#))
        .reply(ok().when_path("/gemini-2.5-pro:"));
    let mut stage = stage("auto-gemini-2.5", script, |_| {}).await;
    let shown = choice(&mut stage, "one").await + &choice(&mut stage, "two").await;
    expect![[r#"
        0s agent-router/classifier chose gemini-3.5-flash
        0s agent-router/classifier chose gemini-2.5-pro
    "#]]
    .assert_eq(&shown);
}

#[tokio::test(start_paused = true)]
async fn without_scores_gemini_3_is_chosen_from_by_name_too() {
    let script = Script::new()
        .reply(says(r#"{"reasoning": "easy", "model_choice": "flash"}"#))
        .reply(ok().when_path("/gemini-3-flash-preview:"));
    let mut stage = stage("auto", script, |config| {
        config.context.routing.numerical = NumericalRouting::Off;
    })
    .await;
    assert!(
        choice(&mut stage, "one")
            .await
            .contains("agent-router/classifier")
    );
}

#[tokio::test(start_paused = true)]
async fn whatever_goes_wrong_with_the_choice_the_prompt_is_answered() {
    let table = [
        Reply::error(400, "INVALID_ARGUMENT", "bad").when_path(CLASSIFIER),
        says("I cannot say."),
        says(r#"{"complexity_score": 0}"#),
        says(r#"{"complexity_score": "many"}"#),
        Reply::new().finish("SAFETY").when_path(CLASSIFIER),
    ];
    for wrong in table {
        let script = Script::new()
            .reply(wrong)
            .reply(ok().when_path("/gemini-3-pro-preview:"));
        let mut stage = stage("auto", script, |_| {}).await;
        assert_eq!(
            choice(&mut stage, "one").await,
            "0s agent-router/default chose gemini-3-pro-preview\n"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_that_was_named_is_asked_without_further_ado() {
    let script = Script::new().reply(ok().when_path("/gemini-2.5-pro:"));
    let mut stage = stage("gemini-2.5-pro", script, |_| {}).await;
    assert_eq!(
        choice(&mut stage, "one").await,
        "0s agent-router/override chose gemini-2.5-pro\n"
    );
}

#[tokio::test(start_paused = true)]
async fn a_model_that_is_gone_is_not_chosen() {
    let day = || Reply::error(429, "RESOURCE_EXHAUSTED", "day").quota_failure("RequestsPerDay");
    let script = Script::new()
        .reply(day().when_path("/gemini-3.1-flash-lite:"))
        .reply(ok().when_path("/gemini-3.5-flash:").times(2));
    let mut stage = stage("flash-lite", script, |_| {}).await;
    let shown = choice(&mut stage, "one").await + &choice(&mut stage, "two").await;
    expect![[r#"
        0s agent-router/override chose gemini-3.1-flash-lite
        0s agent-router/fallback chose gemini-3.5-flash
    "#]]
    .assert_eq(&shown);
}

#[tokio::test(start_paused = true)]
async fn plans_are_made_by_pro() {
    for (plan, chosen) in [
        (PlanRouting::On, "agent-router/approval-mode"),
        (PlanRouting::Off, "agent-router/default"),
    ] {
        let script = Script::new().reply(ok().when_path("/gemini-3-pro-preview:"));
        let mut stage = stage("auto", script, |config| {
            config.mode = ApprovalMode::Plan;
            config.context.routing.plan = plan;
            config.context.routing.classification = Classification::Off;
        })
        .await;
        assert!(choice(&mut stage, "one").await.contains(chosen));
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_the_choice() {
    let script = Script::new()
        .reply(
            Reply::new()
                .before_headers(Step::Stall)
                .when_path(CLASSIFIER),
        )
        .reply(score(1))
        .reply(ok());
    let mut stage = stage("auto", script, |_| {}).await;
    stage.submit(Op::Queue("one".into())).await;
    stage.server.next_request().await;
    stage
        .until(|event| matches!(event, Event::TurnStarted { .. }))
        .await;
    stage.submit(Op::CancelTurn).await;
    assert!(stage.until(is_end).await.ends_with("Cancelled\n"));
    stage.turn("two").await;
    assert_eq!(stage.contents(3), "user: \"two\"\n");
}

#[tokio::test(start_paused = true)]
async fn a_choice_holds_until_the_prompt_is_answered_or_the_mode_calls_for_another() {
    let (pro, flash) = ("/gemini-3-pro-preview:", "/gemini-3-flash-preview:");
    let waits = Reply::text("so far").gate("on").call(read("b.rs", "2"));
    let script = Script::new()
        .reply(score(95))
        .reply(reads("a.rs", "1").when_path(pro))
        .reply(waits.finish("STOP").when_path(pro))
        .reply(score(10))
        .reply(ok().when_path(flash));
    let mut stage = stage("auto", script, |_| {}).await;
    stage.submit(Op::Queue("fix it".into())).await;
    let first = stage
        .until(|event| matches!(event, Event::TextReceived(_)))
        .await;
    assert_eq!(first.matches("agent-router/").count(), 1, "{first}");
    stage.submit(Op::SetMode(ApprovalMode::Yolo)).await;
    stage
        .until(|event| matches!(event, Event::ModeChanged(_)))
        .await;
    stage.server.open_gate("on");
    let rest = stage.until(is_end).await;
    assert!(rest.contains("chose gemini-3-flash-preview"), "{rest}");
    assert!(rest.ends_with("Completed\n"), "{rest}");
}
