//! What may follow a slash at the beginning of a prompt.

use std::fs;

use serde_json::{Value, json};

use super::of_kind;
use crate::support::talk::{Talk, model, says};
use crate::support::world::World;

async fn answered(talk: &mut Talk, command: &str) -> String {
    talk.say(command).await;
    let answer = talk.coming("commandAnswered").await;
    answer["text"].as_str().unwrap().to_owned()
}

/// The text of what was said last.
fn said(request: &Value) -> String {
    let contents = request["contents"].as_array().unwrap();
    let parts = contents.last().unwrap()["parts"].as_array().unwrap();
    let texts: Vec<&str> = parts
        .iter()
        .filter_map(|part| part["text"].as_str())
        .collect();
    texts.last().unwrap().to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn our_own_commands_answer_without_a_model() {
    let world = World::new();
    fs::write(world.work().join("GEMINI.md"), "Be brief.\n").unwrap();
    let server = model([says("a folder")]).await;
    let mut talk = Talk::start(&world, &server).await;
    let list = talk.request("pollux/commandList", json!({})).await.unwrap();
    let names: Vec<&str> = list["commands"]
        .as_array()
        .unwrap()
        .iter()
        .map(|command| command["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "agents", "compress", "help", "init", "mcp", "memory", "model", "plan", "retry",
            "rewind", "stats", "tools"
        ]
    );
    assert_eq!(list["commands"][0]["source"], "builtin");
    assert!(
        answered(&mut talk, "/help")
            .await
            .contains("- `/compress` ")
    );
    assert!(
        answered(&mut talk, "/tools")
            .await
            .contains("- `read_file`")
    );
    assert!(
        answered(&mut talk, "/memory show")
            .await
            .contains("GEMINI.md")
    );
    assert!(
        answered(&mut talk, "/stats")
            .await
            .contains("| turns | 0 |")
    );
    assert!(answered(&mut talk, "/init").await.contains("already"));
    assert!(
        answered(&mut talk, "/model")
            .await
            .contains("`gemini-2.5-pro` answers")
    );
    let unknown = answered(&mut talk, "/halp me").await;
    assert!(
        unknown.contains("no command `/halp`") && unknown.contains("`/help`"),
        "{unknown}"
    );
    talk.say("/plan").await;
    assert_eq!(talk.coming("modeChanged").await["mode"], "plan");
    talk.say("/model flash").await;
    assert_eq!(talk.coming("modelChosen").await["model"], "flash");
    talk.say("/model gemini-2.5-pro").await;
    talk.coming("modelChosen").await;

    // A path is a prompt, and the only one that the model has heard.
    talk.say("/usr/bin is what").await;
    talk.rest_unasked().await;
    assert_eq!(server.requests().len(), 1);
    assert_eq!(said(&server.requests()[0].json()), "/usr/bin is what");
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_of_a_file_becomes_the_prompt_it_stands_for() {
    let world = World::new();
    let workspace = world.work().join(".gemini/commands/git");
    fs::create_dir_all(&workspace).unwrap();
    let user = world.home().join(".gemini/commands");
    fs::create_dir_all(&user).unwrap();
    fs::write(world.work().join("note.txt"), "remember @other.txt\n").unwrap();
    fs::write(
        workspace.join("commit.toml"),
        "description = 'Write a message'\nprompt = 'Note: @{note.txt} Made: !{touch {{args}} && echo done} For {{args}}.'\n",
    )
    .unwrap();
    fs::write(user.join("plain.toml"), "prompt = 'Say hello'\n").unwrap();
    fs::write(user.join("broken.toml"), "prompt = 'Say !{echo'\n").unwrap();
    let server = model([says("one"), says("two")]).await;
    let mut talk = Talk::start(&world, &server).await;
    let list = talk.request("pollux/commandList", json!({})).await.unwrap();
    let mut all = list["commands"].as_array().unwrap().iter();
    assert_eq!(
        *all.find(|command| command["source"] == "workspace")
            .unwrap(),
        json!({
            "name": "git:commit", "description": "Write a message", "arguments": "arguments",
            "source": "workspace",
        })
    );
    talk.say("/git:commit new file").await;
    let asked = talk.event("approvalRequested").await;
    assert_eq!(asked["subject"]["command"], "touch 'new file' && echo done");
    talk.answer(&asked, json!({ "kind": "allow" })).await;
    let events = talk.rest().await;
    assert_eq!(events.last().unwrap()["outcome"], "completed");
    assert!(world.work().join("new file").exists());
    let heard = said(&server.requests()[0].json());
    for part in ["remember @other.txt", "done", "For new file."] {
        assert!(heard.contains(part), "{part} is not in {heard}");
    }

    talk.say("/plain a  b").await;
    let events = talk.rest_unasked().await;
    assert_eq!(of_kind(&events, "turnStarted")["prompt"], "/plain a  b");
    assert_eq!(
        said(&server.requests()[1].json()),
        "Say hello\n\n/plain a  b"
    );

    let broken = answered(&mut talk, "/broken").await;
    assert!(broken.contains("never closed"), "{broken}");
    talk.coming("turnEnded").await;

    // What is refused does not reach the model.
    talk.say("/git:commit x").await;
    let asked = talk.event("approvalRequested").await;
    talk.answer(&asked, json!({ "kind": "deny" })).await;
    let events = talk.rest().await;
    assert_eq!(events.last().unwrap()["outcome"], "declined");
    assert_eq!(server.requests().len(), 2);
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_without_trust_has_no_commands_of_files() {
    let world = World::new();
    let folder = world.work().join(".gemini/commands");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("evil.toml"), "prompt = '!{touch owned}'\n").unwrap();
    let talk = Talk::start_in(&world.work(), world.door(&["lsp"])).await;
    talk.editor
        .notify("pollux/editorState", json!({ "trusted": false }))
        .await;
    let list = talk.editor.request("pollux/commandList", json!({})).await;
    let list = list.unwrap();
    let sources = list["commands"].as_array().unwrap().iter();
    assert!(
        sources
            .into_iter()
            .all(|command| command["source"] == "builtin")
    );
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_files_are_read_anew_when_asked() {
    let world = World::new();
    let file = world.work().join("GEMINI.md");
    fs::write(&file, "old words\n").unwrap();
    let server = model([says("one"), says("two")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("first").await;
    talk.rest_unasked().await;
    fs::write(&file, "new words\n").unwrap();
    talk.say("/memory refresh").await;
    let answer = talk.coming("commandAnswered").await;
    assert!(answer["text"].as_str().unwrap().contains("GEMINI.md"));
    talk.say("second").await;
    talk.rest_unasked().await;
    let told = |order: usize| server.requests()[order].json().to_string();
    assert!(told(0).contains("old words") && !told(0).contains("new words"));
    assert!(told(1).contains("new words") && !told(1).contains("old words"));
    talk.close().await;
    world.expect_no_process_left().await;
}
