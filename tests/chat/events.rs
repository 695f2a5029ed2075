//! Events that a view draws from.

use std::fs;

use pollux_testkit::scripted_model::Reply;
use serde_json::{Value, json};

use super::of_kind;
use crate::support::talk::{Talk, calls, model, runs, says};
use crate::support::world::World;

#[tokio::test(flavor = "multi_thread")]
async fn a_session_opens_with_its_mode_and_model_and_is_named_by_its_first_prompt() {
    let world = World::new();
    let server = model([says("hello")]).await;
    let mut talk = Talk::start(&world, &server).await;
    let opened = talk.event("opened").await;
    assert_eq!(
        opened,
        json!({
            "kind": "opened",
            "mode": "default",
            "model": "gemini-2.5-pro",
            "contextWindow": 1_048_576,
        })
    );
    talk.say("say  hello\nto me").await;
    let events = talk.rest_unasked().await;
    assert_eq!(of_kind(&events, "titled")["title"], "say hello to me");
    assert_eq!(of_kind(&events, "answerEnded")["contextWindow"], 1_048_576);
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_says_what_it_is_what_it_got_and_what_it_said() {
    let world = World::new();
    fs::write(world.work().join("long.txt"), "line\n".repeat(1_500)).unwrap();
    let reads = calls("read_file", json!({ "file_path": "long.txt" }));
    let fails = calls("read_file", json!({ "file_path": "missing.txt" }));
    let server = model([reads, fails, says("read")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("read it").await;
    let started = talk.event("toolStarted").await;
    assert_eq!(started["tool"], "read_file");
    assert_eq!(started["activity"], "read");
    assert_eq!(started["input"], "{\n  \"file_path\": \"long.txt\"\n}");
    assert_eq!(started.get("parent"), None);
    let ended = talk.event("toolEnded").await;
    assert_eq!(ended["status"], "succeeded");
    let shown = ended["output"].as_str().unwrap();
    assert!(
        shown.len() < 4_200 && shown.contains("bytes left out"),
        "{shown}"
    );
    assert!(ended["durationMs"].is_u64());
    let whole = talk
        .request("pollux/toolOutput", json!({ "call": ended["call"] }))
        .await
        .unwrap();
    let whole = whole["text"].as_str().unwrap();
    assert!(whole.matches("line\n").count() >= 1_499);
    assert_eq!(ended["outputLines"], whole.lines().count());
    let failed = talk.event("toolEnded").await;
    assert_eq!(failed["status"], "failed");
    assert_ne!(failed["output"], "");
    talk.rest_unasked().await;
    let unknown = talk.request("pollux/toolOutput", json!({ "call": "none" }));
    assert_eq!(unknown.await.unwrap_err(), "the call none has not ended");
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_says_which_file_it_changed_and_by_how_much() {
    let world = World::new();
    fs::write(world.work().join("a.txt"), "one\ntwo\nthree\n").unwrap();
    let edit = json!({
        "file_path": "a.txt",
        "instruction": "count on",
        "old_string": "two\n",
        "new_string": "2\n2.5\n",
    });
    let server = model([calls("replace", edit), runs("echo hello"), says("done")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.ask("pollux/modeSet", json!({ "mode": "yolo" })).await;
    talk.say("edit it").await;
    let events = talk.rest_unasked().await;
    let ended = of_kind(&events, "toolEnded");
    assert_eq!(ended["path"], "a.txt");
    assert_eq!(
        (ended["added"].clone(), ended["removed"].clone()),
        (json!(2), json!(1))
    );
    let command = events
        .iter()
        .rev()
        .find(|event| event["kind"] == "toolEnded");
    let command = command.unwrap();
    assert!(
        command["output"].as_str().unwrap().contains("hello"),
        "{command}"
    );
    assert_eq!(command.get("path"), None);
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_went_with_a_prompt_is_listed_and_can_be_read() {
    let world = World::new();
    fs::write(world.work().join("note.txt"), "remember the milk\n").unwrap();
    fs::create_dir(world.work().join("docs")).unwrap();
    fs::write(world.work().join("docs/a.md"), "# A\n").unwrap();
    let server = model([says("one"), says("two")]).await;
    let mut talk = Talk::start(&world, &server).await;
    let uri = world.uri("note.txt");
    talk.editor
        .open(&uri, "plaintext", "remember the milk\n")
        .await;
    let active = json!({
        "uri": uri,
        "cursor": { "line": 0, "character": 0 },
        "selections": [{
            "start": { "line": 0, "character": 0 },
            "end": { "line": 0, "character": 8 },
        }],
        "visibleRanges": [],
    });
    talk.editor
        .notify("pollux/editorState", json!({ "activeFile": active }))
        .await;
    talk.say("look at @note.txt and @docs").await;
    let sent = talk.event("contextSent").await;
    let items = sent["items"].as_array().unwrap();
    let shown: Vec<String> = items
        .iter()
        .map(|item| format!("{} {} {}", item["kind"], item["label"], item["bytes"]))
        .collect();
    let path = world.work().join("note.txt");
    let length = path.to_str().unwrap().len();
    assert_eq!(
        shown,
        [
            format!("\"activeFile\" \"note.txt\" {length}"),
            "\"selection\" \"note.txt 1–1\" 8".to_owned(),
            "\"file\" \"note.txt\" 18".to_owned(),
            "\"folder\" \"docs\" 4".to_owned(),
        ]
    );
    assert_eq!(items[0]["uri"], uri.as_str());
    assert_eq!(items[1]["range"]["end"]["character"], 8);
    let text = talk.request("pollux/contextShow", json!({ "turn": sent["turn"] }));
    let text = text.await.unwrap();
    let text = text["text"].as_str().unwrap();
    for part in ["\"selectedText\":\"remember\"", "remember the milk", "# A"] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    assert!(!text.contains("look at"), "{text}");
    talk.rest_unasked().await;

    // The model knows all that by now, so nothing goes with the next prompt.
    talk.say("and now").await;
    let events = talk.rest_unasked().await;
    assert!(!events.iter().any(|event| event["kind"] == "contextSent"));
    let text = talk.request("pollux/contextShow", json!({ "turn": 2 }));
    assert_eq!(text.await.unwrap(), json!({ "text": "" }));
    let text = talk.request("pollux/contextShow", json!({ "turn": 3 }));
    assert_eq!(text.await.unwrap_err(), "the session has no turn 3");
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_view_goes_on_from_its_cursor_and_begins_anew_with_one_of_another_life() {
    let world = World::new();
    let server = model([says("first"), says("second")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("one").await;
    talk.rest_unasked().await;
    let between = talk.cursor;
    talk.say("two").await;
    talk.rest_unasked().await;
    let (end, follow) = (talk.cursor, "pollux/sessionFollow");
    talk.ask(follow, json!({ "cursor": between })).await;
    let again = talk.rest_unasked().await;
    assert_eq!(of_kind(&again, "turnStarted")["prompt"], "two", "{again:?}");
    assert_eq!(talk.cursor, end);
    // The count of an older server, and a place of a life that ended: nothing of this one is there.
    for lost in [2, end - (3600 << 20), end + 7] {
        talk.ask(follow, json!({ "cursor": lost })).await;
        assert_eq!(talk.any().await["kind"], "opened", "{lost}");
        let first = talk.rest_unasked().await;
        assert_eq!(of_kind(&first, "turnStarted")["prompt"], "one");
        talk.rest_unasked().await;
    }
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_window_that_does_not_read_holds_nobody_up_and_gets_its_text_in_few_pieces() {
    const PIECES: usize = 10_000;
    let world = World::new();
    fs::create_dir_all(world.home().join(".gemini")).unwrap();
    let settings = json!({ "model": { "disableLoopDetection": true } });
    fs::write(
        world.home().join(".gemini/settings.json"),
        settings.to_string(),
    )
    .unwrap();
    let piece = |number: usize| format!("{number:0>300}\n");
    let said = (0..PIECES).fold(Reply::new(), |reply, number| reply.chunk(piece(number)));
    let server = model([said.finish("STOP")]).await;
    let mut slow = Talk::start(&world, &server).await;
    let mut quick = slow.join(&world, &server).await;
    slow.editor.stop_reading();
    quick.say("go").await;
    let heard = quick.rest_unasked().await;
    slow.editor.resume_reading();
    let late = slow.rest_unasked().await;
    let texts = |events: &[Value]| -> Vec<String> {
        let texts = events.iter().filter(|event| event["kind"] == "text");
        texts
            .map(|event| event["text"].as_str().unwrap().to_owned())
            .collect()
    };
    let whole: String = (0..PIECES).map(piece).collect();
    assert!(
        texts(&heard).concat() == whole,
        "the window that reads has it all"
    );
    assert!(texts(&late).concat() == whole, "so has the other");
    let pieces = texts(&late).len();
    assert!(pieces < PIECES / 10, "{pieces}");
    quick.close().await;
    slow.close().await;
    world.expect_no_process_left().await;
}
