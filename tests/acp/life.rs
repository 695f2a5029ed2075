//! What is left when a client goes.

use std::fs;

use agent_client_protocol::v1::schema::{SessionUpdate, StopReason};
use pollux_testkit::scripted_model::{Reply, ReplyEnd, ScriptedModel};
use rustix::process::Pid;
use serde_json::{Value, json};

use super::client::{Client, said};
use crate::support::World;
use crate::support::talk::{model, runs, says, with_model};
use crate::support::wire::Wire;
use crate::support::world::{expect_end_of, kill};

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

/// A client in a process of its own, which hands on what it is told and what the agent says.
const CLIENT: &str = r#"
    coproc AGENT { exec "$@"; }
    exec 3<&"${AGENT[0]}" 4>&"${AGENT[1]}" {AGENT[0]}<&- {AGENT[1]}>&-
    cat <&3 4>&- &
    while read -r line; do printf '%s\n' "$line" >&4; done
"#;

/// Such a client in the midst of a turn, with a command and a server of its own running.
struct AtWork(Wire);

impl AtWork {
    async fn start(world: &World, server: &ScriptedModel, words: &[&str]) -> Self {
        let mut command = world.command("bash");
        command
            .args(["-c", CLIENT, "client", env!("CARGO_BIN_EXE_pollux")])
            .args(words)
            .env("GEMINI_CLI_TRUST_WORKSPACE", "true");
        with_model(&mut command, server);
        let mut at_work = Self(Wire::open(&mut command));
        at_work
            .ask("initialize", json!({ "protocolVersion": 1 }))
            .await;
        let argv = pollux_testkit::scripted_mcp(&[]);
        let given = json!({ "name": "given", "command": argv[0], "args": argv[1..], "env": [] });
        let new = json!({ "cwd": world.work(), "mcpServers": [given] });
        let opened = at_work.ask("session/new", new).await;
        let session = opened["result"]["sessionId"].clone();
        let mode = json!({ "sessionId": session, "modeId": "yolo" });
        at_work.ask("session/set_mode", mode).await;
        let prompt = |text: &str| {
            let block = json!({ "type": "text", "text": text });
            json!({ "sessionId": session, "prompt": [block] })
        };
        // The server is started beside everything else.
        loop {
            at_work
                .send("session/prompt", prompt("/mcp list given"))
                .await;
            let told = at_work
                .until(|one| one.to_string().contains("**given**"))
                .await;
            at_work.until(|one| one["id"] == "session/prompt").await;
            if told.to_string().contains("**given**: connected") {
                break;
            }
        }
        at_work.send("session/prompt", prompt("go")).await;
        at_work
            .until(|message| {
                message["params"]["update"]["content"]
                    .to_string()
                    .contains("begun")
            })
            .await;
        at_work
    }

    async fn send(&mut self, method: &str, params: Value) {
        let line = json!({ "jsonrpc": "2.0", "id": method, "method": method, "params": params });
        self.0.write(&line.to_string()).await;
    }

    async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.send(method, params).await;
        self.until(|message| message["id"] == method).await
    }

    async fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        self.0.until(wanted).await
    }
}

const WAYS_IN: [&[&str]; 2] = [&["acp"], &["acp", "--no-share"]];

/// All processes of a world: commands and servers do not have its variables, but they are at work in its folder.
fn everybody(world: &World) -> Vec<Pid> {
    let mut all = world.processes("");
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let is_here = fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == world.work());
        let number = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok());
        let pid = number.and_then(Pid::from_raw).filter(|_| is_here);
        all.extend(pid.filter(|pid| !all.contains(pid)));
    }
    assert!(all.len() > 5, "client, agent, command and server: {all:?}");
    all
}

/// Everybody who was there is gone five seconds later, however busy the machine is.
async fn all_gone(world: &World, there: &[Pid]) {
    let ends = there.iter().map(|pid| expect_end_of(*pid));
    futures_util::future::join_all(ends).await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_is_killed_leaves_neither_commands_nor_servers() {
    for words in WAYS_IN {
        let world = World::new();
        let server = model([runs("echo begun; sleep 1000")]).await;
        let mut at_work = AtWork::start(&world, &server, words).await;
        let there = everybody(&world);
        at_work.0.child.start_kill().unwrap();
        all_gone(&world, &there).await;
        at_work.0.child.wait().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_closes_its_end_leaves_neither_commands_nor_servers() {
    for words in WAYS_IN {
        let world = World::new();
        let server = model([runs("echo begun; sleep 1000")]).await;
        let AtWork(Wire {
            child: mut client,
            input,
            output,
        }) = AtWork::start(&world, &server, words).await;
        let there = everybody(&world);
        drop(input);
        all_gone(&world, &there).await;
        client.wait().await.unwrap();
        drop(output);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_reads_nothing_any_more_and_goes_leaves_nothing_either() {
    for words in WAYS_IN {
        let world = World::new();
        // Prints for as long as it is let.
        let server = model([runs(
            "echo begun; yes 'begun, and more than any pipe holds'",
        )])
        .await;
        let AtWork(Wire {
            child: mut client,
            input,
            output,
        }) = AtWork::start(&world, &server, words).await;
        let there = everybody(&world);
        // From here on nobody reads, and the pipe stays open. Who hands it on waits for it, and for nothing else.
        let waits = |pid: &Pid| {
            let words = fs::read(format!("/proc/{}/cmdline", pid.as_raw_nonzero()));
            words.unwrap_or_default() == b"cat\0"
        };
        let others: Vec<Pid> = there.iter().filter(|pid| !waits(pid)).copied().collect();
        assert_eq!(others.len(), there.len() - 1);
        drop(input);
        let ends = others.iter().map(|pid| expect_end_of(*pid));
        futures_util::future::join_all(ends).await;
        drop(output);
        world.expect_no_process_left().await;
        client.wait().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_runs_in_one_process_too() {
    let world = World::new();
    let server = model([says("alone")]).await;
    let mut command = world.pollux(&["acp", "--no-share"]);
    with_model(&mut command, &server);
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
