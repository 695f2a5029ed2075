//! The user's own programs around the agent's tools.

use std::fs;

use serde_json::{Value, json};

use crate::support::talk::{Talk, calls, model, returned, says, with_model};
use crate::support::world::World;

/// A world whose user has these hooks.
fn world(hooks: &Value) -> World {
    let world = World::new();
    let folder = world.home().join(".gemini");
    fs::create_dir_all(&folder).unwrap();
    let settings = json!({ "hooks": hooks }).to_string();
    fs::write(folder.join("settings.json"), settings).unwrap();
    fs::write(world.work().join("a.txt"), "one\n").unwrap();
    world
}

fn on(event: &str, matcher: &str, command: &str) -> Value {
    let hook = json!({ "type": "command", "command": command });
    json!({ event: [{ "matcher": matcher, "hooks": [hook] }] })
}

fn reads() -> pollux_testkit::scripted_model::Reply {
    calls("read_file", json!({ "file_path": "a.txt" }))
}

#[tokio::test(flavor = "multi_thread")]
async fn policy_16_a_person_is_asked_because_a_hook_wants_it() {
    let ask = r#"echo '{"decision":"ask","systemMessage":"it is Friday"}'"#;
    let world = world(&on("BeforeTool", "^read_file$", ask));
    let server = model([reads(), says("done")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("read it").await;
    let question = talk.event("approvalRequested").await;
    assert_eq!(question["tool"], "read_file");
    let reason = question["reason"].as_str().unwrap();
    assert!(reason.contains("it is Friday"), "{reason}");
    talk.answer(&question, json!({ "kind": "allow" })).await;
    talk.rest_unasked().await;
    assert!(returned(&server).contains("one"), "{}", returned(&server));
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_reads_the_call_and_may_refuse_it_and_the_model_hears_why() {
    let script = r#"grep -q '"file_path":"a.txt"' && pwd > "$GEMINI_PROJECT_DIR/seen" && echo "not on Fridays" >&2; exit 2"#;
    let world = world(&on("BeforeTool", "read", script));
    let server = model([reads(), says("done")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("read it").await;
    talk.rest_unasked().await;
    let told = returned(&server);
    assert!(
        told.contains("Tool execution blocked: not on Fridays"),
        "{told}"
    );
    let seen = fs::read_to_string(world.work().join("seen")).unwrap();
    assert_eq!(seen.trim(), world.work().to_str().unwrap());
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_may_end_the_turn() {
    let stop = r#"echo '{"continue":false,"stopReason":"enough"}'"#;
    let world = world(&on("AfterTool", "", stop));
    let server = model([reads()]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("read it").await;
    let end = talk.rest().await.pop().unwrap();
    assert_eq!(end["outcome"], "stopped", "{end}");
    assert_eq!(end["message"], "a hook stopped the agent: enough");
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hooks_9_nothing_of_the_settings_runs_in_a_folder_that_is_not_trusted() {
    let world = world(&on("BeforeTool", "", "touch ran; echo no >&2; exit 2"));
    let server = model([reads(), says("done")]).await;
    let mut command = world.pollux(&["lsp"]);
    with_model(&mut command, &server);
    let mut talk = Talk::start_in(&world.work(), World::start(command)).await;
    talk.say("read it").await;
    talk.rest_unasked().await;
    assert!(returned(&server).contains("one"), "{}", returned(&server));
    assert!(!world.work().join("ran").exists());
    talk.close().await;
    world.expect_no_process_left().await;
}
