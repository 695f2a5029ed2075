//! Questions in a terminal: what they show, and who answers them.

use std::fs;

use serde_json::json;

use super::{CTRL_D, IDLE, attach, attach_sized};
use crate::support::World;
use crate::support::talk::{Talk, calls, model, returned, runs, says};

const ONCE: &str = "y once";

#[tokio::test(flavor = "multi_thread")]
async fn what_is_answered_here_is_gone_in_the_editor() {
    let world = World::new();
    let server = model([runs("touch made"), says("made it")]).await;
    let mut talk = Talk::start(&world, &server).await;
    let mut window = {
        talk.say("make it").await;
        talk.event("approvalRequested").await;
        attach(&world, &server, &[])
    };
    let screen = window.shows(ONCE).await;
    let question = format!("Run this in {}?\n  │ touch made\n", world.work().display());
    assert!(screen.contains(&question), "{screen}");
    window.type_keys("y\r");
    let ended = talk.event("approvalEnded").await;
    assert_eq!(ended["answer"], json!({ "kind": "allow" }));
    talk.rest_unasked().await;
    window.hides(ONCE).await;
    let screen = window.shows("made it").await;
    assert!(screen.contains(": allowed once\n"), "{screen}");
    assert!(world.work().join("made").exists());
    window.type_keys(CTRL_D);
    window.ended().await;
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_answered_in_the_editor_is_gone_here() {
    let world = World::new();
    let server = model([runs("touch made"), says("made it")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("make it").await;
    let question = talk.event("approvalRequested").await;
    let mut window = attach(&world, &server, &[]);
    window.shows(ONCE).await;
    talk.answer(&question, json!({ "kind": "allow" })).await;
    window.hides(ONCE).await;
    window.shows("allowed once (not in this window)").await;
    talk.rest_unasked().await;
    window.shows(IDLE).await;
    window.type_keys(CTRL_D);
    window.ended().await;
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_allowance_for_the_session_holds_and_a_reason_reaches_the_model() {
    let world = World::new();
    let server = model([
        runs("touch one"),
        runs("touch one"),
        runs("rm one"),
        says("kept it"),
    ])
    .await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("try").await;
    talk.event("approvalRequested").await;
    let mut window = attach(&world, &server, &[]);
    window.shows("s in this session").await;
    window.type_keys("s\r");
    let ended = talk.event("approvalEnded").await;
    assert_eq!(ended["answer"]["scope"], "session", "{ended}");
    // The same again is not asked about; the next is.
    window.shows("│ rm one").await;
    window.shows(ONCE).await;
    window.type_keys("perhaps\r");
    window.shows("That is no answer").await;
    window.type_keys("\u{15}n leave it there\r");
    window.shows("rejected: leave it there").await;
    talk.event("approvalRequested").await;
    talk.rest_unasked().await;
    assert!(returned(&server).contains("leave it there"));
    assert!(world.work().join("one").exists());
    window.type_keys(CTRL_D);
    window.ended().await;
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_is_decided_hunk_by_hunk_in_a_narrow_terminal() {
    let world = World::new();
    let lines: Vec<String> = (1..=20).map(|line| format!("line {line}\n")).collect();
    fs::write(world.work().join("a.txt"), lines.concat()).unwrap();
    let changed = lines.concat().replace("line 2\n", "zwei\n");
    let changed = changed.replace("line 19\n", "neunzehn\n");
    let edit = json!({ "file_path": "a.txt", "content": changed });
    let read = calls("read_file", json!({ "file_path": "a.txt" }));
    let server = model([read, calls("write_file", edit), says("written")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("edit").await;
    talk.event("editProposed").await;
    let mut window = attach_sized(&world, &server, (30, 32));
    let screen = window.shows("1 2 … keep only these hunks").await;
    for shown in [
        "-line 2\n",
        "+zwei\n",
        "-line 19\n",
        "+neunzehn\n",
        "hunk 2 of 2",
    ] {
        assert!(screen.contains(shown), "{screen}");
    }
    window.type_keys("2\r");
    window.shows("1 of 2 hunks kept").await;
    talk.event("editDecided").await;
    talk.rest_unasked().await;
    let text = fs::read_to_string(world.work().join("a.txt")).unwrap();
    assert_eq!(text, lines.concat().replace("line 19\n", "neunzehn\n"));
    window.shows(IDLE).await;
    window.type_keys(CTRL_D);
    window.ended().await;
    talk.close().await;
    world.expect_no_process_left().await;
}
