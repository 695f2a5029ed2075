//! Modes and other things that can be set.

use agent_client_protocol::ErrorCode;
use agent_client_protocol::v1::schema::{
    LoadSessionRequest, SessionConfigKind, SessionConfigOption, SessionUpdate,
    SetSessionConfigOptionRequest, SetSessionModeRequest,
};
use serde_json::json;

use super::client::Client;
use crate::support::World;
use crate::support::talk::{Talk, model, says, with_model};

fn current<'a>(options: &'a [SessionConfigOption], id: &str) -> &'a str {
    let option = options.iter().find(|option| &*option.id.0 == id).unwrap();
    match &option.kind {
        SessionConfigKind::Select(select) => &select.current_value.0,
        other => panic!("{other:?}"),
    }
}

fn mode(session: &str, mode: &str) -> SetSessionModeRequest {
    SetSessionModeRequest::new(session.to_owned(), mode.to_owned())
}

fn option(session: &str, id: &str, value: &str) -> SetSessionConfigOptionRequest {
    let value =
        agent_client_protocol::v1::schema::SessionConfigOptionValue::value_id(value.to_owned());
    SetSessionConfigOptionRequest::new(session.to_owned(), id.to_owned(), value)
}

#[tokio::test(flavor = "multi_thread")]
async fn mode_and_model_are_set_in_either_way_and_answered_with_everything() {
    let world = World::new();
    let server = model([]).await;
    let mut client = Client::start(&world, &server).await;
    let opened = client.open(&world.work()).await;
    let session = opened.session_id.to_string();
    let modes = opened.modes.unwrap();
    assert_eq!(&*modes.current_mode_id.0, "default");
    let ids: Vec<&str> = modes
        .available_modes
        .iter()
        .map(|mode| &*mode.id.0)
        .collect();
    assert_eq!(ids, ["plan", "default", "autoEdit", "yolo"]);
    let options = opened.config_options.unwrap();
    assert_eq!(current(&options, "mode"), "default");
    assert_eq!(current(&options, "model"), "gemini-2.5-pro");

    client.call(mode(&session, "plan")).await.unwrap();
    let now = client
        .update(|update| match update {
            SessionUpdate::CurrentModeUpdate(mode) => Some(mode.current_mode_id),
            _ => None,
        })
        .await;
    assert_eq!(&*now.0, "plan");
    let set = client.call(option(&session, "mode", "autoEdit")).await;
    let options = set.unwrap().config_options;
    assert_eq!(current(&options, "mode"), "autoEdit");
    assert_eq!(current(&options, "model"), "gemini-2.5-pro");
    let set = client.call(option(&session, "model", "flash")).await;
    let options = set.unwrap().config_options;
    assert_eq!(current(&options, "mode"), "autoEdit");
    assert_eq!(current(&options, "model"), "flash");

    let set = client.call(option(&session, "thinking", "low")).await;
    let options = set.unwrap().config_options;
    assert_eq!(current(&options, "thinking"), "low");
    assert_eq!(current(&options, "model"), "flash");

    for (request, reason) in [
        (option(&session, "mode", "wild"), "there is no mode wild"),
        (
            option(&session, "colour", "red"),
            "there is no option colour",
        ),
    ] {
        let error = client.call(request).await.unwrap_err();
        assert_eq!(
            (error.code, &*error.message),
            (ErrorCode::INVALID_PARAMS, reason)
        );
    }
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_window_sets_is_told_here() {
    let world = World::new();
    let server = model([says("hello")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("hi").await;
    talk.rest_unasked().await;
    let mut client = Client::start(&world, &server).await;
    client.load(&world, &talk.session).await;
    talk.ask("pollux/modeSet", json!({ "mode": "autoEdit" }))
        .await;
    let options = client
        .update(|update| match update {
            SessionUpdate::ConfigOptionUpdate(update) => Some(update.config_options),
            _ => None,
        })
        .await;
    assert_eq!(current(&options, "mode"), "autoEdit");
    let name = json!({ "title": "A name of its own" });
    talk.ask("pollux/sessionRename", name).await;
    let title = client
        .update(|update| match update {
            SessionUpdate::SessionInfoUpdate(info) => info.title.take(),
            _ => None,
        })
        .await;
    assert_eq!(title, "A name of its own");
    client.finish().await;
    talk.close().await;
    world.expect_no_process_left().await;
}

async fn told(client: &mut Client) -> Vec<SessionConfigOption> {
    client
        .update(|update| match update {
            SessionUpdate::ConfigOptionUpdate(update) => Some(update.config_options),
            _ => None,
        })
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn model_and_thinking_are_told_to_others_as_they_were_chosen() {
    let world = World::new();
    let server = model([]).await;
    let one = Client::start(&world, &server).await;
    let session = one.session(&world).await;
    let mut two = Client::start(&world, &server).await;
    two.load(&world, &session).await;
    // The name of another model may end like this one's.
    one.call(option(&session, "model", "pro")).await.unwrap();
    assert_eq!(current(&told(&mut two).await, "model"), "pro");
    one.call(option(&session, "thinking", "low")).await.unwrap();
    let options = told(&mut two).await;
    assert_eq!(current(&options, "thinking"), "low");
    assert_eq!(current(&options, "model"), "pro");
    // What others choose is what this one's next choice builds on.
    let set = two.call(option(&session, "model", "flash")).await.unwrap();
    assert_eq!(current(&set.config_options, "thinking"), "low");
    let three = Client::start(&world, &server).await;
    let load = LoadSessionRequest::new(session.clone(), world.work());
    let loaded = three.call(load).await.unwrap().config_options.unwrap();
    assert_eq!(current(&loaded, "model"), "flash");
    assert_eq!(current(&loaded, "thinking"), "low");
    for client in [one, two, three] {
        client.finish().await;
    }
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_is_not_trusted_stays_with_asking() {
    let world = World::new();
    let server = model([]).await;
    let mut command = world.pollux(&["acp"]);
    with_model(&mut command, &server);
    command.env("GEMINI_CLI_TRUST_WORKSPACE", "false");
    let client = Client::run(command, Default::default()).await;
    let session = client.session(&world).await;
    let error = client.call(mode(&session, "yolo")).await.unwrap_err();
    assert!(error.message.contains("not trusted"), "{error}");
    client.call(mode(&session, "plan")).await.unwrap();
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn how_long_to_think_reaches_the_model() {
    let world = World::new();
    let server = model([says("briefly"), says("at length")]).await;
    let client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    for (level, budget) in [("low", 1024), ("high", 24_576)] {
        let set = client.call(option(&session, "thinking", level)).await;
        assert_eq!(current(&set.unwrap().config_options, "thinking"), level);
        client.say(&session, "think").reason().await;
        let sent = server.requests().last().unwrap().json();
        let thinking = &sent["generationConfig"]["thinkingConfig"];
        assert_eq!(thinking["thinkingBudget"], budget, "{thinking}");
    }
    client.finish().await;
    world.expect_no_process_left().await;
}
