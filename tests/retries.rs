//! Requests that wait before they are sent again, quotas, and answers that are too long.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use pollux_testkit::deadline::{DEFAULT_DEADLINE, within};
use pollux_testkit::scripted_model::{Reply, ScriptedModel};
use rustix::process::Pid;
use serde_json::{Value, json};

use crate::support::asked_in;
use crate::support::talk::{MODEL, Talk, door, model, says, with_model};
use crate::support::terminal::Terminal;
use crate::support::world::World;

/// Busy for longer than any test has time.
fn busy() -> Reply {
    Reply::error(429, "RESOURCE_EXHAUSTED", "slow down").retry_delay("200s")
}

fn settings(world: &World, settings: &Value) {
    fs::create_dir_all(world.home().join(".gemini")).unwrap();
    let file = world.home().join(".gemini/settings.json");
    fs::write(file, settings.to_string()).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_editor_is_told_when_a_request_is_sent_again_and_can_send_it_now() {
    let world = World::new();
    let server = model([busy(), says("at last")]).await;
    let mut talk = Talk::start(&world, &server).await;
    let before = milliseconds_now();
    talk.say("hello").await;
    let waits = talk.event("requestRetried").await;
    assert_eq!(
        (&waits["attempt"], &waits["attempts"]),
        (&json!(1), &json!(10))
    );
    assert!(
        waits["reason"].as_str().unwrap().contains("slow down"),
        "{waits}"
    );
    assert!(
        waits["retryAtMs"].as_u64().unwrap() >= before + 200_000,
        "{waits}"
    );
    talk.ask("pollux/retryNow", json!({})).await;
    talk.event("retryStarted").await;
    assert_eq!(talk.event("text").await["text"], "at last");
    talk.rest_unasked().await;
    // Where nothing waits, that is said.
    talk.ask("pollux/retryNow", json!({})).await;
    assert_eq!(talk.late("refused").await, "no turn is running");
    talk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_attempts_of_the_settings_count_for_routing_and_for_every_model_of_auto() {
    let world = World::new();
    settings(&world, &json!({ "general": { "maxAttempts": 2 } }));
    let of = |path: &str| busy().times(2).when_path(path);
    let server = model([
        of("gemini-3.1-flash-lite:"),
        of("gemini-3-pro-preview:"),
        of("gemini-3-flash-preview:"),
    ])
    .await;
    let mut command = world.pollux(&["lsp"]);
    with_model(&mut command, &server);
    command.env("GEMINI_MODEL", "auto");
    let mut talk = Talk::start_in(&world.work(), World::start_trusting(command)).await;
    talk.say("hello").await;
    let mut waits = 0;
    let end = loop {
        let event = talk.any().await;
        match event["kind"].as_str().unwrap() {
            "requestRetried" => {
                waits += 1;
                assert_eq!(event["attempts"], 2, "{event}");
                talk.ask("pollux/retryNow", json!({})).await;
            }
            "turnEnded" => break event,
            _ => {}
        }
    };
    assert_eq!(end["outcome"], "failed", "{end}");
    assert_eq!((waits, server.requests().len()), (3, 6));
    talk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_used_up_quota_is_called_that_and_asked_for_once() {
    let world = World::new();
    let message = "You exceeded your current quota, please check your plan and billing details.";
    let server = model([Reply::error(429, "RESOURCE_EXHAUSTED", message)]).await;
    let mut command = world.pollux(&["run", "--skip-trust", "-m", MODEL, "-p", "hello"]);
    with_model(&mut command, &server);
    let output = command.stdin(Stdio::null()).output().await.unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("[ERROR] Quota used up: You exceeded"),
        "{said}"
    );
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn half_of_a_surrogate_pair_is_part_of_the_answer() {
    let world = World::new();
    let broken =
        r#"{"candidates":[{"content":{"parts":[{"text":"a\ud83db"}]},"finishReason":"STOP"}]}"#;
    let server = model([Reply::new().raw_event(broken)]).await;
    let mut command = world.pollux(&["run", "--skip-trust", "-m", MODEL, "-p", "hello"]);
    with_model(&mut command, &server);
    let output = command.stdin(Stdio::null()).output().await.unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "a\u{fffd}b\n");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_counts_the_tokens_of_an_answer_that_was_cut_off() {
    let world = World::new();
    let cut = Reply::new()
        .event(json!({
            "candidates": [{ "content": { "parts": [{ "text": "half" }] } }],
            "usageMetadata": { "promptTokenCount": 30, "candidatesTokenCount": 3, "totalTokenCount": 33 },
        }))
        .reset();
    let server = model([cut, says("whole")]).await;
    let arguments = [
        "run",
        "--skip-trust",
        "-m",
        MODEL,
        "-p",
        "hello",
        "-o",
        "json",
    ];
    let mut command = world.pollux(&arguments);
    with_model(&mut command, &server);
    let output = command.stdin(Stdio::null()).output().await.unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let model = &told["stats"]["models"][MODEL];
    assert_eq!(model["tokens"]["total"], 33, "{told}");
    assert_eq!(model["roles"]["main"]["tokens"]["prompt"], 30, "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminal_counts_down_and_can_send_it_now() {
    let world = World::new();
    let server = model([busy(), says("at last")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("hello").await;
    talk.event("requestRetried").await;
    let program = Path::new(env!("CARGO_BIN_EXE_pollux"));
    let mut window = Terminal::start(&world, program, |command| {
        with_model(command, &server);
        command
            .env("GEMINI_CLI_TRUST_WORKSPACE", "true")
            .arg("attach");
    });
    window.shows("↻ Retrying in ").await;
    window.shows("slow down").await;
    window.shows("Ctrl+R retries now · Enter queues").await;
    window.type_keys("\u{12}");
    window.shows("at last").await;
    window.hides("Ctrl+R retries now").await;
    talk.rest_unasked().await;
    window.type_keys("\u{4}");
    window.ended().await;
    talk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_name_of_a_tool_has_a_limit_and_nothing_of_it_is_sent_back() {
    let world = World::new();
    let call = pollux_testkit::scripted_model::Call::new("n".repeat(100_000), json!({}));
    let server = model([Reply::new().call(call).finish("STOP"), says("fine")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("hello").await;
    let end = talk.rest().await.pop().unwrap();
    assert_eq!(end["outcome"], "failed");
    let message = end["message"].as_str().unwrap();
    assert!(
        message.contains("the name of a tool is longer than 256 bytes"),
        "{message}"
    );
    talk.say("again").await;
    talk.rest_unasked().await;
    let sent: usize = server.requests()[1].json().to_string().len();
    assert!(sent < 100_000, "{sent} bytes");
    talk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_of_fifty_megabytes_is_refused_and_not_sent_back() {
    let world = World::new();
    let call = pollux_testkit::scripted_model::Call::new(
        "write_file",
        json!({ "file_path": "big.txt", "content": "x".repeat(50 << 20) }),
    );
    let server = model([Reply::new().call(call).finish("STOP"), says("fine")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("hello").await;
    let end = talk.rest().await.pop().unwrap();
    assert_eq!(end["outcome"], "failed");
    talk.say("again").await;
    talk.rest_unasked().await;
    let sent: usize = server.requests()[1].json().to_string().len();
    assert!(sent < 1 << 20, "{sent} bytes");
    assert!(!world.work().join("big.txt").exists());
    talk.close().await;
}

fn resident(host: Pid) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", host.as_raw_nonzero())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kilobytes = line.unwrap().split_whitespace().nth(1).unwrap();
    kilobytes.parse().unwrap()
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_of_a_hundred_megabytes_is_cut_and_its_memory_comes_back() {
    let megabyte = "x".repeat(1 << 20);
    let endless = || {
        Reply::new()
            .repeat(100, |reply| reply.chunk(megabyte.as_str()))
            .finish("STOP")
    };
    let world = World::new();
    settings(
        &world,
        &json!({ "model": { "disableLoopDetection": true } }),
    );
    let server = model([says("warm"), endless(), endless(), endless()]).await;
    // It keeps the host alive, and has a session of its own.
    let mut stays = Talk::start(&world, &server).await;
    stays.say("hello").await;
    stays.rest_unasked().await;
    let host = world.host();
    let before = resident(host);
    for _ in 0..3 {
        let told = long_answer(&world, &server).await;
        assert_eq!(told.len(), 8 << 20);
    }
    let given_back = async {
        while resident(host) > before + 12_000 {
            tokio::task::yield_now().await;
        }
    };
    let left = || format!("{before} kB before, {} kB after", resident(host));
    within(DEFAULT_DEADLINE, given_back, left).await;
    assert_eq!(world.host(), host);
    stays.close().await;
}

/// What a client hears of an answer that does not end. It leaves afterwards.
async fn long_answer(world: &World, server: &ScriptedModel) -> String {
    let mut talk = Talk::start_with(
        asked_in(world.work().to_str().unwrap()),
        door(world, server),
    )
    .await;
    talk.say("talk").await;
    let mut told = String::new();
    loop {
        let event = talk.any().await;
        match event["kind"].as_str().unwrap() {
            "text" => told += event["text"].as_str().unwrap(),
            "turnEnded" => {
                let message = event["message"].as_str().unwrap();
                assert!(message.contains("longer than 8 MB"), "{message}");
                break;
            }
            _ => {}
        }
    }
    talk.close().await;
    told
}

fn milliseconds_now() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    u64::try_from(now.unwrap().as_millis()).unwrap()
}
