//! Sessions that go on after a process was killed.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use pollux_testkit::scripted_model::{Call, Reply, ScriptedModel, Usage};
use serde_json::{Value, json};
use tokio::process::{Child, Command};

use crate::support::talk::{self, Talk, says, told};
use crate::support::world::World;

const SOON: Duration = Duration::from_secs(20);

fn run(world: &World, server: &ScriptedModel, arguments: &[&str]) -> Command {
    let mut command = world.pollux(&[&["run", "--skip-trust"], arguments].concat());
    talk::with_model(&mut command, server);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// As `kill -9` does it.
async fn kill(mut child: Child) {
    child.start_kill().unwrap();
    child.wait().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_was_compressed_in_mid_turn_and_killed_goes_on_where_it_was() {
    let world = World::new();
    fs::write(world.work().join("a.rs"), "one\n").unwrap();
    let counting: String = (0..1_000).map(|number| format!("{number} ")).collect();
    let crowded = Usage {
        prompt: 630_000,
        output: 1,
        ..Usage::default()
    };
    let reading = Call::new("read_file", json!({ "file_path": "a.rs" })).id("1");
    let server = talk::model([
        says(&counting),
        Reply::new()
            .call(reading)
            .finish_with_usage("STOP", crowded),
        says("<state_snapshot>s</state_snapshot>")
            .when_path(":generateContent")
            .times(2),
        Reply::text("so far").gate("never").finish("STOP"),
        says("ok"),
    ])
    .await;
    let one = run(&world, &server, &["-p", "one"]).status().await.unwrap();
    assert!(one.success());
    let two = run(&world, &server, &["-p", "two", "--resume", "latest"])
        .spawn()
        .unwrap();
    // The model has got the compressed conversation and is answering.
    server.gate_reached("never").await;
    kill(two).await;
    let three = run(&world, &server, &["-p", "three", "--resume", "latest"])
        .status()
        .await
        .unwrap();
    assert!(three.success());

    let before = told(&server, 5);
    let after = told(&server, 6);
    expect_test::expect![[r#"
        user: "<state_snapshot>s</state_snapshot>"
        model: "Got it. Thanks for the additional context!"
        user: "two"
        model: calls "read_file"
        user: result {"output":"one\n"}
        --
        user: "<state_snapshot>s</state_snapshot>"
        model: "Got it. Thanks for the additional context!"
        user: "two"
        model: calls "read_file"
        user: result {"output":"one\n"}
        model: "[The previous response was interrupted before it completed.]"
        user: "three"
    "#]]
    .assert_eq(&format!("{before}--\n{after}"));
}

/// What a session is in the middle of, as it is on the disk.
fn underway(world: &World, session: &str) -> String {
    let projects = fs::read_dir(world.home().join(".gemini/tmp")).unwrap();
    let files = projects.map(|project| {
        let folder = project.unwrap().path().join(session);
        fs::read_to_string(folder.join("underway.jsonl")).unwrap_or_default()
    });
    files.collect()
}

/// Resolves when all of it has got there: a thread writes it.
async fn kept(world: &World, session: &str, texts: &[&str]) {
    let all = async {
        loop {
            let found = underway(world, session);
            if texts.iter().all(|text| found.contains(text)) {
                return;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(SOON, all).await.unwrap();
}

/// Kills the host, and waits until the window has noticed.
async fn kill_host(world: &World, talk: &Talk) {
    let waiting = talk
        .editor
        .start_request("pollux/snapshot", crate::support::never())
        .await;
    crate::support::snapshot(&talk.editor).await;
    crate::support::world::kill(world.host());
    waiting.result().await.unwrap_err();
}

/// Everything that a view is told when it is opened, up to the last of these kinds.
async fn seen(talk: &mut Talk, last: &str) -> Vec<String> {
    let mut lines = Vec::new();
    loop {
        let event = talk.any().await;
        let kind = event["kind"].as_str().unwrap().to_owned();
        let text = |key: &str| event[key].as_str().unwrap_or_default().to_owned();
        lines.push(match kind.as_str() {
            "turnStarted" => format!("turn {}: {}", event["turn"], text("prompt")),
            "turnEnded" => format!("ended: {} {}", text("outcome"), text("message")),
            "text" | "promptQueued" | "promptSteered" => format!("{kind}: {}", text("text")),
            _ => kind.clone(),
        });
        if kind == last {
            return lines;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_was_killed_shows_its_half_answer_and_nothing_that_was_typed_is_lost() {
    let world = World::new();
    let server = talk::model([
        Reply::text("half an ").gate("never").finish("STOP"),
        says("second"),
        says("third"),
    ])
    .await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("first").await;
    talk.event("text").await;
    talk.say("second").await;
    talk.say("typo").await;
    talk.event("promptQueued").await;
    talk.event("promptQueued").await;
    talk.ask("pollux/promptEdit", json!({ "id": 2, "text": "third" }))
        .await;
    talk.ask("pollux/promptMove", json!({ "id": 2, "place": 0 }))
        .await;
    assert_eq!(talk.event("promptEdited").await["text"], "third");
    assert_eq!(talk.event("queueOrdered").await["order"], json!([2, 1]));
    kept(&world, &talk.session, &["half an ", "third", "order"]).await;
    kill_host(&world, &talk).await;

    // The same window goes on with another host, and its door follows the session again.
    let mut lines = seen(&mut talk, "promptQueued").await;
    lines.extend(seen(&mut talk, "promptQueued").await);
    expect_test::expect![[r#"
        opened
        turn 1: first
        text: half an 
        ended: interrupted the turn was interrupted because Pollux ended in the middle of it
        promptQueued: third
        promptQueued: second"#]]
    .assert_eq(&lines.join("\n"));

    talk.ask("pollux/queueRelease", json!({})).await;
    talk.rest_unasked().await;
    talk.rest_unasked().await;
    expect_test::expect![[r#"
        user: "first"
        model: "half an "
        user: "third"
        model: "second"
        user: "second"
    "#]]
    .assert_eq(&told(&server, 3));
    let session = talk.session.clone();
    talk.close().await;
    world.expect_no_process_left().await;
    assert_eq!(underway(&world, &session), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_half_answer_belongs_to_the_model_that_was_killed_and_not_to_the_one_that_goes_on() {
    let world = World::new();
    let half = Reply::text("half an ").gate("never").finish("STOP");
    let server = talk::model([half, says("the rest")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("first").await;
    talk.event("text").await;
    kept(&world, &talk.session, &["half an "]).await;
    kill_host(&world, &talk).await;

    // The same window goes on with another host, and its door follows the session again.
    talk.ask("pollux/modelSet", json!({ "model": "gemini-2.5-flash" }))
        .await;
    talk.say("second").await;
    talk.coming("turnStarted").await;
    talk.rest().await;
    talk.rest_unasked().await;
    talk.close().await;
    world.expect_no_process_left().await;
    let said = |model: &str, text: &str| (model.to_owned(), text.to_owned());
    assert_eq!(
        world.answers(),
        [
            said(talk::MODEL, "half an "),
            said("gemini-2.5-flash", "the rest")
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resumed_session_knows_what_was_sent_how_long_tools_took_and_what_was_allowed() {
    let world = World::new();
    fs::write(world.work().join("a.rs"), "one\n").unwrap();
    let server = talk::model([talk::runs("touch made"), says("done"), says("on")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("look at @a.rs").await;
    let question = talk.event("approvalRequested").await;
    talk.answer(&question, json!({ "kind": "allow" })).await;
    talk.rest().await;
    let shown = talk
        .request("pollux/contextShow", json!({ "turn": 1 }))
        .await;
    let live = relived(&mut talk).await;
    let session = talk.session.clone();
    talk.close().await;
    world.expect_no_process_left().await;

    let mut talk = Talk::start(&world, &server).await;
    talk.ask("pollux/sessionUnfollow", json!({})).await;
    talk.session = session;
    talk.ask("pollux/sessionFollow", json!({ "cursor": 0 }))
        .await;
    let resumed = talk.rest().await;
    assert_eq!(told_kinds(&resumed), told_kinds(&live));
    for kind in ["contextSent", "toolEnded", "approvalEnded", "turnStarted"] {
        let of = |events: &[Value]| {
            let found = events.iter().find(|event| event["kind"] == kind);
            found.unwrap_or_else(|| panic!("no {kind}")).clone()
        };
        assert_eq!(of(&resumed), of(&live), "{kind}");
    }
    let again = talk
        .request("pollux/contextShow", json!({ "turn": 1 }))
        .await;
    assert_eq!(again, shown);
    // The conversation can go back to a turn of an earlier process.
    talk.say("/rewind 1").await;
    assert_eq!(talk.coming("rewound").await["turn"], 1);
    talk.say("anew").await;
    talk.rest_unasked().await;
    expect_test::expect![[r#"
        user: "anew"
    "#]]
    .assert_eq(&told(&server, 3));
    talk.close().await;
    world.expect_no_process_left().await;
}

/// All of the session again, from its first event.
async fn relived(talk: &mut Talk) -> Vec<Value> {
    talk.ask("pollux/sessionUnfollow", json!({})).await;
    talk.ask("pollux/sessionFollow", json!({ "cursor": 0 }))
        .await;
    talk.rest().await
}

/// What a record tells again; the rest was of the moment.
fn told_kinds(events: &[Value]) -> Vec<&str> {
    let kinds = events.iter().map(|event| event["kind"].as_str().unwrap());
    let passing = ["titled", "modelChosen", "answerEnded", "toolPrinted"];
    kinds.filter(|kind| !passing.contains(kind)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_latest_session_is_meant_whether_it_is_open_or_not() {
    let world = World::new();
    let server = talk::model([says("one")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("first").await;
    talk.rest_unasked().await;
    let latest = json!({ "session": "latest" });
    let resumed = talk.editor.request("pollux/sessionResume", latest.clone());
    assert_eq!(resumed.await.unwrap()["session"], talk.session.as_str());
    let deleted = talk.editor.request("pollux/sessionDelete", latest).await;
    assert_eq!(deleted, Ok(json!({})));
    let gone = talk.request("pollux/promptQueue", json!({ "text": "hello" }));
    assert!(gone.await.is_err());
    talk.close().await;
    world.expect_no_process_left().await;
}

/// The images of a request, each with the call whose answer it is in or behind.
fn images(server: &ScriptedModel, order: usize) -> Vec<String> {
    let body = server.requests()[order - 1].json();
    let mut found = Vec::new();
    let mut call = String::new();
    let contents = body["contents"].as_array().unwrap().iter();
    for part in contents.flat_map(|content| content["parts"].as_array().unwrap()) {
        let image = |part: &Value| part["inlineData"]["mimeType"].as_str().map(str::to_owned);
        if let Some(id) = part["functionResponse"]["id"].as_str() {
            id.clone_into(&mut call);
            let within = part["functionResponse"]["parts"].as_array();
            let within = within.into_iter().flatten().filter_map(image);
            found.extend(within.map(|image| format!("{image} in {call}")));
        }
        found.extend(image(part).map(|image| format!("{image} behind {call}")));
    }
    found
}

fn reads(calls: &[(&str, &str)]) -> Reply {
    let call =
        |(id, path): &(&str, &str)| Call::new("read_file", json!({ "file_path": path })).id(*id);
    calls.iter().map(call).fold(Reply::new(), Reply::call)
}

fn with_images() -> World {
    let world = World::new();
    for name in ["a.png", "b.jpg", "c.pdf"] {
        fs::write(world.work().join(name), [0x89, b'P', 0, 1]).unwrap();
    }
    world
}

#[tokio::test(flavor = "multi_thread")]
async fn images_that_tools_have_shown_are_there_when_the_session_goes_on() {
    let files = [("1", "a.png"), ("2", "b.jpg"), ("3", "c.pdf")];
    for (model, expected) in [
        (
            "gemini-2.5-pro",
            [
                "image/png behind 1",
                "image/jpeg behind 2",
                "application/pdf behind 3",
            ],
        ),
        (
            "gemini-3-flash-preview",
            ["image/png in 1", "image/jpeg in 2", "application/pdf in 3"],
        ),
    ] {
        let world = with_images();
        let replies = [
            reads(&files).finish("STOP"),
            says("I see"),
            says("as before"),
        ];
        let server = talk::model(replies).await;
        for more in [&["-p", "look"][..], &["-p", "again", "--resume"]] {
            let ended = run(&world, &server, &[&["-m", model], more].concat())
                .status()
                .await;
            assert!(ended.unwrap().success());
        }
        for request in [2, 3] {
            assert_eq!(
                images(&server, request),
                expected,
                "{model}, request {request}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_image_outlives_a_kill_while_another_call_of_the_same_answer_still_runs() {
    let world = with_images();
    let hanging = Call::new("run_shell_command", json!({ "command": "sleep 1234" })).id("2");
    let server = talk::model([
        reads(&[("1", "a.png")]).call(hanging).finish("STOP"),
        says("as before"),
    ])
    .await;
    let child = run(&world, &server, &["-p", "look", "--yolo"])
        .spawn()
        .unwrap();
    let is_recorded = || {
        let mut texts = world
            .records()
            .into_iter()
            .map(|path| fs::read_to_string(path).unwrap());
        texts.any(|text| text.contains("The content of a.png"))
    };
    let running = async {
        while world.processes("1234").is_empty() || !is_recorded() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(SOON, running).await.unwrap();
    kill(child).await;
    let ended = run(&world, &server, &["-p", "again", "--resume"])
        .status()
        .await;
    assert!(ended.unwrap().success());
    assert_eq!(images(&server, 2), ["image/png behind 1"]);
    world.expect_no_process_left().await;
}

/// What every provider insists on: the sides alternate, and behind each call there is its answer, once.
fn check_laws(body: &Value, moment: &str) -> usize {
    let contents = body["contents"].as_array().unwrap();
    let ids = |content: &Value, kind: &str| -> Vec<String> {
        let parts = content["parts"].as_array().unwrap().iter();
        let ids = parts.filter_map(|part| part[kind]["id"].as_str());
        ids.map(str::to_owned).collect()
    };
    for (content, next) in contents.iter().zip(contents.iter().skip(1)) {
        assert_ne!(content["role"], next["role"], "{moment}: {body}");
        let (calls, answers) = (ids(content, "functionCall"), ids(next, "functionResponse"));
        assert_eq!(calls, answers, "{moment}: {body}");
    }
    let last = contents.last().unwrap();
    let parts = last["parts"].as_array().unwrap();
    assert_eq!(parts.last().unwrap()["text"], "go on", "{moment}: {body}");
    contents
        .iter()
        .map(|content| content["parts"].as_array().unwrap().len())
        .sum()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_goes_on_from_whatever_record_a_kill_left_as_the_last() {
    let world = with_images();
    let list = Call::new("list_directory", json!({ "dir_path": "." })).id("2");
    let server = talk::model([
        reads(&[("1", "a.png")])
            .thought("**Looking** around")
            .chunk("First I look.")
            .call(list)
            .finish("STOP"),
        says("I have seen it."),
        reads(&[("3", "missing.rs"), ("4", "b.jpg")]).finish("STOP"),
        says("One of them is missing."),
    ])
    .await;
    for arguments in [&["-p", "look"][..], &["-p", "and those", "--resume"]] {
        assert!(
            run(&world, &server, arguments)
                .status()
                .await
                .unwrap()
                .success()
        );
    }
    let [path] = &world.records()[..] else {
        panic!("one record is expected");
    };
    let whole = fs::read_to_string(path).unwrap();
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    assert!(lines.len() > 12, "{whole}");
    let script = pollux_testkit::scripted_model::Script::new().reply(says("on").always());
    let server = ScriptedModel::start(script).await;
    let mut known = 0;
    // The first line and the first prompt are one write.
    for last in 2..=lines.len() {
        fs::write(path, lines[..last].concat()).unwrap();
        let moment = lines[last - 1].to_owned();
        let ended = run(&world, &server, &["-p", "go on", "--resume"])
            .status()
            .await;
        assert!(ended.unwrap().success(), "{moment}");
        let requests = server.requests();
        let parts = check_laws(&requests.last().unwrap().json(), &moment);
        assert!(parts >= known, "{moment} loses something");
        known = parts;
        assert_eq!(world.records(), std::slice::from_ref(path), "{moment}");
    }
    assert_eq!(
        images(&server, lines.len() - 1),
        ["image/png behind 1", "image/jpeg behind 4"]
    );
}

/// A session as the twin in the terminal records it, made from the facts about its format: what a model is not told, a
/// message that comes again with its calls, an image within an answer that is there twice, a turn that was taken back,
/// and a line that was cut off.
fn twins_session() -> String {
    let result = json!({ "functionResponse": {
        "id": "c1", "name": "read_file", "response": { "output": "Binary content provided (1 item(s))." },
        "parts": [{ "inlineData": { "mimeType": "image/png", "data": "iVBO" } }],
    } });
    let call = json!({
        "id": "read_file__c1", "name": "read_file", "args": { "file_path": "a.png" }, "status": "success",
        "timestamp": "2026-01-02T03:04:08.000Z", "result": [result], "resultDisplay": "Read image file: a.png",
    });
    let thought = json!({ "subject": "Plan", "description": "look", "timestamp": "2026-01-02T03:04:07.000Z" });
    let session = "1234abcd-0000-4000-8000-000000000000";
    let message = |id: &str, kind: &str, content: Value| json!({ "id": id, "timestamp": "2026-01-02T03:04:06.000Z", "type": kind, "content": content });
    let mut asked = message(
        "u1",
        "user",
        json!([{ "text": "Look at @a.png" }, { "text": "\n--- Content from referenced files ---" }]),
    );
    asked["displayContent"] = json!("Look at @a.png");
    let mut answer = message("g1", "gemini", json!("I look."));
    answer["thoughts"] = json!([thought]);
    answer["model"] = json!("gemini-3-pro-preview");
    let mut called = answer.clone();
    called["toolCalls"] = json!([call]);
    let lines = [
        json!({ "sessionId": session, "projectHash": "0", "startTime": "2026-01-02T03:04:05.000Z", "lastUpdated": "2026-01-02T03:04:05.000Z", "kind": "main" }),
        message("u0", "user", json!([{ "text": "/help" }])),
        message("i0", "info", json!("Welcome.")),
        asked,
        json!({ "$set": { "lastUpdated": "2026-01-02T03:04:06.000Z" } }),
        answer,
        called,
        message("u2", "user", json!([result])),
        message("g2", "gemini", json!("A cat.")),
        message("u3", "user", json!([{ "text": "No, a dog." }])),
        message("g3", "gemini", json!("Oh.")),
        json!({ "$rewindTo": "u3" }),
    ];
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    lines + r#"{"id":"u4","type":"us"#
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_of_the_twin_goes_on_in_ours_and_its_lines_stay() {
    let world = World::new();
    let server = talk::model([says("A cat, as I said.")]).await;
    let first = run(&world, &server, &["-p", "hello", "-m", "demo"])
        .status()
        .await;
    assert!(first.unwrap().success());
    let [ours] = &world.records()[..] else {
        panic!("one record is expected");
    };
    fs::remove_file(ours).unwrap();
    let path = ours.with_file_name("session-2026-01-02T03-04-1234abcd.jsonl");
    fs::write(&path, twins_session()).unwrap();
    let arguments = ["-p", "And now?", "--resume", "-m", "gemini-3-flash-preview"];
    assert!(
        run(&world, &server, &arguments)
            .status()
            .await
            .unwrap()
            .success()
    );
    expect_test::expect![[r#"
        user: "Look at @a.png"
        user: "\n--- Content from referenced files ---"
        model: "I look."
        model: calls "read_file"
        user: result {"output":"Binary content provided (1 item(s))."}
        model: "A cat."
        user: "And now?"
    "#]]
    .assert_eq(&told(&server, 1));
    assert_eq!(images(&server, 1), ["image/png in c1"]);
    let record = fs::read_to_string(&path).unwrap();
    assert!(record.starts_with(&twins_session()), "{record}");
    assert_eq!(world.records(), [path]);
}
