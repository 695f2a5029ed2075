//! The panel together with a language client that says nothing but what every one does.

use std::fs;

use agent_client_protocol::v1::schema::StopReason;
use pollux_testkit::fake_editor::{FakeEditor, InitializeOptions};
use pollux_testkit::scripted_model::ScriptedModel;
use serde_json::{Value, json};

use super::client::Client;
use crate::support::World;
use crate::support::in_root;
use crate::support::talk::{door, model, says};

const TEXT: &str = "one\ntwo\nthree\n";

async fn opens(world: &World, editor: &FakeEditor, name: &str) {
    fs::write(world.work().join(name), TEXT).unwrap();
    let document =
        json!({ "uri": world.uri(name), "languageId": "text", "version": 1, "text": TEXT });
    let params = json!({ "textDocument": document });
    editor.notify("textDocument/didOpen", params).await;
}

/// The cursor is here, from the beginning of one line to that of another.
async fn moves(world: &World, editor: &FakeEditor, name: &str, lines: [u32; 2], only: Value) {
    let [start, end] = lines.map(|line| json!({ "line": line, "character": 0 }));
    let params = json!({
        "textDocument": { "uri": world.uri(name) },
        "range": { "start": start, "end": end },
        "context": { "diagnostics": [], "only": only },
    });
    let asked = editor.request("textDocument/codeAction", params).await;
    assert_eq!(asked, Ok(Value::Null));
}

/// What the model was told of the editor with the last prompt.
fn told(server: &ScriptedModel) -> String {
    let last = server.requests().last().unwrap().json();
    let contents = last["contents"].as_array().unwrap();
    let said = contents.iter().rposition(|one| one["role"] == "user");
    contents[said.unwrap().saturating_sub(1)..]
        .iter()
        .map(Value::to_string)
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_plain_language_client_shows_is_known_in_the_panel() {
    let world = World::new();
    let server = model([says("yes").times(2)]).await;
    let (editor, mut lsp) = door(&world, &server);
    let options = InitializeOptions {
        client_name: "Zed".to_owned(),
        ..in_root(world.work().to_str().unwrap())
    };
    editor.initialize(options).await;
    let client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    let say = async |text: &str| {
        assert_eq!(
            client.say(&session, text).reason().await,
            StopReason::EndTurn
        );
        told(&server)
    };

    opens(&world, &editor, "a.txt").await;
    opens(&world, &editor, "b.txt").await;
    moves(&world, &editor, "b.txt", [1, 2], Value::Null).await;
    let first = say("what is selected?").await;
    assert!(first.contains("b.txt"), "{first}");
    assert!(first.contains("selectedText"), "{first}");
    assert!(first.contains("two"), "{first}");
    assert!(!first.contains("three"), "{first}");

    // Somebody types in the other file.
    let here = json!({ "line": 2, "character": 0 });
    let change = json!({
        "textDocument": { "uri": world.uri("a.txt"), "version": 2 },
        "contentChanges": [{ "range": { "start": here, "end": here }, "text": "x\nyz" }],
    });
    editor.notify("textDocument/didChange", change).await;
    // Who is about to save asks about the whole file, and the cursor stays where it is.
    moves(&world, &editor, "b.txt", [0, 3], json!(["source.fixAll"])).await;
    let second = say("and now?").await;
    assert!(second.contains("a.txt"), "{second}");
    let snapshot = editor.request("pollux/snapshot", json!({})).await.unwrap();
    let active = &snapshot["activeFile"];
    assert_eq!(active["uri"], world.uri("a.txt"), "{snapshot}");
    assert_eq!(active["cursor"], json!({ "line": 3, "character": 2 }));

    // An editor that says itself what it shows is believed.
    let state = json!({ "activeFile": {
        "uri": world.uri("b.txt"), "cursor": { "line": 0, "character": 1 },
        "selections": [], "visibleRanges": [],
    } });
    editor.notify("pollux/editorState", state).await;
    moves(&world, &editor, "a.txt", [0, 1], Value::Null).await;
    let snapshot = editor.request("pollux/snapshot", json!({})).await.unwrap();
    assert_eq!(snapshot["activeFile"]["uri"], world.uri("b.txt"));

    client.finish().await;
    editor.finish().await;
    assert!(lsp.ended().await.success());
    world.expect_no_process_left().await;
}
