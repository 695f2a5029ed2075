//! A model that goes round in circles is told once, and then stopped.

use expect_test::expect;
use pollux_testkit::{Reply, ReplyEnd, Script};

use super::{Stage, ok, read, reads};
use crate::LoopDetection;

const CHANT: &str = "I will now look at the file once more to be sure of it; ";

#[tokio::test(start_paused = true)]
async fn the_fifth_same_call_is_not_run_and_the_model_is_told_and_the_sixth_ends_the_turn() {
    let script = Script::new().reply(reads("a.rs", "1").times(6)).reply(ok());
    let mut stage = Stage::start(script).await;
    expect![[r#"
        0s turn 1 with gemini-test: fix it
        0s answer ended: Stop, prompt of 0
        0s 1: Read a.rs
        0s 1 Succeeded { summary: "1 line" }
        0s answer ended: Stop, prompt of 0
        0s 1: Read a.rs
        0s 1 Succeeded { summary: "1 line" }
        0s answer ended: Stop, prompt of 0
        0s 1: Read a.rs
        0s 1 Succeeded { summary: "1 line" }
        0s answer ended: Stop, prompt of 0
        0s 1: Read a.rs
        0s 1 Succeeded { summary: "1 line" }
        0s discarded: repeated tool call: read_file with arguments {"file_path":"a.rs"}
        0s turn 1 ended LoopDetected: the model repeats itself: repeated tool call: read_file with arguments {"file_path":"a.rs"}
    "#]].assert_eq(&stage.turn("fix it").await);
    expect![[r#"
        user: "fix it"
        model: {"functionCall":{"name":"read_file","args":{"file_path":"a.rs"},"id":"1"},"thoughtSignature":"signed"}
        user: {"functionResponse":{"name":"read_file","id":"1","response":{"output":"one\n"}}}
        model: {"functionCall":{"name":"read_file","args":{"file_path":"a.rs"},"id":"1"},"thoughtSignature":"signed"}
        user: {"functionResponse":{"name":"read_file","id":"1","response":{"output":"one\n"}}}
        model: {"functionCall":{"name":"read_file","args":{"file_path":"a.rs"},"id":"1"},"thoughtSignature":"signed"}
        user: {"functionResponse":{"name":"read_file","id":"1","response":{"output":"one\n"}}}
        model: {"functionCall":{"name":"read_file","args":{"file_path":"a.rs"},"id":"1"},"thoughtSignature":"signed"}
        user: {"functionResponse":{"name":"read_file","id":"1","response":{"output":"one\n"}}} + "System: Potential loop detected. Details: repeated tool call: read_file with arguments {\"file_path\":\"a.rs\"}. Take a step back, and go on in another way, or say what keeps you from it."
    "#]].assert_eq(&stage.contents(6));
    assert!(stage.turn("again").await.ends_with("Completed\n"));
    expect![[r#"
        user: "fix it"
        model: {"functionCall":{"name":"read_file","args":{"file_path":"a.rs"},"id":"1"},"thoughtSignature":"signed"}
        user: {"functionResponse":{"name":"read_file","id":"1","response":{"output":"one\n"}}}
        model: {"functionCall":{"name":"read_file","args":{"file_path":"a.rs"},"id":"1"},"thoughtSignature":"signed"}
        user: {"functionResponse":{"name":"read_file","id":"1","response":{"output":"one\n"}}}
        model: {"functionCall":{"name":"read_file","args":{"file_path":"a.rs"},"id":"1"},"thoughtSignature":"signed"}
        user: {"functionResponse":{"name":"read_file","id":"1","response":{"output":"one\n"}}}
        model: {"functionCall":{"name":"read_file","args":{"file_path":"a.rs"},"id":"1"},"thoughtSignature":"signed"}
        user: {"functionResponse":{"name":"read_file","id":"1","response":{"output":"one\n"}}}
        model: "[The previous response was interrupted before it completed.]"
        user: "again"
    "#]].assert_eq(&stage.contents(7));
}

#[tokio::test(start_paused = true)]
async fn two_calls_in_turns_are_a_loop_too() {
    let mut script = Script::new();
    for _ in 0..5 {
        script = script.reply(reads("a.rs", "1")).reply(reads("b.rs", "2"));
    }
    let mut stage = Stage::start(script.reply(ok())).await;
    let shown = stage.turn("fix it").await;
    assert!(
        shown.contains("discarded: repeated round of 2 tool calls"),
        "{shown}"
    );
    assert!(shown.ends_with("Completed\n"), "{shown}");
}

#[tokio::test(start_paused = true)]
async fn what_was_called_for_another_prompt_does_not_count() {
    let script = Script::new()
        .reply(reads("a.rs", "1").times(4))
        .reply(ok())
        .reply(reads("a.rs", "1").times(4))
        .reply(ok());
    let mut stage = Stage::start(script).await;
    for prompt in ["look", "look again"] {
        let shown = stage.turn(prompt).await;
        assert!(!shown.contains("discarded"), "{shown}");
        assert!(shown.ends_with("Completed\n"), "{shown}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_that_finds_out_of_its_loop_answers() {
    let script = Script::new()
        .reply(reads("a.rs", "1").times(5))
        .reply(reads("b.rs", "2"))
        .reply(ok());
    let mut stage = Stage::start(script).await;
    let shown = stage.turn("fix it").await;
    assert!(shown.contains("Read b.rs"), "{shown}");
    assert!(shown.ends_with("Completed\n"), "{shown}");
}

#[tokio::test(start_paused = true)]
async fn a_chant_is_cut_off_and_the_second_one_ends_the_turn() {
    let chant = || Reply::new().repeat(40, |reply| reply.chunk(CHANT)).stall();
    let script = Script::new().reply(chant()).reply(chant()).reply(ok());
    let mut stage = Stage::start(script).await;
    let shown = stage.turn("fix it").await;
    expect![[r#"
        0s turn 1 with gemini-test: fix it
        0s text: ++++++++++
        0s discarded: repeating text: "I will now look at the file once more to be sure o"
        0s text: ++++++++++
        0s turn 1 ended LoopDetected: the model repeats itself: repeating text: "I will now look at the file once more to be sure o"
    "#]].assert_eq(&shown.replace(CHANT, "+"));
    for order in [1, 2] {
        assert_eq!(stage.server.reply_end(order).await, ReplyEnd::ClientLeft);
    }
    expect![[r#"
        user: "fix it" + "System: Potential loop detected. Details: repeating text: \"I will now look at the file once more to be sure o\". Take a step back, and go on in another way, or say what keeps you from it."
    "#]].assert_eq(&stage.contents(2));
    assert!(stage.turn("again").await.ends_with("Completed\n"));
    assert_eq!(stage.contents(3), "user: \"again\"\n");
}

#[tokio::test(start_paused = true)]
async fn a_failure_right_after_a_loop_was_found_takes_the_prompt_back() {
    let script = Script::new()
        .reply(Reply::new().repeat(40, |reply| reply.chunk(CHANT)).stall())
        .reply(Reply::error(400, "INVALID_ARGUMENT", "bad"))
        .reply(ok());
    let mut stage = Stage::start(script).await;
    let shown = stage.turn("fix it").await;
    assert!(shown.contains("turn 1 ended Failed: "), "{shown}");
    stage.turn("again").await;
    assert_eq!(stage.contents(3), "user: \"again\"\n");
}

#[tokio::test(start_paused = true)]
async fn a_session_that_does_not_look_for_loops_finds_none() {
    let script = Script::new().reply(reads("a.rs", "1").times(7)).reply(ok());
    let mut stage = Stage::start_with(script, |_, config| {
        config.loop_detection = LoopDetection::Off;
    })
    .await;
    let shown = stage.turn("fix it").await;
    assert_eq!(shown.matches("Read a.rs").count(), 7);
    assert!(shown.ends_with("Completed\n"), "{shown}");
}

#[tokio::test(start_paused = true)]
async fn calls_of_answers_that_broke_off_do_not_make_a_loop() {
    let script = Script::new()
        .reply(Reply::new().call(read("a.rs", "1")).cut().times(3))
        .reply(reads("a.rs", "1").times(2))
        .reply(ok());
    let mut stage = Stage::start(script).await;
    expect![[r#"
        0s turn 1 with gemini-test: fix it
        0s discarded: the connection closed before the reply ended (<host>: end of file before message length reached)
        1s discarded: the connection closed before the reply ended (<host>: end of file before message length reached)
        3s discarded: the connection closed before the reply ended (<host>: end of file before message length reached)
        7s answer ended: Stop, prompt of 0
        7s 1: Read a.rs
        7s 1 Succeeded { summary: "1 line" }
        7s answer ended: Stop, prompt of 0
        7s 1: Read a.rs
        7s 1 Succeeded { summary: "1 line" }
        7s text: ok
        7s answer ended: Stop, prompt of 0
        7s turn 1 ended: Completed
    "#]].assert_eq(&stage.turn("fix it").await);
}
