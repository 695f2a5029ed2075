//! Servers that other people have written, in a turn with a scripted model. `cargo xtask test` installs them.

use pollux_testkit::installed;
use serde_json::json;
use std::fs;

use super::{connected, world};
use crate::support::talk::{Talk, calls, model, returned, says};

#[tokio::test(flavor = "multi_thread")]
async fn the_server_with_everything_works_in_a_turn() {
    let program =
        installed("mcp/node_modules/@modelcontextprotocol/server-everything/dist/index.js");
    let entry = json!({ "command": "node", "args": [program, "stdio"], "trust": true });
    let world = world(&json!({ "everything": entry }));
    let echo = calls("mcp_everything_echo", json!({ "message": "hello there" }));
    let server = model([echo, says("done")]).await;
    let mut talk = Talk::start(&world, &server).await;
    connected(&mut talk, "everything").await;
    talk.say("use it").await;
    talk.rest_unasked().await;
    assert!(
        returned(&server).contains("hello there"),
        "{}",
        returned(&server)
    );
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_with_everything_asks_and_an_editor_answers() {
    let program =
        installed("mcp/node_modules/@modelcontextprotocol/server-everything/dist/index.js");
    let entry = json!({ "command": "node", "args": [program, "stdio"], "trust": true });
    let world = world(&json!({ "everything": entry }));
    let ask = calls("mcp_everything_trigger-elicitation-request", json!({}));
    let server = model([ask, says("done")]).await;
    let mut talk = Talk::start(&world, &server).await;
    connected(&mut talk, "everything").await;
    talk.say("ask me").await;
    let asked = talk.event("approvalRequested").await;
    let questions = asked["subject"]["questions"].as_array().unwrap();
    let place = |header: &str| {
        let mut headers = questions.iter();
        let place = headers.position(|question| question["header"] == header);
        place.unwrap()
    };
    // Each thing as an editor sends it: the only one that is needed, one that is changed, one that is emptied.
    let (name, integer) = (place("String"), place("Integer"));
    let hero = place("Titled Single Select Enum");
    assert_eq!(questions[name]["optional"], false, "{asked}");
    assert_eq!(questions[name]["default"], json!(null), "{asked}");
    assert_eq!(questions[integer]["optional"], true, "{asked}");
    assert_eq!(questions[integer]["default"], "42", "{asked}");
    assert_eq!(questions[hero]["default"], "Superman", "{asked}");
    let number = place("Number in range 1-1000");
    let replies = json!({
        name.to_string(): "Ann", hero.to_string(): "Wonder Woman", number.to_string(): "",
    });
    let answer = json!({ "kind": "replies", "replies": replies });
    talk.answer(&asked, answer).await;
    talk.rest_unasked().await;
    let told = returned(&server);
    let raw = told.split_once("Raw result: ").unwrap().1;
    let raw = &raw[..=raw.rfind('}').unwrap()];
    let raw: serde_json::Value = serde_json::from_str(raw).unwrap();
    assert_eq!(raw["action"], "accept", "{told}");
    let wanted = json!({
        "name": "Ann",
        "firstLine": "It was a dark and stormy night.",
        "integer": 42,
        "untitledSingleSelectEnum": "Monica",
        "untitledMultipleSelectEnum": ["Guitar"],
        "titledSingleSelectEnum": "hero-3",
        "titledMultipleSelectEnum": ["fish-1"],
        "legacyTitledEnum": "pet-1",
    });
    assert_eq!(raw["content"], wanted, "{told}");
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_file_system_server_reads_in_the_workspace() {
    let program =
        installed("mcp/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");
    let world = {
        let entry = json!({ "command": "node", "args": [program, "."], "trust": true });
        world(&json!({ "files": entry }))
    };
    let note = world.work().join("note.txt");
    fs::write(&note, "written on disk\n").unwrap();
    let read = calls("mcp_files_read_text_file", json!({ "path": note }));
    let server = model([read, says("done")]).await;
    let mut talk = Talk::start(&world, &server).await;
    connected(&mut talk, "files").await;
    talk.say("read it").await;
    talk.rest_unasked().await;
    assert!(
        returned(&server).contains("written on disk"),
        "{}",
        returned(&server)
    );
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_in_python_tells_the_time() {
    let program = installed("mcp/python/bin/mcp-server-time");
    let args = ["--local-timezone", "UTC"];
    let entry = json!({ "command": program, "args": args, "trust": true });
    let world = world(&json!({ "time": entry }));
    let now = calls("mcp_time_get_current_time", json!({ "timezone": "UTC" }));
    let server = model([now, says("done")]).await;
    let mut talk = Talk::start(&world, &server).await;
    connected(&mut talk, "time").await;
    talk.say("how late is it?").await;
    talk.rest_unasked().await;
    assert!(
        returned(&server).contains("datetime"),
        "{}",
        returned(&server)
    );
    talk.close().await;
    world.expect_no_process_left().await;
}
