//! Sessions over the language server door: started, followed, steered, shared.

use std::fs;

use pollux_testkit::fake_editor::FakeEditor;
use serde_json::{Value, json};

use crate::support::asked_in;
use crate::support::world::World;

async fn start(world: &World, editor: &FakeEditor) -> String {
    editor
        .initialize(asked_in(world.work().to_str().unwrap()))
        .await;
    let started = editor
        .request("pollux/sessionStart", json!({}))
        .await
        .unwrap();
    started["session"].as_str().unwrap().to_owned()
}

async fn ask(editor: &FakeEditor, method: &str, session: &str, more: Value) {
    let mut params = json!({ "session": session });
    for (key, value) in more.as_object().unwrap() {
        params[key] = value.clone();
    }
    let done = editor.request(method, params).await.unwrap();
    assert_eq!(done, json!({}));
}

/// Reads events until one of the wanted kind has come. Returns all of them.
async fn until(editor: &FakeEditor, kind: &str) -> Vec<Value> {
    let mut events = Vec::new();
    while !events.iter().any(|event: &Value| event["kind"] == kind) {
        let batch = editor.expect_notification("pollux/sessionEvents").await;
        events.extend(batch["events"].as_array().unwrap().iter().cloned());
    }
    events
}

fn kinds(events: &[Value]) -> Vec<&str> {
    let mut kinds: Vec<&str> = events
        .iter()
        .map(|event| event["kind"].as_str().unwrap())
        .collect();
    kinds.dedup();
    kinds
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_is_followed_decided_and_rebuilt_from_its_cursor() {
    let world = World::new();
    world.unpack_sample();
    let (editor, mut door) = world.door(&["lsp"]);
    let session = start(&world, &editor).await;
    ask(&editor, "pollux/sessionFollow", &session, json!({})).await;
    ask(
        &editor,
        "pollux/promptQueue",
        &session,
        json!({ "text": "fix it" }),
    )
    .await;
    let mut events = until(&editor, "editProposed").await;
    let proposed = events.last().unwrap().clone();
    assert_eq!(proposed["path"], "src/retry.rs");
    let first = &proposed["hunks"][0];
    assert!(
        first["removed"]
            .as_str()
            .unwrap()
            .contains("attempt > policy")
    );
    assert!(
        first["added"]
            .as_str()
            .unwrap()
            .contains("attempt >= policy")
    );
    // Nothing is written before it is decided.
    let file = world.work().join("src/retry.rs");
    assert!(
        fs::read_to_string(&file)
            .unwrap()
            .contains("attempt > policy")
    );

    let decisions = json!({ "proposal": proposed["proposal"], "decisions": ["keep", "reject"] });
    ask(&editor, "pollux/editDecide", &session, decisions).await;
    events.extend(until(&editor, "editProposed").await);
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("attempt >= policy") && text.contains("attempt = 0;"));

    ask(&editor, "pollux/turnCancel", &session, json!({})).await;
    events.extend(until(&editor, "turnEnded").await);
    assert_eq!(events.last().unwrap()["outcome"], "cancelled");

    // A view that was closed is rebuilt: the same events, whatever pieces they came in.
    let (other, mut other_door) = world.door(&["lsp"]);
    other
        .initialize(asked_in(world.work().to_str().unwrap()))
        .await;
    let resumed = json!({ "session": session });
    let resumed = other
        .request("pollux/sessionResume", resumed)
        .await
        .unwrap();
    assert_eq!(resumed["session"], session.as_str());
    ask(
        &other,
        "pollux/sessionFollow",
        &session,
        json!({ "cursor": 0 }),
    )
    .await;
    let rebuilt = until(&other, "turnEnded").await;
    assert_eq!(kinds(&rebuilt), kinds(&events));
    let text_of = |events: &[Value]| -> String {
        events
            .iter()
            .filter_map(|event| event["text"].as_str())
            .collect()
    };
    assert_eq!(text_of(&rebuilt), text_of(&events));
    for (editor, door) in [(editor, &mut door), (other, &mut other_door)] {
        editor.ignore("textDocument/publishDiagnostics");
        editor.finish().await;
        door.ended().await;
    }
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_goes_on_when_its_editor_is_closed_and_an_answer_counts_once() {
    let world = World::new();
    world.unpack_sample();
    let (one, mut first) = world.door(&["lsp"]);
    let (two, mut second) = world.door(&["lsp"]);
    let session = start(&world, &one).await;
    two.initialize(asked_in(world.work().to_str().unwrap()))
        .await;
    for editor in [&one, &two] {
        ask(editor, "pollux/sessionFollow", &session, json!({})).await;
    }
    ask(
        &one,
        "pollux/promptQueue",
        &session,
        json!({ "text": "fix it" }),
    )
    .await;
    let proposed = until(&one, "editProposed").await.pop().unwrap();
    let proposal = &proposed["proposal"];
    until(&two, "editProposed").await;
    let reject = json!({ "proposal": proposal, "decisions": ["reject", "reject"] });
    ask(&two, "pollux/editDecide", &session, reject.clone()).await;
    // The other window sees the decision, and its own comes too late.
    until(&one, "editDecided").await;
    ask(&one, "pollux/editDecide", &session, reject).await;
    // Whatever the agent does meanwhile may come in the same message.
    let events = until(&one, "refused").await;
    let refused = events.iter().find(|event| event["kind"] == "refused");
    let refused = refused.unwrap();
    assert!(
        refused["reason"]
            .as_str()
            .unwrap()
            .contains("waits for a decision"),
        "{refused}"
    );

    one.abandon();
    first.ended().await;
    ask(
        &two,
        "pollux/promptSteer",
        &session,
        json!({ "text": "go on" }),
    )
    .await;
    ask(&two, "pollux/turnCancel", &session, json!({})).await;
    until(&two, "turnEnded").await;
    two.abandon();
    second.ended().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_is_not_open_is_an_error_in_words() {
    let world = World::new();
    let (editor, mut door) = world.door(&["lsp"]);
    editor
        .initialize(asked_in(world.work().to_str().unwrap()))
        .await;
    let nobody = json!({ "session": "nobody", "text": "hello" });
    let error = editor
        .request("pollux/promptQueue", nobody)
        .await
        .unwrap_err();
    assert!(error.message.contains("nobody"), "{error}");
    let error = editor
        .request("pollux/sessionResume", json!({ "session": "7" }))
        .await
        .unwrap_err();
    assert_eq!(error.code, -32602, "{error}");
    editor.finish().await;
    door.ended().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_survives_the_death_of_its_host_in_the_middle_of_a_turn() {
    let world = World::new();
    world.unpack_sample();
    let (editor, mut door) = world.door(&["lsp"]);
    let session = start(&world, &editor).await;
    ask(&editor, "pollux/sessionFollow", &session, json!({})).await;
    ask(
        &editor,
        "pollux/promptQueue",
        &session,
        json!({ "text": "fix it" }),
    )
    .await;
    until(&editor, "editProposed").await;
    let waiting = editor
        .start_request("pollux/snapshot", crate::support::never())
        .await;
    crate::support::snapshot(&editor).await;
    crate::support::world::kill(world.host());
    waiting.result().await.unwrap_err();

    // The door follows the session again; what was said before is there, and the next prompt goes on.
    let listed = editor
        .request("pollux/sessionList", json!({}))
        .await
        .unwrap();
    assert_eq!(listed["sessions"][0]["session"], session.as_str());
    assert_eq!(listed["sessions"][0]["title"], "fix it");
    assert_eq!(listed["sessions"][0]["state"], "idle");
    let past = until(&editor, "turnEnded").await;
    assert_eq!(past[0]["kind"], "opened");
    assert_eq!(past[1]["prompt"], "fix it");
    ask(
        &editor,
        "pollux/promptQueue",
        &session,
        json!({ "text": "go on" }),
    )
    .await;
    let now = until(&editor, "turnStarted").await;
    let started = now.iter().find(|event| event["kind"] == "turnStarted");
    assert_eq!(started.unwrap()["prompt"], "go on");
    ask(&editor, "pollux/turnCancel", &session, json!({})).await;
    until(&editor, "turnEnded").await;
    editor.abandon();
    door.ended().await;
    world.expect_no_process_left().await;
}
