//! Sessions that are listed, loaded, resumed, closed and deleted.

use agent_client_protocol::v1::schema::{
    CloseSessionRequest, DeleteSessionRequest, ListSessionsRequest, LoadSessionRequest,
    NewSessionRequest, PromptRequest, ResumeSessionRequest, SessionUpdate, SetSessionModeRequest,
    StopReason,
};
use agent_client_protocol::{Error, ErrorCode};

use super::client::{Client, said, said_by_person};
use crate::support::World;
use crate::support::talk::{Talk, calls, model, returned, says};

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_listed_and_loaded_with_all_that_was_said() {
    let world = World::new();
    std::fs::write(world.work().join("a.txt"), "the text\n").unwrap();
    let read = calls("read_file", serde_json::json!({ "file_path": "a.txt" }));
    let server = model([read, says("It says so."), says("Twice.")]).await;
    let client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    let reason = client.say(&session, "what does it say?").reason().await;
    assert_eq!(reason, StopReason::EndTurn);
    client.finish().await;
    world.expect_no_process_left().await;

    let mut client = Client::start(&world, &server).await;
    let list = ListSessionsRequest::new().cwd(world.work());
    let listed = client.call(list).await.unwrap();
    assert_eq!(listed.next_cursor, None);
    let [info] = &listed.sessions[..] else {
        panic!("{listed:?}");
    };
    assert_eq!(&*info.session_id.0, session);
    assert_eq!(info.cwd, world.work());
    assert!(info.title.as_deref().unwrap().contains("what does it say"));
    assert!(info.updated_at.as_deref().unwrap().ends_with('Z'));
    // Also for somebody who asks about no folder.
    let everywhere = client.call(ListSessionsRequest::new()).await.unwrap();
    assert_eq!(everywhere.sessions, listed.sessions);

    client.load(&world, &session).await;
    // All of it is there before the answer.
    let past = client.so_far();
    assert_eq!(said_by_person(&past), ["what does it say?"]);
    assert_eq!(said(&past), "It says so.");
    let calls = past
        .iter()
        .filter(|update| matches!(update, SessionUpdate::ToolCall(_)));
    assert_eq!(calls.count(), 1);
    let reason = client.say(&session, "again?").reason().await;
    assert_eq!(reason, StopReason::EndTurn);
    assert_eq!(said(&client.so_far()), "Twice.");
    client.finish().await;

    // Whoever resumes has it already.
    let mut client = Client::start(&world, &server).await;
    let resume = ResumeSessionRequest::new(session.clone(), world.work());
    let resumed = client.call(resume).await.unwrap();
    assert!(resumed.config_options.is_some());
    assert_eq!(said(&client.so_far()), "");
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_of_another_window_is_listed_loaded_and_answered_here() {
    let world = World::new();
    let server = model([says("from the window"), says("from the panel")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("first").await;
    talk.rest_unasked().await;
    let mut client = Client::start(&world, &server).await;
    client.load(&world, &talk.session).await;
    assert_eq!(said(&client.so_far()), "from the window");
    let session = talk.session.clone();
    let reason = client.say(&session, "second").reason().await;
    assert_eq!(reason, StopReason::EndTurn);
    let events = talk.rest_unasked().await;
    let started = events.iter().find(|event| event["kind"] == "turnStarted");
    assert_eq!(started.unwrap()["prompt"], "second");
    client.finish().await;
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_is_closed_takes_no_prompt_and_can_be_loaded_again() {
    let world = World::new();
    let server = model([
        pollux_testkit::scripted_model::Reply::text("so").gate("never"),
        says("here again"),
    ])
    .await;
    let mut client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    let prompting = client.say(&session, "go");
    client
        .update(|update| matches!(update, SessionUpdate::AgentMessageChunk(_)).then_some(()))
        .await;
    let close = CloseSessionRequest::new(session.clone());
    client.call(close).await.unwrap();
    assert_eq!(prompting.reason().await, StopReason::Cancelled);
    let error = client.say(&session, "more").result().await.unwrap_err();
    assert_eq!(error.code, ErrorCode::RESOURCE_NOT_FOUND);
    client.load(&world, &session).await;
    let reason = client.say(&session, "more").reason().await;
    assert_eq!(reason, StopReason::EndTurn);
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_is_deleted_is_gone() {
    let world = World::new();
    let server = model([says("hello")]).await;
    let client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    client.say(&session, "hi").reason().await;
    let delete = || DeleteSessionRequest::new(session.clone());
    client.call(delete()).await.unwrap();
    let list = ListSessionsRequest::new().cwd(world.work());
    assert_eq!(client.call(list).await.unwrap().sessions, []);
    let code = |result: Result<_, Error>| result.unwrap_err().code;
    let again = client.call(delete()).await.map(drop);
    assert_eq!(code(again), ErrorCode::RESOURCE_NOT_FOUND);
    let load = LoadSessionRequest::new(session.clone(), world.work());
    let load = client.call(load).await.map(drop);
    assert_eq!(code(load), ErrorCode::RESOURCE_NOT_FOUND);
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_another_client_deletes_refuses_what_comes_after() {
    let world = World::new();
    let server = model([says("hello")]).await;
    let one = Client::start(&world, &server).await;
    let session = one.session(&world).await;
    one.say(&session, "hi").reason().await;
    let two = Client::start(&world, &server).await;
    let delete = DeleteSessionRequest::new(session.clone());
    two.call(delete).await.unwrap();
    // The first may come before the end is known here, the second may not.
    for _ in 0..2 {
        let error = one.say(&session, "more").result().await.unwrap_err();
        assert_eq!(error.code, ErrorCode::RESOURCE_NOT_FOUND, "{error}");
        let reason = &error.message;
        assert!(
            reason.ends_with("was deleted in another window; start a new one"),
            "{reason}"
        );
        let mode = SetSessionModeRequest::new(session.clone(), "plan".to_owned());
        let error = one.call(mode).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::RESOURCE_NOT_FOUND, "{error}");
    }
    one.finish().await;
    two.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_session_and_no_folder_is_refused_with_a_reason() {
    let world = World::new();
    let server = model([]).await;
    let client = Client::start(&world, &server).await;
    let error = client
        .call(NewSessionRequest::new("work"))
        .await
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
    assert_eq!(error.message, "work is no absolute path");
    let missing = world.work().join("nowhere");
    let error = client.call(NewSessionRequest::new(&missing)).await;
    assert!(error.unwrap_err().message.ends_with("is not there"));
    // A number is a session in the list for people, and none for clients.
    for id in ["latest", "1", "e3b0c442-98fc-4c14-9afb-f4c8996fb924"] {
        let load = LoadSessionRequest::new(id.to_owned(), world.work());
        let error = client.call(load).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::RESOURCE_NOT_FOUND, "{id}: {error}");
    }
    let prompt = PromptRequest::new("nobody".to_owned(), vec!["hi".to_owned().into()]);
    let error = client.call(prompt).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::RESOURCE_NOT_FOUND);
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_list_comes_in_pages_the_newest_first() {
    const MANY: usize = 53;
    let world = World::new();
    let server = model([says("yes").times(MANY)]).await;
    let client = Client::start(&world, &server).await;
    let mut started = Vec::new();
    for _ in 0..MANY {
        let session = client.session(&world).await;
        client.say(&session, "hi").reason().await;
        started.push(session);
    }
    let mut listed = Vec::new();
    let mut cursor = None;
    let mut pages = Vec::new();
    loop {
        let list = ListSessionsRequest::new().cwd(world.work()).cursor(cursor);
        let page = client.call(list).await.unwrap();
        listed.extend(page.sessions.iter().map(|info| info.updated_at.clone()));
        pages.push(page.sessions.len());
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(pages, [50, MANY - 50]);
    assert!(listed.is_sorted_by(|one, two| one >= two));
    let wrong = ListSessionsRequest::new().cursor("x".to_owned());
    let error = client.call(wrong).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn folders_beside_the_workspace_are_read_and_edited_in_review() {
    let world = World::new();
    let beside = world.tmp().join("beside").display().to_string();
    std::fs::create_dir(&beside).unwrap();
    let file = format!("{beside}/b.txt");
    std::fs::write(&file, "one\n").unwrap();
    let read = calls("read_file", serde_json::json!({ "file_path": file }));
    let edit = serde_json::json!({ "file_path": file, "content": "one\ntwo\n" });
    let server = model([read, calls("write_file", edit), says("done")]).await;
    let mut client = Client::start(&world, &server).await;
    let new = NewSessionRequest::new(world.work()).additional_directories(vec![beside.into()]);
    let session = client.call(new).await.unwrap().session_id.to_string();
    let prompting = client.say(&session, "go");
    let question = client.asked().await;
    question.choose(agent_client_protocol::v1::schema::PermissionOptionKind::AllowOnce);
    assert_eq!(prompting.reason().await, StopReason::EndTurn);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "one\ntwo\n");
    let first = server.requests()[0].text();
    assert!(first.contains("/beside"), "the model knows of the folder");
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_is_alive_gets_what_the_next_client_brings() {
    let world = World::new();
    let beside = world.tmp().join("beside");
    std::fs::create_dir(&beside).unwrap();
    std::fs::write(beside.join("b.txt"), "the text\n").unwrap();
    let file = beside.join("b.txt").display().to_string();
    let read = || calls("read_file", serde_json::json!({ "file_path": file }));
    let server = model([
        says("hello"),
        read(),
        says("no"),
        read(),
        says("yes"),
        read(),
        says("not any more"),
    ])
    .await;
    let one = Client::start(&world, &server).await;
    let session = one.session(&world).await;
    one.say(&session, "hi").reason().await;
    let load = || {
        LoadSessionRequest::new(session.clone(), world.work())
            .additional_directories(vec![beside.clone()])
    };
    // While somebody else shows it, it stays as it is, and whoever comes is told so.
    let mut two = Client::start(&world, &server).await;
    two.call(load()).await.unwrap();
    let told = said(&two.so_far());
    assert!(told.contains("open in another window"), "{told}");
    two.say(&session, "read it").reason().await;
    assert!(returned(&server).contains("not in workspace"));
    one.finish().await;
    // From here on it is this client's alone.
    two.call(load()).await.unwrap();
    let told = said(&two.so_far());
    assert!(!told.contains("open in another window"), "{told}");
    two.say(&session, "read it").reason().await;
    assert!(returned(&server).contains("the text"));
    // The list is whole: what it does not name is not there any more.
    two.load(&world, &session).await;
    two.say(&session, "read it").reason().await;
    assert!(returned(&server).contains("not in workspace"));
    two.finish().await;
    world.expect_no_process_left().await;
}
