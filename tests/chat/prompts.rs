//! What goes with a prompt: attachments, and what of the editor the person wants sent.

use serde_json::{Value, json};

use super::of_kind;
use crate::support::talk::{Talk, model, says};
use crate::support::world::World;

/// The smallest PNG there is would do as well.
const PICTURE: &str = "iVBORw0KGgo=";

fn last_parts(request: &Value) -> Vec<Value> {
    let contents = request["contents"].as_array().unwrap();
    let last = contents.last().unwrap();
    last["parts"].as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn images_and_texts_go_to_the_model_with_the_prompt() {
    let world = World::new();
    let server = model([says("seen")]).await;
    let mut talk = Talk::start(&world, &server).await;
    let range = json!({
        "start": { "line": 3, "character": 0 },
        "end": { "line": 4, "character": 0 },
    });
    let attachments = json!([
        { "kind": "image", "mimeType": "image/png", "data": PICTURE, "name": "screen.png" },
        { "kind": "text", "label": "Terminal\n", "text": "error: no", "uri": world.uri("a.rs"), "range": range },
    ]);
    talk.ask(
        "pollux/promptQueue",
        json!({ "text": "why", "attachments": attachments }),
    )
    .await;
    let events = talk.rest_unasked().await;
    assert_eq!(
        of_kind(&events, "turnStarted")["attachments"],
        json!([
            { "kind": "image", "label": "screen.png" },
            { "kind": "text", "label": "Terminal" },
        ])
    );
    let items = &of_kind(&events, "contextSent")["items"];
    assert_eq!(
        items[0],
        json!({ "kind": "attachment", "label": "screen.png", "bytes": 9 })
    );
    assert_eq!(items[1]["uri"], world.uri("a.rs"));
    assert_eq!(items[1]["range"], range);
    // The facts about the session come first.
    let parts = last_parts(&server.requests()[0].json()).split_off(1);
    assert_eq!(parts[0]["text"], "why");
    assert_eq!(parts[1]["inlineData"]["data"], PICTURE);
    assert!(parts[2]["text"].as_str().unwrap().contains("error: no"));
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_attached_is_refused_in_words() {
    let world = World::new();
    let talk = Talk::start_in(&world.work(), world.door(&["lsp"])).await;
    let image = |mime: &str, data: &str| json!({ "kind": "image", "mimeType": mime, "data": data });
    let large = "A".repeat(15 * 1024 * 1024);
    for (attachment, refusal) in [
        (
            image("text/html", PICTURE),
            "image is no image that a model takes",
        ),
        (image("image/png", "%%%"), "image is not encoded as base64"),
        (image("image/png", ""), "image is empty"),
        (image("image/png", &large), "image is larger than 10 MB"),
        (
            json!({ "kind": "text", "label": "log", "text": "x".repeat(300_000) }),
            "log is longer than 200 kB",
        ),
    ] {
        let prompt = json!({ "text": "look", "attachments": [attachment] });
        let refused = talk.request("pollux/promptQueue", prompt).await;
        assert_eq!(refused.unwrap_err(), refusal);
    }
    let note = json!({ "kind": "text", "label": "a", "text": "b" });
    let prompt = json!({ "text": "look", "attachments": vec![note; 21] });
    let refused = talk.request("pollux/promptQueue", prompt).await;
    assert_eq!(
        refused.unwrap_err(),
        "a prompt takes 20 attachments at most"
    );
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_switched_off_is_not_sent_and_problems_are_sent_when_switched_on() {
    let world = World::new();
    let server = model([says("one"), says("two")]).await;
    let mut talk = Talk::start(&world, &server).await;
    let uri = world.uri("note.txt");
    talk.editor.open(&uri, "plaintext", "secret words\n").await;
    let active = json!({
        "uri": uri,
        "cursor": { "line": 0, "character": 0 },
        "selections": [{
            "start": { "line": 0, "character": 0 },
            "end": { "line": 0, "character": 6 },
        }],
    });
    let problem = |line: u32| json!({ "uri": uri, "line": line, "severity": "error", "message": format!("wrong {line}") });
    let problems: Vec<Value> = (0..80).map(problem).collect();
    let state = json!({ "activeFile": active, "problems": problems });
    talk.editor.notify("pollux/editorState", state).await;
    let off = json!({ "activeFile": false, "openFiles": false });
    talk.ask(
        "pollux/promptQueue",
        json!({ "text": "first", "context": off }),
    )
    .await;
    let events = talk.rest_unasked().await;
    assert!(!events.iter().any(|event| event["kind"] == "contextSent"));
    let sent = server.requests()[0].json().to_string();
    assert!(
        !sent.contains("note.txt") && !sent.contains("wrong"),
        "{sent}"
    );

    let on = json!({ "selection": false, "diagnostics": true });
    talk.ask(
        "pollux/promptQueue",
        json!({ "text": "second", "context": on }),
    )
    .await;
    let events = talk.rest_unasked().await;
    let items = of_kind(&events, "contextSent")["items"].as_array().unwrap();
    let kinds: Vec<&str> = items
        .iter()
        .map(|item| item["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["activeFile", "diagnostics"]);
    assert_eq!(items[1]["label"], "50 problems");
    let sent = server.requests()[1].json().to_string();
    assert!(sent.contains("note.txt:50: error: wrong 49"), "{sent}");
    assert!(
        !sent.contains("wrong 50") && !sent.contains("selectedText"),
        "{sent}"
    );
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_whose_tab_is_closed_is_not_sent_as_open() {
    let world = World::new();
    let server = model([says("one")]).await;
    let mut talk = Talk::start(&world, &server).await;
    for name in ["kept.rs", "closed.rs"] {
        let document = json!({
            "uri": world.uri(name), "languageId": "rust", "version": 1, "text": "text\n"
        });
        let params = json!({ "textDocument": document });
        talk.editor.notify("textDocument/didOpen", params).await;
    }
    let tabs = json!({ "openFiles": [world.uri("kept.rs"), world.uri("tab.rs")] });
    talk.editor.notify("pollux/editorState", tabs).await;
    talk.say("look").await;
    talk.rest_unasked().await;
    let sent = server.requests()[0].json().to_string();
    assert!(
        sent.contains("kept.rs") && sent.contains("tab.rs"),
        "{sent}"
    );
    assert!(!sent.contains("closed.rs"), "{sent}");
    talk.close().await;
    world.expect_no_process_left().await;
}
