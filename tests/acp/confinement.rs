//! A command that runs without a question because it only reads can only read.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use agent_client_protocol::v1::schema::{
    ClientCapabilities, PermissionOptionKind, StopReason, ToolCallStatus,
};
use pollux_testkit::scripted_model::ScriptedModel;

use super::client::Client;
use crate::support::World;
use crate::support::talk::{model, returned, runs, says, with_model};

/// A program with a harmless name that does something else.
fn replace_program(world: &World, name: &str, script: &str) -> String {
    let folder = world.home().join("programs");
    fs::create_dir_all(&folder).unwrap();
    let program = folder.join(name);
    fs::write(&program, format!("#!/bin/bash\n{script}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let path = world
        .command("true")
        .as_std()
        .get_envs()
        .find_map(|(name, value)| {
            (name == "PATH").then(|| value.unwrap().to_str().unwrap().to_owned())
        });
    format!("{}:{}", folder.display(), path.unwrap())
}

async fn client(world: &World, server: &ScriptedModel, path: &str) -> Client {
    let mut command = world.pollux(&["acp"]);
    with_model(&mut command, server);
    command
        .env("GEMINI_CLI_TRUST_WORKSPACE", "true")
        .env("PATH", path);
    Client::run(command, ClientCapabilities::new()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_only_command_that_writes_is_refused_and_then_asked_about() {
    let world = World::new();
    fs::write(world.work().join("notes.txt"), "kept\n").unwrap();
    let path = replace_program(&world, "wc", "echo gone > notes.txt; echo counted");
    let server = model([
        runs("wc -l notes.txt"),
        runs("wc -l notes.txt"),
        says("done"),
    ])
    .await;
    let mut client = client(&world, &server, &path).await;
    let session = client.session(&world).await;
    let prompting = client.say(&session, "count");

    let question = client.asked().await;
    let told = returned(&server);
    let notes = world.work().canonicalize().unwrap().join("notes.txt");
    let attempt = format!("it tried to write {}", notes.display());
    assert!(told.contains("counted"), "{told}");
    assert!(told.contains(&attempt), "{told}");
    assert_eq!(fs::read_to_string(&notes).unwrap(), "kept\n");
    let shown = question.text();
    assert!(shown.contains("This command writes"), "{shown}");
    assert!(shown.contains(&attempt), "{shown}");

    question.choose(PermissionOptionKind::AllowOnce);
    let ended = client.call_ended().await;
    assert_eq!(ended.status, Some(ToolCallStatus::Completed));
    assert_eq!(prompting.reason().await, StopReason::EndTurn);
    assert_eq!(fs::read_to_string(&notes).unwrap(), "gone\n");
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_without_a_match_is_no_attempt_to_write() {
    let world = World::new();
    fs::write(world.work().join("notes.txt"), "kept\n").unwrap();
    let again = || runs("grep missing notes.txt");
    let server = model([again(), again(), says("done")]).await;
    let mut client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    let prompting = client.say(&session, "search");
    client.call_ended().await;
    client.call_ended().await;
    assert_eq!(prompting.reason().await, StopReason::EndTurn);
    let told = returned(&server);
    assert!(told.contains("Exit Code: 1"), "{told}");
    assert!(!told.contains("Refused"), "{told}");
    client.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn api_keys_do_not_reach_commands() {
    let world = World::new();
    let command = "cat /proc/$PPID/environ /proc/self/environ | tr '\\0' '\\n'; echo end";
    let server = model([runs(command), says("done")]).await;
    let mut process = world.pollux(&["acp"]);
    with_model(&mut process, &server);
    process
        .env("GEMINI_CLI_TRUST_WORKSPACE", "true")
        .env("OPENAI_API_KEY", "secret-of-openai")
        .env("PROJECT_COLOUR", "green");
    let mut client = Client::run(process, ClientCapabilities::new()).await;
    let session = client.session(&world).await;
    let prompting = client.say(&session, "look");
    client.asked().await.choose(PermissionOptionKind::AllowOnce);
    client.call_ended().await;
    assert_eq!(prompting.reason().await, StopReason::EndTurn);
    let told = returned(&server);
    assert!(told.contains("end"), "{told}");
    assert!(told.contains("PROJECT_COLOUR=green"), "{told}");
    for name in ["GEMINI_API_KEY=", "OPENAI_API_KEY=", "secret-of-openai"] {
        assert!(!told.contains(name), "{name}: {told}");
    }
    client.finish().await;
}
