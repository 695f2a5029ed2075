//! One conversation in three windows: an editor's chat, a panel, and a terminal.

use std::path::Path;

use agent_client_protocol::v1::schema::PermissionOptionKind;

use super::client::Client;
use crate::support::World;
use crate::support::talk::{Talk, model, runs, says, with_model};
use crate::support::terminal::Terminal;

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_the_panel_answers_is_gone_in_the_editor_and_in_the_terminal() {
    let world = World::new();
    let server = model([runs("touch one"), runs("touch two"), says("all is made")]).await;
    let mut talk = Talk::start(&world, &server).await;
    let mut panel = Client::start(&world, &server).await;
    talk.say("make them").await;
    talk.event("approvalRequested").await;
    panel.load(&world, &talk.session).await;
    let asked = panel.asked().await;
    let program = Path::new(env!("CARGO_BIN_EXE_pollux"));
    let mut window = Terminal::start(&world, program, |command| {
        with_model(command, &server);
        command.args(["attach", "latest"]);
    });
    window.shows("│ touch one").await;
    window.shows("y once").await;

    asked.choose(PermissionOptionKind::AllowOnce);
    assert_eq!(talk.event("approvalEnded").await["by"], "A Panel");
    window.shows("allowed once (in A Panel)").await;

    // The next one is answered in the terminal.
    let second = panel.asked().await;
    window.shows("│ touch two").await;
    window.shows("y once").await;
    talk.event("approvalRequested").await;
    window.type_keys("y\r");
    assert_eq!(talk.event("approvalEnded").await["by"], "pollux attach");
    second.taken_back().await;
    window.hides("y once").await;
    talk.rest_unasked().await;
    window.shows("all is made").await;
    assert!(world.work().join("one").exists());
    assert!(world.work().join("two").exists());
    window.type_keys("\u{4}");
    window.ended().await;
    panel.finish().await;
    talk.close().await;
    world.expect_no_process_left().await;
}
