//! Without a terminal: lines out, nothing in.

use std::process::{Output, Stdio};

use pollux_testkit::scripted_model::{Reply, ScriptedModel};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::time::{Duration, timeout};

use super::{CTRL_D, IDLE, attach, prepare};
use crate::support::World;
use crate::support::talk::{Talk, model, says, with_model};

/// Longer than anything takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(40);

async fn printed(world: &World, server: &ScriptedModel, arguments: &[&str]) -> Output {
    let mut command = world.pollux(&[]);
    prepare(&mut command, server, arguments);
    let output = command.stdin(Stdio::null()).output();
    timeout(PATIENCE, output).await.expect("it ends").unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_followed_until_it_is_idle() {
    let world = World::new();
    let server = model([
        says("the first answer"),
        Reply::text("half \n")
            .gate("more")
            .chunk("the other half")
            .finish("STOP"),
    ])
    .await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("first").await;
    talk.rest_unasked().await;
    talk.say("second").await;
    server.gate_reached("more").await;
    let mut command = world.pollux(&[]);
    prepare(&mut command, &server, &[]);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
    let mut child = child.unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut told = Vec::new();
    while let Some(line) = timeout(PATIENCE, lines.next_line()).await.unwrap().unwrap() {
        if line.trim_end() == "half" {
            server.open_gate("more");
        }
        told.push(line);
    }
    assert!(child.wait().await.unwrap().success());
    // Who answers, and under which title and id, is said above it.
    let told = told.split_off(3).join("\n");
    expect_test::expect![[r#"
        ▌ first

        the first answer

        Done.

        ▌ second

        half
        the other half

        Done."#]]
    .assert_eq(&told);
    // What is over is printed once more, to its end.
    let output = printed(&world, &server, &["--lines", "4"]).await;
    assert!(output.status.success(), "{output:?}");
    let told = String::from_utf8(output.stdout).unwrap();
    let told: Vec<&str> = told.lines().skip(2).collect();
    expect_test::expect![[r#"
        … 8 lines before; --lines shows more

        half
        the other half

        Done."#]]
    .assert_eq(&told.join("\n"));
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_session_it_says_so() {
    let world = World::new();
    let server = model([says("an answer")]).await;
    let output = printed(&world, &server, &[]).await;
    assert_eq!(output.status.code(), Some(42), "{output:?}");
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "pollux: there is no session in this folder yet; begin one in an editor, or with pollux run\n"
    );
    let mut talk = Talk::start(&world, &server).await;
    talk.say("first").await;
    talk.rest_unasked().await;
    for unknown in ["2", "3f2a6f0e-0000-4000-8000-000000000000", "../../etc"] {
        let output = printed(&world, &server, &[unknown]).await;
        assert_eq!(output.status.code(), Some(42), "{output:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        let expected = format!(
            "pollux: there is no session {unknown:?} in this folder; pollux attach --list names them\n"
        );
        assert_eq!(said, expected);
    }
    let listed = printed(&world, &server, &["--list"]).await;
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(listed.contains(&talk.session), "{listed}");
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_somebody_else_records_is_said_to_be_in_use() {
    let world = World::new();
    let server = model([Reply::text("so far").gate("never").finish("STOP")]).await;
    let mut command = world.pollux(&["run", "--skip-trust", "-p", "work"]);
    with_model(&mut command, &server);
    let running = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn();
    let mut running = running.unwrap();
    server.gate_reached("never").await;
    for session in ["latest", "1"] {
        let output = printed(&world, &server, &[session]).await;
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.ends_with(" is in use\n"), "{said}");
    }
    running.kill().await.unwrap();
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_model_says_moves_no_cursor_and_turns_no_line_around() {
    let world = World::new();
    let hostile = "a\u{1b}[2J\u{1b}]0;mine\u{7}b \u{202e}gnp.exe\u{2066} \u{9b}31m \rc\n";
    let server = model([says(hostile)]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("be\u{1b}[31mware\u{202e}").await;
    talk.rest_unasked().await;
    let output = printed(&world, &server, &[]).await;
    let told = String::from_utf8(output.stdout).unwrap();
    let harmless = |letter: char| letter == '\n' || !letter.is_control();
    assert!(told.chars().all(harmless), "{told:?}");
    assert!(!told.contains(['\u{202e}', '\u{2066}']), "{told:?}");
    assert!(
        told.contains(r"a\u{1b}[2J\u{1b}]0;mine\u{7}b \u{202e}gnp.exe"),
        "{told}"
    );
    assert!(told.contains(r"▌ be\u{1b}[31mware\u{202e}"), "{told}");
    // In a terminal the same is read, and the screen is still there.
    let mut window = attach(&world, &server, &[]);
    let screen = window.shows(IDLE).await;
    assert!(screen.contains(r"a\u{1b}[2J"), "{screen}");
    window.type_keys(CTRL_D);
    window.ended().await;
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_long_session_only_the_end_is_printed_in_however_many_pieces_it_arrives() {
    let world = World::new();
    let long = Reply::new().repeat(4_500, |reply| reply.chunk("line {n}\n"));
    let server = model([long.chunk("the end").finish("STOP")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("on and on").await;
    talk.rest_unasked().await;
    let output = printed(&world, &server, &["--lines", "5"]).await;
    let told = String::from_utf8(output.stdout).unwrap();
    let told: Vec<&str> = told.lines().skip(2).collect();
    expect_test::expect![[r#"
        … 4500 lines before; --lines shows more

        line 4498
        line 4499
        the end

        Done."#]]
    .assert_eq(&told.join("\n"));
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_failed_in_a_run_or_a_chat_is_shown_as_failed() {
    let world = World::new();
    let refused = || Reply::error(401, "UNAUTHENTICATED", "the key was refused");
    let server = model([refused(), refused()]).await;
    let mut run = world.pollux(&["run", "-p", "in a run"]);
    with_model(&mut run, &server);
    run.env("GEMINI_CLI_TRUST_WORKSPACE", "true");
    assert_eq!(run.output().await.unwrap().status.code(), Some(41));
    let mut talk = Talk::start(&world, &server).await;
    talk.say("in a chat").await;
    assert_eq!(talk.coming("turnEnded").await["outcome"], "failed");
    let chat = talk.session.clone();
    // Live, and from the record once the host that knew it has gone.
    let live = printed(&world, &server, &[&chat]).await;
    talk.close().await;
    world.expect_no_process_left().await;
    let recorded = printed(&world, &server, &[&chat]).await;
    let of_run = printed(&world, &server, &["1"]).await;
    let shown = [
        (live, "in a chat"),
        (recorded, "in a chat"),
        (of_run, "in a run"),
    ];
    for (output, prompt) in shown {
        let shown = String::from_utf8(output.stdout).unwrap();
        assert!(shown.contains(&format!("▌ {prompt}\n")), "{shown}");
        assert!(shown.contains("\nFailed: "), "{prompt}: {shown}");
        assert!(shown.contains("the key was refused"), "{prompt}: {shown}");
        assert!(!shown.contains("Done."), "{prompt}: {shown}");
    }
    world.expect_no_process_left().await;
}
