//! Commands in terminals of the client.

use std::fs;

use agent_client_protocol::v1::schema::{
    PermissionOptionKind, SessionUpdate, SetSessionModeRequest, StopReason, TerminalExitStatus,
    ToolCallContent,
};
use pollux_testkit::scripted_model::ScriptedModel;
use serde_json::json;

use super::client::{Client, said};
use super::screens::{Opens, Screens};
use crate::support::World;
use crate::support::talk::{model, returned, runs, says};

/// Somebody who wants commands in the client's terminals.
fn configured(world: &World) {
    let settings = json!({
        "pollux": { "acp": { "clientTerminal": true } },
        "tools": { "truncateToolOutputThreshold": 200 },
    });
    fs::create_dir_all(world.home().join(".gemini")).unwrap();
    fs::write(
        world.home().join(".gemini/settings.json"),
        settings.to_string(),
    )
    .unwrap();
}

/// In a session in which nobody is asked.
async fn at_work(world: &World, server: &ScriptedModel, opens: Opens) -> (Client, String) {
    let client = Client::start_before(world, server, Screens::new(opens)).await;
    let session = client.session(world).await;
    let mode = SetSessionModeRequest::new(session.clone(), "yolo".to_owned());
    client.call(mode).await.unwrap();
    (client, session)
}

fn shows_screen(update: SessionUpdate) -> Option<()> {
    let content = match update {
        SessionUpdate::ToolCall(call) => call.content,
        SessionUpdate::ToolCallUpdate(change) => change.fields.content.unwrap_or_default(),
        _ => return None,
    };
    let is_screen = |one: &ToolCallContent| match one {
        ToolCallContent::Terminal(terminal) => &*terminal.terminal_id.0 == Screens::ID,
        _ => false,
    };
    content.iter().any(is_screen).then_some(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_runs_in_the_clients_terminal_and_the_model_gets_its_output() {
    let world = World::new();
    configured(&world);
    let server = model([runs("touch here"), says("done")]).await;
    let (mut client, session) = at_work(&world, &server, Opens::AtOnce).await;
    let mut other = Client::start(&world, &server).await;
    other.load(&world, &session).await;
    let prompting = client.say(&session, "go");
    client.screens.until("wait").await;
    let request = client.screens.request();
    assert_eq!(
        (&*request.command, &request.args[..]),
        ("bash", &["-c".to_owned(), "touch here".to_owned()][..])
    );
    assert_eq!(request.cwd, Some(world.work()));
    client.update(shows_screen).await;
    client.screens.print("\u{1b}[1mfirst\u{1b}[0m\n");
    // Who does not have the terminal is shown what it prints.
    other
        .update(|update| {
            let text = serde_json::to_string(&update).unwrap();
            assert!(!text.contains(Screens::ID), "{text}");
            text.contains("first").then_some(())
        })
        .await;
    client.screens.print(&"x".repeat(1_000));
    client.screens.exit(TerminalExitStatus::new().exit_code(3));
    assert_eq!(prompting.reason().await, StopReason::EndTurn);
    let told = returned(&server);
    assert!(
        told.contains("first") && told.contains("Exit Code: 3"),
        "{told}"
    );
    assert!(
        !told.contains('\u{1b}') && told.contains("Output too large"),
        "{told}"
    );
    client.screens.until("release").await;
    assert_eq!(client.screens.done(), ["create", "wait", "release"]);
    assert!(!world.work().join("here").exists());
    client.finish().await;
    other.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_opened_before_somebody_has_said_yes() {
    let world = World::new();
    configured(&world);
    let server = model([runs("touch here"), says("then not"), says("else")]).await;
    let mut client = Client::start_before(&world, &server, Screens::default()).await;
    let session = client.session(&world).await;
    let prompting = client.say(&session, "go");
    client
        .asked()
        .await
        .choose(PermissionOptionKind::RejectOnce);
    assert_eq!(prompting.reason().await, StopReason::EndTurn);
    assert_eq!(client.screens.done(), [""; 0]);
    client.say(&session, "and now?").reason().await;
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_kills_the_command_and_releases_the_terminal() {
    let world = World::new();
    configured(&world);
    let server = model([runs("sleep 1000")]).await;
    let (client, session) = at_work(&world, &server, Opens::AtOnce).await;
    let prompting = client.say(&session, "go");
    client.screens.until("wait").await;
    client.cancel(&session);
    assert_eq!(prompting.reason().await, StopReason::Cancelled);
    client.screens.until("release").await;
    assert_eq!(client.screens.done(), ["create", "wait", "kill", "release"]);
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_dies_does_not_keep_the_turn() {
    let world = World::new();
    configured(&world);
    let server = model([runs("sleep 1000"), says("on")]).await;
    let (one, session) = at_work(&world, &server, Opens::AtOnce).await;
    let mut two = Client::start(&world, &server).await;
    two.load(&world, &session).await;
    let _unanswered = one.say(&session, "go");
    one.screens.until("wait").await;
    one.die().await;
    let text = two
        .update(|update| match &update {
            SessionUpdate::AgentMessageChunk(_) => Some(said(&[update])),
            _ => None,
        })
        .await;
    assert_eq!(text, "on");
    let told = returned(&server);
    assert!(told.contains("does not answer any more"), "{told}");
    two.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_opens_none_has_the_command_run_here_and_one_that_is_silent_does_not() {
    for (opens, expected, is_here) in [
        (Opens::Not, "(empty)", true),
        // It may run there by now.
        (Opens::Never, "whether the command ran is not known", false),
    ] {
        let world = World::new();
        configured(&world);
        let server = model([runs("touch here"), says("done")]).await;
        let (client, session) = at_work(&world, &server, opens).await;
        let reason = client.say(&session, "go").reason().await;
        assert_eq!(reason, StopReason::EndTurn);
        let told = returned(&server);
        assert!(told.contains(expected), "{told}");
        assert_eq!(client.screens.done(), ["create"]);
        assert_eq!(world.work().join("here").exists(), is_here);
        client.finish().await;
        world.expect_no_process_left().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_setting_commands_run_here() {
    let world = World::new();
    let server = model([runs("touch here"), says("done")]).await;
    let (client, session) = at_work(&world, &server, Opens::AtOnce).await;
    client.say(&session, "go").reason().await;
    assert!(world.work().join("here").exists());
    assert_eq!(client.screens.done(), [""; 0]);
    client.finish().await;
    world.expect_no_process_left().await;
}
