//! Tools of a server that is there.

use pollux_agent::api::{Progress, QuestionKind, Reply};
use pollux_agent::{CallEvent, ServerContent, ServerFailure, ServerVerdict, Servers};
use serde_json::json;
use tokio::sync::mpsc;

use crate::support::{World, in_time, scripted};

async fn world(words: &[&str]) -> World {
    let world = World::new(json!({ "s": scripted(words) }));
    world.connected("s").await;
    world
}

#[tokio::test]
async fn a_tool_is_called_and_answers() {
    let world = world(&[]).await;
    assert_eq!(
        world.text("s", "echo", json!({ "text": "hello" })).await,
        "hello"
    );
}

#[tokio::test]
async fn mcp_client_11_an_error_of_a_tool_is_an_error() {
    let world = world(&[]).await;
    let result = world.call("s", "fail", json!({})).await.unwrap();
    assert_eq!(result.verdict, ServerVerdict::Error);
}

#[tokio::test]
async fn mcp_client_6_and_7_a_server_sees_what_it_is_given_and_nothing_else() {
    let mut entry = scripted(&[]);
    entry["env"] =
        json!({ "K": "$MISSING", "D": "${MISSING:-d}", "NODE_OPTIONS": "--x", "H": "$HANDED_ON" });
    let world = World::new(json!({ "s": entry }));
    world.connected("s").await;
    let expected = [
        ("K", ""),
        ("D", "d"),
        ("H", "yes"),
        ("HANDED_ON", "yes"),
        ("GEMINI_CLI", "1"),
    ];
    let absent = ["NODE_OPTIONS", "CARGO_MANIFEST_DIR", "HOME"].map(|name| (name, "(unset)"));
    for (name, value) in expected.into_iter().chain(absent) {
        assert_eq!(
            world.text("s", "env", json!({ "name": name })).await,
            value,
            "{name}"
        );
    }
}

#[tokio::test]
async fn progress_is_told_while_a_call_runs() {
    let world = world(&[]).await;
    let (events, mut told) = mpsc::channel(64);
    let seeing = async {
        let mut steps = Vec::new();
        while steps.len() < 3 {
            let Some(CallEvent::Progressed(Progress {
                message,
                done,
                total,
            })) = told.recv().await
            else {
                panic!("no progress");
            };
            steps.push(format!(
                "{}: {done} of {}",
                message.unwrap(),
                total.unwrap()
            ));
        }
        // The server holds its answer back until it hears of a change.
        world.connections.set_roots(vec!["/elsewhere".into()]);
        // Handlers run side by side, so the steps may come in any order.
        steps.sort();
        assert_eq!(
            steps,
            ["step 1: 1 of 3", "step 2: 2 of 3", "step 3: 3 of 3"]
        );
    };
    let args = json!({ "steps": 3, "hold": true });
    let (result, ()) = tokio::join!(
        world.call_with("s", "progress", args, events),
        in_time(seeing)
    );
    assert_eq!(
        result.unwrap().content,
        [ServerContent::Text("done".to_owned())]
    );
}

#[tokio::test]
async fn a_server_asks_the_person_and_gets_what_they_answer() {
    let world = world(&[]).await;
    let (events, mut asked) = mpsc::channel(64);
    let answering = async {
        let Some(CallEvent::Asked {
            message,
            questions,
            answer,
        }) = asked.recv().await
        else {
            panic!("nothing is asked");
        };
        assert_eq!(message, "Which one?");
        assert_eq!(questions.len(), 3);
        assert!(matches!(questions[0].kind, QuestionKind::Choice { .. }));
        let replies = [(0, "blue"), (1, "7"), (2, "No")];
        let replies = replies.map(|(place, reply)| (place, Reply::Words(reply.to_owned())));
        answer.send(Some(replies.into_iter().collect())).unwrap();
    };
    let (result, ()) = tokio::join!(
        world.call_with("s", "elicit", json!({}), events),
        in_time(answering)
    );
    let [ServerContent::Text(text)] = &result.unwrap().content[..] else {
        panic!("no text");
    };
    let answer: serde_json::Value = serde_json::from_str(text).unwrap();
    assert_eq!(answer["action"], "accept");
    assert_eq!(
        answer["content"],
        json!({ "colour": "blue", "count": 7, "sure": false })
    );
}

#[tokio::test]
async fn where_nobody_wants_to_answer_the_server_hears_no() {
    let world = world(&[]).await;
    let (events, mut asked) = mpsc::channel(64);
    let declining = async {
        let Some(CallEvent::Asked { answer, .. }) = asked.recv().await else {
            panic!("nothing is asked");
        };
        answer.send(None).unwrap();
    };
    let (result, ()) = tokio::join!(
        world.call_with("s", "elicit", json!({}), events),
        in_time(declining)
    );
    assert!(format!("{:?}", result.unwrap()).contains("decline"));
    // Where nobody even listens, it hears the same.
    let text = world.text("s", "elicit", json!({})).await;
    assert!(text.contains("decline"), "{text}");
}

#[tokio::test]
async fn a_call_that_nobody_waits_for_is_called_off() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let words = [format!("log={}", log.display())];
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let world = World::in_folder(folder, json!({ "s": scripted(&words) }));
    world.connected("s").await;
    {
        let slow = world.call("s", "slow", json!({}));
        tokio::select! {
            _ = slow => panic!("it never answers"),
            () = world.logged("log", "tools/call") => {}
        }
    }
    world.logged("log", "called off").await;
    assert_eq!(world.text("s", "echo", json!({ "text": "on" })).await, "on");
}

#[tokio::test]
async fn a_server_that_dies_in_a_call_fails_the_call_and_comes_back() {
    let world = world(&[]).await;
    let failure = world.call("s", "die", json!({})).await.unwrap_err();
    assert_eq!(
        failure,
        ServerFailure::Gone {
            server: "s".to_owned()
        }
    );
    world.failed("s").await;
    world.connected("s").await;
    assert_eq!(
        world.text("s", "echo", json!({ "text": "back" })).await,
        "back"
    );
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_given_up() {
    let mut entry = scripted(&[]);
    entry["timeout"] = json!(3_000);
    let world = World::new(json!({ "s": entry }));
    world.connected("s").await;
    let failure = world.call("s", "slow", json!({})).await.unwrap_err();
    assert_eq!(
        failure,
        ServerFailure::TimedOut {
            server: "s".to_owned(),
            seconds: 3
        }
    );
}

#[tokio::test]
async fn a_huge_result_comes_whole_and_an_endless_one_not_at_all() {
    // The time of a call is ten minutes, which nobody here waits for.
    let world = world(&[]).await;
    let text = world.text("s", "huge", json!({ "bytes": 1_000_000 })).await;
    assert_eq!(text.len(), 1_000_000);
    let too_long = ServerFailure::Refused {
        server: "s".to_owned(),
        reason: "its answer is longer than 16 MB".to_owned(),
    };
    let bytes = json!({ "bytes": 17_000_000 });
    let failure = world.call("s", "huge", bytes).await.unwrap_err();
    assert_eq!(failure, too_long);
    // Nothing else is lost.
    assert_eq!(world.text("s", "echo", json!({ "text": "on" })).await, "on");
    let failure = world.call("s", "unending", json!({})).await.unwrap_err();
    assert_eq!(failure, too_long);
}

#[tokio::test]
async fn prompts_and_resources_are_read() {
    let world = world(&[]).await;
    let offering = world.connections.offering();
    let prompt = &offering.prompts[0];
    assert_eq!(
        (prompt.name.as_str(), prompt.prompt.as_str()),
        ("two-words", "two words")
    );
    let servers: &dyn Servers = &*world.connections;
    let text = in_time(servers.prompt(prompt, "one two")).await.unwrap();
    assert_eq!(text, r#"Prompt with {"a": "one", "b": "two"}"#);
    let problem = in_time(servers.prompt(prompt, "")).await.unwrap_err();
    assert_eq!(problem, "Missing required argument(s): --a, --b");
    let resource = &offering.resources[0];
    assert_eq!(resource.uri, "test://note");
    let content = in_time(servers.read(resource)).await.unwrap();
    assert_eq!(
        content,
        [ServerContent::Text("what the note says".to_owned())]
    );
}
