//! How `pollux run` ends: commands, signals, pipes that stay open, and codes that scripts rely on.

use std::fs;
use std::process::{Output, Stdio};

use pollux_testkit::deadline::{DEFAULT_DEADLINE, within};
use pollux_testkit::scripted_model::{Reply, ScriptedModel};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout};

use crate::support::talk::{MODEL, calls, model, runs, says, with_model};
use crate::support::world::World;

async fn run(world: &World, server: Option<&ScriptedModel>, arguments: &[&str]) -> Output {
    let mut command = world.pollux(&[&["run", "--skip-trust"], arguments].concat());
    match server {
        Some(server) => with_model(&mut command, server),
        None => drop(command.env("GEMINI_MODEL", "demo")),
    }
    let ended = command.stdin(Stdio::null()).output();
    within(DEFAULT_DEADLINE, ended, || {
        format!("{arguments:?} does not end")
    })
    .await
    .unwrap()
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

fn settings(world: &World, settings: &Value) {
    fs::create_dir_all(world.home().join(".gemini")).unwrap();
    let path = world.home().join(".gemini/settings.json");
    fs::write(path, settings.to_string()).unwrap();
}

fn interrupt(child: &Child) {
    let id = i32::try_from(child.id().unwrap()).unwrap();
    let id = rustix::process::Pid::from_raw(id).unwrap();
    rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
}

#[tokio::test]
async fn a_command_answers_without_a_model_and_ends_the_run() {
    let world = World::new();
    for (command, expected) in [
        ("/help", "/compress"),
        ("/stats", "| turns | 0 |"),
        ("/tools", "read_file"),
        ("/model", "demo"),
        ("/compress", "stays as it is (NOOP)"),
    ] {
        let output = run(&world, None, &["-p", command]).await;
        assert_eq!(output.status.code(), Some(0), "{command}: {output:?}");
        let said = text(output.stdout);
        assert!(said.contains(expected), "{command}: {said}");
        assert!(said.ends_with('\n'));
    }
    let output = run(&world, None, &["-p", "/help", "-o", "json"]).await;
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(object["response"].as_str().unwrap().contains("/compress"));
    assert_eq!(object["error"], Value::Null);
    let output = run(&world, None, &["-p", "/help", "-o", "stream-json"]).await;
    let printed = text(output.stdout);
    let lines: Vec<Value> = printed
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let kinds: Vec<&str> = lines
        .iter()
        .map(|line| line["type"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["init", "message", "message", "result"]);
    assert_eq!(lines[3]["status"], "success");
}

#[tokio::test]
async fn headless_20_a_command_that_is_none_or_of_no_use_here_is_wrong_input() {
    let world = World::new();
    for (command, expected) in [
        ("/halp", "There is no command `/halp`."),
        ("/model demo", "use --model"),
        ("/plan", "use --approval-mode"),
        ("/rewind 7", "turn 7"),
    ] {
        let output = run(&world, None, &["-p", command]).await;
        assert_eq!(output.status.code(), Some(42), "{command}: {output:?}");
        assert_eq!(text(output.stdout), "", "{command}");
        let said = text(output.stderr);
        assert!(said.contains(expected), "{command}: {said}");
    }
}

/// Runs a prompt, and interrupts it when the model has said this.
async fn interrupted(world: &World, server: &ScriptedModel, arguments: &[&str], words: &str) {
    let fixed = ["run", "--skip-trust", "-m", MODEL, "-o", "stream-json"];
    let mut command = world.pollux(&[&fixed, arguments].concat());
    with_model(&mut command, server);
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let _listening = hears(&mut child, words).await;
    interrupt(&child);
    let ended = within(DEFAULT_DEADLINE, child.wait(), || "no end".to_owned()).await;
    assert_eq!(ended.unwrap().code(), Some(130));
}

/// Listens until a run has printed this. Whoever drops what comes back does not want to know the rest.
async fn hears(child: &mut Child, words: &str) -> Lines<BufReader<ChildStdout>> {
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let waiting = async {
        while let Some(line) = lines.next_line().await.unwrap() {
            if line.contains(words) {
                return;
            }
        }
        panic!("the words never came");
    };
    within(DEFAULT_DEADLINE, waiting, || "no words".to_owned()).await;
    lines
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_ends_a_run_whose_model_says_nothing() {
    let world = World::new();
    let server = model([Reply::text("I begin").stall()]).await;
    interrupted(&world, &server, &["-p", "go"], "I begin").await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_taken_back_is_not_sent_when_the_session_goes_on() {
    let world = World::new();
    let server = model([
        says("first"),
        Reply::text("second").stall(),
        Reply::error(400, "INVALID_ARGUMENT", "no such field"),
        says("fourth"),
        says("fifth"),
    ])
    .await;
    run(&world, Some(&server), &["-m", MODEL, "-p", "one"]).await;
    interrupted(&world, &server, &["-p", "two", "--resume"], "second").await;
    let failed = run(
        &world,
        Some(&server),
        &["-m", MODEL, "-p", "three", "--resume"],
    )
    .await;
    assert_eq!(failed.status.code(), Some(1));
    let last = run(
        &world,
        Some(&server),
        &["-m", MODEL, "-p", "four", "--resume"],
    )
    .await;
    assert_eq!(text(last.stdout), "fourth\n");
    assert_eq!(said(&server, 3), ["one", "first", "four"]);
    // Whoever goes back lands where the model's memory ends, and not where the record does.
    let back = run(&world, Some(&server), &["-p", "/rewind 4", "--resume"]).await;
    assert_eq!(back.status.code(), Some(0), "{back:?}");
    run(
        &world,
        Some(&server),
        &["-m", MODEL, "-p", "five", "--resume"],
    )
    .await;
    assert_eq!(said(&server, 4), ["one", "first", "five"]);
}

/// The texts of a request, but for what every session begins with.
fn said(server: &ScriptedModel, place: usize) -> Vec<String> {
    let sent = server.requests()[place].json();
    let contents = sent["contents"].as_array().unwrap().iter();
    let parts = contents.flat_map(|content| content["parts"].as_array().unwrap());
    let texts = parts.map(|part| part["text"].as_str().unwrap().to_owned());
    texts.skip(1).collect()
}

#[tokio::test]
async fn sessions_11_latest_of_none_is_a_new_one_and_a_number_is_not() {
    let world = World::new();
    for arguments in [
        &["-p", "hi", "--resume"][..],
        &["-p", "hi", "--resume", "latest"],
    ] {
        let world = World::new();
        let output = run(&world, None, arguments).await;
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let said = text(output.stderr);
        assert!(said.contains("there is no session to go on with"), "{said}");
    }
    let output = run(&world, None, &["-p", "hi", "--resume", "1"]).await;
    assert_eq!(output.status.code(), Some(42), "{output:?}");
}

#[tokio::test]
async fn a_pipe_that_stays_open_and_silent_does_not_hold_up_a_prompt() {
    let world = World::new();
    let arguments = ["run", "--skip-trust", "-p", "hello", "-o", "json"];
    let mut child = world
        .pollux(&arguments)
        .env("GEMINI_MODEL", "demo")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let pipe = child.stdin.take().unwrap();
    let output = within(DEFAULT_DEADLINE, child.wait_with_output(), || {
        "it waits for the pipe".to_owned()
    });
    let output = output.await.unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    drop(pipe);

    let arguments = ["run", "--skip-trust", "-p", "and", "-o", "stream-json"];
    let mut child = world
        .pollux(&arguments)
        .env("GEMINI_MODEL", "demo")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(b"what was piped").await.unwrap();
    drop(pipe);
    let output = child.wait_with_output().await.unwrap();
    let printed = text(output.stdout);
    assert!(printed.contains("what was piped\\n\\nand"), "{printed}");
}

#[tokio::test]
async fn the_settings_choose_the_format_and_the_flag_wins() {
    let world = World::new();
    settings(&world, &json!({ "output": { "format": "json" } }));
    let output = run(&world, None, &["-p", "hello"]).await;
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(object["stats"].is_object(), "{object}");
    let output = run(&world, None, &["-p", "hello", "-o", "text"]).await;
    assert!(!text(output.stdout).starts_with('{'));
}

#[tokio::test]
async fn what_is_wrong_before_a_session_opens_is_told_in_the_format_too() {
    let world = World::new();
    let output = run(&world, None, &["-p", "x", "--resume", "7", "-o", "json"]).await;
    assert_eq!(output.status.code(), Some(42), "{output:?}");
    assert_eq!(text(output.stdout), "");
    let object: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(object["error"]["type"], "FatalInputError", "{object}");
    assert_eq!(object["error"]["code"], 42);
    let output = run(&world, None, &["-o", "stream-json"]).await;
    assert_eq!(output.status.code(), Some(42), "{output:?}");
    let line: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&line["type"], &line["status"]),
        (&json!("result"), &json!("error"))
    );
    fs::create_dir_all(world.home().join(".gemini")).unwrap();
    fs::write(world.home().join(".gemini/settings.json"), "[]").unwrap();
    let output = run(&world, None, &["-p", "x", "-o", "json"]).await;
    assert_eq!(output.status.code(), Some(52), "{output:?}");
    let object: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(object["error"]["type"], "FatalConfigError", "{object}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_provider_answers_is_the_code_for_programs_only() {
    for (format, code) in [("text", 1), ("json", 400 % 256), ("stream-json", 400 % 256)] {
        let world = World::new();
        let server = model([Reply::error(400, "INVALID_ARGUMENT", "no such field")]).await;
        let arguments = ["-m", MODEL, "-p", "x", "-o", format];
        let output = run(&world, Some(&server), &arguments).await;
        assert_eq!(output.status.code(), Some(code), "{format}: {output:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fallback_is_told_and_its_tokens_are_its_own() {
    let world = World::new();
    let gone = Reply::error(404, "NOT_FOUND", "gone").when_path("gemini-3.1-flash-lite");
    let server = model([gone, says("I am here")]).await;
    let arguments = ["-m", "flash-lite", "-p", "x", "-o", "json"];
    let output = run(&world, Some(&server), &arguments).await;
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(object["response"], "I am here");
    let warned = object["warnings"][0].as_str().unwrap();
    assert!(warned.contains("answers instead of"), "{warned}");
    let models = object["stats"]["models"].as_object().unwrap();
    let by_name = |model: &str| models[model]["api"]["totalRequests"].as_u64();
    let names: Vec<(&str, Option<u64>)> = models
        .keys()
        .map(|model| (model.as_str(), by_name(model)))
        .collect();
    assert_eq!(names, [("gemini-3.5-flash", Some(1))], "{object}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_is_recorded_with_the_model_that_wrote_it() {
    let world = World::new();
    let gone = || Reply::error(404, "NOT_FOUND", "gone").when_path("gemini-3.1-flash-lite");
    let server = model([
        gone(),
        calls("list_directory", json!({ "dir_path": "." })),
        says("after a fallback"),
        says("after a choice"),
        gone(),
        says("after another"),
    ])
    .await;
    for (model, session) in [
        ("flash-lite", None),
        (MODEL, Some("--resume")),
        ("flash-lite", Some("--resume")),
    ] {
        let mut arguments = vec!["-m", model, "-p", "go"];
        arguments.extend(session);
        let output = run(&world, Some(&server), &arguments).await;
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
    let flash = "gemini-3.5-flash".to_owned();
    let mut answers = world.answers();
    // The call and its result are added to the same message.
    answers.dedup();
    assert_eq!(
        answers,
        [
            (flash.clone(), String::new()),
            (flash.clone(), "after a fallback".to_owned()),
            (MODEL.to_owned(), "after a choice".to_owned()),
            (flash, "after another".to_owned()),
        ]
    );
    server.assert_exhausted();
}

/// Resolves when it is so. What another process does is not told.
async fn until(is_so: impl Fn() -> bool) {
    let waiting = async {
        while !is_so() {
            tokio::task::yield_now().await;
        }
    };
    within(DEFAULT_DEADLINE, waiting, || "it is not so".to_owned()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_ends_a_command_that_hangs_with_everything_it_has_started() {
    let plain = "sleep 1234 & sleep 1234";
    // What runs does not want to end.
    let stubborn = "trap '' INT TERM HUP; (trap '' INT TERM HUP; sleep 1234; sleep 1234) & sleep 1234; sleep 1234";
    for command in [plain, stubborn] {
        let world = World::new();
        let server = model([runs(command)]).await;
        let arguments = ["run", "--skip-trust", "-m", MODEL, "--yolo", "-p", "run it"];
        let mut running = world.pollux(&arguments);
        with_model(&mut running, &server);
        let mut child = running.stdin(Stdio::null()).spawn().unwrap();
        until(|| world.processes("1234").len() == 2).await;
        interrupt(&child);
        let ended = within(DEFAULT_DEADLINE, child.wait(), || "no end".to_owned()).await;
        assert_eq!(ended.unwrap().code(), Some(130), "{command}");
        world.expect_no_process_left().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn headless_19_the_limit_of_turns_has_its_code() {
    for (format, told) in [("text", "[ERROR]"), ("stream-json", "\"status\":\"error\"")] {
        let world = World::new();
        settings(&world, &json!({ "model": { "maxSessionTurns": 1 } }));
        let server = model([calls("list_directory", json!({ "dir_path": "." }))]).await;
        let arguments = ["-m", MODEL, "-p", "look", "-o", format];
        let output = run(&world, Some(&server), &arguments).await;
        assert_eq!(output.status.code(), Some(53), "{output:?}");
        let said = text(output.stdout) + &text(output.stderr);
        assert!(said.contains(told), "{said}");
        assert!(said.contains("may ask the model 1 times"), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_used_up_quota_ends_a_run_because_nobody_can_be_asked_who_goes_on() {
    for (format, code) in [("text", 1), ("json", 429 % 256)] {
        let world = World::new();
        let used_up =
            Reply::error(429, "RESOURCE_EXHAUSTED", "day").quota_failure("RequestsPerDay");
        let server = model([used_up]).await;
        let arguments = ["-m", "gemini-3-pro-preview", "-p", "x", "-o", format];
        let output = run(&world, Some(&server), &arguments).await;
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        let said = text(output.stdout) + &text(output.stderr);
        assert!(said.contains("Quota used up"), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_plans_goes_on_with_the_next_model_and_says_so() {
    let world = World::new();
    let used_up = Reply::error(429, "RESOURCE_EXHAUSTED", "day").quota_failure("RequestsPerDay");
    let server = model([
        used_up.when_path("gemini-3-pro-preview"),
        says("the plan").when_path("gemini-3-flash-preview"),
    ])
    .await;
    let arguments = [
        "-m",
        "gemini-3-pro-preview",
        "--approval-mode",
        "plan",
        "-p",
        "x",
    ];
    let output = run(&world, Some(&server), &arguments).await;
    assert_eq!(text(output.stdout), "the plan\n");
    let said = text(output.stderr);
    assert!(
        said.contains("gemini-3-flash-preview answers instead of gemini-3-pro-preview"),
        "{said}"
    );
    assert!(said.contains("daily limit"), "{said}");
}
