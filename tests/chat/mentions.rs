//! What is offered behind an `@`.

use std::fs;

use serde_json::{Value, json};

use crate::support::talk::Talk;
use crate::support::world::World;

async fn search(talk: &Talk, params: Value) -> Vec<Value> {
    let found = talk.editor.request("pollux/mentionSearch", params).await;
    found.unwrap()["items"].as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn files_and_folders_are_found_by_letters_and_the_open_ones_first() {
    let world = World::new();
    fs::create_dir_all(world.work().join("src/net")).unwrap();
    fs::create_dir_all(world.work().join("out")).unwrap();
    fs::create_dir_all(world.work().join(".git")).unwrap();
    for name in [
        "src/net/upload.rs",
        "src/retry.rs",
        "out/upload.rs",
        "up.md",
    ] {
        fs::write(world.work().join(name), "text\n").unwrap();
    }
    fs::write(world.work().join(".gitignore"), "out/\n").unwrap();
    let talk = Talk::start_in(&world.work(), world.door(&["lsp"])).await;
    let uri = world.uri("src/net/upload.rs");
    let found = search(&talk, json!({ "query": "upl" })).await;
    assert_eq!(
        found,
        [json!({ "kind": "file", "path": "src/net/upload.rs", "uri": uri })]
    );
    let found = search(&talk, json!({ "query": "net", "limit": 1 })).await;
    assert_eq!(found[0]["kind"], "folder");
    assert_eq!(found[0]["path"], "src/net");
    assert_eq!(found.len(), 1);
    talk.editor
        .open(&world.uri("src/retry.rs"), "rust", "text\n")
        .await;
    let found = search(&talk, json!({ "query": "" })).await;
    assert_eq!(found[0]["path"], "src/retry.rs");
    assert_eq!(
        search(&talk, json!({ "query": "zzz" })).await,
        Vec::<Value>::new()
    );
    talk.close().await;
    world.expect_no_process_left().await;
}
