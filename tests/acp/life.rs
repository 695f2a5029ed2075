//! What is left when a client goes.

use agent_client_protocol::v1::schema::{SessionUpdate, StopReason};
use pollux_testkit::scripted_model::{Reply, ReplyEnd};
use rustix::process::Pid;

use super::client::{Client, said};
use crate::support::World;
use crate::support::talk::{model, runs, says};
use crate::support::world::kill;

fn half() -> Reply {
    Reply::text("half")
        .gate("rest")
        .chunk(" whole")
        .finish("STOP")
}

async fn speaks(client: &mut Client) {
    client
        .update(|update| matches!(update, SessionUpdate::AgentMessageChunk(_)).then_some(()))
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_dies_takes_its_turn_along_and_nothing_is_left() {
    let world = World::new();
    let server = model([half()]).await;
    let mut client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    let _unanswered = client.say(&session, "go");
    speaks(&mut client).await;
    client.die().await;
    world.expect_no_process_left().await;
    assert_eq!(server.reply_end(1).await, ReplyEnd::ClientLeft);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_door_that_is_killed_leaves_nothing_either() {
    let world = World::new();
    let server = model([half()]).await;
    let mut client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    let _unanswered = client.say(&session, "go");
    speaks(&mut client).await;
    kill(Pid::from_raw(client.pid().cast_signed()).unwrap());
    client.die().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_another_client_follows_goes_on() {
    let world = World::new();
    let server = model([half()]).await;
    let mut one = Client::start(&world, &server).await;
    let session = one.session(&world).await;
    let _unanswered = one.say(&session, "go");
    speaks(&mut one).await;
    let mut two = Client::start(&world, &server).await;
    two.load(&world, &session).await;
    one.die().await;
    server.open_gate("rest");
    let text = two
        .update(|update| match &update {
            SessionUpdate::AgentMessageChunk(_) => {
                let text = said(&[update]);
                text.contains("whole").then_some(text)
            }
            _ => None,
        })
        .await;
    assert_eq!(text, " whole");
    two.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_dies_with_the_only_client() {
    let world = World::new();
    let server = model([runs("touch made")]).await;
    let mut client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    let _unanswered = client.say(&session, "make it");
    let _question = client.asked().await;
    client.die().await;
    world.expect_no_process_left().await;
    assert!(!world.work().join("made").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_runs_in_one_process_too() {
    let world = World::new();
    let server = model([says("alone")]).await;
    let mut command = world.pollux(&["acp", "--no-share"]);
    crate::support::talk::with_model(&mut command, &server);
    command.env("GEMINI_CLI_TRUST_WORKSPACE", "true");
    let mut client = Client::run(command, Default::default()).await;
    let session = client.session(&world).await;
    assert_eq!(
        client.say(&session, "hi").reason().await,
        StopReason::EndTurn
    );
    assert_eq!(said(&client.so_far()), "alone");
    assert_eq!(world.processes("host"), []);
    client.finish().await;
    world.expect_no_process_left().await;
}
