//! What a large session takes is given back when nobody shows it any more.

use std::fs;
use std::time::Duration;

use pollux_testkit::fake_editor::FakeEditor;
use pollux_testkit::scripted_model::Reply;
use rustix::process::Pid;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::support::asked_in;
use crate::support::talk::{door, model, says};
use crate::support::world::World;

const PATIENCE: Duration = Duration::from_secs(60);

fn memory(host: Pid) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", host.as_raw_nonzero())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let number = line.unwrap().split_whitespace().nth(1);
    number.unwrap().parse().unwrap()
}

async fn until_turn_ends(editor: &FakeEditor) {
    loop {
        let batch = editor.expect_notification("pollux/sessionEvents").await;
        let events = batch["events"].as_array().unwrap();
        if events
            .iter()
            .any(|event: &Value| event["kind"] == "turnEnded")
        {
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_memory_of_a_large_session_returns_when_its_window_is_closed() {
    let world = World::new();
    // Words that do not repeat: the same ones again and again would be taken for a loop.
    let answer: String = (0..900_000).map(|number| format!("w{number} ")).collect();
    let large = Reply::text(&answer).finish("STOP");
    let server = model([says("small"), large]).await;
    let folder = world.work();
    let (stays, mut first) = door(&world, &server);
    stays.initialize(asked_in(folder.to_str().unwrap())).await;
    let (leaves, mut second) = door(&world, &server);
    leaves.initialize(asked_in(folder.to_str().unwrap())).await;
    let started = leaves.request("pollux/sessionStart", json!({})).await;
    let session = started.unwrap()["session"].as_str().unwrap().to_owned();
    let of = json!({ "session": session });
    leaves
        .request("pollux/sessionFollow", of.clone())
        .await
        .unwrap();
    let prompt = json!({ "session": session, "text": "go" });
    leaves
        .request("pollux/promptQueue", prompt.clone())
        .await
        .unwrap();
    until_turn_ends(&leaves).await;
    let before = memory(world.host());
    leaves
        .request("pollux/promptQueue", prompt.clone())
        .await
        .unwrap();
    until_turn_ends(&leaves).await;
    let meanwhile = memory(world.host());
    assert!(
        meanwhile > before + 7_000,
        "{before} kB, then {meanwhile} kB"
    );
    leaves.ignore("pollux/sessionEvents");
    leaves.finish().await;
    assert!(second.ended().await.success());
    let host = world.host();
    let returned = async {
        loop {
            let listed = stays.request("pollux/sessionList", json!({})).await;
            let state = listed.unwrap()["sessions"][0]["state"].clone();
            if state == "recorded" && memory(host) < before + 6_000 {
                return;
            }
        }
    };
    let last = || format!("{before} kB, {meanwhile} kB, then {} kB", memory(host));
    assert!(timeout(PATIENCE, returned).await.is_ok(), "{}", last());

    // It is there as it was.
    stays.request("pollux/sessionFollow", of).await.unwrap();
    let mut shown = String::new();
    while !shown.contains("w899999 ") {
        let batch = stays.expect_notification("pollux/sessionEvents").await;
        shown += &batch.to_string();
    }
    assert!(shown.contains("small") && shown.contains("w0 w1 w2 "));
    stays.ignore("pollux/sessionEvents");
    stays.finish().await;
    assert!(first.ended().await.success());
    world.expect_no_process_left().await;
}
