//! What an attacker would have the agent run: nothing of it happens before a person has been asked.

mod approved;
mod examples;
mod guarded;
mod init;
mod repositories;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::json;

use crate::support::talk::{Talk, door, model, runs, says};
use crate::support::world::World;

/// Commands of one turn: no turn goes on for ever.
const COMMANDS: usize = 20;

/// Everything below a folder: links as what they say, files as what is in them.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().display().to_string();
            let kind = fs::symlink_metadata(&path).unwrap().file_type();
            if kind.is_symlink() {
                found.insert(name, fs::read_link(&path).unwrap().display().to_string());
            } else if kind.is_dir() {
                folders.push(path);
                found.insert(name, String::new());
            } else {
                let text = fs::read(&path).unwrap();
                found.insert(name, String::from_utf8_lossy(&text).into_owned());
            }
        }
    }
    found
}

/// Each command is asked about in this mode and refused, and the workspace stays as it is.
async fn expect_asked_in(world: &World, mode: &str, commands: &[&str]) {
    let before = files(&world.work());
    let mut replies = Vec::new();
    for chunk in commands.chunks(COMMANDS) {
        replies.extend(chunk.iter().map(|command| runs(command)));
        replies.push(says("then not"));
    }
    let server = model(replies).await;
    let mut talk = Talk::start_in(&world.work(), door(world, &server)).await;
    if mode != "default" {
        talk.ask("pollux/modeSet", json!({ "mode": mode })).await;
    }
    for chunk in commands.chunks(COMMANDS) {
        talk.say("go on").await;
        for command in chunk {
            let question = talk.event("approvalRequested").await;
            assert_eq!(question["subject"]["command"], *command, "{question}");
            talk.answer(&question, json!({ "kind": "deny" })).await;
        }
        talk.rest_unasked().await;
    }
    talk.close().await;
    world.expect_no_process_left().await;
    assert_eq!(files(&world.work()), before, "something has changed");
}

/// Rules that the person has written, each for commands that begin like this.
fn allow(world: &World, prefixes: &[&str]) {
    let folder = world.home().join(".gemini/policies");
    fs::create_dir_all(&folder).unwrap();
    let rule = format!(
        "[[rule]]\ntoolName = \"run_shell_command\"\ndecision = \"allow\"\npriority = 100\n\
         commandPrefix = {prefixes:?}\n"
    );
    fs::write(folder.join("mine.toml"), rule).unwrap();
}
