//! Idle sessions are closed to their record and opened again on use.

use std::fs;

use pollux_testkit::fake_editor::FakeEditor;
use rustix::process::Pid;
use serde_json::{Value, json};

use crate::support::talk::{model, says, with_model};
use crate::support::world::World;
use crate::support::{asked_in, count};

/// More than a host with 256 descriptors could hold open. `POLLUX_TEST_SESSIONS=5000` is a day of a busy host.
fn sessions() -> usize {
    count("POLLUX_TEST_SESSIONS", 300)
}

async fn request(editor: &FakeEditor, method: &str, params: Value) -> Value {
    editor.request(method, params).await.unwrap()
}

fn descriptors(host: Pid) -> usize {
    let folder = format!("/proc/{}/fd", host.as_raw_nonzero());
    fs::read_dir(folder).unwrap().count()
}

fn status(host: Pid, field: &str) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", host.as_raw_nonzero())).unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

async fn until(editor: &FakeEditor, session: &str, kind: &str) -> Vec<Value> {
    let mut events = Vec::new();
    while !events.iter().any(|event: &Value| event["kind"] == kind) {
        let batch = editor.expect_notification("pollux/sessionEvents").await;
        if batch["session"] == session {
            events.extend(batch["events"].as_array().unwrap().iter().cloned());
        }
    }
    events
}

#[tokio::test(flavor = "multi_thread")]
async fn three_hundred_sessions_fit_into_256_descriptors() {
    let world = World::new();
    let sessions = sessions();
    let server = model((0..=sessions).map(|number| says(&format!("answer {number}")))).await;
    let mut command = world.command("/bin/sh");
    let program = env!("CARGO_BIN_EXE_pollux");
    command.args(["-c", &format!("ulimit -n 256; exec {program} lsp")]);
    with_model(&mut command, &server);
    let (editor, mut door) = World::start_trusting(command);
    editor
        .initialize(asked_in(world.work().to_str().unwrap()))
        .await;
    let mut first = String::new();
    let mut early = 0;
    for number in 0..sessions {
        let started = request(&editor, "pollux/sessionStart", json!({})).await;
        let session = started["session"].as_str().unwrap().to_owned();
        let of = json!({ "session": session });
        request(&editor, "pollux/sessionFollow", of.clone()).await;
        if number == 0 {
            let mode = json!({ "session": session, "mode": "autoEdit" });
            request(&editor, "pollux/modeSet", mode).await;
        }
        let prompt = json!({ "session": session, "text": format!("question {number}") });
        request(&editor, "pollux/promptQueue", prompt).await;
        until(&editor, &session, "turnEnded").await;
        request(&editor, "pollux/sessionUnfollow", of).await;
        if number == 0 {
            first = session;
        }
        if number == 60 {
            early = status(world.host(), "VmRSS:");
        }
    }
    let host = world.host();
    let (open, threads) = (descriptors(host), status(host, "Threads:"));
    assert!(open < 120, "{open} descriptors");
    assert!(threads < 80, "{threads} threads");
    // Of 240 more sessions at 0.7 MB each nothing may be left but a little.
    let late = status(host, "VmRSS:");
    let figures = format!("{early} kB, then {late} kB, {open} descriptors, {threads} threads");
    assert!(late < early + 40_000, "{figures}");
    println!("{sessions} sessions: {figures}");

    // Another editor is let in and answered.
    let mut second = world.pollux(&["lsp"]);
    with_model(&mut second, &server);
    let (second, mut second_door) = World::start_trusting(second);
    second
        .initialize(asked_in(world.work().to_str().unwrap()))
        .await;
    let listed = request(&second, "pollux/sessionList", json!({})).await;
    let listed = listed["sessions"].as_array().unwrap().len();
    assert_eq!(listed, sessions.min(1_000));
    second.finish().await;
    assert!(second_door.ended().await.success());

    // The first one is as it was left: its text, its mode, and it answers.
    let again = json!({ "session": first });
    request(&editor, "pollux/sessionFollow", again).await;
    let prompt = json!({ "session": first, "text": "and now?" });
    request(&editor, "pollux/promptQueue", prompt).await;
    let mut events = until(&editor, &first, "turnEnded").await;
    while !events
        .iter()
        .any(|event| event.to_string().contains("and now?"))
        || events.last().unwrap()["kind"] != "turnEnded"
    {
        events.extend(until(&editor, &first, "turnEnded").await);
    }
    let shown = Value::from(events).to_string();
    for wanted in [
        "question 0",
        "answer 0",
        "autoEdit",
        &format!("answer {sessions}"),
    ] {
        assert!(shown.contains(wanted), "{wanted} is missing: {shown}");
    }
    assert_eq!(world.records().len(), sessions);
    editor.ignore("pollux/sessionEvents");
    editor.finish().await;
    assert!(door.ended().await.success());
}
