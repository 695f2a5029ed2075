//! Sub-agents that people describe in files, from the file to the model and to the record.

use std::fs;

use serde_json::{Value, json};

use crate::support::talk::{Talk, calls, model, returned, says};
use crate::support::world::World;

const SCOUT: &str = "---\nname: scout\ndescription: Looks around for you.\ntools: [read_file]\n---\nYou look around.\n";

fn describe(world: &World, file: &str, text: &str) {
    let folder = world.work().join(".gemini/agents");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(file), text).unwrap();
}

/// What the model was told before everything else, in the request of this number.
fn instructions(request: &Value) -> String {
    let parts = request["systemInstruction"]["parts"].as_array().unwrap();
    let texts = parts.iter().filter_map(|part| part["text"].as_str());
    texts.collect()
}

fn declared(request: &Value) -> Vec<String> {
    let tools = request["tools"][0]["functionDeclarations"].as_array();
    let names = tools.into_iter().flatten().map(|tool| &tool["name"]);
    names
        .map(|name| name.as_str().unwrap().to_owned())
        .collect()
}

async fn command(talk: &mut Talk, command: &str) -> String {
    talk.say(command).await;
    let answer = talk.coming("commandAnswered").await;
    answer["text"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_of_the_project_is_offered_once_a_person_has_acknowledged_it() {
    let world = World::new();
    describe(&world, "scout.md", SCOUT);
    describe(&world, "broken.md", "nothing in particular\n");
    let hands_in = calls("complete_task", json!({ "result": "there is a door" }));
    let asks = calls(
        "invoke_agent",
        json!({ "agent_name": "scout", "prompt": "look for doors" }),
    );
    let server = model([says("hello"), asks, hands_in, says("done")]).await;
    let mut talk = Talk::start(&world, &server).await;
    let unread = world.log();
    assert!(!unread.contains("broken.md"), "{unread}");
    talk.say("hi").await;
    let events = talk.rest_unasked().await;
    // Files are read with the first prompt, and what is in them is told then.
    let read = world.log();
    assert!(read.contains("broken.md"), "{read}");
    let told = |event: &&Value| event["kind"] == "commandAnswered";
    let told: Vec<&Value> = events.iter().filter(told).collect();
    let [told] = told.as_slice() else {
        panic!("one thing is told: {told:?}")
    };
    assert_eq!(told["command"], "agents");
    let text = told["text"].as_str().unwrap();
    assert!(
        text.contains("`scout`") && text.contains("can be used"),
        "{text}"
    );
    let first = instructions(&server.requests()[0].json());
    assert!(first.contains("- codebase_investigator: "), "{first}");
    assert!(!first.contains("scout"), "{first}");

    let list = command(&mut talk, "/agents").await;
    assert!(
        list.contains("`scout` (`.gemini/agents/scout.md`)"),
        "{list}"
    );
    assert!(list.contains("broken.md"), "{list}");
    let answer = command(&mut talk, "/agents acknowledge scout").await;
    assert!(answer.starts_with("Acknowledged: `scout`."), "{answer}");

    talk.say("go").await;
    talk.rest_unasked().await;
    let requests = server.requests();
    let second = instructions(&requests[1].json());
    assert!(
        second.contains("- scout: Looks around for you.\n"),
        "{second}"
    );
    let to_scout = requests[2].json();
    assert!(instructions(&to_scout).starts_with("You look around."));
    assert_eq!(declared(&to_scout), ["read_file", "complete_task"]);
    let told = returned(&server);
    assert!(told.contains("there is a door"), "{told}");

    // The run lies under its session, and the session's record says which it was.
    let records = world.records().into_iter().filter(|path| path.is_file());
    let records: Vec<_> = records.collect();
    let record = fs::read_to_string(&records[0]).unwrap();
    let lines = record.lines().map(serde_json::from_str::<Value>);
    let calls = lines.filter_map(|line| line.ok()?["toolCalls"].as_array().cloned());
    let mut agents = calls
        .flatten()
        .filter_map(|call| call["agentId"].as_str().map(str::to_owned));
    let agent = agents.next().expect("the call names its run");
    let folder = records[0].parent().unwrap().join(&talk.session);
    let run = fs::read_to_string(folder.join(format!("{agent}.jsonl"))).unwrap();
    let head: Value = serde_json::from_str(run.lines().next().unwrap()).unwrap();
    assert_eq!(head["kind"], "subagent");
    assert_eq!(head["sessionId"], agent.as_str());
    assert!(run.contains("look for doors"), "{run}");

    let session = talk.session.clone();
    let which = json!({ "session": session });
    talk.start_anew().await;
    let gone = talk.editor.request("pollux/sessionDelete", which).await;
    assert!(gone.is_ok(), "{gone:?}");
    assert!(!folder.exists());
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_agent_did_stands_inside_its_call_and_is_shown_again_when_the_session_goes_on() {
    let world = World::new();
    fs::write(world.work().join("a.rs"), "one\n").unwrap();
    let server = model([
        calls(
            "invoke_agent",
            json!({ "agent_name": "generalist", "prompt": "look for doors" }),
        ),
        calls("read_file", json!({ "file_path": "a.rs" })),
        calls("read_file", json!({ "file_path": "b.rs" })),
        calls(
            "complete_task",
            json!({ "result": { "response": "there is a door" } }),
        ),
        says("done"),
    ])
    .await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("go").await;
    let live = nested(&talk.rest_unasked().await);
    let session = talk.session.clone();
    talk.close().await;
    world.expect_no_process_left().await;

    let mut talk = Talk::start(&world, &server).await;
    talk.session = session;
    talk.ask("pollux/sessionFollow", json!({})).await;
    let again = nested(&talk.rest_unasked().await);
    assert_eq!(again, live);
    assert_eq!(
        again[..3],
        [
            ["Generalist: look for doors", "-", "succeeded"],
            ["Read a.rs", "Generalist: look for doors", "succeeded"],
            ["Read b.rs", "Generalist: look for doors", "failed"],
        ]
        .map(|call| call.map(str::to_owned))
    );
    talk.close().await;
    world.expect_no_process_left().await;
}

/// Titles of calls, of those that they are inside of, and how they ended.
fn nested(events: &[Value]) -> Vec<[String; 3]> {
    let started = |call: &Value| {
        let mut of_kind = events.iter().filter(|event| event["kind"] == "toolStarted");
        of_kind.find(|event| event["call"] == *call)
    };
    let ended = |call: &Value| {
        let mut of_kind = events.iter().filter(|event| event["kind"] == "toolEnded");
        of_kind.find(|event| event["call"] == *call)
    };
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let calls = events.iter().filter(|event| event["kind"] == "toolStarted");
    let told = calls.map(|call| {
        let parent = call.get("parent").and_then(started);
        let end = ended(&call["call"]);
        [
            text(&call["title"]),
            parent.map_or("-".to_owned(), |parent| text(&parent["title"])),
            end.map_or("-".to_owned(), |end| text(&end["status"])),
        ]
    });
    told.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn without_agents_there_is_nobody_to_hand_a_job_to() {
    let world = World::new();
    describe(&world, "scout.md", SCOUT);
    let folder = world.home().join(".gemini");
    fs::create_dir_all(&folder).unwrap();
    let settings = json!({ "experimental": { "enableAgents": false } }).to_string();
    fs::write(folder.join("settings.json"), settings).unwrap();
    let server = model([says("hello")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("hi").await;
    talk.rest_unasked().await;
    let request = server.requests()[0].json();
    assert!(!declared(&request).contains(&"invoke_agent".to_owned()));
    assert!(!instructions(&request).contains("codebase_investigator"));
    let list = command(&mut talk, "/agents").await;
    assert!(list.contains("switched off"), "{list}");
    talk.close().await;
    world.expect_no_process_left().await;
}
