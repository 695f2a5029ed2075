//! A real Helix with our configuration: no plugin, only what the language server protocol carries.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use pollux_testkit::installed_root;
use pollux_testkit::scripted_model::{Call, Reply, ScriptedModel};
use serde_json::json;
use toml_edit::DocumentMut;

use crate::support::talk::{Talk, model, says, with_model};
use crate::support::terminal::Terminal;
use crate::support::world::World;

/// The arrow key.
const DOWN: &str = "\x1b[B";

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../editors/helix");

#[test]
fn the_configuration_starts_pollux_behind_each_language_server() {
    let text = fs::read_to_string(format!("{FOLDER}/languages.toml")).unwrap();
    let config: DocumentMut = text.parse().unwrap();
    let server = &config["language-server"]["pollux"];
    assert_eq!(server["command"].as_str(), Some("pollux"));
    let args: Vec<_> = server["args"].as_array().unwrap().iter().collect();
    assert_eq!(args.len(), 1);
    assert_eq!(args[0].as_str(), Some("lsp"));
    let languages = config["language"].as_array_of_tables().unwrap();
    assert!(!languages.is_empty());
    for language in languages {
        let servers = language["language-servers"].as_array().unwrap();
        let names: Vec<_> = servers.iter().filter_map(|name| name.as_str()).collect();
        assert_eq!(names.last(), Some(&"pollux"), "{language}");
        assert!(names.len() > 1, "{language}");
    }
}

/// A file of 30 lines in which these are the agent's.
fn text(changed: &[usize]) -> String {
    let line = |line: usize| match changed.contains(&line) {
        true => format!("new {line}\n"),
        false => format!("old {line}\n"),
    };
    (0..30).map(line).collect()
}

/// The Helix that `cargo xtask test` has found or put there.
fn helix() -> PathBuf {
    let ours = installed_root().join("helix/hx");
    match ours.exists() {
        true => ours,
        false => PathBuf::from("hx"),
    }
}

/// Helix with a file open, in a home that has our configuration and a `pollux` on its path.
fn open(world: &World, server: &ScriptedModel, name: &str) -> Terminal {
    let folder = world.home().join(".config/helix");
    fs::create_dir_all(&folder).unwrap();
    fs::copy(
        format!("{FOLDER}/languages.toml"),
        folder.join("languages.toml"),
    )
    .unwrap();
    let programs = world.home().join("bin");
    fs::create_dir(&programs).unwrap();
    symlink(env!("CARGO_BIN_EXE_pollux"), programs.join("pollux")).unwrap();
    Terminal::start(world, &helix(), |command| {
        with_model(command, server);
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", programs.display());
        command
            .arg(name)
            .env("PATH", path)
            .env("LANG", "C.UTF-8")
            .env("GEMINI_CLI_TRUST_WORKSPACE", "true");
    })
}

/// The agent is told to change the lines from another editor on the same folder: Helix has no place for a chat.
async fn edits(world: &World, server: &ScriptedModel) {
    let mut talk = Talk::start(world, server).await;
    talk.ask("pollux/modeSet", json!({ "mode": "autoEdit" }))
        .await;
    talk.say("change them").await;
    talk.rest_unasked().await;
    talk.close().await;
}

fn changes(path: &Path, lines: &[usize]) -> Reply {
    let replies = lines.iter().fold(Reply::new(), |reply, line| {
        reply.call(Call::new(
            "replace",
            json!({
                "file_path": path,
                "instruction": "change a line",
                "old_string": format!("old {line}\n"),
                "new_string": format!("new {line}\n"),
            }),
        ))
    });
    replies.finish("STOP")
}

#[tokio::test(flavor = "multi_thread")]
async fn hunks_are_decided_by_code_actions_in_a_real_helix() {
    let world = World::new();
    let notes = world.work().join("notes.md");
    fs::write(&notes, text(&[])).unwrap();
    let server = model([changes(&notes, &[12, 16, 24]), says("Done.")]).await;
    let mut helix = open(&world, &server, "notes.md");
    helix.shows("old 29").await;

    // What is typed and not saved is what the agent gets to see, and stays.
    helix.type_keys("ggOmine");
    helix.shows("mine").await;
    helix.type_keys("\x1b");
    helix.shows(" NOR ").await;
    edits(&world, &server).await;
    // Each hunk has its diagnostic.
    for line in [12, 16, 24] {
        helix.shows(&format!("new {line}")).await;
        helix.shows(&format!("(was: old {line})")).await;
    }

    // From hunk to hunk: the first is kept, the second rejected, and the rest decided as a whole.
    helix.type_keys("gg]d");
    helix.shows("sel  14:").await;
    choose(&mut helix, "Pollux: Keep this hunk").await;
    helix.hides("(was: old 12)").await;
    helix.type_keys("]d");
    helix.shows("sel  18:").await;
    choose(&mut helix, "Pollux: Reject this hunk").await;
    helix.hides("(was: old 16)").await;
    helix.shows("old 16").await;

    // A second thought about the rejected one, and a third.
    choose(&mut helix, "Pollux: Undo the last decision").await;
    helix.shows("(was: old 16)").await;
    helix.type_keys("gg]d");
    helix.shows("sel  18:").await;
    choose(&mut helix, "Pollux: Reject this hunk").await;
    helix.hides("(was: old 16)").await;
    choose(&mut helix, "Pollux: Keep everything").await;
    helix.hides("(was: old 24)").await;

    helix.type_keys(":wq\r");
    helix.ended().await;
    let kept = format!("mine\n{}", text(&[12, 24]));
    assert_eq!(fs::read_to_string(&notes).unwrap(), kept);
    world.expect_no_process_left().await;
}

/// Chooses a code action for the line of the cursor by its title.
async fn choose(helix: &mut Terminal, title: &str) {
    helix.type_keys(" a");
    let screen = helix.shows(title).await;
    // The menu lies over the text and nothing else begins like this; its first line is chosen already.
    let titles = screen
        .lines()
        .filter_map(|line| line.split_once("Pollux: "));
    let titles: Vec<&str> = titles.map(|(_, title)| title.trim()).collect();
    let wanted = title.trim_start_matches("Pollux: ");
    let place = titles.iter().position(|title| title.starts_with(wanted));
    helix.type_keys(&DOWN.repeat(place.unwrap()));
    helix.type_keys("\r");
    helix.hides("Pollux: ").await;
}
