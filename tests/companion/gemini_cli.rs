//! The real gemini-cli in a terminal, with a model that plays a script: it finds the companion by itself, tells its model
//! what the editor shows, and writes what was kept in the editor.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pollux_testkit::fake_editor::FakeEditor;
use pollux_testkit::installed;
use pollux_testkit::scripted_model::{Reply, ScriptedModel};
use serde_json::json;
use tokio::process::Command;
use tokio::time::timeout;

use super::agent::{Address, address};
use super::{decide, finish, hunks, window, write};
use crate::support::talk::{calls, model, says};
use crate::support::terminal::Terminal;
use crate::support::{Door, World};

/// The one that `cargo xtask test` has put there.
fn program() -> PathBuf {
    installed("gemini-cli-0.61.0/node_modules/@google/gemini-cli/bundle/gemini.js")
}

/// A person who has set gemini-cli up, uses the companion, and is on no network.
fn settle_in(world: &World) {
    let folder = world.home().join(".gemini");
    fs::create_dir_all(&folder).unwrap();
    let settings = json!({
        "security": { "auth": { "selectedType": "gemini-api-key" }, "folderTrust": { "enabled": false } },
        "privacy": { "usageStatisticsEnabled": false },
        "telemetry": { "enabled": false },
        "general": { "enableAutoUpdate": false, "enableAutoUpdateNotification": false },
        "ide": { "enabled": true, "hasSeenNudge": true },
        "ui": { "hideTips": true, "hideBanner": true },
    });
    fs::write(folder.join("settings.json"), settings.to_string()).unwrap();
    // In a terminal of VS Code it would want to change the keys of the editor first.
    let state = json!({ "terminalSetupPromptShown": true });
    fs::write(folder.join("state.json"), state.to_string()).unwrap();
}

/// Where gemini-cli runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ground {
    Machine,
    Container,
}

/// Starts it in a terminal that was told what `prepare` says.
fn start(
    world: &World,
    server: &ScriptedModel,
    ground: Ground,
    prepare: impl FnOnce(&mut Command),
) -> Terminal {
    Terminal::start(world, Path::new("node"), |command| {
        command
            .args([
                "--require",
                concat!(
                    env!("CARGO_MANIFEST_DIR"),
                    "/../../tests/companion/ground.cjs"
                ),
            ])
            .arg(program())
            .args(["-m", "gemini-2.5-flash"])
            .env("GEMINI_API_KEY", "key-for-the-model")
            .env("GOOGLE_GEMINI_BASE_URL", server.url())
            .env("GEMINI_CLI_NO_RELAUNCH", "1")
            .env("LANG", "C.UTF-8");
        if ground == Ground::Container {
            command.env("POLLUX_TEST_GROUND", "container");
        }
        prepare(command);
    })
}

/// A file of 30 lines in which these are the agent's.
fn text(changed: &[usize]) -> String {
    let line = |line: usize| match changed.contains(&line) {
        true => format!("new {line}\n"),
        false => format!("old {line}\n"),
    };
    (1..=30).map(line).collect()
}

fn rewrites(path: &Path, changed: &[usize]) -> Reply {
    calls(
        "write_file",
        json!({ "file_path": path, "content": text(changed) }),
    )
}

struct Stage {
    world: World,
    server: ScriptedModel,
    editor: FakeEditor,
    door: Door,
    cli: Terminal,
    path: PathBuf,
}

impl Stage {
    /// An editor that shows a file, and gemini-cli in its folder, which has heard of it.
    async fn new(replies: impl FnOnce(&Path) -> Vec<Reply>) -> Self {
        let mut stage = Self::on(Ground::Machine, replies, |_, _, _| {}).await;
        stage.cli.shows("1 open file").await;
        stage
    }

    /// The same on other ground, and in a terminal that was told what `prepare` says.
    async fn on(
        ground: Ground,
        replies: impl FnOnce(&Path) -> Vec<Reply>,
        prepare: impl FnOnce(&mut Command, &World, &Address),
    ) -> Self {
        let world = World::new();
        settle_in(&world);
        let path = write(&world, "notes.txt", &text(&[]));
        let server = model(replies(&path)).await;
        let (editor, door) = window(&world).await;
        let uri = world.uri("notes.txt");
        editor.open(&uri, "text", &text(&[])).await;
        let active =
            json!({ "activeFile": { "uri": uri, "cursor": { "line": 6, "character": 2 } } });
        editor.notify("pollux/editorState", active).await;
        let there = address(&world).await;
        let cli = start(&world, &server, ground, |command| {
            prepare(command, &world, &there);
        });
        Self {
            world,
            server,
            editor,
            door,
            cli,
            path,
        }
    }

    /// Types a prompt, and returns what the model is sent.
    async fn prompt(&mut self, words: &str) -> String {
        self.cli.shows("Type your message").await;
        let before = self.server.requests().len();
        self.cli.type_keys(words);
        self.cli.shows(words).await;
        loop {
            // A return that comes too close to the words is taken for a part of something pasted.
            self.cli.type_keys("\r");
            let asking = async {
                let mut beat = tokio::time::interval(Duration::from_millis(20));
                loop {
                    beat.tick().await;
                    if let Some(request) = self.server.requests().get(before) {
                        return request.text();
                    }
                }
            };
            if let Ok(asked) = timeout(Duration::from_secs(5), asking).await {
                return asked;
            }
        }
    }

    /// Whether the model was told so, in what came last.
    fn was_told(&self, words: &str) -> bool {
        let last = self.server.requests().last().unwrap().json();
        let contents = last["contents"].as_array().unwrap();
        contents.last().unwrap().to_string().contains(words)
    }

    async fn close(mut self) {
        self.server.assert_exhausted();
        self.cli.kill().await;
        finish(&self.world, self.editor, self.door).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn gemini_cli_knows_what_the_editor_shows_and_writes_exactly_the_kept_hunks() {
    let mut stage = Stage::new(|path| {
        vec![
            rewrites(path, &[3, 15, 27]),
            says("First done."),
            rewrites(path, &[3, 20, 27]),
        ]
    })
    .await;
    let asked = stage.prompt("change three lines").await;
    let active = format!(
        "\\\"activeFile\\\": {{\\n    \\\"path\\\": \\\"{}\\\"",
        stage.path.display()
    );
    assert!(asked.contains(&active), "{asked}");

    // One is kept, one rejected, one kept.
    let shown = hunks(&stage.editor, 3).await;
    assert_eq!(shown["hunks"][1]["added"], "new 15\n");
    decide(&stage.editor, "pollux.hunk.reject", &shown, 1).await;
    let shown = hunks(&stage.editor, 2).await;
    assert_eq!(fs::read_to_string(&stage.path).unwrap(), text(&[]));
    let all = json!({ "command": "pollux.file.keep", "arguments": [{ "uri": shown["uri"] }] });
    stage
        .editor
        .request("workspace/executeCommand", all)
        .await
        .unwrap();
    stage.cli.shows("First done.").await;
    assert_eq!(fs::read_to_string(&stage.path).unwrap(), text(&[3, 27]));
    assert!(stage.was_told("User modified"));
    hunks(&stage.editor, 0).await;
    // The editor reads it anew.
    let uri = stage.world.uri("notes.txt");
    let whole = pollux_testkit::TextChange {
        range: None,
        text: text(&[3, 27]),
    };
    stage.editor.change(&uri, 2, &[whole]).await;

    // What is rejected is not written.
    stage.prompt("and another").await;
    let shown = hunks(&stage.editor, 1).await;
    assert_eq!(shown["hunks"][0]["added"], "new 20\n");
    decide(&stage.editor, "pollux.hunk.reject", &shown, 0).await;
    stage.cli.shows("Request cancelled").await;
    assert_eq!(fs::read_to_string(&stage.path).unwrap(), text(&[3, 27]));
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_decided_in_the_terminal_first_is_gone_from_the_editor() {
    let mut stage = Stage::new(|path| {
        vec![
            rewrites(path, &[3, 15]),
            says("First done."),
            rewrites(path, &[3, 15, 27]),
            says("Second done."),
        ]
    })
    .await;
    stage.prompt("change two lines").await;
    hunks(&stage.editor, 2).await;
    stage.cli.shows("Allow once").await;
    stage.cli.type_keys("\r");
    stage.cli.shows("First done.").await;
    hunks(&stage.editor, 0).await;
    assert_eq!(fs::read_to_string(&stage.path).unwrap(), text(&[3, 15]));
    let uri = stage.world.uri("notes.txt");
    let whole = pollux_testkit::TextChange {
        range: None,
        text: text(&[3, 15]),
    };
    stage.editor.change(&uri, 2, &[whole]).await;

    // All of it kept in the editor: gemini-cli makes its own edit, and its model is not told of another one.
    stage.prompt("one more").await;
    let shown = hunks(&stage.editor, 1).await;
    decide(&stage.editor, "pollux.hunk.keep", &shown, 0).await;
    stage.cli.shows("Second done.").await;
    assert_eq!(fs::read_to_string(&stage.path).unwrap(), text(&[3, 15, 27]));
    assert!(!stage.was_told("User modified"));
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn in_a_container_that_the_editor_is_in_too_gemini_cli_is_told_to_look_there() {
    // What our editors say in a container that says nothing itself, what dev containers say, and what SSH does.
    for (name, value) in [
        ("REMOTE_CONTAINERS", "1"),
        ("VSCODE_REMOTE_CONTAINERS_SESSION", "x"),
        ("SSH_CONNECTION", "127.0.0.1 1 127.0.0.1 22"),
    ] {
        let mut stage = Stage::on(
            Ground::Container,
            |_| Vec::new(),
            |command, _, _| {
                command.env(name, value);
            },
        )
        .await;
        stage.cli.shows("1 open file").await;
        stage.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn from_a_container_beside_the_editor_gemini_cli_is_refused_and_the_log_says_why() {
    let mut stage = Stage::on(Ground::Container, |_| Vec::new(), |_, _, _| {}).await;
    let refused = async {
        let mut beat = tokio::time::interval(Duration::from_millis(20));
        while !stage
            .world
            .log()
            .contains("a program in a container has to reach it by that name")
        {
            beat.tick().await;
        }
    };
    timeout(Duration::from_secs(40), refused)
        .await
        .expect("it is in the log");
    let screen = stage.cli.shows("Type your message").await;
    assert!(!screen.contains("1 open file"), "{screen}");
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_terminal_was_told_is_enough_where_the_file_cannot_be_seen() {
    let mut stage = Stage::on(
        Ground::Machine,
        |path| vec![rewrites(path, &[3, 15]), says("First done.")],
        |command, world, there| {
            // Another folder for temporary files, and another way to the workspace.
            let elsewhere = world.home().join("tmp");
            fs::create_dir(&elsewhere).unwrap();
            let way = world.home().join("way");
            symlink(world.work(), &way).unwrap();
            command
                .current_dir(way)
                .env("TMPDIR", elsewhere)
                .env("TERM_PROGRAM", "vscode")
                .env("GEMINI_CLI_IDE_SERVER_PORT", there.port.to_string())
                .env("GEMINI_CLI_IDE_WORKSPACE_PATH", world.work())
                .env("GEMINI_CLI_IDE_AUTH_TOKEN", &there.token);
        },
    )
    .await;
    stage.cli.shows("1 open file").await;
    stage.prompt("change two lines").await;
    let shown = hunks(&stage.editor, 2).await;
    decide(&stage.editor, "pollux.hunk.reject", &shown, 0).await;
    let shown = hunks(&stage.editor, 1).await;
    decide(&stage.editor, "pollux.hunk.keep", &shown, 0).await;
    stage.cli.shows("First done.").await;
    assert_eq!(fs::read_to_string(&stage.path).unwrap(), text(&[15]));
    stage.close().await;
}
