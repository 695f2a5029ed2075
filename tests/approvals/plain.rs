//! Clients that know nothing of Pollux: a message with buttons.

use pollux_testkit::fake_editor::{FakeEditor, RequestId};
use serde_json::{Value, json};

use crate::support::in_root;
use crate::support::talk::{Talk, calls, door, model, runs, says};
use crate::support::world::{Door, World};
use pollux_testkit::scripted_model::ScriptedModel;

async fn plain_door(world: &World, server: &ScriptedModel) -> (FakeEditor, Door) {
    let (editor, door) = door(world, server);
    let folder = world.work();
    editor.initialize(in_root(folder.to_str().unwrap())).await;
    (editor, door)
}

async fn shown(editor: &FakeEditor) -> (RequestId, Value) {
    editor.expect_request("window/showMessageRequest").await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_without_a_view_is_asked_in_a_message_and_its_button_counts() {
    let world = World::new();
    let server = model([runs("touch made"), says("made")]).await;
    let folder = world.work();
    let options = in_root(folder.to_str().unwrap());
    let mut talk = Talk::start_with(options, door(&world, &server)).await;
    talk.say("make it").await;
    let (id, message) = shown(&talk.editor).await;
    assert_eq!(
        message["message"],
        format!("Pollux wants to run in {}:\ntouch made", folder.display())
    );
    let buttons: Vec<&str> = message["actions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|action| action["title"].as_str().unwrap())
        .collect();
    assert_eq!(
        buttons,
        [
            "Deny",
            "Allow",
            "Always allow `touch …` in this session",
            "Always allow `touch …` in this workspace",
            "Always allow `touch …` everywhere"
        ]
    );
    talk.editor.respond(&id, json!({ "title": "Allow" })).await;
    talk.event("approvalEnded").await;
    talk.rest_unasked().await;
    assert!(world.work().join("made").exists());
    // Whoever has answered is not told to stop asking: nothing else has come.
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_message_leaves_the_question_open_and_an_answer_elsewhere_withdraws_it() {
    let world = World::new();
    let server = model([runs("touch made"), says("made")]).await;
    let mut talk = Talk::start(&world, &server).await;
    let (closing, mut closing_door) = plain_door(&world, &server).await;
    let (waiting, mut waiting_door) = plain_door(&world, &server).await;
    talk.say("make it").await;
    let question = talk.event("approvalRequested").await;
    let (closed, _) = shown(&closing).await;
    let (open, _) = shown(&waiting).await;
    closing.respond(&closed, Value::Null).await;
    // Somebody who comes late is asked too.
    let (late, mut late_door) = plain_door(&world, &server).await;
    let (late_id, _) = shown(&late).await;
    assert!(!world.work().join("made").exists());

    // Where nobody shows hunks, what the command has made is told as a diagnostic, whenever that is found.
    for editor in [&closing, &waiting, &late] {
        editor.ignore("textDocument/publishDiagnostics");
    }
    talk.answer(&question, json!({ "kind": "allow" })).await;
    for (editor, id) in [(&waiting, &open), (&late, &late_id)] {
        let cancelled = editor.expect_notification("$/cancelRequest").await;
        assert_eq!(cancelled, json!({ "id": id }));
        // What it says now is too late and harms nobody.
        editor.respond(id, json!({ "title": "Deny" })).await;
    }
    talk.rest_unasked().await;
    assert!(world.work().join("made").exists());
    talk.close().await;
    for (editor, door) in [
        (closing, &mut closing_door),
        (waiting, &mut waiting_door),
        (late, &mut late_door),
    ] {
        editor.finish().await;
        assert!(door.ended().await.success());
    }
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_comes_with_its_diff_and_one_button_allows_all_of_them() {
    let world = World::new();
    std::fs::write(world.work().join("a.txt"), "one\ntwo\nthree\n").unwrap();
    let replace = json!({ "file_path": "a.txt", "old_string": "two", "new_string": "2", "instruction": "digits" });
    let create = json!({ "file_path": "b.txt", "content": "new\n" });
    let server = model([
        calls("replace", replace),
        calls("write_file", create),
        says("done"),
    ])
    .await;
    let folder = world.work();
    let options = in_root(folder.to_str().unwrap());
    let mut talk = Talk::start_with(options, door(&world, &server)).await;
    talk.say("make it").await;
    let (id, message) = shown(&talk.editor).await;
    assert_eq!(
        message["message"],
        "Pollux wants to edit a.txt:\n@@ line 2\n-two\n+2"
    );
    let all = json!({ "title": "Keep this and all edits of this session" });
    assert!(
        message["actions"].as_array().unwrap().contains(&all),
        "{message}"
    );
    talk.editor.respond(&id, all).await;
    talk.event("modeChanged").await;
    assert_eq!(talk.event("editMade").await["path"], "b.txt");
    talk.rest_unasked().await;
    let text = std::fs::read_to_string(world.work().join("a.txt")).unwrap();
    assert_eq!(text, "one\n2\nthree\n");
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_command_is_shown_to_its_last_word() {
    let world = World::new();
    let command = format!("echo {} && touch made", "long ".repeat(2_000));
    let server = model([runs(&command), says("then not")]).await;
    let folder = world.work();
    let options = in_root(folder.to_str().unwrap());
    let mut talk = Talk::start_with(options, door(&world, &server)).await;
    talk.say("make it").await;
    let (id, message) = shown(&talk.editor).await;
    assert!(
        message["message"].as_str().unwrap().contains(&command),
        "{message}"
    );
    talk.editor.respond(&id, json!({ "title": "Deny" })).await;
    assert_eq!(talk.rest().await.pop().unwrap()["outcome"], "completed");
    assert!(!world.work().join("made").exists());
    talk.close().await;
    world.expect_no_process_left().await;
}
