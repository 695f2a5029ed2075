//! What is said into a running turn, and what waits for its own.

use expect_test::expect;
use pollux_testkit::{Reply, Script};

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, ready};

use super::{Stage, is_end, ok, reads};
use crate::Surroundings;
use crate::api::{Event, Op};
use crate::prompt::testing::MemoryDisk;
use crate::prompt::{EditorContext, Reading};

/// A folder without an editor.
struct Folder(MemoryDisk);

impl Surroundings for Folder {
    fn editor(&self) -> BoxFuture<'_, Option<EditorContext>> {
        ready(None).boxed()
    }

    fn reading(&self) -> &dyn Reading {
        &self.0
    }
}

#[tokio::test(start_paused = true)]
async fn a_word_said_meanwhile_may_name_files_as_a_prompt_may() {
    let script = Script::new()
        .reply(Reply::text("Done.").gate("said").finish("STOP"))
        .reply(ok());
    let mut stage = Stage::start_with(script, |_, config| {
        let disk = MemoryDisk::new(&[("/nowhere/b.rs", "two\n")]);
        config.surroundings = Some(Arc::new(Folder(disk)));
    })
    .await;
    stage.submit(Op::Queue("fix it".into())).await;
    stage
        .until(|event| matches!(event, Event::TextReceived(_)))
        .await;
    stage.submit(Op::Steer("look at @b.rs too".into())).await;
    stage.server.open_gate("said");
    let shown = stage.until(is_end).await;
    assert!(shown.contains("steered: look at @b.rs too"), "{shown}");
    expect![[r#"
        user: "fix it"
        model: "Done."
        user: "look at @b.rs too" + "\n--- Content from referenced files ---" + "\nContent from @b.rs:\n" + "two\n" + "\n--- End of content ---"
    "#]].assert_eq(&stage.contents(2));
}

#[tokio::test(start_paused = true)]
async fn a_word_said_meanwhile_goes_to_the_model_with_its_results() {
    let mut reading = reads("a.rs", "1");
    let finish = reading.steps.pop().unwrap();
    let script = Script::new()
        .reply(
            Reply::text("Looking. ")
                .gate("said")
                .step(reading.steps.remove(0))
                .step(finish),
        )
        .reply(ok());
    let mut stage = Stage::start(script).await;
    stage.submit(Op::Queue("fix it".into())).await;
    stage
        .until(|event| matches!(event, Event::TextReceived(_)))
        .await;
    stage.submit(Op::Steer("only the first line".into())).await;
    stage.submit(Op::Steer("and be quick".into())).await;
    stage.submit(Op::Queue("later".into())).await;
    stage
        .until(|event| matches!(event, Event::PromptQueued { .. }))
        .await;
    stage.submit(Op::Unqueue(crate::api::QueuedId(1))).await;
    stage
        .until(|event| matches!(event, Event::PromptUnqueued(_)))
        .await;
    stage.server.open_gate("said");
    expect![[r#"
        0s answer ended: Stop, prompt of 0
        0s 1: Read a.rs
        0s 1 Succeeded { summary: "1 line" }
        0s steered: only the first line
        0s steered: and be quick
        0s text: ok
        0s answer ended: Stop, prompt of 0
        0s turn 1 ended: Completed
    "#]]
    .assert_eq(&stage.until(is_end).await);
    expect![[r#"
        user: "fix it"
        model: "Looking. " + {"functionCall":{"name":"read_file","args":{"file_path":"a.rs"},"id":"1"},"thoughtSignature":"signed"}
        user: {"functionResponse":{"name":"read_file","id":"1","response":{"output":"one\n"}}} + "only the first line" + "and be quick"
    "#]].assert_eq(&stage.contents(2));
}

#[tokio::test(start_paused = true)]
async fn a_word_said_into_the_last_answer_goes_on_with_the_turn() {
    let script = Script::new()
        .reply(Reply::text("Done.").gate("said").finish("STOP"))
        .reply(ok());
    let mut stage = Stage::start(script).await;
    stage.submit(Op::Queue("fix it".into())).await;
    stage
        .until(|event| matches!(event, Event::TextReceived(_)))
        .await;
    stage.submit(Op::Steer("b.rs too".into())).await;
    stage.server.open_gate("said");
    expect![[r#"
        0s answer ended: Stop, prompt of 0
        0s steered: b.rs too
        0s text: ok
        0s answer ended: Stop, prompt of 0
        0s turn 1 ended: Completed
    "#]]
    .assert_eq(&stage.until(is_end).await);
    expect![[r#"
        user: "fix it"
        model: "Done."
        user: "b.rs too"
    "#]]
    .assert_eq(&stage.contents(2));
}

#[tokio::test(start_paused = true)]
async fn a_failure_after_such_a_word_takes_the_word_back_and_keeps_the_answer() {
    let script = Script::new()
        .reply(Reply::text("Done.").gate("said").finish("STOP"))
        .reply(Reply::error(400, "INVALID_ARGUMENT", "bad"))
        .reply(ok());
    let mut stage = Stage::start(script).await;
    stage.submit(Op::Queue("fix it".into())).await;
    stage
        .until(|event| matches!(event, Event::TextReceived(_)))
        .await;
    stage.submit(Op::Steer("b.rs too".into())).await;
    stage.server.open_gate("said");
    assert!(stage.until(is_end).await.contains("ended Failed: "));
    stage.turn("again").await;
    assert_eq!(
        stage.contents(3),
        "user: \"fix it\"\nmodel: \"Done.\"\nuser: \"again\"\n"
    );
}

#[tokio::test(start_paused = true)]
async fn queued_prompts_are_answered_in_their_order() {
    let script = Script::new()
        .reply(Reply::text("1").gate("queued").finish("STOP"))
        .reply(Reply::text("2").finish("STOP"))
        .reply(Reply::text("3").finish("STOP"));
    let mut stage = Stage::start(script).await;
    for prompt in ["one", "two", "three"] {
        stage.submit(Op::Queue(prompt.into())).await;
    }
    let mut shown = String::new();
    for _ in 0..2 {
        shown += &stage
            .until(|event| matches!(event, Event::PromptQueued { .. }))
            .await;
    }
    stage.server.open_gate("queued");
    for _ in 0..3 {
        shown += &stage.until(is_end).await;
    }
    assert_eq!(shown.matches("Completed").count(), 3);
    expect![[r#"
        user: "one"
        model: "1"
        user: "two"
        model: "2"
        user: "three"
    "#]]
    .assert_eq(&stage.contents(3));
}

#[tokio::test(start_paused = true)]
async fn a_word_said_into_a_turn_that_fails_is_a_prompt_of_its_own() {
    let script = Script::new()
        .reply(Reply::text("half").gate("said").cut())
        .reply(Reply::error(400, "INVALID_ARGUMENT", "bad"))
        .reply(ok());
    let mut stage = Stage::start(script).await;
    stage.submit(Op::Queue("fix it".into())).await;
    stage
        .until(|event| matches!(event, Event::TextReceived(_)))
        .await;
    stage.submit(Op::Steer("b.rs too".into())).await;
    stage.server.open_gate("said");
    let mut shown = stage.until(is_end).await;
    shown += &stage.until(is_end).await;
    expect![[r#"
        0s discarded: the connection closed before the reply ended (<host>: end of file before message length reached)
        1s turn 1 ended Failed: the provider rejects the request: bad
        1s queued 1: b.rs too
        1s unqueued 1
        1s turn 2 with gemini-test: b.rs too
        1s text: ok
        1s answer ended: Stop, prompt of 0
        1s turn 2 ended: Completed
    "#]].assert_eq(&shown);
    assert_eq!(stage.contents(3), "user: \"b.rs too\"\n");
}
