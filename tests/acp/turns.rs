//! From a prompt to its answer.

use std::fs;

use agent_client_protocol::ErrorCode;
use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    ClientCapabilities, ClientSessionCapabilities, CompactionCapabilities, CompactionStatus,
    InitializeRequest, NewSessionRequest, PlanEntryStatus, SessionUpdate, StopReason,
};
use pollux_testkit::scripted_model::{Call, Reply, Usage};
use serde_json::json;
use tokio::time::timeout;

use super::client::{Client, PATIENCE, Prompting, said};
use crate::support::World;
use crate::support::talk::{calls, model, runs, says};

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_streamed_as_one_message_and_ends_the_turn() {
    let world = World::new();
    let usage = Usage {
        prompt: 20,
        output: 5,
        ..Usage::default()
    };
    let answer = Reply::new()
        .thought("**Thinking** about it")
        .chunk("Hello")
        .gate("half")
        .chunk(" there")
        .finish_with_usage("STOP", usage);
    let server = model([answer]).await;
    let mut client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    let prompting = client.say(&session, "hi");
    // The first piece does not wait for the second.
    let first = client
        .update(|update| match update {
            SessionUpdate::AgentMessageChunk(chunk) => Some(chunk.message_id.unwrap()),
            SessionUpdate::UserMessageChunk(_) => panic!("the client has its own prompt"),
            _ => None,
        })
        .await;
    server.open_gate("half");
    assert_eq!(prompting.reason().await, StopReason::EndTurn);
    let rest = client.so_far();
    assert_eq!(said(&rest), " there");
    let same = |update: &SessionUpdate| match update {
        SessionUpdate::AgentMessageChunk(chunk) => chunk.message_id.as_ref() == Some(&first),
        _ => true,
    };
    assert!(rest.iter().all(same), "{rest:?}");
    let used = rest.iter().find_map(|update| match update {
        SessionUpdate::UsageUpdate(usage) => Some((usage.used, usage.size)),
        _ => None,
    });
    assert_eq!(used, Some((25, 1_048_576)));
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_writes_fast_costs_few_messages() {
    const PIECES: usize = 2_000;
    let world = World::new();
    let pieces: Vec<String> = (0..PIECES).map(|piece| format!("{piece} ")).collect();
    let answer = pieces
        .iter()
        .fold(Reply::new(), |reply, piece| reply.chunk(piece));
    let server = model([answer.finish("STOP")]).await;
    let mut client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    let prompting = client.say(&session, "count");
    assert_eq!(prompting.reason().await, StopReason::EndTurn);
    let updates = client.so_far();
    assert_eq!(said(&updates), pieces.concat());
    let is_piece = |update: &&SessionUpdate| matches!(update, SessionUpdate::AgentMessageChunk(_));
    let messages = updates.iter().filter(is_piece).count();
    assert!(messages < PIECES / 4, "{messages}");
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_version_is_answered_with_the_first() {
    let world = World::new();
    let server = model([]).await;
    let client = Client::start(&world, &server).await;
    let capabilities = &client.initialized.agent_capabilities;
    let shown = serde_json::to_value(capabilities).unwrap();
    assert_eq!(
        shown,
        json!({
            "loadSession": true,
            "promptCapabilities": { "image": true, "audio": true, "embeddedContext": true },
            "mcpCapabilities": { "http": true, "sse": true },
            "sessionCapabilities": {
                "list": {}, "delete": {}, "additionalDirectories": {}, "resume": {}, "close": {},
            },
            "auth": { "logout": {} },
        })
    );
    // The second is a draft, and the last has yet to be thought of.
    for version in [0, 1, 2, 7, u16::MAX] {
        let other = InitializeRequest::new(ProtocolVersion::from(version));
        let answered = client.call(other).await.unwrap();
        assert_eq!(answered.protocol_version, ProtocolVersion::V1, "{version}");
    }
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn steps_of_the_model_are_a_plan() {
    let world = World::new();
    let todos = json!({ "todos": [
        { "description": "look", "status": "completed" },
        { "description": "change", "status": "in_progress" },
        { "description": "wait", "status": "blocked" },
    ] });
    let server = model([calls("write_todos", todos), says("done")]).await;
    let mut client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    let prompting = client.say(&session, "plan");
    let plan = client
        .update(|update| match update {
            SessionUpdate::Plan(plan) => Some(plan),
            _ => None,
        })
        .await;
    let steps: Vec<(&str, PlanEntryStatus)> = plan
        .entries
        .iter()
        .map(|entry| (entry.content.as_str(), entry.status.clone()))
        .collect();
    assert_eq!(
        steps,
        [
            ("look", PlanEntryStatus::Completed),
            ("change", PlanEntryStatus::InProgress),
            ("wait (blocked)", PlanEntryStatus::Pending),
        ]
    );
    assert_eq!(prompting.reason().await, StopReason::EndTurn);
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_while_the_model_speaks_is_no_error() {
    let world = World::new();
    let server = model([Reply::text("so").gate("never")]).await;
    let mut client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    let prompting = client.say(&session, "go");
    client
        .update(|update| matches!(update, SessionUpdate::AgentMessageChunk(_)).then_some(()))
        .await;
    client.cancel(&session);
    assert_eq!(prompting.reason().await, StopReason::Cancelled);
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_takes_back_what_waits_as_well() {
    let world = World::new();
    let server = model([Reply::text("so").gate("never"), says("and on")]).await;
    let mut client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    let one = client.say(&session, "one");
    client
        .update(|update| matches!(update, SessionUpdate::AgentMessageChunk(_)).then_some(()))
        .await;
    let two = client.say(&session, "two");
    client.cancel(&session);
    assert_eq!(one.reason().await, StopReason::Cancelled);
    assert_eq!(two.reason().await, StopReason::Cancelled);
    // Nothing is left over: the next prompt is the next.
    let three = client.say(&session, "three");
    assert_eq!(three.reason().await, StopReason::EndTurn);
    let asked = server.requests().last().unwrap().json()["contents"].to_string();
    assert!(asked.contains("three") && !asked.contains("two"), "{asked}");
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_whose_request_is_cancelled_ends_alone() {
    let world = World::new();
    let server = model([Reply::text("so").gate("never"), says("and on")]).await;
    let mut client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    let one = client.request(&session, "one");
    let cancelling = one.cancellation_handle();
    let one = Prompting::of(one);
    client
        .update(|update| matches!(update, SessionUpdate::AgentMessageChunk(_)).then_some(()))
        .await;
    let two = client.request(&session, "two");
    let cancelling_two = two.cancellation_handle();
    let two = Prompting::of(two);
    let three = client.say(&session, "three");
    cancelling_two.cancel().unwrap();
    assert_eq!(two.reason().await, StopReason::Cancelled);
    cancelling.cancel().unwrap();
    assert_eq!(one.reason().await, StopReason::Cancelled);
    assert_eq!(three.reason().await, StopReason::EndTurn);
    let asked = server.requests().last().unwrap().json()["contents"].to_string();
    assert!(asked.contains("three") && !asked.contains("two"), "{asked}");
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_nobody_waits_for_any_more_is_given_up() {
    let world = World::new();
    let slow = world.tmp().join("slow");
    fs::create_dir_all(slow.join(".gemini")).unwrap();
    // Whoever reads the settings of that folder waits for somebody who writes them.
    let settings = slow.join(".gemini/settings.json");
    let made = world.command("mkfifo").arg(&settings).status().await;
    assert!(made.unwrap().success());
    let server = model([]).await;
    let client = Client::start(&world, &server).await;
    let new = client
        .connection
        .send_request(NewSessionRequest::new(&slow));
    let cancelling = new.cancellation_handle();
    let new = tokio::spawn(new.block_task());
    cancelling.cancel().unwrap();
    let error = timeout(PATIENCE, new).await.unwrap().unwrap().unwrap_err();
    assert_eq!(error.code, ErrorCode::REQUEST_CANCELLED, "{error}");
    client.session(&world).await;
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_while_a_command_runs_ends_the_command() {
    let world = World::new();
    let server = model([runs("echo born > born; cat never")]).await;
    let made = world.command("mkfifo").arg("never").status().await.unwrap();
    assert!(made.success());
    let mut client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    let mode = agent_client_protocol::v1::schema::SetSessionModeRequest::new(
        session.clone(),
        "yolo".to_owned(),
    );
    client.call(mode).await.unwrap();
    let prompting = client.say(&session, "go");
    client
        .update(|update| matches!(update, SessionUpdate::ToolCall(_)).then_some(()))
        .await;
    client.cancel(&session);
    assert_eq!(prompting.reason().await, StopReason::Cancelled);
    let failed = client.so_far().into_iter().any(|update| match update {
        SessionUpdate::ToolCallUpdate(change) => {
            let status = change.fields.status;
            status == Some(agent_client_protocol::v1::schema::ToolCallStatus::Failed)
        }
        _ => false,
    });
    assert!(failed, "the call is told as ended");
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_model_refuses_is_an_error_with_its_words() {
    let world = World::new();
    let server = model([Reply::error(400, "INVALID_ARGUMENT", "no such thing")]).await;
    let client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    let error = client.say(&session, "go").result().await.unwrap_err();
    assert!(error.to_string().contains("no such thing"), "{error}");
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_that_is_made_shorter_is_told_as_such_to_whoever_shows_that() {
    let world = World::new();
    fs::write(world.work().join("a.rs"), "one\n").unwrap();
    let counting: String = (0..1_000).map(|number| format!("{number} ")).collect();
    let crowded = Usage {
        prompt: 630_000,
        output: 1,
        ..Usage::default()
    };
    let reading = Call::new("read_file", json!({ "file_path": "a.rs" }));
    let server = model([
        says(&counting),
        Reply::new()
            .call(reading)
            .finish_with_usage("STOP", crowded),
        says("<state_snapshot>s</state_snapshot>")
            .when_path(":generateContent")
            .times(2),
        says("done"),
    ])
    .await;
    let compaction = CompactionCapabilities::new();
    let shows = ClientSessionCapabilities::new().compaction(compaction);
    let shows = ClientCapabilities::new().session(shows);
    let mut one = Client::start_with(&world, &server, shows).await;
    let session = one.session(&world).await;
    let mut other = Client::start(&world, &server).await;
    other.load(&world, &session).await;
    one.say(&session, "count").reason().await;
    one.say(&session, "read").reason().await;
    let compacted = |updates: Vec<SessionUpdate>| -> Vec<CompactionStatus> {
        let of = |update: SessionUpdate| match update {
            SessionUpdate::CompactionUpdate(update) => Some(update.status),
            _ => None,
        };
        updates.into_iter().filter_map(of).collect()
    };
    assert_eq!(compacted(one.so_far()), [CompactionStatus::Completed]);
    // Who shows no such thing, and has not asked for it, is told nothing about it.
    let mut heard = Vec::new();
    while !said(&heard).ends_with("done") {
        heard.push(other.update(Some).await);
    }
    let said = said(&heard);
    assert_eq!(said, format!("{counting}done"));
    assert_eq!(compacted(heard), []);
    one.finish().await;
    other.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panel_is_told_in_the_conversation_and_retries_by_a_command() {
    let world = World::new();
    let busy = Reply::error(429, "RESOURCE_EXHAUSTED", "slow down").retry_delay("200s");
    let server = model([busy, says("at last")]).await;
    let mut client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    let prompting = client.say(&session, "hello");
    let told = client
        .update(|update| match update {
            SessionUpdate::AgentMessageChunk(chunk) => Some(format!("{:?}", chunk.content)),
            _ => None,
        })
        .await;
    assert!(
        told.contains("Trying again at ") && told.contains(" UTC"),
        "{told}"
    );
    assert!(
        told.contains("slow down") && told.contains("/retry"),
        "{told}"
    );
    assert_eq!(
        client.say(&session, "/retry").reason().await,
        StopReason::EndTurn
    );
    assert_eq!(prompting.reason().await, StopReason::EndTurn);
    let rest = said(&client.so_far());
    assert_eq!(rest, "at last");
    client.finish().await;
}
