//! Toad, a client of the agent protocol in a terminal: what a person reads on its screen and answers by key.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use pollux_testkit::installed_root;
use pollux_testkit::scripted_model::{Reply, ReplyEnd, ScriptedModel};
use serde_json::json;

use crate::support::talk::{calls, model, returned, runs, says, with_model};
use crate::support::terminal::Terminal;
use crate::support::world::World;

/// Stands in the prompt while it is empty.
const NOTHING_TYPED: &str = "How can I help you today?";

const ENTER: &str = "\r";
const DOWN: &str = "\x1b[B";
const MODES: &str = "\x0f";
const RESUME: &str = "\x12";
const ESCAPE: &str = "\x1b";
const QUIT: &str = "\x11";

/// The Toad that `cargo xtask test` has found or put there.
fn toad() -> PathBuf {
    let ours = installed_root().join("toad/toad");
    match ours.exists() {
        true => ours,
        false => PathBuf::from("toad"),
    }
}

/// What Toad finds in the person's home: a `pollux`, and that it is to keep to itself.
fn set_up(world: &World) {
    let folder = world.home().join(".config/toad");
    fs::create_dir_all(&folder).unwrap();
    let settings = json!({
        "statistics": { "allow_collect": false },
        "notifications": { "system": "never", "blink_title": false },
        // The other kind of throbber shows words of its own. Short messages stay long enough for a busy machine.
        "ui": { "throbber": "pulse", "flash_duration": 30.0 },
    });
    fs::write(folder.join("toad.json"), settings.to_string()).unwrap();
    let programs = world.home().join("bin");
    fs::create_dir(&programs).unwrap();
    symlink(env!("CARGO_BIN_EXE_pollux"), programs.join("pollux")).unwrap();
}

fn start(world: &World, server: &ScriptedModel, words: &[&str]) -> Terminal {
    Terminal::start(world, &toad(), |command| {
        with_model(command, server);
        let programs = world.home().join("bin");
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", programs.display());
        command
            .args(words)
            .arg(world.work())
            .env("PATH", path)
            .env("LANG", "C.UTF-8")
            // It asks for its newest version, and there is no setting against that. Nobody answers there.
            .env("HTTPS_PROXY", "http://127.0.0.1:9")
            .env("GEMINI_CLI_TRUST_WORKSPACE", "true");
    })
}

/// Toad with a new session.
async fn open(world: &World, server: &ScriptedModel) -> Terminal {
    set_up(world);
    let mut toad = start(world, server, &["acp", "pollux acp"]);
    ready(&mut toad).await;
    toad
}

/// Waits for a session that takes prompts.
async fn ready(toad: &mut Terminal) {
    toad.until("a session", |screen| {
        screen.contains(NOTHING_TYPED) && screen.contains("Ask") && !screen.contains("Initializing")
    })
    .await;
}

/// A key that comes together with letters is a line break for Toad, so it waits until they are there.
async fn say(toad: &mut Terminal, words: &str) {
    toad.shows(NOTHING_TYPED).await;
    toad.type_keys(words);
    toad.shows(&format!("❯ {words}")).await;
    toad.type_keys(ENTER);
}

async fn leave(mut toad: Terminal, world: &World) {
    toad.type_keys(QUIT);
    toad.ended().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_streams_into_toad_and_is_stopped_by_a_key() {
    let world = World::new();
    let halves = Reply::text("The first half,")
        .gate("half")
        .chunk(" and the second.");
    let endless = Reply::text("Without an end").gate("never");
    let server = model([halves.finish("STOP"), endless, says("Still here.")]).await;
    let mut toad = open(&world, &server).await;

    say(&mut toad, "hello there").await;
    toad.shows("The first half,").await;
    server.open_gate("half");
    toad.shows("The first half, and the second.").await;

    say(&mut toad, "go on").await;
    toad.shows("Without an end").await;
    stop(&mut toad).await;
    assert_eq!(server.reply_end(2).await, ReplyEnd::ClientLeft);

    say(&mut toad, "and now?").await;
    toad.shows("Still here.").await;
    leave(toad, &world).await;
}

/// A key that is pressed twice, unless Toad has just been started.
async fn stop(toad: &mut Terminal) {
    toad.type_keys(ESCAPE);
    let again = "again to cancel agent's turn";
    let stopped = "Turn cancelled";
    let screen = toad
        .until("a word about the key", |screen| {
            screen.contains(again) || screen.contains(stopped)
        })
        .await;
    if !screen.contains(stopped) {
        toad.type_keys(ESCAPE);
        toad.shows(stopped).await;
    }
}

/// Waits until the question takes keys: the call itself is told before it.
async fn asked(toad: &mut Terminal, about: &str) -> String {
    toad.until(about, |screen| {
        screen.contains(about) && screen.contains("Always allow")
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_are_answered_by_key_in_toad_and_steps_are_a_plan() {
    let world = World::new();
    let steps = json!({ "todos": [
        { "description": "look around", "status": "completed" },
        { "description": "make it", "status": "in_progress" },
    ] });
    let server = model([
        calls("write_todos", steps),
        runs("echo yes > allowed"),
        says("It is made."),
        runs("echo no > rejected"),
        says("Then not."),
    ])
    .await;
    let mut toad = open(&world, &server).await;
    say(&mut toad, "make it").await;
    let screen = asked(&mut toad, "echo yes > allowed").await;
    assert!(screen.contains("✔ look around"), "{screen}");
    assert!(screen.contains("👉 make it"), "{screen}");
    assert!(!world.work().join("allowed").exists());
    toad.type_keys("a");
    toad.shows("It is made.").await;
    assert!(world.work().join("allowed").exists());

    say(&mut toad, "and another").await;
    asked(&mut toad, "echo no > rejected").await;
    toad.type_keys("r");
    toad.shows("failed").await;
    toad.shows("Then not.").await;
    assert!(!world.work().join("rejected").exists());
    leave(toad, &world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn edits_are_shown_and_decided_in_toad() {
    let world = World::new();
    let notes = world.work().join("notes.txt");
    fs::write(&notes, "one\ntwo\nthree\n").unwrap();
    let change = |from: &str, to: &str| {
        let arguments = json!({
            "file_path": notes, "instruction": "change it", "old_string": from, "new_string": to,
        });
        calls("replace", arguments)
    };
    let read = calls("read_file", json!({ "file_path": notes }));
    let server = model([
        read,
        change("two", "a better two"),
        change("three", "no three"),
        says("Then two is enough."),
    ])
    .await;
    let mut toad = open(&world, &server).await;
    say(&mut toad, "change them").await;
    toad.shows("Approval request").await;
    toad.shows("a better two").await;
    assert_eq!(fs::read_to_string(&notes).unwrap(), "one\ntwo\nthree\n");
    toad.type_keys("a");
    toad.shows("no three").await;
    let kept = "one\na better two\nthree\n";
    assert_eq!(fs::read_to_string(&notes).unwrap(), kept);
    toad.type_keys("r");
    toad.hides("Approval request").await;
    toad.shows("Then two is enough.").await;
    leave(toad, &world).await;
    assert_eq!(fs::read_to_string(&notes).unwrap(), kept);
}

/// For Toad a file that is not there is an empty one, and a folder that is not there is an error.
#[tokio::test(flavor = "multi_thread")]
async fn a_new_file_in_a_new_folder_is_made_through_toad() {
    let world = World::new();
    let fresh = world.work().join("deep/er/fresh.txt");
    let write = calls(
        "write_file",
        json!({ "file_path": fresh, "content": "fresh\n" }),
    );
    let server = model([write, says("It is written.")]).await;
    let mut toad = open(&world, &server).await;
    say(&mut toad, "write it").await;
    toad.shows("Keep this and all edits").await;
    toad.type_keys("a");
    toad.shows("It is written.").await;
    assert_eq!(fs::read_to_string(&fresh).unwrap(), "fresh\n");
    leave(toad, &world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_runs_in_a_terminal_of_toad_s_and_is_stopped_there() {
    let world = World::new();
    let folder = world.home().join(".gemini");
    fs::create_dir(&folder).unwrap();
    let settings = json!({ "pollux": { "acp": { "clientTerminal": true } } });
    fs::write(folder.join("settings.json"), settings.to_string()).unwrap();
    let server = model([
        runs("echo on $((40 + 2)) screens; tty -s && exit 3"),
        says("It has ended."),
        runs("echo begun on $((40 + 1)); exec sleep 1000"),
    ])
    .await;
    let mut toad = open(&world, &server).await;
    say(&mut toad, "run it").await;
    asked(&mut toad, "screens").await;
    toad.type_keys("a");
    toad.shows("on 42 screens").await;
    toad.shows("It has ended.").await;
    let told = returned(&server);
    assert!(told.contains("on 42 screens"), "{told}");
    assert!(told.contains("Exit Code: 3"), "it has a terminal: {told}");

    say(&mut toad, "and another").await;
    asked(&mut toad, "begun").await;
    toad.type_keys("a");
    toad.shows("begun on 41").await;
    stop(&mut toad).await;
    toad.shows("failed").await;
    leave(toad, &world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_named_in_toad_goes_to_the_model_once() {
    let world = World::new();
    fs::write(world.work().join("notes.txt"), "the text in it\n").unwrap();
    let server = model([says("It is read.")]).await;
    let mut toad = open(&world, &server).await;
    toad.type_keys("read @");
    toad.shows("fuzzy search").await;
    toad.type_keys("notes");
    // In the tree of the project, in the search, and among what it has found.
    toad.until("a file that is found", |screen| {
        screen.matches("notes").count() == 3
    })
    .await;
    toad.type_keys(ENTER);
    toad.shows("❯ read @notes.txt").await;
    toad.type_keys(ENTER);
    toad.shows("It is read.").await;
    let sent = server.requests()[0].text();
    assert_eq!(sent.matches("the text in it").count(), 1, "{sent}");
    leave(toad, &world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mode_that_is_chosen_in_toad_counts() {
    let world = World::new();
    let server = model([runs("touch made"), says("It is made.")]).await;
    let mut toad = open(&world, &server).await;
    toad.type_keys(MODES);
    toad.shows("Asks before edits").await;
    // Toad sorts them by their names.
    toad.type_keys(DOWN);
    toad.type_keys(ENTER);
    toad.shows("Mode changed to Auto-approve all").await;
    say(&mut toad, "make it").await;
    toad.shows("It is made.").await;
    leave(toad, &world).await;
    assert!(world.work().join("made").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_goes_on_in_the_next_toad() {
    let world = World::new();
    let server = model([says("The first answer."), says("The second one.")]).await;
    let mut toad = open(&world, &server).await;
    say(&mut toad, "first words").await;
    toad.shows("The first answer.").await;
    leave(toad, &world).await;

    let mut toad = start(&world, &server, &["run"]);
    toad.shows("Resume").await;
    toad.type_keys(RESUME);
    toad.shows("Session Resume").await;
    toad.shows("just now").await;
    toad.type_keys(ENTER);
    toad.shows("The first answer.").await;
    ready(&mut toad).await;
    say(&mut toad, "second words").await;
    toad.shows("The second one.").await;
    let sent = server.requests()[1].text();
    assert!(
        sent.contains("first words") && sent.contains("The first answer."),
        "{sent}"
    );
    leave(toad, &world).await;
}
