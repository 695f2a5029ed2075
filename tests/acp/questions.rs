//! What a person is asked, and what their answers do.

use agent_client_protocol::v1::schema::{
    ClientCapabilities, CreateElicitationResponse, ElicitationAcceptAction, ElicitationAction,
    ElicitationCapabilities, ElicitationContentValue, ElicitationFormCapabilities,
    PermissionOptionKind, SessionUpdate, StopReason, ToolCallStatus,
};
use pollux_testkit::scripted_model::{Reply, ScriptedModel};
use serde_json::json;

use super::client::{Client, Heard};
use crate::support::World;
use crate::support::talk::{calls, model, returned, runs, says, with_model};

#[tokio::test(flavor = "multi_thread")]
async fn a_command_is_announced_then_asked_about_whole_and_then_run() {
    let world = World::new();
    let command = "touch made && echo it is made";
    let server = model([runs(command), says("done")]).await;
    let mut client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    let prompting = client.say(&session, "make it");
    let mut announced = Vec::new();
    let question = loop {
        match client.next().await {
            Heard::Update(update) => {
                if let SessionUpdate::ToolCall(call) = *update {
                    announced.push(call.tool_call_id);
                }
            }
            Heard::Asked(asked) => break *asked,
            Heard::Form(_) => {}
        }
    };
    let call = &question.request.tool_call;
    assert_eq!(announced, std::slice::from_ref(&call.tool_call_id));
    assert_eq!(call.fields.status, Some(ToolCallStatus::Pending));
    assert_eq!(call.fields.title, Some(format!("Run {command}")));
    assert_eq!(call.fields.raw_input, Some(json!({ "command": command })));
    let shown = question.text();
    assert!(shown.contains(command), "{shown}");
    assert!(shown.contains(world.work().to_str().unwrap()), "{shown}");
    let options: Vec<(&str, PermissionOptionKind)> = question
        .request
        .options
        .iter()
        .map(|option| (&*option.name, option.kind))
        .collect();
    assert_eq!(options[0], ("Allow", PermissionOptionKind::AllowOnce));
    assert_eq!(
        *options.last().unwrap(),
        ("Reject", PermissionOptionKind::RejectOnce)
    );
    assert!(
        options.len() > 2,
        "something can be allowed for good: {options:?}"
    );
    assert!(!world.work().join("made").exists());
    question.choose(PermissionOptionKind::AllowOnce);
    let ended = client.call_ended().await;
    assert_eq!(ended.status, Some(ToolCallStatus::Completed));
    let shown = serde_json::to_string(&ended.content).unwrap();
    assert!(shown.contains("it is made"), "{shown}");
    assert_eq!(prompting.reason().await, StopReason::EndTurn);
    assert!(world.work().join("made").exists());
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_allowed_for_the_session_is_not_asked_again() {
    let world = World::new();
    let server = model([runs("touch one"), runs("touch two"), says("done")]).await;
    let mut client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    let prompting = client.say(&session, "make them");
    let question = client.asked().await;
    let options = &question.request.options;
    let always = options
        .iter()
        .find(|option| &*option.option_id.0 == "always-0-session");
    let always = always.unwrap_or_else(|| panic!("{options:?}"));
    assert!(always.name.contains("touch"), "{}", always.name);
    assert!(always.name.ends_with("in this session"), "{}", always.name);
    question.select("always-0-session");
    assert_eq!(prompting.reason().await, StopReason::EndTurn);
    let asked_again = client.so_far().len();
    assert!(asked_again > 0);
    assert!(world.work().join("two").exists());
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rejected_call_is_told_as_failed_and_the_turn_goes_on() {
    let world = World::new();
    let server = model([runs("touch made"), says("then not"), says("go on")]).await;
    let mut client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    let prompting = client.say(&session, "make it");
    client
        .asked()
        .await
        .choose(PermissionOptionKind::RejectOnce);
    let ended = client.call_ended().await;
    assert_eq!(ended.status, Some(ToolCallStatus::Failed));
    assert_eq!(prompting.reason().await, StopReason::EndTurn);
    assert!(!world.work().join("made").exists());
    // The session goes on.
    let next = client.say(&session, "something else");
    assert_eq!(next.reason().await, StopReason::EndTurn);
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_the_client_closes_stops_its_turn() {
    let world = World::new();
    let server = model([runs("touch made")]).await;
    let mut client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    let prompting = client.say(&session, "make it");
    client.asked().await.dismiss();
    assert_eq!(prompting.reason().await, StopReason::Cancelled);
    assert!(!world.work().join("made").exists());
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_takes_the_question_back() {
    let world = World::new();
    let server = model([runs("touch made")]).await;
    let mut client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    let prompting = client.say(&session, "make it");
    let question = client.asked().await;
    client.cancel(&session);
    question.taken_back().await;
    assert_eq!(prompting.reason().await, StopReason::Cancelled);
    assert!(!world.work().join("made").exists());
    client.finish().await;
    world.expect_no_process_left().await;
}

fn asks() -> pollux_testkit::scripted_model::Reply {
    calls(
        "ask_user",
        json!({ "questions": [
            { "question": "Which one?", "header": "One", "type": "choice", "options": [
                { "label": "left", "description": "the near one" },
                { "label": "right", "description": "" },
            ] },
        ] }),
    )
}

fn with_forms() -> ClientCapabilities {
    let forms = ElicitationCapabilities::new().form(ElicitationFormCapabilities::new());
    ClientCapabilities::new().elicitation(forms)
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_of_the_model_are_a_form_where_there_are_forms() {
    let world = World::new();
    let server = model([asks(), says("right then")]).await;
    let mut client = Client::start_with(&world, &server, with_forms()).await;
    let session = client.session(&world).await;
    let prompting = client.say(&session, "ask me");
    let form = client.form().await;
    assert_eq!(form.request.message, "Which one?");
    let shown = serde_json::to_value(&form.request).unwrap();
    assert_eq!(shown["mode"], "form");
    assert_eq!(shown["sessionId"], session);
    let property = &shown["requestedSchema"]["properties"]["question1"];
    assert_eq!(property["oneOf"][0]["const"], "left", "{shown}");
    let content = [(
        "question1".to_owned(),
        ElicitationContentValue::String("right".to_owned()),
    )];
    let accepted = ElicitationAcceptAction::new().content(Some(content.into()));
    form.answer(CreateElicitationResponse::new(ElicitationAction::Accept(
        accepted,
    )));
    assert_eq!(prompting.reason().await, StopReason::EndTurn);
    let told = returned(&server);
    assert!(told.contains(r#""0":"right""#), "{told}");
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_forms_a_choice_is_a_question_with_options() {
    let world = World::new();
    let server = model([asks(), says("left then")]).await;
    let mut client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    let prompting = client.say(&session, "ask me");
    let question = client.asked().await;
    let names: Vec<&str> = question
        .request
        .options
        .iter()
        .map(|option| &*option.name)
        .collect();
    assert_eq!(names, ["left", "right", "Leave it"]);
    question.select("reply-0");
    assert_eq!(prompting.reason().await, StopReason::EndTurn);
    let told = returned(&server);
    assert!(told.contains(r#""0":"left""#), "{told}");
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rejection_can_say_what_to_do_instead_and_the_model_goes_on() {
    let world = World::new();
    let server = model([runs("touch made"), says("tea then")]).await;
    let mut client = Client::start_with(&world, &server, with_forms()).await;
    let session = client.session(&world).await;
    let prompting = client.say(&session, "make it");
    client.asked().await.select("reject-why");
    let form = client.form().await;
    let content = [(
        "instead".to_owned(),
        ElicitationContentValue::String("rather make tea".to_owned()),
    )];
    let accepted = ElicitationAcceptAction::new().content(Some(content.into()));
    form.answer(CreateElicitationResponse::new(ElicitationAction::Accept(
        accepted,
    )));
    assert_eq!(prompting.reason().await, StopReason::EndTurn);
    let told = returned(&server);
    assert!(told.contains("rather make tea"), "{told}");
    client.finish().await;
    world.expect_no_process_left().await;
}

/// Somebody whose model has no quota left, and whose client can do so much.
async fn without_quota(world: &World, server: &ScriptedModel, can: ClientCapabilities) -> Client {
    let mut command = world.pollux(&["acp"]);
    with_model(&mut command, server);
    command
        .env("GEMINI_MODEL", "gemini-3-pro-preview")
        .env("GEMINI_CLI_TRUST_WORKSPACE", "true");
    Client::run(command, can).await
}

fn used_up() -> Reply {
    let used_up = Reply::error(429, "RESOURCE_EXHAUSTED", "day").quota_failure("RequestsPerDay");
    used_up.when_path("gemini-3-pro-preview")
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_has_no_quota_left_chooses_who_goes_on() {
    let world = World::new();
    let flash = "gemini-3-flash-preview";
    let server = model([used_up(), says("from flash").when_path(flash), used_up()]).await;
    let mut client = without_quota(&world, &server, ClientCapabilities::new()).await;
    let session = client.session(&world).await;
    let prompting = client.say(&session, "go");
    let question = client.asked().await;
    let shown = question.text();
    assert!(
        shown.contains("gemini-3-pro-preview does not answer"),
        "{shown}"
    );
    assert!(shown.contains("daily limit"), "{shown}");
    let options = question.request.options.iter();
    let names: Vec<&str> = options.map(|option| &*option.name).collect();
    assert_eq!(
        names,
        [
            "Use gemini-3-flash-preview for this session",
            "Use gemini-3-flash-preview for this prompt",
            "Try gemini-3-pro-preview again",
            "Leave it",
        ]
    );
    question.select("reply-1");
    // The client is not left with a call that never ends.
    client
        .update(|update| match update {
            SessionUpdate::ToolCallUpdate(change) => {
                (change.fields.status == Some(ToolCallStatus::Completed)).then_some(())
            }
            _ => None,
        })
        .await;
    assert_eq!(prompting.reason().await, StopReason::EndTurn);
    let prompting = client.say(&session, "and now");
    client
        .asked()
        .await
        .choose(PermissionOptionKind::RejectOnce);
    let failed = prompting.result().await.unwrap_err();
    assert!(failed.message.contains("Quota used up"), "{failed:?}");
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_goes_on_is_a_form_where_there_are_forms() {
    let world = World::new();
    let flash = "gemini-3-flash-preview";
    let server = model([used_up(), says("from flash").when_path(flash)]).await;
    let mut client = without_quota(&world, &server, with_forms()).await;
    let session = client.session(&world).await;
    let prompting = client.say(&session, "go");
    let form = client.form().await;
    assert!(
        form.request.message.contains("daily limit"),
        "{:?}",
        form.request
    );
    let chosen = "Use gemini-3-flash-preview for this session".to_owned();
    let content = [(
        "question1".to_owned(),
        ElicitationContentValue::String(chosen),
    )];
    let accepted = ElicitationAcceptAction::new().content(Some(content.into()));
    form.answer(CreateElicitationResponse::new(ElicitationAction::Accept(
        accepted,
    )));
    assert_eq!(prompting.reason().await, StopReason::EndTurn);
    client.finish().await;
    world.expect_no_process_left().await;
}
