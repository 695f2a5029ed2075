//! Decisions beyond keep and reject of a hunk, and editors that do not do as they are asked.

use std::fs;
use std::time::Duration;

use pollux_testkit::TextChange;
use pollux_testkit::scripted_model::Reply;
use serde_json::{Value, json};

use super::{CHANGED, FILES, Scene, on_disk, text};
use crate::support::plain::{OpenFile, pending_in, plain_in, review, review_where, run};
use crate::support::talk::{calls, says};

fn command(name: &str, argument: Value) -> Value {
    json!({ "command": name, "arguments": [argument] })
}

/// Runs a command that changes the open file.
async fn run_through(scene: &Scene, file: &mut OpenFile, command: &Value) {
    let editor = &scene.talk.editor;
    let params = json!({ "command": command["command"], "arguments": command["arguments"] });
    let running = editor
        .start_request("workspace/executeCommand", params)
        .await;
    file.obey(editor).await;
    running.result().await.unwrap();
}

/// A line of the file is replaced by hand.
fn typed(line: usize, words: &str) -> TextChange {
    let change = json!({
        "range": {
            "start": { "line": line, "character": 0 },
            "end": { "line": line + 1, "character": 0 },
        },
        "text": words,
    });
    serde_json::from_value(change).unwrap()
}

/// A file with the words of a person in place of the line that was to be changed first.
fn with_mine(text: &str) -> String {
    let line = match text.contains("a.txt new 2\n") {
        true => "a.txt new 2\n",
        false => "a.txt old 2\n",
    };
    text.replace(line, "mine\n")
}

/// A turn during which the person changes a line that the agent is just about to change.
async fn conflicted() -> (Scene, OpenFile) {
    let mut scene = Scene::prepare(plain_in).await;
    let uri = scene.world.uri("a.txt");
    let editor = &scene.talk.editor;
    let mut file = OpenFile::open(editor, &uri, &text("a.txt", &[])).await;
    scene.talk.say("change them").await;
    let late = editor.expect_request("workspace/applyEdit").await;
    file.edit(editor, typed(2, "mine\n")).await;
    file.make(editor, late).await;
    file.obey(editor).await;
    let told = scene.talk.rest_unasked().await;
    let contested: Vec<&Value> = told
        .iter()
        .filter(|event| event["kind"] == "editContested")
        .collect();
    let made = told.iter().find(|event| event["kind"] == "editMade");
    let contest =
        json!({ "kind": "editContested", "proposal": made.unwrap()["proposal"], "conflicts": 1 });
    assert_eq!(contested, [&contest], "{told:#?}");
    assert_eq!(file.buffer.text(), with_mine(&text("a.txt", &CHANGED)));
    (scene, file)
}

/// The conflict's name, once it is there.
async fn the_conflict(scene: &Scene) -> Value {
    let shown = review_where(&scene.talk.editor, |review| {
        review["files"][0]["hunks"][0]["state"] == "conflict"
    })
    .await;
    let file = &shown["files"][0];
    let hunk = &file["hunks"][0];
    assert_eq!(
        [&hunk["removed"], &hunk["added"]],
        ["mine\n", "a.txt new 2\n"]
    );
    json!({ "uri": file["uri"], "revision": file["revision"], "index": 0 })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conflict_is_ended_with_the_persons_lines() {
    let (scene, file) = conflicted().await;
    let name = the_conflict(&scene).await;
    run(&scene.talk.editor, &command("pollux.conflict.mine", name)).await;
    pending_in(&scene.talk.editor, "a.txt", 2).await;
    // An edit would have gone unread, which fails the test.
    assert_eq!(file.buffer.text(), with_mine(&text("a.txt", &CHANGED)));
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conflict_is_ended_with_the_agents_lines_and_that_can_be_undone() {
    let (scene, mut file) = conflicted().await;
    let name = the_conflict(&scene).await;
    let theirs = command("pollux.conflict.theirs", name);
    run_through(&scene, &mut file, &theirs).await;
    assert_eq!(file.buffer.text(), text("a.txt", &CHANGED));
    let undo = json!({ "command": "pollux.review.undo", "arguments": [] });
    run_through(&scene, &mut file, &undo).await;
    assert_eq!(file.buffer.text(), with_mine(&text("a.txt", &CHANGED)));
    the_conflict(&scene).await;
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_is_undone_and_done_again_around_what_a_person_did_since() {
    let scene = Scene::play(plain_in).await;
    let editor = &scene.talk.editor;
    let uri = json!({ "uri": scene.world.uri("a.txt") });
    run(editor, &command("pollux.file.keep", uri)).await;
    pending_in(editor, "a.txt", 0).await;
    let mine = |changed: &[usize]| format!("mine\n{}", text("a.txt", changed));
    fs::write(scene.world.work().join("a.txt"), mine(&CHANGED)).unwrap();

    let turn = json!({ "session": scene.talk.session, "turn": 1 });
    run(editor, &command("pollux.turn.undo", turn.clone())).await;
    let holds = |changed: &'static [usize]| {
        let world = &scene.world;
        move |_: &Value| {
            on_disk(world, "a.txt") == mine(changed)
                && ["b.txt", "c.txt"]
                    .iter()
                    .all(|name| on_disk(world, name) == text(name, changed))
        }
    };
    review_where(editor, holds(&[])).await;
    run(editor, &command("pollux.turn.redo", turn.clone())).await;
    review_where(editor, holds(&CHANGED)).await;
    let error = editor
        .request(
            "workspace/executeCommand",
            command("pollux.turn.redo", turn),
        )
        .await
        .unwrap_err();
    assert_eq!(error.message, "There is nothing to redo.");
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_that_was_removed_is_not_sent() {
    let scene = Scene::prepare_with(plain_in, [says("understood")]).await;
    let mut scene = scene.turn().await;
    let editor = &scene.talk.editor;
    for (line, words) in [(2, "keep this"), (10, "forget this")] {
        let comment = json!({ "uri": scene.world.uri("a.txt"), "line": line, "text": words });
        run(editor, &command("pollux.comment.add", comment)).await;
    }
    let shown = review(editor).await;
    let id = shown["files"][0]["hunks"][1]["comments"][0]["id"].clone();
    let remove = command("pollux.comment.remove", json!({ "id": id }));
    run(editor, &remove).await;
    let left = review(editor).await;
    assert_eq!(left["files"][0]["hunks"][1]["comments"], json!([]));
    let again = editor.request("workspace/executeCommand", remove).await;
    assert_eq!(again.unwrap_err().message, "There is no such comment.");
    let session = json!({ "session": scene.talk.session });
    run(editor, &command("pollux.comments.send", session)).await;
    scene.talk.rest_unasked().await;
    let requests = scene.server.requests();
    let sent = requests.last().unwrap().json().to_string();
    assert!(sent.contains("keep this"), "{sent}");
    assert!(!sent.contains("forget this"), "{sent}");
    scene.end().await;
}

/// A reply that changes a line of the first file.
fn changes_line(line: usize) -> Reply {
    calls(
        "replace",
        json!({
            "file_path": "a.txt",
            "instruction": "change a line",
            "old_string": format!("a.txt old {line}\n"),
            "new_string": format!("a.txt new {line}\n"),
        }),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_that_one_turn_left_is_decided_and_nothing_of_another() {
    let more = [changes_line(25), says("and that")];
    let scene = Scene::prepare_with(plain_in, more).await;
    let mut scene = scene.turn().await;
    scene.talk.say("and another").await;
    scene.talk.rest_unasked().await;
    let editor = &scene.talk.editor;
    pending_in(editor, "a.txt", 4).await;
    let turn = |turn: u64| json!({ "session": scene.talk.session, "turn": turn });

    let said = run(editor, &command("pollux.all.reject", turn(2))).await;
    assert_eq!(said, "Rejected a hunk in a file.");
    pending_in(editor, "a.txt", 3).await;
    assert_eq!(on_disk(&scene.world, "a.txt"), text("a.txt", &CHANGED));
    let said = run(editor, &command("pollux.all.keep", turn(1))).await;
    assert_eq!(said, "Kept 9 hunks in 3 files.");
    for name in FILES {
        pending_in(editor, name, 0).await;
        assert_eq!(on_disk(&scene.world, name), text(name, &CHANGED));
    }
    let error = editor
        .request(
            "workspace/executeCommand",
            command("pollux.all.keep", turn(1)),
        )
        .await
        .unwrap_err();
    assert_eq!(error.message, "Nothing is pending there.");
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_that_the_editor_refuses_is_asked_for_again() {
    let mut scene = Scene::prepare(plain_in).await;
    let uri = scene.world.uri("a.txt");
    let editor = &scene.talk.editor;
    let mut file = OpenFile::open(editor, &uri, &text("a.txt", &[])).await;
    scene.talk.say("change them").await;
    let (id, _) = editor.expect_request("workspace/applyEdit").await;
    let refused = json!({ "applied": false, "failureReason": "not now" });
    editor.respond(&id, refused).await;
    file.obey(editor).await;
    scene.talk.rest_unasked().await;
    assert_eq!(file.buffer.text(), text("a.txt", &CHANGED));
    pending_in(&scene.talk.editor, "a.txt", 3).await;
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_that_is_never_answered_is_asked_for_again_and_made_once() {
    let mut scene = Scene::prepare(plain_in).await;
    let uri = scene.world.uri("a.txt");
    let editor = &scene.talk.editor;
    let mut file = OpenFile::open(editor, &uri, &text("a.txt", &[])).await;
    // The server is patient for a while, and so is this test.
    editor.set_deadline(Duration::from_secs(120));
    scene.talk.say("change them").await;
    let late = editor.expect_request("workspace/applyEdit").await;
    file.obey(editor).await;
    // The answer that nobody waits for any more says that the text has changed.
    file.make(editor, late).await;
    scene.talk.rest_unasked().await;
    assert_eq!(file.buffer.text(), text("a.txt", &CHANGED));
    pending_in(&scene.talk.editor, "a.txt", 3).await;
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_that_is_made_and_never_answered_is_known_by_the_text() {
    let mut scene = Scene::prepare(plain_in).await;
    let uri = scene.world.uri("a.txt");
    let editor = &scene.talk.editor;
    let mut file = OpenFile::open(editor, &uri, &text("a.txt", &[])).await;
    scene.talk.say("change them").await;
    let (_, asked) = editor.expect_request("workspace/applyEdit").await;
    file.make_silently(editor, &asked).await;
    scene.talk.rest_unasked().await;
    assert_eq!(file.buffer.text(), text("a.txt", &CHANGED));
    pending_in(&scene.talk.editor, "a.txt", 3).await;
    scene.end().await;
}
