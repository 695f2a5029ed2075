//! What becomes of an edit that an agent proposes.

use std::fs;

use pollux_testkit::TextChange;
use serde_json::{Value, json};

use super::agent::{Agent, address};
use super::{decide, enter, finish, hunks, rich, window_and_agent, write};
use crate::support::World;
use crate::support::plain::{Marks, choose, plain_in};

const BASE: &str = "a\nb\nc\nd\ne\n";
const PROPOSED: &str = "a\nB\nc\nd\nE\n";

const KEEP: &str = "pollux.hunk.keep";
const REJECT: &str = "pollux.hunk.reject";

#[tokio::test]
async fn an_edit_is_decided_hunk_by_hunk_and_the_agent_gets_exactly_the_kept_ones() {
    let world = World::new();
    let path = write(&world, "x.txt", BASE);
    let (editor, door, mut agent) = window_and_agent(&world).await;
    editor.open(&world.uri("x.txt"), "text", BASE).await;
    assert_eq!(
        agent.open_diff(&path, PROPOSED).await,
        json!({ "content": [] })
    );
    let shown = hunks(&editor, 2).await;
    assert_eq!(shown["hunks"][0]["state"], "proposed");
    assert_eq!(shown["hunks"][0]["removed"], "b\n");
    assert_eq!(shown["hunks"][0]["added"], "B\n");
    decide(&editor, KEEP, &shown, 0).await;
    let shown = hunks(&editor, 1).await;
    decide(&editor, REJECT, &shown, 0).await;
    let outcome = agent.outcome().await;
    let params = json!({ "filePath": path, "content": "a\nB\nc\nd\ne\n" });
    assert_eq!(outcome, ("ide/diffAccepted".to_owned(), params));
    hunks(&editor, 0).await;
    // The file is the agent's to write.
    assert_eq!(fs::read_to_string(&path).unwrap(), BASE);
    // Nothing is left to close.
    assert_eq!(agent.close_diff(&path, true).await, Value::Null);
    finish(&world, editor, door).await;
}

#[tokio::test]
async fn all_kept_is_said_briefly_to_who_is_known_to_understand_and_in_full_to_others() {
    let world = World::new();
    let path = write(&world, "x.txt", BASE);
    let (editor, door, mut agent) = window_and_agent(&world).await;
    agent.open_diff(&path, PROPOSED).await;
    let shown = hunks(&editor, 2).await;
    let whole = json!({ "command": "pollux.file.keep", "arguments": [{ "uri": shown["uri"] }] });
    editor
        .request("workspace/executeCommand", whole.clone())
        .await
        .unwrap();
    let params = json!({ "filePath": path, "content": "" });
    assert_eq!(
        agent.outcome().await,
        ("ide/diffAccepted".to_owned(), params)
    );
    hunks(&editor, 0).await;

    let client = json!({ "name": "another agent", "version": "0.61.0" });
    let mut other = Agent::connect_as(address(&world).await, client).await;
    other.open_diff(&path, PROPOSED).await;
    hunks(&editor, 2).await;
    editor
        .request("workspace/executeCommand", whole)
        .await
        .unwrap();
    let params = json!({ "filePath": path, "content": PROPOSED });
    assert_eq!(
        other.outcome().await,
        ("ide/diffAccepted".to_owned(), params)
    );
    let asked = editor.answered("window/showMessageRequest");
    assert_eq!(
        asked[0]["message"],
        "gemini-cli wants to edit x.txt (2 hunks)."
    );
    assert_eq!(
        asked[1]["message"],
        "another agent wants to edit x.txt (2 hunks)."
    );
    finish(&world, editor, door).await;
}

#[tokio::test]
async fn a_rejected_edit_and_one_that_changes_nothing() {
    let world = World::new();
    let path = write(&world, "x.txt", BASE);
    let (editor, door, mut agent) = window_and_agent(&world).await;
    agent.open_diff(&path, PROPOSED).await;
    let shown = hunks(&editor, 2).await;
    for index in [1, 0] {
        decide(
            &editor,
            REJECT,
            &shown_now(&editor, &shown, index).await,
            index,
        )
        .await;
    }
    assert_eq!(
        agent.outcome().await,
        ("ide/diffRejected".to_owned(), json!({ "filePath": path }))
    );
    agent.open_diff(&path, BASE).await;
    assert_eq!(agent.outcome().await.0, "ide/diffAccepted");
    finish(&world, editor, door).await;
}

/// The names of hunks go stale with every decision.
async fn shown_now(
    editor: &pollux_testkit::fake_editor::FakeEditor,
    shown: &Value,
    index: usize,
) -> Value {
    match index {
        1 => shown.clone(),
        _ => hunks(editor, 1).await,
    }
}

#[tokio::test]
async fn a_new_file_in_a_folder_that_is_not_there_yet() {
    let world = World::new();
    let (editor, door, mut agent) = window_and_agent(&world).await;
    let path = world.work().join("new/folder/x.txt");
    agent.open_diff(&path, "one\ntwo\n").await;
    let shown = hunks(&editor, 1).await;
    assert_eq!(shown["path"], "new/folder/x.txt");
    assert_eq!(shown["hunks"][0]["added"], "one\ntwo\n");
    decide(&editor, KEEP, &shown, 0).await;
    assert_eq!(
        agent.outcome().await.1,
        json!({ "filePath": path, "content": "" })
    );
    assert!(!world.work().join("new").exists(), "the agent makes it");
    // An empty one needs no decision: it has no lines.
    let empty = world.work().join("empty.txt");
    agent.open_diff(&empty, "").await;
    assert_eq!(
        agent.outcome().await.1,
        json!({ "filePath": empty, "content": "" })
    );
    finish(&world, editor, door).await;
}

#[tokio::test]
async fn what_the_person_types_meanwhile_is_in_the_text() {
    let world = World::new();
    let path = write(&world, "x.txt", BASE);
    let (editor, door, mut agent) = window_and_agent(&world).await;
    let uri = world.uri("x.txt");
    editor.open(&uri, "text", BASE).await;
    agent.open_diff(&path, PROPOSED).await;
    hunks(&editor, 2).await;
    let typed = TextChange {
        range: None,
        text: "mine\na\nb\nc\nd\ne\n".to_owned(),
    };
    editor.change(&uri, 2, &[typed]).await;
    let shown = loop {
        let shown = hunks(&editor, 2).await;
        if shown["version"] == 2 {
            break shown;
        }
    };
    assert_eq!(shown["hunks"][0]["range"]["start"]["line"], 2);
    let whole = json!({ "command": "pollux.file.keep", "arguments": [{ "uri": uri }] });
    editor
        .request("workspace/executeCommand", whole)
        .await
        .unwrap();
    let params = json!({ "filePath": path, "content": "mine\na\nB\nc\nd\nE\n" });
    assert_eq!(agent.outcome().await.1, params);
    assert_eq!(fs::read_to_string(&path).unwrap(), BASE);
    finish(&world, editor, door).await;
}

#[tokio::test]
async fn who_decides_in_the_terminal_takes_the_edit_back() {
    let world = World::new();
    let path = write(&world, "x.txt", BASE);
    let (editor, door, mut agent) = window_and_agent(&world).await;
    agent.open_diff(&path, PROPOSED).await;
    hunks(&editor, 2).await;
    assert_eq!(agent.close_diff(&path, true).await, Value::Null);
    hunks(&editor, 0).await;
    // Some of it was decided here before.
    agent.open_diff(&path, PROPOSED).await;
    let shown = hunks(&editor, 2).await;
    decide(&editor, REJECT, &shown, 0).await;
    assert_eq!(agent.close_diff(&path, true).await, "a\nb\nc\nd\nE\n");
    hunks(&editor, 0).await;
    // Nothing was said of it: what is heard next is about another file.
    let other = write(&world, "y.txt", "a\n");
    agent.open_diff(&other, "b\n").await;
    let shown = hunks(&editor, 1).await;
    decide(&editor, REJECT, &shown, 0).await;
    assert_eq!(agent.outcome().await.1, json!({ "filePath": other }));
    // Without the flag the agent is told as well.
    agent.open_diff(&path, PROPOSED).await;
    hunks(&editor, 2).await;
    agent.close_diff(&path, false).await;
    assert_eq!(
        agent.outcome().await,
        ("ide/diffRejected".to_owned(), json!({ "filePath": path }))
    );
    finish(&world, editor, door).await;
}

#[tokio::test]
async fn edits_of_one_file_wait_for_each_other_and_build_on_each_other() {
    let world = World::new();
    let path = write(&world, "x.txt", BASE);
    let (editor, door, mut one) = window_and_agent(&world).await;
    let mut two = Agent::connect(address(&world).await).await;
    one.open_diff(&path, "a\nB\nc\nd\ne\n").await;
    let first = hunks(&editor, 1).await;
    two.open_diff(&path, "a\nb\nc\nd\nE\n").await;
    decide(&editor, KEEP, &first, 0).await;
    assert_eq!(one.outcome().await.1["content"], "");
    // The first agent writes.
    fs::write(&path, "a\nB\nc\nd\ne\n").unwrap();
    let second = loop {
        let shown = hunks(&editor, 1).await;
        if shown["hunks"][0]["added"] == "E\n" {
            break shown;
        }
    };
    decide(&editor, KEEP, &second, 0).await;
    assert_eq!(two.outcome().await.1["content"], "a\nB\nc\nd\nE\n");
    finish(&world, editor, door).await;
}

#[tokio::test]
async fn every_window_of_the_folder_shows_the_edit_and_any_of_them_decides() {
    let world = World::new();
    let path = write(&world, "x.txt", BASE);
    let (one, door, mut agent) = window_and_agent(&world).await;
    let (two, mut other_door) = world.door(&["lsp"]);
    enter(&two, rich(&world)).await;
    agent.open_diff(&path, PROPOSED).await;
    let shown = hunks(&one, 2).await;
    hunks(&two, 2).await;
    decide(&one, KEEP, &shown, 0).await;
    let shown = hunks(&two, 1).await;
    // One of them leaves in between.
    one.ignore("pollux/hunks");
    one.finish().await;
    decide(&two, REJECT, &shown, 0).await;
    assert_eq!(agent.outcome().await.1["content"], "a\nB\nc\nd\ne\n");
    drop(door);
    two.ignore("pollux/hunks");
    two.finish().await;
    assert!(other_door.ended().await.success());
    world.expect_no_process_left().await;
}

#[tokio::test]
async fn an_editor_without_a_plugin_decides_by_code_actions() {
    let world = World::new();
    let path = write(&world, "x.txt", BASE);
    let (editor, door) = world.door(&["lsp"]);
    enter(&editor, plain_in(world.work().to_str().unwrap())).await;
    let mut agent = Agent::connect(address(&world).await).await;
    let uri = world.uri("x.txt");
    editor.open(&uri, "text", BASE).await;
    agent.open_diff(&path, PROPOSED).await;
    let mut marks = Marks::default();
    marks
        .until(&editor, |marks| marks.of(&uri).len() == 2)
        .await;
    choose(&editor, &uri, 1, "Pollux: Keep this hunk").await;
    marks
        .until(&editor, |marks| marks.of(&uri).len() == 1)
        .await;
    choose(&editor, &uri, 4, "Pollux: Reject this hunk").await;
    assert_eq!(agent.outcome().await.1["content"], "a\nB\nc\nd\ne\n");
    editor.ignore("textDocument/publishDiagnostics");
    finish(&world, editor, door).await;
}

#[tokio::test]
async fn the_message_about_an_edit_takes_an_answer_and_shows_the_way() {
    let world = World::new();
    let path = write(&world, "x.txt", BASE);
    let (editor, door) = world.door(&["lsp"]);
    editor.ignore("pollux/companion");
    editor.ignore("pollux/hunks");
    editor.ignore("$/cancelRequest");
    editor.initialize(rich(&world)).await;
    let mut agent = Agent::connect(address(&world).await).await;
    for (title, outcome) in [("Keep", "ide/diffAccepted"), ("Reject", "ide/diffRejected")] {
        agent.open_diff(&path, PROPOSED).await;
        let (id, asked) = editor.expect_request("window/showMessageRequest").await;
        assert_eq!(
            asked["actions"],
            json!([{ "title": "Reject" }, { "title": "Show" }, { "title": "Keep" }])
        );
        editor.respond(&id, json!({ "title": title })).await;
        assert_eq!(agent.outcome().await.0, outcome);
    }
    agent.open_diff(&path, PROPOSED).await;
    let (id, _) = editor.expect_request("window/showMessageRequest").await;
    editor.respond(&id, json!({ "title": "Show" })).await;
    let (id, place) = editor.expect_request("window/showDocument").await;
    assert_eq!(place["uri"], world.uri("x.txt"));
    assert_eq!(place["selection"]["start"]["line"], 1);
    editor.respond(&id, json!({ "success": true })).await;
    // It is still open.
    assert_eq!(agent.close_diff(&path, true).await, Value::Null);
    finish(&world, editor, door).await;
}
