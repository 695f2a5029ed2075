//! The demo model shows everything that the sidebar can, without a key.

use serde_json::{Value, json};

use crate::support::talk::Talk;
use crate::support::world::World;

#[tokio::test(flavor = "multi_thread")]
async fn the_demo_thinks_reads_edits_asks_and_keeps_a_list() {
    let world = World::new();
    world.unpack_sample();
    let door = World::start_trusting(world.pollux(&["lsp"]));
    let mut talk = Talk::start_in(&world.work(), door).await;
    talk.ask("pollux/modeSet", json!({ "mode": "autoEdit" }))
        .await;
    talk.say("fix it").await;
    let mut seen: Vec<Value> = Vec::new();
    while seen.last().is_none_or(|event| event["kind"] != "turnEnded") {
        let event = talk.any().await;
        // The list may be asked about as well, in any order.
        if event["kind"] == "approvalRequested" {
            talk.answer(&event, json!({ "kind": "allow" })).await;
        }
        seen.push(event);
    }
    assert_eq!(seen.last().unwrap()["outcome"], "completed", "{seen:#?}");
    for kind in ["thought", "todos", "editMade", "text", "toolEnded"] {
        assert!(
            seen.iter().any(|event| event["kind"] == kind),
            "{kind}: {seen:#?}"
        );
    }
    let asks = |event: &&Value| {
        event["kind"] == "approvalRequested" && event["tool"] == "run_shell_command"
    };
    let asked = seen.iter().find(asks).unwrap();
    let command = asked["subject"]["command"].as_str().unwrap();
    assert!(command.starts_with("awk "), "{asked}");
    // What "always" would write is shown before it is.
    let rule = &asked["offers"][0]["rule"];
    assert!(rule["text"].as_str().unwrap().contains("awk"), "{asked}");
    let files = rule["files"].as_array().unwrap();
    assert!(
        files
            .iter()
            .all(|file| file["file"].as_str().unwrap().ends_with(".toml"))
    );
    let list = seen
        .iter()
        .rev()
        .find(|event| event["kind"] == "todos")
        .unwrap();
    let todos = list["todos"].as_array().unwrap();
    assert!(
        todos.iter().all(|todo| todo["status"] == "completed"),
        "{list}"
    );
    let files = talk.request("pollux/turnFiles", json!({ "turn": 1 })).await;
    assert_eq!(files.unwrap()["files"].as_array().unwrap().len(), 2);
    talk.close().await;
    world.expect_no_process_left().await;
}
