//! What a client that follows a session hears when the host is killed.

use pollux_testkit::scripted_model::{Reply, ScriptedModel};
use serde_json::{Value, json};

use crate::support::talk::{self, Talk, says};
use crate::support::world::{World, kill_host};

/// Reads until an event of this kind comes, and returns everything since the session was last shown from its start.
async fn until(
    talk: &mut Talk,
    mut shown: Vec<Value>,
    last: impl Fn(&Value) -> bool,
) -> Vec<Value> {
    loop {
        let event = talk.any().await;
        if event["kind"] == "opened" {
            shown.clear();
        }
        let is_last = last(&event);
        shown.push(event);
        if is_last {
            return shown;
        }
    }
}

fn is_end(event: &Value) -> bool {
    event["kind"] == "turnEnded"
}

fn is_interruption(event: &Value) -> bool {
    is_end(event) && event["outcome"] == "interrupted"
}

/// Prompts, texts and ends, as a person reads them.
fn transcript(events: &[Value]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut writes = false;
    for event in events {
        let (line, is_text) = match event["kind"].as_str().unwrap() {
            "turnStarted" => (format!("> {}", event["prompt"].as_str().unwrap()), false),
            "text" => (event["text"].as_str().unwrap().to_owned(), true),
            "turnEnded" => (format!("= {}", event["outcome"].as_str().unwrap()), false),
            _ => continue,
        };
        match lines.last_mut() {
            Some(text) if writes && is_text => text.push_str(&line),
            _ => lines.push(line),
        }
        writes = is_text;
    }
    lines
}

/// What somebody sees who opens the session now.
async fn recorded(world: &World, server: &ScriptedModel, talk: &Talk, turns: usize) -> Vec<String> {
    let mut reader = talk.join(world, server).await;
    let mut events = Vec::new();
    while events.iter().filter(|event| is_end(event)).count() < turns {
        events.push(reader.any().await);
    }
    reader.close().await;
    transcript(&events)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_chat_hears_the_next_turn_after_its_host_was_killed_twice() {
    let world = World::new();
    let server = talk::model([says("one"), says("two"), says("three")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("first").await;
    let mut shown = until(&mut talk, Vec::new(), is_end).await;
    for prompt in ["second", "third"] {
        kill_host(&world).await;
        shown = until(&mut talk, shown, |event| event["kind"] == "opened").await;
        talk.say(prompt).await;
        let started = |event: &Value| event["kind"] == "turnStarted" && event["prompt"] == prompt;
        shown = until(&mut talk, shown, started).await;
        shown = until(&mut talk, shown, is_end).await;
    }
    let expected = [
        "> first",
        "one",
        "= completed",
        "> second",
        "two",
        "= completed",
        "> third",
        "three",
        "= completed",
    ];
    assert_eq!(transcript(&shown), expected);
    assert_eq!(recorded(&world, &server, &talk, 3).await, expected);
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_in_which_nothing_was_said_is_restored_too() {
    let world = World::new();
    let server = talk::model([says("one")]).await;
    let mut talk = Talk::start(&world, &server).await;
    until(&mut talk, Vec::new(), |event| event["kind"] == "opened").await;
    kill_host(&world).await;
    until(&mut talk, Vec::new(), |event| event["kind"] == "opened").await;
    talk.say("first").await;
    let shown = until(&mut talk, Vec::new(), is_end).await;
    assert_eq!(transcript(&shown), ["> first", "one", "= completed"]);
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chat_learns_that_its_turn_was_interrupted_and_goes_on() {
    let world = World::new();
    let half = Reply::new().chunk("half").gate("never").finish("STOP");
    let server = talk::model([half, says("whole")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("first").await;
    let shown = until(&mut talk, Vec::new(), |event| event["kind"] == "text").await;
    kill_host(&world).await;
    let shown = until(&mut talk, shown, is_interruption).await;
    assert_eq!(transcript(&shown), ["> first", "half", "= interrupted"]);
    // Stopping what runs no more is no error.
    talk.ask("pollux/turnCancel", json!({})).await;
    talk.say("go on").await;
    let shown = until(&mut talk, shown, is_end).await;
    let expected = [
        "> first",
        "half",
        "= interrupted",
        "> go on",
        "whole",
        "= completed",
    ];
    assert_eq!(transcript(&shown), expected);
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_question_ends_with_its_host_and_nothing_runs() {
    let world = World::new();
    let server = talk::model([talk::runs("touch made")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("make it").await;
    let asks = |event: &Value| event["kind"] == "approvalRequested";
    let shown = until(&mut talk, Vec::new(), asks).await;
    kill_host(&world).await;
    let shown = until(&mut talk, shown, is_interruption).await;
    assert_eq!(transcript(&shown), ["> make it", "= interrupted"]);
    assert!(!world.work().join("made").exists());
    talk.close().await;
    world.expect_no_process_left().await;
}
