//! Real conversations over real HTTP, with a model server that plays a script.

use std::fs;
use std::process::Stdio;

use pollux_testkit::scripted_model::{Call, Reply, ReplyEnd, Script, ScriptedModel};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

use crate::support::world::World;

fn gemini(world: &World, server: &ScriptedModel, arguments: &[&str]) -> Command {
    let mut command = world.pollux(&[&["run", "--skip-trust"], arguments].concat());
    command
        .env("GEMINI_API_KEY", "key-for-the-model")
        .env("GOOGLE_GEMINI_BASE_URL", server.url())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

#[tokio::test(flavor = "multi_thread")]
async fn gemini_reads_a_file_through_its_tool_and_answers() {
    let world = World::new();
    fs::create_dir(world.work().join("deep")).unwrap();
    fs::create_dir(world.work().join(".git")).unwrap();
    fs::write(world.work().join("deep/GEMINI.md"), "Twins come in pairs.").unwrap();
    fs::write(world.work().join("deep/a.txt"), "the word is castor\n").unwrap();
    let call = Call::new("read_file", json!({ "file_path": "deep/a.txt" })).id("call-1");
    let script = Script::new()
        .reply(
            Reply::new()
                .thought("**Looking** at the file")
                .call(call)
                .finish("STOP"),
        )
        .reply(Reply::text("The word is ").chunk("castor.").finish("STOP"))
        .strict();
    let server = ScriptedModel::start(script).await;
    let arguments = [
        "-p",
        "what is the word?",
        "-m",
        "gemini-2.5-flash",
        "-o",
        "json",
    ];
    let output = gemini(&world, &server, &arguments).output().await.unwrap();
    assert!(output.status.success(), "{output:?}");
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told["response"], "The word is castor.");
    assert_eq!(told["stats"]["tools"]["byName"]["read_file"]["success"], 1);

    let requests = server.requests();
    let first = requests[0].json();
    assert!(
        requests[0]
            .path
            .ends_with("models/gemini-2.5-flash:streamGenerateContent")
    );
    assert_eq!(
        requests[0].header("x-goog-api-key"),
        Some("key-for-the-model")
    );
    assert_eq!(
        first["generationConfig"]["thinkingConfig"],
        json!({ "includeThoughts": true, "thinkingBudget": 8192 })
    );
    let contents = first["contents"].as_array().unwrap();
    let said: String = contents
        .iter()
        .flat_map(|content| content["parts"].as_array().unwrap())
        .filter_map(|part| part["text"].as_str())
        .collect();
    assert!(
        said.contains("<session_context>") && said.ends_with("what is the word?"),
        "{said}"
    );
    // The second request carries the call and what the tool returned.
    let second = requests[1].json();
    let contents = second["contents"].as_array().unwrap();
    let response = &contents.last().unwrap()["parts"][0]["functionResponse"];
    assert_eq!(response["name"], "read_file");
    assert!(
        response["response"]["output"]
            .as_str()
            .unwrap()
            .contains("castor"),
        "{second}"
    );
    // With it come the rules of the folder it looked into.
    assert!(!first.to_string().contains("Twins come in pairs."));
    assert!(
        response.to_string().contains("Twins come in pairs."),
        "{second}"
    );
    server.assert_exhausted();

    // And the next run remembers.
    let script = Script::new()
        .reply(Reply::text("castor, as I said").finish("STOP"))
        .strict();
    let server = ScriptedModel::start(script).await;
    let arguments = ["-p", "again?", "-m", "gemini-2.5-flash", "--resume"];
    let output = gemini(&world, &server, &arguments).output().await.unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "castor, as I said\n"
    );
    let body = server.requests()[0].json().to_string();
    for remembered in [
        "what is the word?",
        "The word is castor.",
        "functionResponse",
    ] {
        assert!(body.contains(remembered), "{body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn chat_completions_answer_the_same_way() {
    let world = World::new();
    let script = Script::new()
        .reply(Reply::text("hello ").chunk("there").finish("STOP"))
        .strict();
    let server = ScriptedModel::start(script).await;
    let output = world
        .pollux(&["run", "--skip-trust", "-p", "hi", "-m", "openai:some-model"])
        .env("OPENAI_BASE_URL", format!("{}/v1", server.url()))
        .env("OPENAI_API_KEY", "another-key")
        .env("GEMINI_API_KEY", "key-for-somebody-else")
        .stdin(Stdio::null())
        .output()
        .await
        .unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "hello there\n",
        "{output:?}"
    );
    let request = &server.requests()[0];
    assert_eq!(request.path, "/v1/chat/completions");
    assert_eq!(request.header("authorization"), Some("Bearer another-key"));
    assert!(!format!("{request:?}").contains("key-for-somebody-else"));
    assert_eq!(request.json()["model"], "some-model");
}

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_ends_the_turn_closes_the_connection_and_says_so_with_its_code() {
    let world = World::new();
    let script = Script::new().reply(Reply::text("wait for it").stall());
    let server = ScriptedModel::start(script).await;
    let arguments = ["-p", "x", "-m", "gemini-2.5-flash", "-o", "stream-json"];
    let mut child = gemini(&world, &server, &arguments).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    loop {
        let line = lines.next_line().await.unwrap().unwrap();
        if line.contains("wait for it") {
            break;
        }
    }
    let pid = rustix::process::Pid::from_raw(child.id().unwrap().cast_signed()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let mut last = String::new();
    while let Some(line) = lines.next_line().await.unwrap() {
        last = line;
    }
    let last: Value = serde_json::from_str(&last).unwrap();
    assert_eq!(
        (&last["type"], &last["status"]),
        (&json!("result"), &json!("error"))
    );
    assert_eq!(child.wait().await.unwrap().code(), Some(130));
    assert_eq!(server.reply_end(1).await, ReplyEnd::ClientLeft);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_key_is_told_apart_from_other_failures() {
    let world = World::new();
    let wrong = Reply::error(401, "UNAUTHENTICATED", "API key not valid");
    let server = ScriptedModel::start(Script::new().reply(wrong)).await;
    let arguments = ["-p", "x", "-m", "gemini-2.5-flash"];
    let output = gemini(&world, &server, &arguments).output().await.unwrap();
    assert_eq!(output.status.code(), Some(41), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("API key") && !said.contains("key-for-the-model"),
        "{said}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_untrusted_folder_brings_neither_key_nor_address() {
    let world = World::new();
    let server = ScriptedModel::start(Script::new()).await;
    let stolen = format!(
        "GEMINI_API_KEY=x\nGOOGLE_GEMINI_BASE_URL={}\n",
        server.url()
    );
    fs::write(world.work().join(".env"), stolen).unwrap();
    // Over the door an untrusted folder may be talked about, but the demo answers.
    let (editor, mut door) = world.door(&["lsp"]);
    editor
        .initialize(crate::support::in_root(world.work().to_str().unwrap()))
        .await;
    let started = editor
        .request("pollux/sessionStart", json!({}))
        .await
        .unwrap();
    let session = json!({ "session": started["session"] });
    editor
        .request("pollux/sessionFollow", session.clone())
        .await
        .unwrap();
    let prompt = json!({ "session": started["session"], "text": "hello" });
    editor.request("pollux/promptQueue", prompt).await.unwrap();
    let events = editor.expect_notification("pollux/sessionEvents").await;
    assert_eq!(events["events"][0]["model"], "demo", "{events}");
    editor
        .request("pollux/sessionUnfollow", session.clone())
        .await
        .unwrap();
    editor.request("pollux/turnCancel", session).await.unwrap();
    editor.ignore("pollux/sessionEvents");
    editor.finish().await;
    door.ended().await;
    world.expect_no_process_left().await;
    assert_eq!(server.requests().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_model_sees_what_the_editor_shows_unsaved_text_included() {
    let world = World::new();
    fs::write(world.work().join("a.rs"), "saved\n").unwrap();
    let read = Call::new("read_file", json!({ "file_path": "a.rs" })).id("c1");
    let script = Script::new()
        .reply(Reply::new().call(read).finish("STOP"))
        .reply(Reply::text("seen").finish("STOP"))
        .reply(Reply::text("seen again").finish("STOP"))
        .strict();
    let server = ScriptedModel::start(script).await;
    let mut command = world.pollux(&["lsp"]);
    command
        .env("GEMINI_API_KEY", "x")
        .env("GEMINI_MODEL", "gemini-2.5-flash")
        .env("GOOGLE_GEMINI_BASE_URL", server.url());
    let (editor, mut door) = World::start(command);
    editor
        .initialize(crate::support::in_root(world.work().to_str().unwrap()))
        .await;
    let uri = world.uri("a.rs");
    editor
        .open(&uri, "rust", "saved\nand typed 😀 since\n")
        .await;
    let place = |line: u32, character: u32| json!({ "line": line, "character": character });
    let state = |cursor: Value| {
        let selection = json!({ "start": place(1, 4), "end": place(1, 12) });
        json!({ "activeFile": { "uri": uri, "cursor": cursor, "selections": [selection] } })
    };
    editor
        .notify("pollux/editorState", state(place(1, 4)))
        .await;
    let started = editor
        .request("pollux/sessionStart", json!({}))
        .await
        .unwrap();
    let session = started["session"].clone();
    let follow = json!({ "session": session });
    editor
        .request("pollux/sessionFollow", follow)
        .await
        .unwrap();
    let ask = |text: &str| json!({ "session": session, "text": text });
    let ended = async || loop {
        let batch = editor.expect_notification("pollux/sessionEvents").await;
        let events = batch["events"].as_array().unwrap().clone();
        if let Some(end) = events.iter().find(|event| event["kind"] == "turnEnded") {
            assert_eq!(end["outcome"], "completed", "{batch}");
            return;
        }
    };
    editor
        .request("pollux/promptQueue", ask("look at @a.rs"))
        .await
        .unwrap();
    ended().await;
    editor
        .notify("pollux/editorState", state(place(2, 0)))
        .await;
    editor
        .request("pollux/promptQueue", ask("and now?"))
        .await
        .unwrap();
    ended().await;
    editor.finish().await;
    door.ended().await;
    world.expect_no_process_left().await;

    let requests = server.requests();
    let first = requests[0].json().to_string();
    for expected in [
        "activeFile",
        "selectedText",
        "typed 😀",
        "and typed 😀 since",
    ] {
        assert!(first.contains(expected), "{expected}: {first}");
    }
    // The tool reads the buffer, not the disk.
    let second = requests[1].json();
    let contents = second["contents"].as_array().unwrap();
    let response = contents.last().unwrap()["parts"][0]["functionResponse"].to_string();
    assert!(response.contains("and typed"), "{response}");
    // Later only what has changed is told.
    let third = requests[2].json();
    let contents = third["contents"].as_array().unwrap();
    let last = contents.last().unwrap()["parts"].to_string();
    assert!(
        last.contains("cursorMoved") && last.contains("and now?"),
        "{last}"
    );
    assert!(!last.contains("otherOpenFiles"), "{last}");
}
