//! What the agent is told of the editor.

use serde_json::{Value, json};

use super::agent::{Agent, address};
use super::{enter, finish, rich, window, window_and_agent, write};
use crate::support::World;

/// The file has the focus, with this cursor and these selections.
fn looks_at(uri: &str, line: u64, character: u64, selections: Value) -> Value {
    let cursor = json!({ "line": line, "character": character });
    json!({ "activeFile": { "uri": uri, "cursor": cursor, "selections": selections } })
}

fn paths(state: &Value) -> Vec<&str> {
    let files = state["openFiles"].as_array().unwrap();
    files
        .iter()
        .map(|file| file["path"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn the_agent_is_told_what_the_person_looks_at_and_when_that_changes() {
    let world = World::new();
    let (editor, door, mut agent) = window_and_agent(&world).await;
    let (one, two) = (world.uri("one.txt"), world.uri("two.txt"));
    editor.open(&one, "text", "first\nsécond 🙂 line\n").await;
    editor.open(&two, "text", "other\n").await;
    editor
        .notify("pollux/editorState", looks_at(&two, 0, 0, json!([])))
        .await;
    let selection =
        json!([{ "start": { "line": 1, "character": 0 }, "end": { "line": 1, "character": 9 } }]);
    editor
        .notify("pollux/editorState", looks_at(&one, 1, 9, selection))
        .await;
    let state = agent
        .context(|state| state["openFiles"][0]["selectedText"].is_string())
        .await;
    assert_eq!(
        paths(&state),
        [world.work().join("one.txt"), world.work().join("two.txt")]
            .map(|path| path.to_str().unwrap().to_owned())
    );
    let active = &state["openFiles"][0];
    // People count from one, and the agent in UTF-16: the smile has two.
    assert_eq!(active["cursor"], json!({ "line": 2, "character": 10 }));
    assert_eq!(active["selectedText"], "sécond 🙂");
    assert_eq!(active["isActive"], true);
    assert!(
        active["timestamp"].as_u64().unwrap() > 1_700_000_000_000,
        "{active}"
    );
    let other = state["openFiles"][1].as_object().unwrap();
    assert!(
        !other.contains_key("cursor") && !other.contains_key("isActive"),
        "{other:?}"
    );
    // Nobody was asked about trust, so nothing is said of it and the agent asks itself.
    assert_eq!(state.get("isTrusted"), None);

    editor
        .notify("pollux/editorState", json!({ "trusted": true }))
        .await;
    agent.context(|state| state["isTrusted"] == true).await;
    editor
        .notify("pollux/editorState", json!({ "activeFile": null }))
        .await;
    let state = agent
        .context(|state| state["openFiles"][0].get("isActive").is_none())
        .await;
    assert_eq!(paths(&state).len(), 2);
    let closing = json!({ "textDocument": { "uri": one } });
    editor.notify("textDocument/didClose", closing).await;
    agent.context(|state| paths(state).len() == 1).await;
    finish(&world, editor, door).await;
}

#[tokio::test]
async fn an_agent_that_comes_later_or_comes_back_is_told_at_once() {
    let world = World::new();
    let (editor, door, mut agent) = window_and_agent(&world).await;
    let uri = world.uri("one.txt");
    editor.open(&uri, "text", "one\n").await;
    editor
        .notify("pollux/editorState", looks_at(&uri, 0, 1, json!([])))
        .await;
    let is_active = |state: &Value| state["openFiles"][0]["isActive"] == true;
    agent.context(is_active).await;
    let mut late = Agent::connect(address(&world).await).await;
    assert!(is_active(&late.context(|_| true).await));
    // Its stream is cut, and it opens another.
    agent.stop_listening();
    agent.listen().await;
    assert!(is_active(&agent.context(|_| true).await));
    // Or it opens another while we believe in the old one, which then ends.
    late.listen().await;
    assert!(is_active(&late.context(|_| true).await));
    finish(&world, editor, door).await;
}

#[tokio::test]
async fn no_more_is_said_than_an_agent_takes() {
    let world = World::new();
    let (editor, door, mut agent) = window_and_agent(&world).await;
    let long = "🙂".repeat(20_000);
    for number in 0..12 {
        editor
            .open(&world.uri(&format!("{number}.txt")), "text", &long)
            .await;
    }
    let whole = json!([{ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 40_000 } }]);
    editor
        .notify(
            "pollux/editorState",
            looks_at(&world.uri("11.txt"), 0, 40_000, whole),
        )
        .await;
    let state = agent
        .context(|state| state["openFiles"][0]["selectedText"].is_string())
        .await;
    assert_eq!(paths(&state).len(), 10);
    assert!(paths(&state)[0].ends_with("/11.txt"));
    let selected = state["openFiles"][0]["selectedText"].as_str().unwrap();
    assert_eq!(selected.encode_utf16().count(), 16_384);
    finish(&world, editor, door).await;
}

#[tokio::test]
async fn of_several_windows_the_one_that_was_looked_at_last_counts() {
    let world = World::new();
    for name in ["one.txt", "two.txt"] {
        write(&world, name, "text\n");
    }
    let (one, door) = window(&world).await;
    let (two, mut other_door) = world.door(&["lsp"]);
    enter(&two, rich(&world)).await;
    one.open(&world.uri("one.txt"), "text", "text\n").await;
    one.notify(
        "pollux/editorState",
        looks_at(&world.uri("one.txt"), 0, 0, json!([])),
    )
    .await;
    let mut agent = Agent::connect(address(&world).await).await;
    agent
        .context(|state| state["openFiles"][0]["isActive"] == true)
        .await;
    two.open(&world.uri("two.txt"), "text", "text\n").await;
    two.notify(
        "pollux/editorState",
        looks_at(&world.uri("two.txt"), 0, 2, json!([])),
    )
    .await;
    let state = agent
        .context(|state| {
            paths(state).len() == 2 && state["openFiles"][0]["cursor"]["character"] == 3
        })
        .await;
    assert!(paths(&state)[0].ends_with("/two.txt"));
    // Its window goes, and its file with it.
    two.finish().await;
    assert!(other_door.ended().await.success());
    agent
        .context(|state| paths(state).len() == 1 && state["openFiles"][0]["isActive"] == true)
        .await;
    finish(&world, one, door).await;
}
