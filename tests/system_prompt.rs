//! A system prompt of the person's own, and who may set it.

use std::fs;
use std::process::{Output, Stdio};

use serde_json::json;

use crate::support::asked_in;
use crate::support::talk::{self, Talk, says};
use crate::support::world::World;

async fn shown_with(world: &World, variables: &[(&str, &str)]) -> Output {
    world
        .pollux(&["run", "--skip-trust", "-p", "hello", "--show-prompt"])
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .output()
        .await
        .unwrap()
}

#[tokio::test]
async fn a_system_prompt_of_ones_own_takes_the_place_of_ours_and_leaves_the_rest() {
    let world = World::new();
    fs::create_dir_all(world.work().join(".gemini")).unwrap();
    let text = "You are a parrot. Call ${read_file_ToolName}.";
    fs::write(world.work().join(".gemini/system.md"), text).unwrap();
    fs::write(world.home().join("mine.md"), text).unwrap();
    fs::create_dir_all(world.home().join(".gemini")).unwrap();
    let memory = world.home().join(".gemini/GEMINI.md");
    fs::write(memory, "Always answer in rhymes.").unwrap();
    let ours = shown_with(&world, &[]).await;
    let ours = String::from_utf8(ours.stdout).unwrap();
    for value in ["1", "TRUE", "~/mine.md", ".gemini/system.md"] {
        let shown = shown_with(&world, &[("GEMINI_SYSTEM_MD", value)]).await;
        let shown = String::from_utf8(shown.stdout).unwrap();
        let wanted = ["You are a parrot. Call read_file.", "in rhymes", "hello"];
        for wanted in wanted {
            assert!(shown.contains(wanted), "{value}: {shown}");
        }
        assert!(shown.len() + 1_000 < ours.len(), "{value}: {shown}");
    }
    for value in ["0", "false", ""] {
        let shown = shown_with(&world, &[("GEMINI_SYSTEM_MD", value)]).await;
        assert_eq!(String::from_utf8(shown.stdout).unwrap(), ours, "{value}");
    }
}

#[tokio::test]
async fn a_system_prompt_that_is_not_there_is_an_error_and_not_ours() {
    let world = World::new();
    let shown = shown_with(&world, &[("GEMINI_SYSTEM_MD", "1")]).await;
    assert_eq!(shown.status.code(), Some(52), "{shown:?}");
    let said = String::from_utf8(shown.stderr).unwrap();
    assert!(said.contains("system.md"), "{said}");
    assert!(shown.stdout.is_empty());
}

#[tokio::test]
async fn a_trusted_folder_may_name_its_system_prompt_in_its_env_file() {
    let world = World::new();
    fs::write(world.work().join(".env"), "GEMINI_SYSTEM_MD=own.md").unwrap();
    fs::write(world.work().join("own.md"), "You are a parrot.").unwrap();
    let shown = shown_with(&world, &[]).await;
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("You are a parrot."), "{shown}");
}

#[tokio::test]
async fn the_prompt_is_written_down_once_and_never_over_what_somebody_wrote() {
    let world = World::new();
    let run = async || {
        let run = world
            .pollux(&["run", "--skip-trust", "-m", "demo", "-p", "hello"])
            .env("GEMINI_WRITE_SYSTEM_MD", "notes/system.md")
            .stdin(Stdio::null())
            .output();
        assert!(run.await.unwrap().status.success());
        fs::read_to_string(world.work().join("notes/system.md")).unwrap()
    };
    let written = run().await;
    let shown = shown_with(&world, &[]).await;
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains(written.trim()), "{written}");
    fs::write(world.work().join("notes/system.md"), "mine").unwrap();
    assert_eq!(run().await, "mine");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_untrusted_folder_cannot_set_the_system_prompt() {
    let world = World::new();
    fs::write(world.work().join("own.md"), "You are a parrot.").unwrap();
    fs::write(world.work().join(".env"), "GEMINI_SYSTEM_MD=own.md").unwrap();
    fs::create_dir_all(world.work().join(".gemini")).unwrap();
    fs::write(world.work().join(".gemini/.env"), "GEMINI_SYSTEM_MD=own.md").unwrap();
    fs::write(world.work().join(".gemini/system.md"), "You are a parrot.").unwrap();
    let server = talk::model([says("ok")]).await;
    let mut command = world.pollux(&["lsp"]);
    talk::with_model(&mut command, &server);
    let mut talk = Talk::start_in(&world.work(), World::start(command)).await;
    talk.say("hello").await;
    talk.rest_unasked().await;
    let sent = server.requests()[0].json()["systemInstruction"].to_string();
    assert!(!sent.contains("parrot"), "{sent}");
    talk.close().await;
}

/// The variable is the person's, and still the file would be the folder's.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_an_untrusted_folder_is_no_system_prompt_whoever_names_it() {
    for value in ["1", ".gemini/system.md", "link.md"] {
        let world = World::new();
        fs::create_dir_all(world.work().join(".gemini")).unwrap();
        let file = world.work().join(".gemini/system.md");
        fs::write(&file, "You are a parrot.").unwrap();
        std::os::unix::fs::symlink(&file, world.work().join("link.md")).unwrap();
        let mut command = world.pollux(&["lsp"]);
        command.env("GEMINI_SYSTEM_MD", value);
        let (editor, mut door) = World::start(command);
        editor
            .initialize(asked_in(world.work().to_str().unwrap()))
            .await;
        let refused = editor.request("pollux/sessionStart", json!({})).await;
        let refused = format!("{:?}", refused.unwrap_err());
        assert!(refused.contains("not trusted"), "{refused}");
        editor.finish().await;
        assert!(door.ended().await.success());
    }
}
