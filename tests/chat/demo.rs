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
    let asked = loop {
        let event = talk.any().await;
        if event["kind"] == "approvalRequested" {
            break event;
        }
        assert_ne!(event["kind"], "turnEnded", "nobody was asked: {seen:#?}");
        seen.push(event);
    };
    let command = asked["subject"]["command"].as_str().unwrap();
    assert!(command.starts_with("cksum "), "{asked}");
    // What "always" would write is shown before it is.
    let rule = &asked["offers"][0]["rule"];
    assert!(rule["text"].as_str().unwrap().contains("cksum"), "{asked}");
    let files = rule["files"].as_array().unwrap();
    assert!(
        files
            .iter()
            .all(|file| file["file"].as_str().unwrap().ends_with(".toml"))
    );
    let wanted = ["thought", "todos", "editMade", "toolPrinted", "text"];
    for kind in wanted {
        assert!(
            seen.iter().any(|event| event["kind"] == kind),
            "{kind}: {seen:#?}"
        );
    }
    talk.answer(&asked, json!({ "kind": "allow" })).await;
    let rest = talk.rest().await;
    assert_eq!(rest.last().unwrap()["outcome"], "completed");
    let list = rest
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
