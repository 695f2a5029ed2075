//! A person types while the agent speaks.

use pollux_testkit::scripted_model::Reply;
use serde_json::json;

use super::{CTRL_D, IDLE, attach};
use crate::support::World;
use crate::support::talk::{Talk, model, runs, says};

#[tokio::test(flavor = "multi_thread")]
async fn what_is_said_meanwhile_leaves_a_typed_line_whole() {
    let world = World::new();
    let server = model([
        Reply::text("one \n")
            .gate("two")
            .chunk("two\nthree\n")
            .gate("end")
            .finish("STOP"),
        says("typed well"),
    ])
    .await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("count").await;
    let mut window = attach(&world, &server, &[]);
    window.shows("one").await;
    window.type_keys("half a lime");
    window.shows("❯ half a lime").await;
    server.open_gate("two");
    let whole = |screen: &str| screen.contains("three\n") && screen.ends_with("\n❯ half a lime");
    window.until("the text above the line", whole).await;
    window.type_keys("\u{7f}\u{7f}ne\r");
    assert_eq!(talk.event("promptQueued").await["text"], "half a line");
    window.shows("waits: half a line").await;
    window.shows("1 prompt waits").await;
    server.open_gate("end");
    window.shows("typed well").await;
    window.hides("1 prompt waits").await;
    // A paste is one prompt, whatever is in it, and is not sent by itself.
    window.type_keys("\u{1b}[200~a\rb\u{1b}[201~");
    window.shows("❯ a⏎b").await;
    window.type_keys("\u{15}\u{4}");
    window.ended().await;
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_was_begun_before_a_question_came_does_not_answer_it() {
    let world = World::new();
    let server = model([
        Reply::text("so \n").gate("ask").finish("STOP"),
        runs("touch made"),
        says("then not"),
        says("what is y"),
    ])
    .await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("one").await;
    talk.say("two").await;
    let mut window = attach(&world, &server, &[]);
    window.shows("so").await;
    window.type_keys("y");
    window.shows("❯ y").await;
    server.open_gate("ask");
    window.shows("y once").await;
    window.type_keys("\r");
    window.shows("waits: y").await;
    // The question is still there, and what is typed now is an answer.
    let screen = window.shows("y once").await;
    assert!(!world.work().join("made").exists(), "{screen}");
    window.type_keys("n\r");
    window.shows(": rejected").await;
    let ended = talk.coming("approvalEnded").await;
    assert_eq!(ended["answer"], json!({ "kind": "deny" }));
    window.shows("what is y").await;
    window.shows(IDLE).await;
    window.type_keys(CTRL_D);
    window.ended().await;
    talk.close().await;
    world.expect_no_process_left().await;
}
