//! Sessions that go on after a process was killed.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use pollux_testkit::scripted_model::{Call, Reply, ScriptedModel, Usage};
use serde_json::{Value, json};
use tokio::process::{Child, Command};

use crate::support::talk::{self, Talk, says, told};
use crate::support::world::World;

const SOON: Duration = Duration::from_secs(20);

fn run(world: &World, server: &ScriptedModel, arguments: &[&str]) -> Command {
    let mut command = world.pollux(&[&["run", "--skip-trust"], arguments].concat());
    talk::with_model(&mut command, server);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// As `kill -9` does it.
async fn kill(mut child: Child) {
    child.start_kill().unwrap();
    child.wait().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_was_compressed_in_mid_turn_and_killed_goes_on_where_it_was() {
    let world = World::new();
    fs::write(world.work().join("a.rs"), "one\n").unwrap();
    let counting: String = (0..1_000).map(|number| format!("{number} ")).collect();
    let crowded = Usage {
        prompt: 630_000,
        output: 1,
        ..Usage::default()
    };
    let reading = Call::new("read_file", json!({ "file_path": "a.rs" })).id("1");
    let server = talk::model([
        says(&counting),
        Reply::new()
            .call(reading)
            .finish_with_usage("STOP", crowded),
        says("<state_snapshot>s</state_snapshot>")
            .when_path(":generateContent")
            .times(2),
        Reply::text("so far").gate("never").finish("STOP"),
        says("ok"),
    ])
    .await;
    let one = run(&world, &server, &["-p", "one"]).status().await.unwrap();
    assert!(one.success());
    let two = run(&world, &server, &["-p", "two", "--resume", "latest"])
        .spawn()
        .unwrap();
    // The model has got the compressed conversation and is answering.
    server.gate_reached("never").await;
    kill(two).await;
    let three = run(&world, &server, &["-p", "three", "--resume", "latest"])
        .status()
        .await
        .unwrap();
    assert!(three.success());

    let before = told(&server, 5);
    let after = told(&server, 6);
    expect_test::expect![[r#"
        user: "<state_snapshot>s</state_snapshot>"
        model: "Got it. Thanks for the additional context!"
        user: "two"
        model: calls "read_file"
        user: result {"output":"one\n"}
        --
        user: "<state_snapshot>s</state_snapshot>"
        model: "Got it. Thanks for the additional context!"
        user: "two"
        model: calls "read_file"
        user: result {"output":"one\n"}
        model: "[The previous response was interrupted before it completed.]"
        user: "three"
    "#]]
    .assert_eq(&format!("{before}--\n{after}"));
}

/// What a session is in the middle of, as it is on the disk.
fn underway(world: &World, session: &str) -> String {
    let projects = fs::read_dir(world.home().join(".gemini/tmp")).unwrap();
    let files = projects.map(|project| {
        let folder = project.unwrap().path().join(session);
        fs::read_to_string(folder.join("underway.jsonl")).unwrap_or_default()
    });
    files.collect()
}

/// Resolves when all of it has got there: a thread writes it.
async fn kept(world: &World, session: &str, texts: &[&str]) {
    let all = async {
        loop {
            let found = underway(world, session);
            if texts.iter().all(|text| found.contains(text)) {
                return;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(SOON, all).await.unwrap();
}

/// Everything that a view is told when it is opened, up to the last of these kinds.
async fn seen(talk: &mut Talk, last: &str) -> Vec<String> {
    let mut lines = Vec::new();
    loop {
        let event = talk.any().await;
        let kind = event["kind"].as_str().unwrap().to_owned();
        let text = |key: &str| event[key].as_str().unwrap_or_default().to_owned();
        lines.push(match kind.as_str() {
            "turnStarted" => format!("turn {}: {}", event["turn"], text("prompt")),
            "turnEnded" => format!("ended: {} {}", text("outcome"), text("message")),
            "text" | "promptQueued" | "promptSteered" => format!("{kind}: {}", text("text")),
            _ => kind.clone(),
        });
        if kind == last {
            return lines;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_was_killed_shows_its_half_answer_and_nothing_that_was_typed_is_lost() {
    let world = World::new();
    let server = talk::model([
        Reply::text("half an ").gate("never").finish("STOP"),
        says("second"),
        says("third"),
    ])
    .await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("first").await;
    talk.event("text").await;
    talk.say("second").await;
    talk.say("typo").await;
    talk.event("promptQueued").await;
    talk.event("promptQueued").await;
    talk.ask("pollux/promptEdit", json!({ "id": 2, "text": "third" }))
        .await;
    talk.ask("pollux/promptMove", json!({ "id": 2, "place": 0 }))
        .await;
    assert_eq!(talk.event("promptEdited").await["text"], "third");
    assert_eq!(talk.event("queueOrdered").await["order"], json!([2, 1]));
    kept(&world, &talk.session, &["half an ", "third", "order"]).await;
    let waiting = talk
        .editor
        .start_request("pollux/snapshot", crate::support::never())
        .await;
    crate::support::snapshot(&talk.editor).await;
    crate::support::world::kill(world.host());
    waiting.result().await.unwrap_err();

    // The same window goes on with another host.
    talk.ask("pollux/sessionFollow", json!({ "cursor": 0 }))
        .await;
    let mut lines = seen(&mut talk, "promptQueued").await;
    lines.extend(seen(&mut talk, "promptQueued").await);
    expect_test::expect![[r#"
        opened
        turn 1: first
        text: half an 
        ended: interrupted the turn was interrupted because Pollux ended in the middle of it
        promptQueued: third
        promptQueued: second"#]]
    .assert_eq(&lines.join("\n"));

    talk.ask("pollux/queueRelease", json!({})).await;
    talk.rest_unasked().await;
    talk.rest_unasked().await;
    expect_test::expect![[r#"
        user: "first"
        model: "half an "
        user: "third"
        model: "second"
        user: "second"
    "#]]
    .assert_eq(&told(&server, 3));
    let session = talk.session.clone();
    talk.close().await;
    world.expect_no_process_left().await;
    assert_eq!(underway(&world, &session), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resumed_session_knows_what_was_sent_how_long_tools_took_and_what_was_allowed() {
    let world = World::new();
    fs::write(world.work().join("a.rs"), "one\n").unwrap();
    let server = talk::model([talk::runs("touch made"), says("done"), says("on")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("look at @a.rs").await;
    let question = talk.event("approvalRequested").await;
    talk.answer(&question, json!({ "kind": "allow" })).await;
    talk.rest().await;
    let shown = talk
        .request("pollux/contextShow", json!({ "turn": 1 }))
        .await;
    let live = relived(&mut talk).await;
    let session = talk.session.clone();
    talk.close().await;
    world.expect_no_process_left().await;

    let mut talk = Talk::start(&world, &server).await;
    talk.ask("pollux/sessionUnfollow", json!({})).await;
    talk.session = session;
    talk.ask("pollux/sessionFollow", json!({ "cursor": 0 }))
        .await;
    let resumed = talk.rest().await;
    assert_eq!(told_kinds(&resumed), told_kinds(&live));
    for kind in ["contextSent", "toolEnded", "approvalEnded", "turnStarted"] {
        let of = |events: &[Value]| {
            let found = events.iter().find(|event| event["kind"] == kind);
            found.unwrap_or_else(|| panic!("no {kind}")).clone()
        };
        assert_eq!(of(&resumed), of(&live), "{kind}");
    }
    let again = talk
        .request("pollux/contextShow", json!({ "turn": 1 }))
        .await;
    assert_eq!(again, shown);
    // The conversation can go back to a turn of an earlier process.
    talk.say("/rewind 1").await;
    assert_eq!(talk.coming("rewound").await["turn"], 1);
    talk.say("anew").await;
    talk.rest_unasked().await;
    expect_test::expect![[r#"
        user: "anew"
    "#]]
    .assert_eq(&told(&server, 3));
    talk.close().await;
    world.expect_no_process_left().await;
}

/// All of the session again, from its first event.
async fn relived(talk: &mut Talk) -> Vec<Value> {
    talk.ask("pollux/sessionUnfollow", json!({})).await;
    talk.ask("pollux/sessionFollow", json!({ "cursor": 0 }))
        .await;
    talk.rest().await
}

/// What a record tells again; the rest was of the moment.
fn told_kinds(events: &[Value]) -> Vec<&str> {
    let kinds = events.iter().map(|event| event["kind"].as_str().unwrap());
    let passing = ["titled", "modelChosen", "answerEnded", "toolPrinted"];
    kinds.filter(|kind| !passing.contains(kind)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_latest_session_is_meant_whether_it_is_open_or_not() {
    let world = World::new();
    let server = talk::model([says("one")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("first").await;
    talk.rest_unasked().await;
    let latest = json!({ "session": "latest" });
    let resumed = talk.editor.request("pollux/sessionResume", latest.clone());
    assert_eq!(resumed.await.unwrap()["session"], talk.session.as_str());
    let deleted = talk.editor.request("pollux/sessionDelete", latest).await;
    assert_eq!(deleted, Ok(json!({})));
    let gone = talk.request("pollux/promptQueue", json!({ "text": "hello" }));
    assert!(gone.await.is_err());
    talk.close().await;
    world.expect_no_process_left().await;
}
