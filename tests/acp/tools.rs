//! Tools: together, with hooks, and with what they print.

use std::fs;

use agent_client_protocol::v1::schema::{
    ClientCapabilities, Meta, PermissionOptionKind, SessionUpdate, SetSessionModeRequest,
    StopReason, ToolCallContent, ToolCallStatus, ToolKind,
};
use pollux_testkit::scripted_model::{Call, Reply};
use serde_json::{Value, json};

use super::client::Client;
use crate::support::World;
use crate::support::talk::{calls, model, runs, says};

#[tokio::test(flavor = "multi_thread")]
async fn calls_of_one_answer_run_together() {
    let world = World::new();
    for name in ["a.txt", "b.txt"] {
        fs::write(world.work().join(name), "text\n").unwrap();
    }
    // Each waits for the other: one after the other, the first would be given up before it has met anybody.
    let command = "touch seen-$$; while [ $(ls seen-* | wc -l) -lt 2 ]; do :; done; touch met-$$";
    let hook = json!({ "type": "command", "command": command });
    let hooks = json!({ "BeforeTool": [{ "matcher": "^read_file$", "hooks": [hook] }] });
    fs::create_dir_all(world.home().join(".gemini")).unwrap();
    let settings = json!({ "hooks": hooks }).to_string();
    fs::write(world.home().join(".gemini/settings.json"), settings).unwrap();
    let read = |name: &str| Call::new("read_file", json!({ "file_path": name, "start_line": 1 }));
    let both = Reply::new()
        .call(read("a.txt"))
        .call(read("b.txt"))
        .finish("STOP");
    let server = model([both, says("read")]).await;
    let mut client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    let prompting = client.say(&session, "read");
    assert_eq!(prompting.reason().await, StopReason::EndTurn);
    let names = fs::read_dir(world.work()).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name());
    let met = names.filter(|name| name.to_string_lossy().starts_with("met-"));
    assert_eq!(met.count(), 2);
    let updates = client.so_far();
    let started: Vec<_> = updates
        .iter()
        .filter_map(|update| match update {
            SessionUpdate::ToolCall(call) => Some(call),
            _ => None,
        })
        .collect();
    assert_eq!(started.len(), 2);
    assert_ne!(started[0].tool_call_id, started[1].tool_call_id);
    assert_eq!(started[0].kind, ToolKind::Read);
    assert_eq!(started[0].name.as_deref(), Some("read_file"));
    let place = &started[0].locations[0];
    assert_eq!(
        (&place.path, place.line),
        (&world.work().join("a.txt"), Some(1))
    );
    let completed = updates.iter().filter(|update| match update {
        SessionUpdate::ToolCallUpdate(change) => {
            change.fields.status == Some(ToolCallStatus::Completed)
        }
        _ => false,
    });
    assert_eq!(completed.count(), 2);
    client.finish().await;
    world.expect_no_process_left().await;
}

async fn without_asking(client: &Client, session: &str) {
    let mode = SetSessionModeRequest::new(session.to_owned(), "yolo".to_owned());
    client.call(mode).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_command_prints_is_shown_while_it_runs() {
    let world = World::new();
    let made = world.command("mkfifo").arg("go").status().await.unwrap();
    assert!(made.success());
    let server = model([runs("echo first; cat go; exit 3"), says("done")]).await;
    let mut client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    without_asking(&client, &session).await;
    let prompting = client.say(&session, "go");
    client
        .update(|update| match update {
            SessionUpdate::ToolCallUpdate(change) => {
                let shown = serde_json::to_string(&change.fields.content).unwrap();
                shown.contains("first").then_some(())
            }
            _ => None,
        })
        .await;
    fs::write(world.work().join("go"), "second\n").unwrap();
    let ended = client.call_ended().await;
    let shown = serde_json::to_string(&ended.content).unwrap();
    assert!(
        shown.contains("first") && shown.contains("second"),
        "{shown}"
    );
    assert_eq!(prompting.reason().await, StopReason::EndTurn);
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_shows_terminals_gets_one() {
    let world = World::new();
    let server = model([runs("echo out; exit 3"), says("done")]).await;
    let meta = Meta::from_iter([("terminal_output".to_owned(), true.into())]);
    let capabilities = ClientCapabilities::new().meta(meta);
    let mut client = Client::start_with(&world, &server, capabilities).await;
    let session = client.session(&world).await;
    without_asking(&client, &session).await;
    let prompting = client.say(&session, "go");
    assert_eq!(prompting.reason().await, StopReason::EndTurn);
    let updates = client.so_far();
    let call = updates.iter().find_map(|update| match update {
        SessionUpdate::ToolCall(call) => Some(call),
        _ => None,
    });
    let call = call.unwrap();
    let [ToolCallContent::Terminal(terminal)] = &call.content[..] else {
        panic!("{call:?}");
    };
    let id = terminal.terminal_id.0.to_string();
    let info = &call.meta.as_ref().unwrap()["terminal_info"];
    assert_eq!(*info, json!({ "terminal_id": id, "cwd": world.work() }));
    let metas: Vec<&Meta> = updates
        .iter()
        .filter_map(|update| match update {
            SessionUpdate::ToolCallUpdate(change) => change.meta.as_ref(),
            _ => None,
        })
        .collect();
    let printed: String = metas
        .iter()
        .filter_map(|meta| meta.get("terminal_output")?["data"].as_str())
        .collect();
    assert!(printed.contains("out"), "{printed}");
    let exit: Vec<&Value> = metas
        .iter()
        .filter_map(|meta| meta.get("terminal_exit"))
        .collect();
    let code = json!({ "terminal_id": id, "exit_code": 3, "signal": null });
    assert_eq!(exit, [&code]);
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_command_prints_is_not_taken_for_its_exit_code() {
    let world = World::new();
    let server = model([runs("echo x; echo 'Exit Code: 7'"), says("done")]).await;
    let start = || {
        let meta = Meta::from_iter([("terminal_output".to_owned(), true.into())]);
        let capabilities = ClientCapabilities::new().meta(meta);
        Client::start_with(&world, &server, capabilities)
    };
    let code = |updates: Vec<SessionUpdate>| {
        let exit = |update: &SessionUpdate| match update {
            SessionUpdate::ToolCallUpdate(change) => {
                Some(change.meta.as_ref()?.get("terminal_exit")?["exit_code"].clone())
            }
            _ => None,
        };
        updates.iter().filter_map(exit).collect::<Vec<Value>>()
    };
    let mut client = start().await;
    let session = client.session(&world).await;
    without_asking(&client, &session).await;
    client.say(&session, "go").reason().await;
    assert_eq!(code(client.so_far()), [0]);
    client.finish().await;
    world.expect_no_process_left().await;
    // The record knows it as well.
    let mut client = start().await;
    client.load(&world, &session).await;
    assert_eq!(code(client.so_far()), [0]);
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_id_that_a_model_uses_twice_names_two_calls() {
    let world = World::new();
    fs::write(world.work().join("a.txt"), "text\n").unwrap();
    let again = || {
        let call = Call::new("read_file", json!({ "file_path": "a.txt" }));
        Reply::new().call(call.id("same")).finish("STOP")
    };
    let server = model([again(), says("once"), again(), says("twice")]).await;
    let mut client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    for _ in 0..2 {
        client.say(&session, "read").reason().await;
    }
    let mut ids: Vec<String> = client
        .so_far()
        .into_iter()
        .filter_map(|update| match update {
            SessionUpdate::ToolCall(call) => Some(call.tool_call_id.0.to_string()),
            _ => None,
        })
        .collect();
    assert_eq!(ids.len(), 2);
    ids.dedup();
    assert_eq!(ids.len(), 2, "{ids:?}");
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hooks_see_every_call() {
    let world = World::new();
    fs::write(world.work().join("a.txt"), "text\n").unwrap();
    fs::create_dir_all(world.home().join(".gemini")).unwrap();
    let hook = |name: &str| json!([{ "matcher": "", "hooks": [{ "type": "command", "command": format!("touch \"$GEMINI_PROJECT_DIR/{name}\"") }] }]);
    let hooks = json!({ "BeforeTool": hook("before"), "AfterTool": hook("after") });
    let settings = json!({ "hooks": hooks }).to_string();
    fs::write(world.home().join(".gemini/settings.json"), settings).unwrap();
    let read = calls("read_file", json!({ "file_path": "a.txt" }));
    let server = model([read, says("read")]).await;
    let client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    client.say(&session, "read").reason().await;
    for name in ["before", "after"] {
        assert!(world.work().join(name).exists(), "{name}");
    }
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shell_line_is_judged_like_a_call_in_every_mode() {
    for (mode, expected) in [
        ("default", Some(ToolCallStatus::Failed)),
        ("plan", Some(ToolCallStatus::Failed)),
        ("yolo", Some(ToolCallStatus::Completed)),
    ] {
        let world = World::new();
        let server = model([]).await;
        let mut client = Client::start(&world, &server).await;
        let session = client.session(&world).await;
        let set = SetSessionModeRequest::new(session.clone(), mode.to_owned());
        client.call(set).await.unwrap();
        let prompting = client.say(&session, "!touch made");
        if mode == "default" {
            let question = client.asked().await;
            assert!(!world.work().join("made").exists());
            question.choose(PermissionOptionKind::RejectOnce);
        }
        let ended = client.call_ended().await;
        assert_eq!(ended.status, expected, "{mode}");
        assert_eq!(prompting.reason().await, StopReason::EndTurn, "{mode}");
        assert_eq!(world.work().join("made").exists(), mode == "yolo", "{mode}");
        assert_eq!(server.requests().len(), 0, "{mode}");
        client.finish().await;
    }
}
