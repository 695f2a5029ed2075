//! `/init`: one question that names the file, and none where nobody is there and everything is allowed.

use std::fs;
use std::process::Stdio;

use serde_json::json;

use crate::support::talk::{MODEL, Talk, calls, model, says, with_model};
use crate::support::world::World;

const TEXT: &str = "# What this is\n";

fn write() -> pollux_testkit::scripted_model::Reply {
    calls(
        "write_file",
        json!({ "file_path": "GEMINI.md", "content": TEXT }),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn init_asks_once_and_names_the_file() {
    let world = World::new();
    fs::write(world.work().join("README.md"), "one\n").unwrap();
    let look = calls("list_directory", json!({ "dir_path": "." }));
    let read = calls("read_file", json!({ "file_path": "README.md" }));
    let server = model([look, read, write(), says("done")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("/init").await;
    let events = async {
        let edit = talk.event("editProposed").await;
        assert_eq!(edit["path"], "GEMINI.md");
        talk.answer(&edit, json!({ "kind": "allow" })).await;
        talk.rest_unasked().await;
        talk
    };
    events.await.close().await;
    let written = fs::read_to_string(world.work().join("GEMINI.md")).unwrap();
    assert_eq!(written, TEXT);
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn init_works_where_nobody_can_be_asked_and_everything_is_allowed() {
    let world = World::new();
    let server = model([write(), says("done")]).await;
    let mut command = world.pollux(&["run", "--skip-trust", "-m", MODEL, "--yolo", "-p", "/init"]);
    with_model(&mut command, &server);
    let output = command.stdin(Stdio::null()).output().await.unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let written = fs::read_to_string(world.work().join("GEMINI.md")).unwrap();
    assert_eq!(written, TEXT);
}
