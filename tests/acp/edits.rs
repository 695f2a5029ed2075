//! Edits: shown whole, decided here or elsewhere.

use std::fs;

use agent_client_protocol::v1::schema::{
    PermissionOptionKind, SessionUpdate, StopReason, ToolCallContent, ToolCallStatus,
};
use serde_json::json;

use super::client::Client;
use crate::support::World;
use crate::support::talk::{Talk, calls, model, says};

fn writes(name: &str) -> pollux_testkit::scripted_model::Reply {
    calls(
        "write_file",
        json!({ "file_path": name, "content": "one\ntwo\n" }),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_is_shown_as_what_the_file_was_and_what_it_becomes() {
    let world = World::new();
    let path = world.work().join("a.txt");
    fs::write(&path, "one\n").unwrap();
    let server = model([writes("a.txt"), says("done")]).await;
    let mut client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    let prompting = client.say(&session, "write");
    let question = client.asked().await;
    let fields = &question.request.tool_call.fields;
    let [ToolCallContent::Diff(diff)] = &fields.content.as_ref().unwrap()[..] else {
        panic!("{fields:?}");
    };
    assert_eq!(diff.path, path);
    assert_eq!(diff.old_text.as_deref(), Some("one\n"));
    assert_eq!(diff.new_text, "one\ntwo\n");
    let place = &fields.locations.as_ref().unwrap()[0];
    assert_eq!((&place.path, place.line), (&path, Some(2)));
    assert_eq!(fs::read_to_string(&path).unwrap(), "one\n");
    question.choose(PermissionOptionKind::AllowOnce);
    let ended = client.call_ended().await;
    assert_eq!(ended.status, Some(ToolCallStatus::Completed));
    assert_eq!(prompting.reason().await, StopReason::EndTurn);
    assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\n");
    client.finish().await;
    world.expect_no_process_left().await;

    // From its record it is shown too, what has changed of it, and the file by its whole name.
    let mut client = Client::start(&world, &server).await;
    client.load(&world, &session).await;
    let content = |update: SessionUpdate| match update {
        SessionUpdate::ToolCall(call) => call.content,
        SessionUpdate::ToolCallUpdate(change) => change.fields.content.unwrap_or_default(),
        _ => Vec::new(),
    };
    let shown = client.so_far().into_iter().flat_map(content);
    let shown = shown.filter_map(|content| match content {
        ToolCallContent::Diff(diff) => Some((diff.path, diff.new_text)),
        _ => None,
    });
    assert_eq!(shown.last(), Some((path, "two\n".to_owned())));
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_file_was_nothing_and_all_edits_can_be_kept_at_once() {
    let world = World::new();
    let server = model([writes("new/a.txt"), writes("b.txt"), says("done")]).await;
    let mut client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    let prompting = client.say(&session, "write");
    let question = client.asked().await;
    let fields = &question.request.tool_call.fields;
    let [ToolCallContent::Diff(diff)] = &fields.content.as_ref().unwrap()[..] else {
        panic!("{fields:?}");
    };
    assert_eq!(diff.old_text, None);
    question.choose(PermissionOptionKind::AllowAlways);
    // The mode is another one from here on, and the client hears of it.
    let mode = client
        .update(|update| match update {
            SessionUpdate::CurrentModeUpdate(mode) => Some(mode.current_mode_id),
            _ => None,
        })
        .await;
    assert_eq!(&*mode.0, "autoEdit");
    assert_eq!(prompting.reason().await, StopReason::EndTurn);
    assert!(world.work().join("new/a.txt").exists());
    assert!(world.work().join("b.txt").exists());
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rejected_edit_leaves_the_file_and_is_told_as_failed() {
    let world = World::new();
    let path = world.work().join("a.txt");
    fs::write(&path, "one\n").unwrap();
    let server = model([writes("a.txt"), says("then not")]).await;
    let mut client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    let prompting = client.say(&session, "write");
    client
        .asked()
        .await
        .choose(PermissionOptionKind::RejectOnce);
    let ended = client.call_ended().await;
    assert_eq!(ended.status, Some(ToolCallStatus::Failed));
    assert_eq!(prompting.reason().await, StopReason::EndTurn);
    assert_eq!(fs::read_to_string(&path).unwrap(), "one\n");
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_that_is_decided_hunk_by_hunk_elsewhere_ends_the_question_here() {
    let world = World::new();
    let path = world.work().join("a.txt");
    let lines = |first: &str, last: &str| format!("{first}\n2\n3\n4\n5\n6\n7\n8\n{last}\n");
    fs::write(&path, lines("one", "nine")).unwrap();
    let edit = json!({ "file_path": "a.txt", "content": lines("ONE", "NINE") });
    let server = model([says("ready"), calls("write_file", edit), says("done")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("begin").await;
    talk.rest_unasked().await;
    let session = talk.session.clone();
    let mut client = Client::start(&world, &server).await;
    client.load(&world, &session).await;
    let prompting = client.say(&session, "write");
    let question = client.asked().await;
    let proposed = talk.event("editProposed").await;
    let decided = json!({ "proposal": proposed["proposal"], "decisions": ["keep", "reject"] });
    talk.ask("pollux/editDecide", decided).await;
    question.taken_back().await;
    let ended = client.call_ended().await;
    assert_eq!(ended.status, Some(ToolCallStatus::Completed));
    let [ToolCallContent::Diff(diff)] = &ended.content.as_ref().unwrap()[..] else {
        panic!("{ended:?}");
    };
    assert_eq!(diff.new_text, lines("ONE", "nine"), "what was kept");
    assert_eq!(prompting.reason().await, StopReason::EndTurn);
    assert_eq!(fs::read_to_string(&path).unwrap(), lines("ONE", "nine"));
    client.finish().await;
    talk.close().await;
    world.expect_no_process_left().await;
}
