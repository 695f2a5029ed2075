//! Models that look at the conversation from outside: whether it goes in circles, and who speaks next.

use std::sync::Arc;

use expect_test::expect;
use pollux_testkit::{Call, Reply, Script};
use serde_json::json;

use super::fallback::GeminiVoices;
use super::{Stage, ok};
use crate::{LoopDetection, NextSpeaker, SessionConfig};

const MODEL: &str = "/gemini-2.5-pro:";
const FIRST: &str = "/loop-detection:";
const SECOND: &str = "/loop-detection-double-check:";

async fn stage(script: Script, change: impl FnOnce(&mut SessionConfig)) -> Stage {
    Stage::start_with(script, |base, config| {
        config.voices = Arc::new(GeminiVoices {
            requested: "gemini-2.5-pro",
            base: base.to_owned(),
        });
        change(config);
    })
    .await
}

/// Rounds that read something else each time.
fn rounds(mut script: Script, numbers: std::ops::RangeInclusive<usize>) -> Script {
    for number in numbers {
        let args = json!({ "file_path": "a.rs", "start_line": number });
        let call = Call::new("read_file", args).id(format!("{number}"));
        let reply = Reply::new().call(call).finish("STOP");
        script = script.reply(reply.when_path(MODEL));
    }
    script
}

fn opinion(of: &str, confidence: f64) -> Reply {
    let answer = json!({
        "unproductive_state_analysis": "it reads one file for ever",
        "unproductive_state_confidence": confidence,
    });
    Reply::text(answer.to_string()).finish("STOP").when_path(of)
}

/// Which request was for whom, as runs.
fn askers(stage: &Stage) -> String {
    let mut shown = String::new();
    let mut count = 0;
    for request in stage.server.requests() {
        if request.path.contains(MODEL) {
            count += 1;
            continue;
        }
        let name = request.path.rsplit('/').next().unwrap();
        let name = name.split(':').next().unwrap();
        shown += &format!("{count} rounds, {name}\n");
    }
    shown + &format!("{count} rounds\n")
}

#[tokio::test(start_paused = true)]
async fn from_the_thirtieth_round_on_a_model_looks_for_loops_the_sooner_the_more_it_suspects() {
    let script = rounds(Script::new(), 1..=29).reply(opinion(FIRST, 0.0));
    let script = rounds(script, 30..=44).reply(opinion(FIRST, 0.8));
    let script = rounds(script, 45..=51).reply(opinion(FIRST, 0.5));
    let script = rounds(script, 52..=52).reply(ok().when_path(MODEL));
    let mut stage = stage(script, |_| {}).await;
    assert!(stage.turn("go").await.ends_with("Completed\n"));
    expect![[r#"
        29 rounds, loop-detection
        44 rounds, loop-detection
        51 rounds, loop-detection
        53 rounds
    "#]]
    .assert_eq(&askers(&stage));
    let watched = stage.server.requests()[29].json();
    assert!(watched["contents"].as_array().unwrap().len() <= 21);
}

#[tokio::test(start_paused = true)]
async fn a_loop_is_one_when_both_models_are_certain_and_the_second_loop_ends_the_turn() {
    let script = rounds(Script::new(), 1..=29)
        .reply(opinion(FIRST, 0.95))
        .reply(opinion(SECOND, 0.9));
    let script = rounds(script, 30..=38)
        .reply(opinion(FIRST, 0.9))
        .reply(opinion(SECOND, 1.0));
    let mut stage = stage(script, |_| {}).await;
    let shown = stage.turn("go").await;
    assert_eq!(
        shown
            .matches("discarded: it reads one file for ever")
            .count(),
        1
    );
    assert!(
        shown.ends_with(
            "ended LoopDetected: the model repeats itself: it reads one file for ever\n"
        ),
        "{shown}"
    );
    assert!(
        stage
            .contents(32)
            .contains("System: Potential loop detected. Details: it reads one file")
    );
}

#[tokio::test(start_paused = true)]
async fn a_second_opinion_may_differ_and_then_decides_about_the_next_look() {
    let script = rounds(Script::new(), 1..=29)
        .reply(opinion(FIRST, 0.95))
        .reply(opinion(SECOND, 0.1));
    let script = rounds(script, 30..=42).reply(ok().when_path(MODEL));
    let mut stage = stage(script, |_| {}).await;
    assert!(stage.turn("go").await.ends_with("Completed\n"));
}

#[tokio::test(start_paused = true)]
async fn nobody_minds_when_the_look_fails_and_nobody_looks_when_that_is_off() {
    let failing = Reply::error(400, "INVALID_ARGUMENT", "bad").when_path(FIRST);
    let script = rounds(Script::new(), 1..=29).reply(failing);
    let script = rounds(script, 30..=31).reply(ok().when_path(MODEL));
    let mut failing = stage(script, |_| {}).await;
    assert!(failing.turn("go").await.ends_with("Completed\n"));
    let script = rounds(Script::new(), 1..=31).reply(ok().when_path(MODEL));
    let mut off = stage(script, |config| config.loop_detection = LoopDetection::Off).await;
    assert!(off.turn("go").await.ends_with("Completed\n"));
}

fn speaker(next: &str) -> Reply {
    let answer = json!({ "reasoning": "so", "next_speaker": next });
    Reply::text(answer.to_string())
        .finish("STOP")
        .when_path("/next-speaker-checker:")
}

fn judged(config: &mut SessionConfig) {
    config.context.next_speaker = NextSpeaker::Judged;
}

#[tokio::test(start_paused = true)]
async fn a_model_that_announces_more_is_told_to_go_on() {
    let script = Script::new()
        .reply(
            Reply::text("Next I will look.")
                .finish("STOP")
                .when_path(MODEL),
        )
        .reply(speaker("model"))
        .reply(ok().when_path(MODEL))
        .reply(speaker("user"));
    let mut stage = stage(script, judged).await;
    expect![[r#"
        0s turn 1 with gemini-2.5-pro: go
        0s text: Next I will look.
        0s answer ended: Stop, prompt of 0
        0s next-speaker-checker by next-speaker-checker for 0 tokens
        0s text: ok
        0s answer ended: Stop, prompt of 0
        0s next-speaker-checker by next-speaker-checker for 0 tokens
        0s turn 1 ended: Completed
    "#]]
    .assert_eq(&stage.turn("go").await);
    expect![[r#"
        user: "go"
        model: "Next I will look."
        user: "Please continue."
    "#]]
    .assert_eq(&stage.contents(3));
}

#[tokio::test(start_paused = true)]
async fn a_judge_that_fails_leaves_the_word_to_the_person() {
    for wrong in [
        Reply::error(400, "INVALID_ARGUMENT", "bad"),
        Reply::text("neither").finish("STOP"),
        Reply::text(r#"{"next_speaker": "cat"}"#).finish("STOP"),
    ] {
        let script = Script::new()
            .reply(ok().when_path(MODEL))
            .reply(wrong.when_path("/next-speaker-checker:"));
        let mut stage = stage(script, judged).await;
        assert!(stage.turn("go").await.ends_with("Completed\n"));
    }
}
