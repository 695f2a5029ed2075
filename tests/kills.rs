//! What a client that follows a session hears when the host is killed. Neovim, Emacs, `attach`, ACP and MCP have such tests
//! beside their own.

mod plain;
mod random;

use std::fs;
use std::time::{Duration, Instant};

use pollux_testkit::scripted_model::{Reply, ScriptedModel};
use serde_json::{Value, json};

use crate::support::plain::{pending_in, run};
use crate::support::scripted_editor::{changed, rewrites};
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

#[tokio::test(flavor = "multi_thread")]
async fn hunks_that_wait_are_sent_again_and_decided() {
    let world = World::new();
    fs::write(world.work().join("a.txt"), changed("a.txt", &[])).unwrap();
    let server = talk::model([rewrites("a.txt"), says("Done.")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.ask("pollux/modeSet", json!({ "mode": "autoEdit" }))
        .await;
    talk.say("edit it").await;
    let mut shown = until(&mut talk, Vec::new(), is_end).await;
    for _ in 0..2 {
        kill_host(&world).await;
        shown = until(&mut talk, shown, |event| event["kind"] == "opened").await;
        shown = until(&mut talk, shown, is_end).await;
        pending_in(&talk.editor, "a.txt", 3).await;
    }
    assert_eq!(transcript(&shown), ["> edit it", "Done.", "= completed"]);
    let file = json!({ "uri": world.uri("a.txt") });
    let reject = json!({ "command": "pollux.file.reject", "arguments": [file] });
    run(&talk.editor, &reject).await;
    pending_in(&talk.editor, "a.txt", 0).await;
    let text = fs::read_to_string(world.work().join("a.txt")).unwrap();
    assert_eq!(text, changed("a.txt", &[]));
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interruption_is_told_within_two_seconds() {
    let world = World::new();
    let half = || Reply::new().chunk("half").gate("never").finish("STOP");
    let server = talk::model([half(), half(), half()]).await;
    let mut talk = Talk::start(&world, &server).await;
    let mut waits = Vec::new();
    for turn in 1..=3 {
        talk.say("go").await;
        until(&mut talk, Vec::new(), |event| event["kind"] == "text").await;
        let killed = Instant::now();
        kill_host(&world).await;
        until(&mut talk, Vec::new(), |event| {
            is_interruption(event) && event["turn"] == turn
        })
        .await;
        waits.push(killed.elapsed());
    }
    // The machine may be busy with something else for a while, and not three times.
    let quickest = waits.iter().min().unwrap();
    assert!(*quickest < Duration::from_secs(2), "{waits:?}");
    talk.close().await;
    world.expect_no_process_left().await;
}
