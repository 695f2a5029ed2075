//! `!command` in an interactive door: a call of the shell tool like any other.

use std::fs;

use serde_json::{Value, json};

use super::of_kind;
use crate::support::talk::{Talk, model, says};
use crate::support::world::World;

const DENIED: &str = "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"touch\"\n\
                      decision = \"deny\"\npriority = 999\ndenyMessage = \"Not here.\"\n";

/// The end of the call in a turn in which nobody is asked.
async fn ended(talk: &mut Talk, line: &str) -> Value {
    talk.say(line).await;
    let events = talk.rest_unasked().await;
    of_kind(&events, "toolEnded").clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shell_line_is_asked_about_and_the_answer_counts() {
    let world = World::new();
    let server = model([says("I see")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("!touch made").await;
    let question = talk.event("approvalRequested").await;
    assert_eq!(question["tool"], "run_shell_command");
    assert!(!world.work().join("made").exists());
    talk.answer(&question, json!({ "kind": "deny" })).await;
    assert_eq!(talk.rest().await.pop().unwrap()["outcome"], "declined");
    assert!(!world.work().join("made").exists());

    // Substitution is not refused to a person, and not waved through either.
    talk.say("!touch $(echo made)").await;
    let question = talk.event("approvalRequested").await;
    assert!(!world.work().join("made").exists());
    talk.answer(&question, json!({ "kind": "allow" })).await;
    talk.rest().await;
    assert!(world.work().join("made").exists());
    assert_eq!(server.requests().len(), 0);

    talk.say("what happened?").await;
    talk.rest_unasked().await;
    let told = server.requests()[0].text();
    assert!(told.contains("I tried to run this shell command"), "{told}");
    assert!(told.contains("I ran this shell command"), "{told}");
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shell_line_shows_its_exit_code() {
    let world = World::new();
    let server = model([]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("!touch made; exit 7").await;
    let question = talk.event("approvalRequested").await;
    talk.answer(&question, json!({ "kind": "allow" })).await;
    let ended = talk.event("toolEnded").await;
    let message = ended["message"].as_str().unwrap();
    assert!(message.contains("exit code 7"), "{ended}");
    assert!(world.work().join("made").exists());
    talk.rest().await;
    // What only looks is not asked about.
    let ended = self::ended(&mut talk, "!ls").await;
    assert_eq!(ended["status"], "succeeded", "{ended}");
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_excluded_tools_and_plan_mode_hold_for_shell_lines() {
    let rules = |world: &World| {
        let folder = world.home().join(".gemini/policies");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("mine.toml"), DENIED).unwrap();
    };
    let excluded = |world: &World| {
        let folder = world.home().join(".gemini");
        fs::create_dir_all(&folder).unwrap();
        let settings = json!({ "tools": { "exclude": ["run_shell_command"] } });
        fs::write(folder.join("settings.json"), settings.to_string()).unwrap();
    };
    let nothing = |_: &World| {};
    type Prepare<'a> = &'a dyn Fn(&World);
    let setups: [(Prepare<'_>, &str); 4] = [
        (&rules, "default"),
        (&rules, "yolo"),
        (&excluded, "yolo"),
        (&nothing, "plan"),
    ];
    for (prepare, mode) in setups {
        let world = World::new();
        prepare(&world);
        let server = model([]).await;
        let mut talk = Talk::start(&world, &server).await;
        talk.ask("pollux/modeSet", json!({ "mode": mode })).await;
        let ended = ended(&mut talk, "!touch made").await;
        assert_eq!(ended["status"], "failed", "{mode}: {ended}");
        assert!(!world.work().join("made").exists(), "{mode}");
        assert_eq!(server.requests().len(), 0);
        talk.close().await;
    }
}
