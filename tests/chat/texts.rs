//! Both sides of what a turn did, and how its hunks are decided.

use std::fs;

use serde_json::{Value, json};

use crate::support::talk::{Talk, calls, model, says};
use crate::support::world::World;

const BEFORE: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
const AFTER: &str = "1\ntwo\nthree\nfour\nfive\nsix\n7\n";

/// A turn that leaves two hunks in `a.txt` and makes `new.txt`.
async fn play(world: &World) -> Talk {
    fs::write(world.work().join("a.txt"), BEFORE).unwrap();
    let edit = |old: &str, new: &str| {
        let edit = json!({
            "file_path": "a.txt",
            "instruction": "use digits",
            "old_string": old,
            "new_string": new,
        });
        calls("replace", edit)
    };
    let create = json!({ "file_path": "new.txt", "content": "fresh\n" });
    let server = model([
        edit("one\n", "1\n"),
        edit("seven\n", "7\n"),
        calls("write_file", create),
        says("done"),
    ])
    .await;
    let mut talk = Talk::start(world, &server).await;
    talk.ask("pollux/modeSet", json!({ "mode": "autoEdit" }))
        .await;
    talk.say("use digits").await;
    talk.rest_unasked().await;
    talk
}

async fn command(talk: &Talk, name: &str, argument: Value) {
    let params = json!({ "command": name, "arguments": [argument] });
    let done = talk.editor.request("workspace/executeCommand", params);
    done.await.unwrap();
}

async fn first_hunk(talk: &Talk) -> Value {
    let review = talk.editor.request("pollux/review", json!({})).await;
    let review = review.unwrap();
    let files = review["files"].as_array().unwrap();
    let file = files.iter().find(|file| file["path"] == "a.txt").unwrap();
    json!({ "uri": file["uri"], "revision": file["revision"], "index": 0 })
}

async fn counts(talk: &mut Talk) -> (Value, Value, Value) {
    let decided = talk.coming("hunksDecided").await;
    assert_eq!(decided["turn"], 1);
    assert_eq!(decided["path"], "a.txt");
    let of = |name: &str| decided[name].clone();
    (of("kept"), of("rejected"), of("pending"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_has_two_sides_and_a_file_with_hunks_has_a_base() {
    let world = World::new();
    let mut talk = play(&world).await;
    let files = talk.request("pollux/turnFiles", json!({ "turn": 1 })).await;
    let (a, new) = (world.uri("a.txt"), world.uri("new.txt"));
    assert_eq!(
        files.unwrap(),
        json!({ "files": [
            {
                "uri": a, "path": "a.txt", "existedBefore": true, "existsAfter": true,
                "added": 2, "removed": 2,
            },
            {
                "uri": new, "path": "new.txt", "existedBefore": false, "existsAfter": true,
                "added": 1, "removed": 0,
            },
        ] })
    );
    for (uri, side, text) in [
        (&a, "before", BEFORE),
        (&a, "after", AFTER),
        (&new, "before", ""),
        (&new, "after", "fresh\n"),
    ] {
        let params = json!({ "turn": 1, "uri": uri, "side": side });
        let found = talk.request("pollux/turnText", params).await;
        assert_eq!(found.unwrap(), json!({ "text": text }), "{uri} {side}");
    }
    let other = json!({ "turn": 2, "uri": a, "side": "before" });
    let missing = talk.request("pollux/turnText", other).await.unwrap_err();
    assert!(missing.starts_with("turn 2 has not changed"), "{missing}");

    let base = talk.editor.request("pollux/baseText", json!({ "uri": a }));
    assert_eq!(
        base.await.unwrap(),
        json!({ "text": BEFORE, "existed": true })
    );
    let base = talk
        .editor
        .request("pollux/baseText", json!({ "uri": new }));
    assert_eq!(base.await.unwrap(), json!({ "text": "", "existed": false }));
    let none = json!({ "uri": world.uri("none.txt") });
    let missing = talk.editor.request("pollux/baseText", none).await;
    assert_eq!(missing, Ok(json!({ "text": "", "existed": false })));

    // What is kept belongs to the base.
    command(&talk, "pollux.hunk.keep", first_hunk(&talk).await).await;
    counts(&mut talk).await;
    let base = talk.editor.request("pollux/baseText", json!({ "uri": a }));
    assert_eq!(base.await.unwrap()["text"], BEFORE.replace("one", "1"));
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn decisions_are_counted_and_an_undo_takes_them_back() {
    let world = World::new();
    let mut talk = play(&world).await;
    command(&talk, "pollux.hunk.keep", first_hunk(&talk).await).await;
    assert_eq!(counts(&mut talk).await, (json!(1), json!(0), json!(1)));
    command(&talk, "pollux.hunk.reject", first_hunk(&talk).await).await;
    assert_eq!(counts(&mut talk).await, (json!(1), json!(1), json!(0)));
    command(&talk, "pollux.review.undo", json!({})).await;
    assert_eq!(counts(&mut talk).await, (json!(1), json!(0), json!(1)));
    command(&talk, "pollux.review.redo", json!({})).await;
    assert_eq!(counts(&mut talk).await, (json!(1), json!(1), json!(0)));
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_file_without_hunks_is_its_own_base() {
    let world = World::new();
    fs::write(world.work().join("b.txt"), "as it is\n").unwrap();
    let server = model([]).await;
    let talk = Talk::start(&world, &server).await;
    let base = |name: &str| {
        let params = json!({ "uri": world.uri(name) });
        talk.editor.request("pollux/baseText", params)
    };
    assert_eq!(
        base("b.txt").await,
        Ok(json!({ "text": "as it is\n", "existed": true }))
    );
    assert_eq!(
        base("none.txt").await,
        Ok(json!({ "text": "", "existed": false }))
    );
    talk.close().await;
    world.expect_no_process_left().await;
}
