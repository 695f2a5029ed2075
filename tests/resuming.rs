//! Sessions that go on after a process was killed.

use std::fs;
use std::process::Stdio;

use pollux_testkit::scripted_model::{Call, Reply, ScriptedModel, Usage};
use serde_json::{Value, json};
use tokio::process::{Child, Command};

use crate::support::talk::{self, says};
use crate::support::world::World;

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

/// What the model was told in a request, without what every request begins with.
fn told(server: &ScriptedModel, order: usize) -> String {
    let body = server.requests()[order - 1].json();
    let mut shown = String::new();
    for content in body["contents"].as_array().unwrap() {
        for part in content["parts"].as_array().unwrap() {
            let text = part["text"].as_str().unwrap_or_default();
            if text.starts_with("<session_context>") {
                continue;
            }
            let what = match part {
                part if part["functionCall"].is_object() => {
                    format!("calls {}", part["functionCall"]["name"])
                }
                part if part["functionResponse"].is_object() => {
                    format!("result {}", part["functionResponse"]["response"])
                }
                _ => Value::from(text).to_string(),
            };
            shown += &format!("{}: {what}\n", content["role"].as_str().unwrap());
        }
    }
    shown
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
