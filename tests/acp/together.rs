//! Two clients at one session.

use agent_client_protocol::v1::schema::{
    PermissionOptionKind, ResumeSessionRequest, SessionUpdate, StopReason,
};

use super::client::{Client, Heard, said, said_by_person};
use crate::support::World;
use crate::support::talk::{model, runs, says};

#[tokio::test(flavor = "multi_thread")]
async fn whoever_follows_sees_the_turn_and_a_question_goes_when_one_answers() {
    let world = World::new();
    let server = model([runs("touch made"), says("made")]).await;
    let mut one = Client::start(&world, &server).await;
    let session = one.session(&world).await;
    let mut two = Client::start(&world, &server).await;
    two.load(&world, &session).await;
    let prompting = one.say(&session, "make it");
    let here = one.asked().await;
    let mut before = Vec::new();
    let there = loop {
        match two.next().await {
            Heard::Update(update) => before.push(*update),
            Heard::Asked(asked) => break *asked,
            Heard::Form(_) => panic!("a form"),
        }
    };
    assert_eq!(said_by_person(&before), ["make it"]);
    there.choose(PermissionOptionKind::AllowOnce);
    here.taken_back().await;
    assert_eq!(prompting.reason().await, StopReason::EndTurn);
    assert!(world.work().join("made").exists());
    let text = two
        .update(|update| match &update {
            SessionUpdate::AgentMessageChunk(_) => Some(said(&[update])),
            _ => None,
        })
        .await;
    assert_eq!(text, "made");
    one.finish().await;
    two.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_comes_while_a_question_waits_is_asked_too_and_knows_the_call() {
    let world = World::new();
    let server = model([runs("touch made"), says("made")]).await;
    let mut one = Client::start(&world, &server).await;
    let session = one.session(&world).await;
    let prompting = one.say(&session, "make it");
    let here = one.asked().await;
    let mut two = Client::start(&world, &server).await;
    let resume = ResumeSessionRequest::new(session.clone(), world.work());
    two.call(resume).await.unwrap();
    let mut known = Vec::new();
    let there = loop {
        match two.next().await {
            Heard::Update(update) => {
                if let SessionUpdate::ToolCall(call) = *update {
                    known.push(call.tool_call_id);
                }
            }
            Heard::Asked(asked) => break *asked,
            Heard::Form(_) => {}
        }
    };
    let asked = &there.request.tool_call.tool_call_id;
    assert_eq!(known, std::slice::from_ref(asked));
    there.choose(PermissionOptionKind::AllowOnce);
    here.taken_back().await;
    assert_eq!(prompting.reason().await, StopReason::EndTurn);
    one.finish().await;
    two.finish().await;
    world.expect_no_process_left().await;
}
