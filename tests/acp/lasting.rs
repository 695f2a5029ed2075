//! What outlives the host: the door, and all sessions of its client.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use agent_client_protocol::ErrorCode;
use agent_client_protocol::v1::schema::{
    AuthenticateRequest, ClientCapabilities, LogoutRequest, Meta, NewSessionRequest,
    PermissionOptionKind, SessionUpdate, SetSessionModeRequest, StopReason, ToolCallStatus,
};
use pollux_testkit::scripted_model::Reply;
use serde_json::json;
use tokio::time::timeout;

use super::client::{Client, PATIENCE, said, said_by_person};
use crate::companion::{hunks, window};
use crate::support::World;
use crate::support::plain::run;
use crate::support::scripted_editor::{changed, rewrites};
use crate::support::talk::{MODEL, model, runs, says, told};
use crate::support::wire::Wire;
use crate::support::world::kill_host;

#[tokio::test(flavor = "multi_thread")]
async fn a_session_goes_on_over_the_same_pipe_when_its_host_is_killed() {
    let world = World::new();
    let server = model([says("one"), says("two"), says("three")]).await;
    let mut client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    // Nothing was said in this one, and it must not vanish either.
    let empty = client.session(&world).await;
    client.say(&session, "first").reason().await;
    kill_host(&world).await;
    let reason = client.say(&session, "second").reason().await;
    assert_eq!(reason, StopReason::EndTurn);
    // The client has seen what was said, and is not told again.
    let updates = client.so_far();
    assert_eq!(said(&updates), "onetwo");
    assert_eq!(said_by_person(&updates), Vec::<String>::new());
    expect_test::expect![[r#"
        user: "first"
        model: "one"
        user: "second"
    "#]]
    .assert_eq(&told(&server, 2));
    // And once more, with the other session.
    kill_host(&world).await;
    let reason = client.say(&empty, "third").reason().await;
    assert_eq!(reason, StopReason::EndTurn);
    expect_test::expect![[r#"
        user: "third"
    "#]]
    .assert_eq(&told(&server, 3));
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_in_the_middle_of_its_turn_is_refused_and_the_next_one_knows_of_it() {
    let world = World::new();
    let half = Reply::text("half an ").gate("never").finish("STOP");
    let server = model([half, says("whole")]).await;
    let mut client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    let prompting = client.say(&session, "first");
    client
        .update(|update| matches!(update, SessionUpdate::AgentMessageChunk(_)).then_some(()))
        .await;
    kill_host(&world).await;
    let error = prompting.result().await.unwrap_err();
    assert_eq!(error.code, ErrorCode::INTERNAL_ERROR);
    assert!(error.message.starts_with("the host ended"), "{error}");
    // What to do next is said with it.
    assert!(
        error
            .message
            .contains("what arrived is kept. Send \"continue\""),
        "{error}"
    );
    let reason = client.say(&session, "go on").reason().await;
    assert_eq!(reason, StopReason::EndTurn);
    assert_eq!(said(&client.so_far()), "whole");
    let told = told(&server, 2);
    assert!(told.starts_with("user: \"first\"\n"), "{told}");
    assert!(told.ends_with("user: \"go on\"\n"), "{told}");
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_of_a_dead_host_goes_away_and_a_late_answer_to_it_allows_nothing() {
    let world = World::new();
    let server = model([runs("touch one"), runs("touch two")]).await;
    let mut client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    let prompting = client.say(&session, "go");
    let question = client.asked().await;
    let asked = question.request.tool_call.tool_call_id.clone();
    kill_host(&world).await;
    question.taken_back().await;
    // The call does not go on for ever on the client's screen.
    let status = client
        .update(|update| match update {
            SessionUpdate::ToolCallUpdate(update) if update.tool_call_id == asked => {
                update.fields.status
            }
            _ => None,
        })
        .await;
    assert_eq!(status, ToolCallStatus::Failed);
    prompting.result().await.unwrap_err();
    let prompting = client.say(&session, "again");
    let second = client.asked().await;
    // Somebody answers the first one only now.
    question.choose(PermissionOptionKind::AllowOnce);
    client.cancel(&session);
    assert_eq!(prompting.reason().await, StopReason::Cancelled);
    second.taken_back().await;
    assert!(!world.work().join("one").exists());
    assert!(!world.work().join("two").exists());
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_client_has_set_and_its_key_hold_with_the_next_host() {
    let world = World::new();
    let server = model([says("one"), runs("touch made"), says("two")]).await;
    let mut command = world.pollux(&["acp"]);
    command
        .env("GEMINI_MODEL", MODEL)
        .env("GOOGLE_GEMINI_BASE_URL", server.url())
        .env("GEMINI_CLI_TRUST_WORKSPACE", "true");
    let client = Client::run(command, ClientCapabilities::new()).await;
    let given = Meta::from_iter([("api-key".to_owned(), "key-of-the-client".into())]);
    let authenticate = AuthenticateRequest::new("gemini-api-key".to_owned()).meta(given);
    client.call(authenticate).await.unwrap();
    let session = client.session(&world).await;
    client.say(&session, "first").reason().await;
    let yolo = SetSessionModeRequest::new(session.clone(), "yolo".to_owned());
    client.call(yolo).await.unwrap();
    kill_host(&world).await;
    let reason = client.say(&session, "make it").reason().await;
    assert_eq!(reason, StopReason::EndTurn);
    assert!(world.work().join("made").exists());
    let requests = server.requests();
    let key = requests.last().unwrap().header("x-goog-api-key");
    assert_eq!(key, Some("key-of-the-client"));
    // Nor does a new host let somebody in who has logged out.
    client.call(LogoutRequest::new()).await.unwrap();
    kill_host(&world).await;
    let error = client.call(NewSessionRequest::new(world.work())).await;
    assert_eq!(error.unwrap_err().code, ErrorCode::AUTH_REQUIRED);
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_door_for_which_no_host_is_to_be_had_ends_with_a_reason() {
    let world = World::new();
    let mut command = world.pollux(&["acp"]);
    let mut wire = Wire::open(command.env("GEMINI_MODEL", "demo").stderr(Stdio::piped()));
    let hello = json!({ "id": 0, "method": "initialize", "params": { "protocolVersion": 1 } });
    wire.ask(&hello.to_string()).await;
    fs::remove_dir_all(world.run()).unwrap();
    fs::write(world.run(), "no folder").unwrap();
    kill_host(&world).await;
    let Wire { child, input, .. } = wire;
    let ended = timeout(PATIENCE, child.wait_with_output()).await.unwrap();
    let ended = ended.unwrap();
    assert!(!ended.status.success());
    let reason = String::from_utf8(ended.stderr).unwrap();
    assert!(reason.contains("cannot be opened"), "{reason}");
    drop(input);
}

/// Waits until this is kept for the case that the host is killed.
async fn until_underway(world: &World, text: &str) {
    let is_kept = |folder: &Path| {
        let sessions = fs::read_dir(folder).into_iter().flatten().flatten();
        let files = sessions.map(|session| session.path().join("underway.jsonl"));
        let mut texts = files.filter_map(|file| fs::read_to_string(file).ok());
        texts.any(|kept| kept.contains(text))
    };
    let projects = world.home().join(".gemini/tmp");
    while !fs::read_dir(&projects)
        .unwrap()
        .flatten()
        .any(|project| is_kept(&project.path()))
    {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn edits_that_wait_for_review_and_what_was_said_outlive_two_kills() {
    let world = World::new();
    fs::write(world.work().join("a.txt"), changed("a.txt", &[])).unwrap();
    let half = Reply::text("half an ").gate("never").finish("STOP");
    let server = model([rewrites("a.txt"), says("edited, "), half, says("and whole")]).await;
    let mut client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    let editing = SetSessionModeRequest::new(session.clone(), "autoEdit".to_owned());
    client.call(editing).await.unwrap();
    client.say(&session, "edit it").reason().await;
    kill_host(&world).await;
    let interrupted = client.say(&session, "go on");
    let mut heard = Vec::new();
    client
        .update(|update| {
            heard.push(update);
            said(&heard).ends_with("half an ").then_some(())
        })
        .await;
    // The newest piece is shown and recorded at once: whichever is first.
    until_underway(&world, "half an ").await;
    kill_host(&world).await;
    interrupted.result().await.unwrap_err();
    client.say(&session, "continue").reason().await;
    heard.extend(client.so_far());
    // The client has seen what is recorded, once.
    let mut reader = Client::start(&world, &server).await;
    reader.load(&world, &session).await;
    let recorded = reader.so_far();
    let interruption = "_the turn was interrupted because Pollux ended in the middle of it_";
    let recorded_text = said(&recorded);
    assert_eq!(
        recorded_text,
        format!("edited, half an {interruption}and whole")
    );
    // It learned of the interruption by the answer to its prompt.
    assert_eq!(said(&heard), recorded_text.replace(interruption, ""));
    assert_eq!(said_by_person(&recorded), ["edit it", "go on", "continue"]);
    reader.finish().await;
    // An editor on the same folder is shown the hunks, and rejects them.
    let (editor, mut door) = window(&world).await;
    hunks(&editor, 3).await;
    let file = json!({ "uri": world.uri("a.txt") });
    let reject = json!({ "command": "pollux.file.reject", "arguments": [file] });
    run(&editor, &reject).await;
    hunks(&editor, 0).await;
    let text = fs::read_to_string(world.work().join("a.txt")).unwrap();
    assert_eq!(text, changed("a.txt", &[]));
    client.finish().await;
    editor.finish().await;
    assert!(door.ended().await.success());
    world.expect_no_process_left().await;
}
