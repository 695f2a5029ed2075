//! Questions that a person answers: whole, once, at whichever door, and for as long as they say.

mod always;
mod plain;
mod read_only;

use std::fs;

use serde_json::{Value, json};

use crate::support::talk::{Talk, calls, model, returned, runs, says};
use crate::support::world::World;

#[tokio::test(flavor = "multi_thread")]
async fn a_command_is_asked_about_whole_at_every_door_and_the_first_answer_counts() {
    let world = World::new();
    let server = model([runs("touch made && touch made-too"), says("made")]).await;
    let mut one = Talk::start(&world, &server).await;
    let mut two = one.join(&world, &server).await;
    one.say("make it").await;
    let question = one.event("approvalRequested").await;
    assert_eq!(two.event("approvalRequested").await, question);
    assert_eq!(question["tool"], "run_shell_command");
    assert_eq!(
        question["subject"],
        json!({
            "kind": "command",
            "command": "touch made && touch made-too",
            "folder": world.work(),
            "programs": ["touch"],
            "cautions": [],
        })
    );
    assert!(!world.work().join("made").exists());

    two.answer(&question, json!({ "kind": "allow" })).await;
    // The other door is told, and what it says comes too late.
    let ended = one.event("approvalEnded").await;
    assert_eq!(ended["approval"], question["approval"]);
    assert_eq!(ended["answer"], json!({ "kind": "allow" }));
    one.answer(&question, json!({ "kind": "deny" })).await;
    let refused = one.late("refused").await;
    // The turn may have ended first.
    assert!(
        refused.contains("waits for an answer") || refused.contains("no turn is running"),
        "{refused}"
    );
    let end = two.rest().await;
    let end = end.iter().find(|event| event["kind"] == "turnEnded");
    assert_eq!(end.unwrap()["outcome"], "completed");
    for name in ["made", "made-too"] {
        assert!(world.work().join(name).exists(), "{name}");
    }
    one.close().await;
    two.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rejected_call_goes_on_with_and_without_advice() {
    let world = World::new();
    let server = model([
        runs("touch made"),
        says("something else then"),
        runs("touch made"),
        says("then not"),
    ])
    .await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("make it").await;
    let question = talk.event("approvalRequested").await;
    let advice = json!({ "kind": "deny", "feedback": "rather make tea" });
    talk.answer(&question, advice).await;
    talk.rest_unasked().await;
    let told = returned(&server);
    assert!(told.contains("rather make tea"), "{told}");

    talk.say("try again").await;
    let question = talk.event("approvalRequested").await;
    talk.answer(&question, json!({ "kind": "deny" })).await;
    let events = talk.rest_unasked().await;
    let goes_on = |event: &Value| event["kind"] == "text" && event["text"] == "then not";
    assert!(events.iter().any(goes_on), "{events:#?}");
    assert!(!world.work().join("made").exists());
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_turn_takes_its_question_back_everywhere() {
    let world = World::new();
    let server = model([runs("touch made")]).await;
    let one = Talk::start(&world, &server).await;
    let mut two = one.join(&world, &server).await;
    one.say("make it").await;
    two.event("approvalRequested").await;
    one.ask("pollux/turnCancel", json!({})).await;
    let ended = two.event("approvalEnded").await;
    assert_eq!(ended.get("answer"), None, "{ended}");
    assert_eq!(two.rest().await.pop().unwrap()["outcome"], "cancelled");
    assert!(!world.work().join("made").exists());
    one.close().await;
    two.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_asked_about_with_its_address() {
    let world = World::new();
    let prompt = "what is new on https://example.com/news?page=2 and on http://example.org/a";
    let server = model([
        calls("web_fetch", json!({ "prompt": prompt })),
        says("then not"),
    ])
    .await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("read it").await;
    let question = talk.event("approvalRequested").await;
    let subject = &question["subject"];
    assert_eq!(subject["kind"], "fetch");
    assert_eq!(
        subject["urls"],
        json!(["https://example.com/news?page=2", "http://example.org/a"])
    );
    talk.answer(&question, json!({ "kind": "deny" })).await;
    talk.rest_unasked().await;
    talk.close().await;
    world.expect_no_process_left().await;
}

fn writes(name: &str) -> pollux_testkit::scripted_model::Reply {
    calls(
        "write_file",
        json!({ "file_path": name, "content": "one\ntwo\n" }),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_is_shown_with_its_diff_and_all_edits_can_be_allowed_at_once() {
    let world = World::new();
    fs::write(world.work().join("a.txt"), "one\n").unwrap();
    let server = model([
        writes("a.txt"),
        writes("b.txt"),
        runs("touch made"),
        says("done"),
    ])
    .await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("write it").await;
    let edit = talk.event("editProposed").await;
    assert_eq!(edit["path"], "a.txt");
    assert_eq!(
        edit["hunks"],
        json!([{ "baseLine": 1, "removed": "", "line": 1, "added": "two\n" }])
    );
    assert_eq!(edit["allEdits"], json!(["session"]));
    // Nothing wider than the session can be meant.
    let too_wide = json!({ "kind": "always", "offer": 0, "scope": "user" });
    talk.answer(&edit, too_wide).await;
    talk.event("refused").await;
    assert_eq!(
        fs::read_to_string(world.work().join("a.txt")).unwrap(),
        "one\n"
    );
    let always = json!({ "kind": "always", "offer": 0, "scope": "session" });
    talk.answer(&edit, always).await;
    assert_eq!(talk.event("modeChanged").await["mode"], "autoEdit");
    assert_eq!(talk.event("editMade").await["path"], "b.txt");
    // Commands are still asked about.
    let question = talk.event("approvalRequested").await;
    talk.answer(&question, json!({ "kind": "allow" })).await;
    talk.rest_unasked().await;
    for name in ["a.txt", "b.txt"] {
        let text = fs::read_to_string(world.work().join(name)).unwrap();
        assert_eq!(text, "one\ntwo\n", "{name}");
    }
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_untrusted_folder_never_gets_more_than_is_offered() {
    let world = World::new();
    let server = model([
        runs("touch made"),
        writes("a.txt"),
        writes("b.txt"),
        says("done"),
    ])
    .await;
    let mut command = world.pollux(&["lsp"]);
    crate::support::talk::with_model(&mut command, &server);
    let mut talk = Talk::start_in(&world.work(), World::start(command)).await;
    for mode in ["yolo", "autoEdit"] {
        talk.ask("pollux/modeSet", json!({ "mode": mode })).await;
        let refused = talk.event("refused").await;
        assert!(
            refused["reason"].as_str().unwrap().contains("not trusted"),
            "{refused}"
        );
    }
    talk.say("make it").await;
    let question = talk.event("approvalRequested").await;
    let scopes: Vec<&Value> = question["offers"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|offer| offer["scopes"].as_array().unwrap())
        .collect();
    assert!(
        !scopes.iter().any(|scope| **scope == "workspace"),
        "{question}"
    );
    let never_offered = json!({ "kind": "always", "offer": 0, "scope": "workspace" });
    talk.answer(&question, never_offered).await;
    let refused = talk.event("refused").await;
    assert!(
        refused["reason"].as_str().unwrap().contains("no answer"),
        "{refused}"
    );
    talk.answer(&question, json!({ "kind": "allow" })).await;

    let edit = talk.event("editProposed").await;
    assert_eq!(edit["allEdits"], json!([]));
    let always = json!({ "kind": "always", "offer": 0, "scope": "session" });
    talk.answer(&edit, always).await;
    talk.event("approvalNotRemembered").await;
    let edit = talk.event("editProposed").await;
    assert_eq!(edit["path"], "b.txt", "asked about again");
    talk.answer(&edit, json!({ "kind": "allow" })).await;
    talk.rest_unasked().await;
    assert!(!world.home().join(".gemini/pollux/approvals").exists());
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trusted_folder_may_be_left_to_the_agent() {
    let world = World::new();
    let server = model([runs("touch made"), says("done")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.ask("pollux/modeSet", json!({ "mode": "yolo" })).await;
    assert_eq!(talk.event("modeChanged").await["mode"], "yolo");
    talk.say("make it").await;
    talk.rest_unasked().await;
    assert!(world.work().join("made").exists());
    talk.close().await;
    world.expect_no_process_left().await;
}
