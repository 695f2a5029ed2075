//! "Always": this session, this workspace, everywhere; and how it is taken back.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::talk::{Talk, door, model, runs, says};
use crate::support::world::World;

/// A turn in which the command is asked about, and allowed for good.
async fn allow_always(talk: &mut Talk, scope: &str) {
    talk.say("make it").await;
    let question = talk.event("approvalRequested").await;
    let offer = &question["offers"][0];
    assert!(
        offer["scopes"].as_array().unwrap().contains(&json!(scope)),
        "{question}"
    );
    let always = json!({ "kind": "always", "offer": 0, "scope": scope });
    talk.answer(&question, always).await;
    talk.rest_unasked().await;
}

/// A turn in which the command is asked about, and which is stopped then.
async fn expect_asked(talk: &mut Talk) {
    talk.say("make it").await;
    talk.event("approvalRequested").await;
    talk.ask("pollux/turnCancel", json!({})).await;
    assert_eq!(talk.rest().await.pop().unwrap()["outcome"], "cancelled");
}

async fn expect_unasked(talk: &mut Talk) {
    talk.say("make it").await;
    talk.rest_unasked().await;
}

async fn policy(world: &World, arguments: &[&str]) -> String {
    let output = world
        .pollux(&[&["policy"], arguments].concat())
        .env("GEMINI_CLI_TRUST_WORKSPACE", "true")
        .output()
        .await
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn files_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn for_the_session_ends_with_the_session() {
    let world = World::new();
    let server = model([
        runs("touch made"),
        says("made"),
        runs("touch made"),
        says("made again"),
        runs("touch made"),
    ])
    .await;
    let mut talk = Talk::start(&world, &server).await;
    allow_always(&mut talk, "session").await;
    expect_unasked(&mut talk).await;
    talk.start_anew().await;
    expect_asked(&mut talk).await;
    talk.close().await;
    world.expect_no_process_left().await;
    assert!(!world.home().join(".gemini/policies").exists());
    assert!(!world.home().join(".gemini/pollux/approvals").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn for_the_workspace_outlives_the_host_and_holds_nowhere_else() {
    let world = World::new();
    let mut replies = Vec::new();
    for _ in 0..4 {
        replies.extend([runs("touch made"), says("made")]);
    }
    replies.push(runs("touch made"));
    let server = model(replies).await;
    let mut talk = Talk::start(&world, &server).await;
    allow_always(&mut talk, "workspace").await;
    expect_unasked(&mut talk).await;
    talk.start_anew().await;
    expect_unasked(&mut talk).await;
    talk.close().await;
    world.expect_no_process_left().await;

    let mut talk = Talk::start(&world, &server).await;
    expect_unasked(&mut talk).await;
    talk.close().await;
    world.expect_no_process_left().await;
    // Nothing that the agent could write itself, and nothing that a clone would bring along.
    assert_eq!(files_in(&world.work()), ["made"]);
    assert!(!world.home().join(".gemini/policies").exists());
    let listed = policy(&world, &["approvals"]).await;
    assert!(listed.contains("in this workspace"), "{listed}");

    let elsewhere = world.work().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let mut talk = Talk::start_in(&elsewhere, door(&world, &server)).await;
    expect_asked(&mut talk).await;
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn for_the_person_holds_everywhere_until_it_is_taken_back() {
    let world = World::new();
    let twice = [runs("touch made"), runs("touch made")];
    let mut replies = [twice, [says("made"), says("made")]].concat();
    for _ in 0..3 {
        replies.extend([runs("touch made"), says("made")]);
    }
    replies.push(runs("touch made"));
    let server = model(replies).await;
    let mut talk = Talk::start(&world, &server).await;
    // Somebody who is asked in two sessions at once says it twice.
    let mut other = Talk::start(&world, &server).await;
    let always = json!({ "kind": "always", "offer": 0, "scope": "user" });
    let mut questions = Vec::new();
    for talk in [&mut talk, &mut other] {
        talk.say("make it").await;
        questions.push(talk.event("approvalRequested").await);
    }
    for (talk, question) in [&mut talk, &mut other].into_iter().zip(&questions) {
        talk.answer(question, always.clone()).await;
        talk.rest_unasked().await;
    }
    expect_unasked(&mut talk).await;
    other.close().await;
    talk.start_anew().await;
    expect_unasked(&mut talk).await;
    talk.close().await;
    world.expect_no_process_left().await;

    // One rule, of the shape that the twin writes.
    let file = world.home().join(".gemini/policies/auto-saved.toml");
    let saved = fs::read_to_string(&file).unwrap();
    assert_eq!(saved.matches("[[rule]]").count(), 1, "{saved}");
    for part in ["run_shell_command", "touch"] {
        assert_eq!(saved.matches(part).count(), 1, "{saved}");
    }
    let elsewhere = world.work().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let mut talk = Talk::start_in(&elsewhere, door(&world, &server)).await;
    expect_unasked(&mut talk).await;
    talk.close().await;
    world.expect_no_process_left().await;

    let listed = policy(&world, &["approvals"]).await;
    assert!(
        listed.starts_with("1. run_shell_command `touch`, everywhere"),
        "{listed}"
    );
    let listed: Value =
        serde_json::from_str(&policy(&world, &["approvals", "--json"]).await).unwrap();
    assert_eq!(listed[0]["file"], file.to_str().unwrap());
    policy(&world, &["approvals", "--remove", "1"]).await;
    assert_eq!(
        policy(&world, &["approvals"]).await,
        "Nothing is allowed for good.\n"
    );
    let mut talk = Talk::start(&world, &server).await;
    expect_asked(&mut talk).await;
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_allowed_or_taken_back_counts_in_sessions_that_are_open() {
    let world = World::new();
    let server = model([
        runs("touch made"),
        says("made"),
        runs("touch made"),
        says("made"),
        runs("touch made"),
    ])
    .await;
    let mut other = Talk::start(&world, &server).await;
    let mut talk = Talk::start(&world, &server).await;
    allow_always(&mut talk, "workspace").await;
    expect_unasked(&mut other).await;
    policy(&world, &["approvals", "--remove", "1"]).await;
    expect_asked(&mut talk).await;
    talk.close().await;
    other.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn for_the_person_holds_beside_rule_files_of_their_own() {
    let world = World::new();
    fs::create_dir(world.home().join(".gemini")).unwrap();
    fs::write(world.home().join("rules.toml"), "").unwrap();
    let settings = json!({ "policyPaths": [world.home().join("rules.toml")] });
    fs::write(
        world.home().join(".gemini/settings.json"),
        settings.to_string(),
    )
    .unwrap();
    let turn = [runs("touch made"), says("made")];
    let server = model([turn.clone(), turn].concat()).await;
    let mut talk = Talk::start(&world, &server).await;
    allow_always(&mut talk, "user").await;
    talk.start_anew().await;
    expect_unasked(&mut talk).await;
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_is_changed_before_it_is_saved_and_one_that_cannot_be_used_leaves_the_question_open()
{
    let world = World::new();
    let server = model([
        runs("touch made one"),
        says("made"),
        runs("touch made two"),
        says("made again"),
        runs("touch other"),
    ])
    .await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("make it").await;
    let question = talk.event("approvalRequested").await;
    let offered = question["offers"][0]["rule"]["text"].as_str().unwrap();
    let prefix = offered
        .lines()
        .find(|line| line.starts_with("commandPrefix"))
        .unwrap();
    let rule = |new: &str| offered.replace(prefix, &format!("commandPrefix = [{new:?}]"));
    let by = |rule: &str| json!({ "kind": "alwaysBy", "rule": rule, "scope": "user" });
    talk.answer(&question, by(&rule("rm"))).await;
    assert_eq!(
        talk.event("refused").await["reason"],
        "the rule was not saved, and the question is still open: it would not allow what is asked about"
    );
    talk.answer(&question, by("nothing")).await;
    talk.event("refused").await;
    let saved = rule("touch made");
    talk.answer(&question, by(&saved)).await;
    talk.rest_unasked().await;
    expect_unasked(&mut talk).await;
    // Narrower than what was offered: another file is asked about.
    expect_asked(&mut talk).await;
    let file = world.home().join(".gemini/policies/auto-saved.toml");
    assert_eq!(fs::read_to_string(file).unwrap().trim(), saved);
    talk.close().await;
    world.expect_no_process_left().await;
}
