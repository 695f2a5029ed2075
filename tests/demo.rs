//! The demo model as a person meets it: in the terminal, and in an editor.

use std::fs;
use std::process::Stdio;

use pollux_testkit::fake_editor::FakeEditor;
use serde_json::{Value, json};

use crate::support::in_root;
use crate::support::world::World;

#[tokio::test]
async fn in_a_terminal_a_real_command_runs_and_an_untouched_sample_is_removed() {
    let world = World::new();
    let temporary = world.home().join("tmp");
    fs::create_dir(&temporary).unwrap();
    let output = world
        .pollux(&["demo"])
        .env("TMPDIR", &temporary)
        .stdin(Stdio::null())
        .output()
        .await
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let printed = String::from_utf8(output.stdout).unwrap();
    let reading =
        "› Read src/retry.rs  66 lines\n› Read src/upload.rs  89 lines\n› Run wc -l src/retry.rs";
    for told in [
        reading,
        "counted 166 lines",
        "Done. Nothing was written.\n",
        "its folder is removed again.\n",
    ] {
        assert!(printed.contains(told), "{printed}");
    }
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
    world.expect_no_process_left().await;
}

/// Sends a prompt and returns the turn: its text, and its calls as one line each.
async fn turn(editor: &FakeEditor, session: &str, prompt: &str) -> String {
    let params = json!({ "session": session, "text": prompt });
    editor.request("pollux/promptQueue", params).await.unwrap();
    let mut told = String::new();
    loop {
        let batch = editor.expect_notification("pollux/sessionEvents").await;
        for event in batch["events"].as_array().unwrap() {
            match event["kind"].as_str().unwrap() {
                "turnEnded" => {
                    assert_eq!(event["outcome"], "completed", "{event}");
                    return told;
                }
                "toolStarted" => told += &format!("> {}\n", event["title"].as_str().unwrap()),
                "text" => told += event["text"].as_str().unwrap(),
                _ => {}
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn in_an_editor_it_answers_about_the_selection() {
    let world = World::new();
    world.unpack_sample();
    let (editor, mut door) = world.door(&["lsp"]);
    editor
        .initialize(in_root(world.work().to_str().unwrap()))
        .await;
    let uri = world.uri("src/upload.rs");
    let text = fs::read_to_string(world.work().join("src/upload.rs")).unwrap();
    editor.open(&uri, "rust", &text).await;
    let place = |line: usize, character: u32| json!({ "line": line, "character": character });
    let select = |line: usize| {
        let selection = json!({ "start": place(line, 4), "end": place(line, 20) });
        json!({ "activeFile": { "uri": uri, "cursor": place(line, 20), "selections": [selection] } })
    };
    let line_of = |code: &str| text.lines().position(|line| line.contains(code)).unwrap();
    editor
        .notify("pollux/editorState", select(line_of("chunks_exact")))
        .await;
    let started = editor
        .request("pollux/sessionStart", json!({}))
        .await
        .unwrap();
    let session = started["session"].as_str().unwrap().to_owned();
    let follow: Value = json!({ "session": session });
    editor
        .request("pollux/sessionFollow", follow)
        .await
        .unwrap();

    let told = turn(&editor, &session, "What does this do?").await;
    for expected in [
        "demo model",
        "> Read src/upload.rs\n",
        "The selection is in line 25 of `src/upload.rs`.",
        "`chunks_exact` leaves out the last part",
    ] {
        assert!(told.contains(expected), "{told}");
    }
    // The next turn is told only what has changed in the editor.
    editor
        .notify("pollux/editorState", select(line_of("let mut sent")))
        .await;
    let told = turn(&editor, &session, "And this?").await;
    for expected in ["in line 24 of", "None of the faults"] {
        assert!(told.contains(expected), "{told}");
    }
    editor.finish().await;
    door.ended().await;
    world.expect_no_process_left().await;
}
