//! Answers that are none: asked for again, and taken back.

use expect_test::expect;
use pollux_testkit::{Reply, Script};
use serde_json::json;

use super::{Stage, ok, reads};

#[tokio::test(start_paused = true)]
async fn thoughts_alone_are_asked_for_three_more_times_with_a_nudge_and_then_forgotten() {
    let thought = Reply::new().thought("**Plan** think").finish("STOP");
    let script = Script::new().reply(thought.times(4)).reply(ok());
    let mut stage = Stage::start(script).await;
    expect![[r#"
        0s turn 1 with gemini-test: fix it
        0s thought: Plan
        0s answer ended: Stop, prompt of 0
        0s discarded: THINKING_ONLY_RESPONSE
        1s thought: Plan
        1s answer ended: Stop, prompt of 0
        1s discarded: THINKING_ONLY_RESPONSE
        3s thought: Plan
        3s answer ended: Stop, prompt of 0
        3s discarded: THINKING_ONLY_RESPONSE
        7s thought: Plan
        7s answer ended: Stop, prompt of 0
        7s turn 1 ended InvalidAnswer: the model gave no answer that can be used (THINKING_ONLY_RESPONSE)
    "#]].assert_eq(&stage.turn("fix it").await);
    expect![[r#"
        7s turn 2 with gemini-test: again
        7s text: ok
        7s answer ended: Stop, prompt of 0
        7s turn 2 ended: Completed
    "#]]
    .assert_eq(&stage.turn("again").await);
    let sent: Vec<String> = (1..=5).map(|order| stage.contents(order)).collect();
    expect![[r#"
        user: "fix it"
        --
        user: "fix it" + "Your last response held no text for the user. Please answer now, or go on with the task."
        --
        user: "fix it" + "Your last response held no text for the user. Please answer now, or go on with the task."
        --
        user: "fix it" + "Your last response held no text for the user. Please answer now, or go on with the task."
        --
        user: "again"
    "#]].assert_eq(&sent.join("--\n"));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_good_at_last_is_the_only_one_in_the_history() {
    let script = Script::new()
        .reply(Reply::text("half").finish("MALFORMED_FUNCTION_CALL"))
        .reply(Reply::new().thought("**Plan** think").finish("STOP"))
        .reply(Reply::text("lost"))
        .reply(Reply::text("whole").finish("STOP"))
        .reply(ok());
    let mut stage = Stage::start(script).await;
    expect![[r#"
        0s turn 1 with gemini-test: fix it
        0s text: half
        0s answer ended: MalformedFunctionCall, prompt of 0
        0s discarded: MALFORMED_FUNCTION_CALL
        1s thought: Plan
        1s answer ended: Stop, prompt of 0
        1s discarded: THINKING_ONLY_RESPONSE
        3s text: lost
        3s discarded: NO_FINISH_REASON
        7s text: whole
        7s answer ended: Stop, prompt of 0
        7s turn 1 ended: Completed
    "#]]
    .assert_eq(&stage.turn("fix it").await);
    stage.turn("again").await;
    expect![[r#"
        user: "fix it"
        --
        user: "fix it" + "Your last response held no text for the user. Please answer now, or go on with the task."
        --
        user: "fix it"
        model: "whole"
        user: "again"
    "#]].assert_eq(&format!(
        "{}--\n{}--\n{}",
        stage.contents(2),
        stage.contents(4),
        stage.contents(5)
    ));
}

#[tokio::test(start_paused = true)]
async fn every_other_invalid_answer_is_asked_for_four_times_and_leaves_no_trace() {
    let finish = |reason: &str| Reply::new().finish(reason);
    let table = [
        Reply::text("no end"),
        Reply::new(),
        Reply::text("a call?").finish("MALFORMED_FUNCTION_CALL"),
        Reply::text("a call!").finish("UNEXPECTED_TOOL_CALL"),
        finish("MAX_TOKENS"),
        finish("SAFETY"),
        finish("RECITATION"),
        finish("BLOCKLIST"),
        finish("STOP"),
        Reply::text("\u{200b} <!-- nothing -->\n").finish("STOP"),
        Reply::new().event(json!({ "promptFeedback": { "blockReason": "PROHIBITED_CONTENT" } })),
    ];
    let mut shown = String::new();
    for invalid in table {
        let script = Script::new().reply(invalid.times(4)).reply(ok());
        let mut stage = Stage::start(script).await;
        let turn = stage.turn("fix it").await;
        shown += &turn.replace('\u{200b}', "<invisible>");
        assert!(stage.turn("again").await.ends_with("Completed\n"));
        assert_eq!(stage.contents(5), "user: \"again\"\n");
        assert!(stage.contents(4).starts_with(r#"user: "fix it""#));
        shown += &format!("{}--\n", stage.contents(4));
    }
    expect![[r#"
        0s turn 1 with gemini-test: fix it
        0s text: no end
        0s discarded: NO_FINISH_REASON
        1s text: no end
        1s discarded: NO_FINISH_REASON
        3s text: no end
        3s discarded: NO_FINISH_REASON
        7s text: no end
        7s turn 1 ended InvalidAnswer: the model gave no answer that can be used (NO_FINISH_REASON)
        user: "fix it"
        --
        0s turn 1 with gemini-test: fix it
        0s discarded: NO_FINISH_REASON
        1s discarded: NO_FINISH_REASON
        3s discarded: NO_FINISH_REASON
        7s turn 1 ended InvalidAnswer: the model gave no answer that can be used (NO_FINISH_REASON)
        user: "fix it"
        --
        0s turn 1 with gemini-test: fix it
        0s text: a call?
        0s answer ended: MalformedFunctionCall, prompt of 0
        0s discarded: MALFORMED_FUNCTION_CALL
        1s text: a call?
        1s answer ended: MalformedFunctionCall, prompt of 0
        1s discarded: MALFORMED_FUNCTION_CALL
        3s text: a call?
        3s answer ended: MalformedFunctionCall, prompt of 0
        3s discarded: MALFORMED_FUNCTION_CALL
        7s text: a call?
        7s answer ended: MalformedFunctionCall, prompt of 0
        7s turn 1 ended InvalidAnswer: the model gave no answer that can be used (MALFORMED_FUNCTION_CALL)
        user: "fix it"
        --
        0s turn 1 with gemini-test: fix it
        0s text: a call!
        0s answer ended: UnexpectedToolCall, prompt of 0
        0s discarded: UNEXPECTED_TOOL_CALL
        1s text: a call!
        1s answer ended: UnexpectedToolCall, prompt of 0
        1s discarded: UNEXPECTED_TOOL_CALL
        3s text: a call!
        3s answer ended: UnexpectedToolCall, prompt of 0
        3s discarded: UNEXPECTED_TOOL_CALL
        7s text: a call!
        7s answer ended: UnexpectedToolCall, prompt of 0
        7s turn 1 ended InvalidAnswer: the model gave no answer that can be used (UNEXPECTED_TOOL_CALL)
        user: "fix it"
        --
        0s turn 1 with gemini-test: fix it
        0s answer ended: MaxTokens, prompt of 0
        0s discarded: MAX_TOKENS_EXCEEDED
        1s answer ended: MaxTokens, prompt of 0
        1s discarded: MAX_TOKENS_EXCEEDED
        3s answer ended: MaxTokens, prompt of 0
        3s discarded: MAX_TOKENS_EXCEEDED
        7s answer ended: MaxTokens, prompt of 0
        7s turn 1 ended InvalidAnswer: the model gave no answer that can be used (MAX_TOKENS_EXCEEDED)
        user: "fix it"
        --
        0s turn 1 with gemini-test: fix it
        0s answer ended: Safety, prompt of 0
        0s discarded: SAFETY_BLOCKED
        1s answer ended: Safety, prompt of 0
        1s discarded: SAFETY_BLOCKED
        3s answer ended: Safety, prompt of 0
        3s discarded: SAFETY_BLOCKED
        7s answer ended: Safety, prompt of 0
        7s turn 1 ended InvalidAnswer: the model gave no answer that can be used (SAFETY_BLOCKED)
        user: "fix it"
        --
        0s turn 1 with gemini-test: fix it
        0s answer ended: Recitation, prompt of 0
        0s discarded: RECITATION_BLOCKED
        1s answer ended: Recitation, prompt of 0
        1s discarded: RECITATION_BLOCKED
        3s answer ended: Recitation, prompt of 0
        3s discarded: RECITATION_BLOCKED
        7s answer ended: Recitation, prompt of 0
        7s turn 1 ended InvalidAnswer: the model gave no answer that can be used (RECITATION_BLOCKED)
        user: "fix it"
        --
        0s turn 1 with gemini-test: fix it
        0s answer ended: Other("BLOCKLIST"), prompt of 0
        0s discarded: OTHER_BLOCKED
        1s answer ended: Other("BLOCKLIST"), prompt of 0
        1s discarded: OTHER_BLOCKED
        3s answer ended: Other("BLOCKLIST"), prompt of 0
        3s discarded: OTHER_BLOCKED
        7s answer ended: Other("BLOCKLIST"), prompt of 0
        7s turn 1 ended InvalidAnswer: the model gave no answer that can be used (OTHER_BLOCKED)
        user: "fix it"
        --
        0s turn 1 with gemini-test: fix it
        0s answer ended: Stop, prompt of 0
        0s discarded: NO_RESPONSE_TEXT
        1s answer ended: Stop, prompt of 0
        1s discarded: NO_RESPONSE_TEXT
        3s answer ended: Stop, prompt of 0
        3s discarded: NO_RESPONSE_TEXT
        7s answer ended: Stop, prompt of 0
        7s turn 1 ended InvalidAnswer: the model gave no answer that can be used (NO_RESPONSE_TEXT)
        user: "fix it" + "Your last response held no text for the user. Please answer now, or go on with the task."
        --
        0s turn 1 with gemini-test: fix it
        0s text: <invisible> <!-- nothing -->

        0s answer ended: Stop, prompt of 0
        0s discarded: NO_RESPONSE_TEXT
        1s text: <invisible> <!-- nothing -->

        1s answer ended: Stop, prompt of 0
        1s discarded: NO_RESPONSE_TEXT
        3s text: <invisible> <!-- nothing -->

        3s answer ended: Stop, prompt of 0
        3s discarded: NO_RESPONSE_TEXT
        7s text: <invisible> <!-- nothing -->

        7s answer ended: Stop, prompt of 0
        7s turn 1 ended InvalidAnswer: the model gave no answer that can be used (NO_RESPONSE_TEXT)
        user: "fix it" + "Your last response held no text for the user. Please answer now, or go on with the task."
        --
        0s turn 1 with gemini-test: fix it
        0s answer ended: Other("PROHIBITED_CONTENT"), prompt of 0
        0s discarded: OTHER_BLOCKED
        1s answer ended: Other("PROHIBITED_CONTENT"), prompt of 0
        1s discarded: OTHER_BLOCKED
        3s answer ended: Other("PROHIBITED_CONTENT"), prompt of 0
        3s discarded: OTHER_BLOCKED
        7s answer ended: Other("PROHIBITED_CONTENT"), prompt of 0
        7s turn 1 ended InvalidAnswer: the model gave no answer that can be used (OTHER_BLOCKED)
        user: "fix it"
        --
    "#]].assert_eq(&shown);
}

#[tokio::test(start_paused = true)]
async fn text_makes_an_answer_that_was_stopped_early_a_good_one() {
    for reason in ["MAX_TOKENS", "SAFETY", "RECITATION", "OTHER"] {
        let mut stage =
            Stage::start(Script::new().reply(Reply::text("so far").finish(reason))).await;
        let shown = stage.turn("fix it").await;
        assert!(shown.ends_with("turn 1 ended: Completed\n"), "{shown}");
    }
}

#[tokio::test(start_paused = true)]
async fn after_a_tool_an_answer_may_lack_its_finish_reason() {
    let script = Script::new()
        .reply(reads("a.rs", "1"))
        .reply(Reply::text("read"));
    let mut stage = Stage::start(script).await;
    expect![[r#"
        0s turn 1 with gemini-test: fix it
        0s answer ended: Stop, prompt of 0
        0s 1: Read a.rs
        0s 1 Succeeded { summary: "1 line" }
        0s text: read
        0s turn 1 ended: Completed
    "#]]
    .assert_eq(&stage.turn("fix it").await);
}

#[tokio::test(start_paused = true)]
async fn thoughts_alone_after_a_tool_are_nudged_behind_a_turn_of_the_model() {
    let script = Script::new()
        .reply(reads("a.rs", "1"))
        .reply(Reply::new().thought("**Plan** think").finish("STOP"))
        .reply(ok());
    let mut stage = Stage::start(script).await;
    expect![[r#"
        0s turn 1 with gemini-test: fix it
        0s answer ended: Stop, prompt of 0
        0s 1: Read a.rs
        0s 1 Succeeded { summary: "1 line" }
        0s thought: Plan
        0s answer ended: Stop, prompt of 0
        0s discarded: THINKING_ONLY_RESPONSE
        1s text: ok
        1s answer ended: Stop, prompt of 0
        1s turn 1 ended: Completed
    "#]]
    .assert_eq(&stage.turn("fix it").await);
    expect![[r#"
        user: "fix it"
        model: {"functionCall":{"name":"read_file","args":{"file_path":"a.rs"},"id":"1"},"thoughtSignature":"signed"}
        user: {"functionResponse":{"name":"read_file","id":"1","response":{"output":"one\n"}}}
        model: "[Tool execution completed.]"
        user: "Your last response held no text for the user. Please answer now, or go on with the task."
    "#]].assert_eq(&stage.contents(3));
}

#[tokio::test(start_paused = true)]
async fn silence_after_a_tool_is_answered_with_one_nudge_and_then_accepted() {
    let silence = || Reply::new().finish("STOP");
    let table = [
        Script::new().reply(ok()),
        Script::new().reply(silence()),
        Script::new().reply(reads("b.rs", "2")).reply(ok()),
    ];
    let mut shown = String::new();
    for rest in table {
        let mut script = Script::new().reply(reads("a.rs", "1")).reply(silence());
        script.replies.extend(rest.replies);
        let mut stage = Stage::start(script).await;
        shown += &stage.turn("fix it").await;
        shown += &format!("{}--\n", stage.contents(3));
    }
    expect![[r#"
        0s turn 1 with gemini-test: fix it
        0s answer ended: Stop, prompt of 0
        0s 1: Read a.rs
        0s 1 Succeeded { summary: "1 line" }
        0s answer ended: Stop, prompt of 0
        0s text: ok
        0s answer ended: Stop, prompt of 0
        0s turn 1 ended: Completed
        user: "fix it"
        model: {"functionCall":{"name":"read_file","args":{"file_path":"a.rs"},"id":"1"},"thoughtSignature":"signed"}
        user: {"functionResponse":{"name":"read_file","id":"1","response":{"output":"one\n"}}}
        model: "[Tool execution completed.]"
        user: "Your last response held no text for the user. Please answer now, or go on with the task."
        --
        0s turn 1 with gemini-test: fix it
        0s answer ended: Stop, prompt of 0
        0s 1: Read a.rs
        0s 1 Succeeded { summary: "1 line" }
        0s answer ended: Stop, prompt of 0
        0s answer ended: Stop, prompt of 0
        0s turn 1 ended: Completed
        user: "fix it"
        model: {"functionCall":{"name":"read_file","args":{"file_path":"a.rs"},"id":"1"},"thoughtSignature":"signed"}
        user: {"functionResponse":{"name":"read_file","id":"1","response":{"output":"one\n"}}}
        model: "[Tool execution completed.]"
        user: "Your last response held no text for the user. Please answer now, or go on with the task."
        --
        0s turn 1 with gemini-test: fix it
        0s answer ended: Stop, prompt of 0
        0s 1: Read a.rs
        0s 1 Succeeded { summary: "1 line" }
        0s answer ended: Stop, prompt of 0
        0s answer ended: Stop, prompt of 0
        0s 2: Read b.rs
        0s 2 Succeeded { summary: "1 line" }
        0s text: ok
        0s answer ended: Stop, prompt of 0
        0s turn 1 ended: Completed
        user: "fix it"
        model: {"functionCall":{"name":"read_file","args":{"file_path":"a.rs"},"id":"1"},"thoughtSignature":"signed"}
        user: {"functionResponse":{"name":"read_file","id":"1","response":{"output":"one\n"}}}
        model: "[Tool execution completed.]"
        user: "Your last response held no text for the user. Please answer now, or go on with the task."
        --
    "#]].assert_eq(&shown);
}

#[tokio::test(start_paused = true)]
async fn the_signature_of_an_answer_goes_back_to_the_model() {
    let signed = json!({ "text": "", "thoughtSignature": "sig==" });
    let signed = json!({ "candidates": [{ "content": { "parts": [signed] } }] });
    let script = Script::new()
        .reply(
            Reply::text("So it ")
                .chunk("is.")
                .event(signed)
                .finish("STOP"),
        )
        .reply(ok());
    let mut stage = Stage::start(script).await;
    assert!(stage.turn("fix it").await.contains("text: So it is.\n"));
    stage.turn("again").await;
    let body = stage.server.requests()[1].json();
    assert_eq!(
        body["contents"][1]["parts"],
        json!([{ "text": "So it is." }, { "text": "", "thoughtSignature": "sig==" }])
    );
}
