//! Editors without a plugin: diagnostics to see, code actions to decide.

use std::fs;

use pollux_testkit::fake_editor::Message;
use serde_json::{Value, json};

use super::{CHANGED, FILES, Scene, line_end, on_disk, text};
use crate::support::plain::{
    Marks, OpenFile, actions, choose, offered, pending_in, plain_in, review, review_where, run,
};
use crate::support::talk::says;

/// What is kept of each file: six of nine hunks.
const KEPT: [&[usize]; 3] = [&[2, 20], &[10, 20], &[2, 10]];

/// The line in which the change of this original line stands now.
async fn line_of(scene: &Scene, name: &str, changed: usize) -> u64 {
    let review = review(&scene.talk.editor).await;
    let files = review["files"].as_array().unwrap();
    let file = files.iter().find(|file| file["path"] == name).unwrap();
    let removed = format!("{name} old {changed}{}", line_end(name));
    let hunks = file["hunks"].as_array().unwrap();
    let hunk = hunks
        .iter()
        .find(|hunk| hunk["removed"] == removed.as_str());
    let hunk = hunk.unwrap_or_else(|| panic!("{removed:?} is not pending: {file:#}"));
    hunk["range"]["start"]["line"].as_u64().unwrap()
}

async fn decide(scene: &Scene, name: &str, changed: usize, title: &str) -> String {
    let uri = scene.world.uri(name);
    let line = line_of(scene, name, changed).await;
    choose(&scene.talk.editor, &uri, line, title).await
}

#[tokio::test(flavor = "multi_thread")]
async fn six_of_nine_hunks_are_kept_by_code_actions_and_the_rest_can_be_had_again() {
    let scene = Scene::play(plain_in).await;
    let editor = &scene.talk.editor;
    let mut marks = Marks::default();
    marks.until(editor, |marks| marks.count() == 9).await;
    // The agent's changes are in the files already.
    for name in FILES {
        assert_eq!(on_disk(&scene.world, name), text(name, &CHANGED));
    }
    for (name, kept) in FILES.into_iter().zip(KEPT) {
        for (decided, changed) in CHANGED.into_iter().enumerate() {
            let title = match kept.contains(&changed) {
                true => "Pollux: Keep this hunk",
                false => "Pollux: Reject this hunk",
            };
            decide(&scene, name, changed, title).await;
            pending_in(editor, name, 2 - decided).await;
        }
    }
    marks.until(editor, |marks| marks.count() == 0).await;
    for (name, kept) in FILES.into_iter().zip(KEPT) {
        assert_eq!(on_disk(&scene.world, name), text(name, kept));
    }

    let after = review(editor).await;
    assert_eq!(after["files"], json!([]));
    let rejected = after["rejected"].as_array().unwrap();
    let seen: Vec<[&Value; 2]> = rejected
        .iter()
        .map(|hunk| [&hunk["path"], &hunk["removed"]])
        .collect();
    assert_eq!(
        seen,
        [
            [&json!("a.txt"), &json!("a.txt old 10\n")],
            [&json!("b.txt"), &json!("b.txt old 2\n")],
            [&json!("c.txt"), &json!("c.txt old 20\r\n")],
        ]
    );
    for hunk in rejected {
        let id = json!({ "id": hunk["id"] });
        run(
            editor,
            &json!({ "command": "pollux.hunk.reapply", "arguments": [id] }),
        )
        .await;
    }
    for name in FILES {
        pending_in(editor, name, 1).await;
        assert_eq!(on_disk(&scene.world, name), text(name, &CHANGED));
    }
    assert_eq!(review(editor).await["rejected"], json!([]));
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_file_is_changed_through_its_editor_and_what_is_typed_meanwhile_stays() {
    let scene = Scene::prepare(plain_in).await;
    let uri = scene.world.uri("a.txt");
    let mut file = OpenFile::open(&scene.talk.editor, &uri, &text("a.txt", &[])).await;
    scene.talk.say("change them").await;
    file.obey(&scene.talk.editor).await;
    let mut scene = scene;
    scene.talk.rest_unasked().await;
    let editor = &scene.talk.editor;
    assert_eq!(file.buffer.text(), text("a.txt", &CHANGED));
    // Nobody has saved it.
    assert_eq!(on_disk(&scene.world, "a.txt"), text("a.txt", &[]));
    let mut marks = Marks::default();
    marks.until(editor, |marks| marks.count() == 9).await;

    let typed = serde_json::from_value(json!({
        "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } },
        "text": "mine\n",
    }));
    file.edit(editor, typed.unwrap()).await;
    let line = line_of(&scene, "a.txt", 10).await;
    assert_eq!(line, 11);
    let reject = offered(editor, &uri, line, "Pollux: Reject this hunk").await;
    let rejecting = editor
        .start_request(
            "workspace/executeCommand",
            json!({ "command": reject["command"], "arguments": reject["arguments"] }),
        )
        .await;
    file.obey(editor).await;
    rejecting.result().await.unwrap();
    assert_eq!(
        file.buffer.text(),
        format!("mine\n{}", text("a.txt", &[2, 20]))
    );
    marks.until(editor, |marks| marks.of(&uri).len() == 2).await;
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_decision_can_be_undone_and_made_again() {
    let scene = Scene::play(plain_in).await;
    let editor = &scene.talk.editor;
    let uri = scene.world.uri("a.txt");
    decide(&scene, "a.txt", 2, "Pollux: Reject this hunk").await;
    pending_in(editor, "a.txt", 2).await;
    assert_eq!(on_disk(&scene.world, "a.txt"), text("a.txt", &[10, 20]));
    let undo = review(editor).await["undo"].clone();
    assert!(undo.as_str().unwrap().contains("a.txt"), "{undo}");
    choose(editor, &uri, 15, "Pollux: Undo the last decision").await;
    pending_in(editor, "a.txt", 3).await;
    assert_eq!(on_disk(&scene.world, "a.txt"), text("a.txt", &CHANGED));
    line_of(&scene, "a.txt", 2).await;
    run(editor, &json!({ "command": "pollux.review.redo" })).await;
    pending_in(editor, "a.txt", 2).await;
    assert_eq!(on_disk(&scene.world, "a.txt"), text("a.txt", &[10, 20]));

    choose(editor, &uri, 15, "Pollux: Reject everything").await;
    for name in FILES {
        pending_in(editor, name, 0).await;
        assert_eq!(on_disk(&scene.world, name), text(name, &[]));
    }
    // Nothing is pending: nothing is offered, and what is undone is all of it.
    assert_eq!(actions(editor, &uri, 2).await, [Value::Null; 0]);
    run(
        editor,
        &json!({ "command": "pollux.review.undo", "arguments": [] }),
    )
    .await;
    pending_in(editor, "b.txt", 3).await;
    assert_eq!(on_disk(&scene.world, "b.txt"), text("b.txt", &CHANGED));
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stale_name_is_refused_and_changes_nothing() {
    let scene = Scene::play(plain_in).await;
    let editor = &scene.talk.editor;
    let uri = scene.world.uri("a.txt");
    let line = line_of(&scene, "a.txt", 20).await;
    let old = offered(editor, &uri, line, "Pollux: Reject this hunk").await;
    decide(&scene, "a.txt", 2, "Pollux: Keep this hunk").await;
    pending_in(editor, "a.txt", 2).await;
    let before = review(editor).await;
    let params = json!({ "command": old["command"], "arguments": old["arguments"] });
    let error = editor
        .request("workspace/executeCommand", params)
        .await
        .unwrap_err();
    assert_eq!(error.code, -32801, "{error}");
    assert!(error.message.ends_with('.'), "{error}");
    assert_eq!(review(editor).await, before);
    assert_eq!(on_disk(&scene.world, "a.txt"), text("a.txt", &CHANGED));
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_client_takes_commands_and_one_with_lenses_is_told_to_ask_again() {
    let older = |root: &str| {
        let mut options = plain_in(root);
        options.capabilities["textDocument"] = json!({ "codeLens": {} });
        options.capabilities["workspace"]["codeLens"] = json!({ "refreshSupport": true });
        options
    };
    let scene = Scene::play(older).await;
    let editor = &scene.talk.editor;
    let mut marks = Marks::default();
    marks.until(editor, |marks| marks.count() == 9).await;
    let (id, _) = editor.expect_request("workspace/codeLens/refresh").await;
    editor.respond(&id, Value::Null).await;
    editor.answer("workspace/codeLens/refresh", Value::Null);
    let uri = scene.world.uri("a.txt");
    let keep = &actions(editor, &uri, 2).await[0];
    assert_eq!(keep["title"], "Pollux: Keep this hunk");
    assert_eq!(keep["command"], "pollux.hunk.keep");
    let params = json!({ "textDocument": { "uri": uri } });
    let lenses = editor
        .request("textDocument/codeLens", params)
        .await
        .unwrap();
    assert_eq!(lenses.as_array().unwrap().len(), 6);
    let reject = &lenses[1]["command"];
    assert_eq!(reject["title"], "Reject");
    run(editor, reject).await;
    marks.until(editor, |marks| marks.count() == 8).await;
    assert_eq!(on_disk(&scene.world, "a.txt"), text("a.txt", &[10, 20]));
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn files_under_review_are_watched_and_what_changes_them_joins_the_review() {
    let watching = |root: &str| {
        let mut options = plain_in(root);
        options.capabilities["workspace"]["didChangeWatchedFiles"] =
            json!({ "dynamicRegistration": true });
        options
    };
    let scene = Scene::prepare(watching).await;
    let (id, _) = scene
        .talk
        .editor
        .expect_request("client/registerCapability")
        .await;
    scene.talk.editor.respond(&id, Value::Null).await;
    let scene = scene.turn().await;
    let editor = &scene.talk.editor;
    // The files come one by one, and those that come close together are asked for together.
    let mut watched = Value::Null;
    while watched != json!(["**/a.txt", "**/b.txt", "**/c.txt"]) {
        if let Message::Request { id, method, params } = editor.next_message().await {
            editor.respond(&id, Value::Null).await;
            if method == "client/registerCapability" {
                let options = &params["registrations"][0]["registerOptions"];
                let watchers = options["watchers"].as_array().unwrap();
                let patterns = watchers
                    .iter()
                    .map(|watcher| watcher["globPattern"].clone());
                watched = patterns.collect();
            }
        }
    }
    let typed = format!("mine\n{}", text("a.txt", &CHANGED));
    fs::write(scene.world.work().join("a.txt"), &typed).unwrap();
    let uri = scene.world.uri("a.txt");
    let change = json!({ "changes": [{ "uri": uri, "type": 2 }] });
    editor
        .notify("workspace/didChangeWatchedFiles", change)
        .await;
    review_where(editor, |review| {
        let files = review["files"].as_array().unwrap();
        let file = files.iter().find(|file| file["path"] == "a.txt").unwrap();
        file["hunks"][0]["range"]["start"]["line"] == 3
    })
    .await;
    decide(&scene, "a.txt", 2, "Pollux: Reject this hunk").await;
    pending_in(editor, "a.txt", 2).await;
    let expected = format!("mine\n{}", text("a.txt", &[10, 20]));
    assert_eq!(on_disk(&scene.world, "a.txt"), expected);
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rewind_takes_files_and_chat_back_and_gives_the_prompt() {
    let mut scene = Scene::play(plain_in).await;
    decide(&scene, "a.txt", 2, "Pollux: Keep this hunk").await;
    pending_in(&scene.talk.editor, "a.txt", 2).await;
    let turn = json!({ "session": scene.talk.session, "turn": 1 });
    let rewind = json!({ "command": "pollux.rewind", "arguments": [turn] });
    let editor = &scene.talk.editor;
    let done = editor.request("workspace/executeCommand", rewind).await;
    assert_eq!(done.unwrap()["prompt"], "change them");
    for name in FILES {
        pending_in(editor, name, 0).await;
        assert_eq!(on_disk(&scene.world, name), text(name, &[]));
    }
    assert_eq!(scene.talk.event("rewound").await["turn"], 1);
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn comments_go_to_the_model_together() {
    let scene = Scene::prepare_with(plain_in, [says("understood")]).await;
    let mut scene = scene.turn().await;
    let editor = &scene.talk.editor;
    let comment = |line: u64, words: &str| {
        let comment = json!({ "uri": scene.world.uri("a.txt"), "line": line, "text": words });
        json!({ "command": "pollux.comment.add", "arguments": [comment] })
    };
    run(editor, &comment(2, "why this one?")).await;
    run(editor, &comment(10, "and not two?")).await;
    let listed = review(editor).await;
    let shown = &listed["files"][0]["hunks"][0]["comments"][0];
    assert_eq!(shown["text"], "why this one?");
    run(editor, &json!({ "command": "pollux.comments.send" })).await;
    scene.talk.rest_unasked().await;
    let requests = scene.server.requests();
    let sent = requests.last().unwrap().json().to_string();
    assert!(
        sent.contains("why this one?") && sent.contains("and not two?"),
        "{sent}"
    );
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_asks_for_the_next_hunk_is_taken_there_and_nobody_else_is() {
    let showing = |root: &str| {
        let mut options = plain_in(root);
        options.capabilities["window"] = json!({ "showDocument": { "support": true } });
        options
    };
    let scene = Scene::play(showing).await;
    let editor = &scene.talk.editor;
    let from = scene.world.uri("a.txt");
    let next = offered(editor, &from, 25, "Pollux: Next pending hunk").await;
    run(editor, &next).await;
    let (id, shown) = editor.expect_request("window/showDocument").await;
    let place = json!({ "line": 2, "character": 0 });
    assert_eq!(
        shown,
        json!({
            "uri": scene.world.uri("b.txt"),
            "takeFocus": true,
            "selection": { "start": place, "end": place },
        })
    );
    editor.respond(&id, json!({ "success": true })).await;
    // A message that goes unread fails the test: no other file was shown.
    scene.end().await;
}
