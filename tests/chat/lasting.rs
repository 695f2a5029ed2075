//! What a session still has when another process goes on with it.

use std::fs;

use pollux_testkit::scripted_model::{Reply, ScriptedModel, Usage};
use serde_json::{Value, json};

use crate::support::talk::{self, Talk, calls, says};
use crate::support::world::{World, kill};

/// Everything that the session tells whoever opens it, and nothing that was told before.
async fn relived(talk: &mut Talk) -> Vec<Value> {
    talk.ask("pollux/sessionFollow", json!({ "cursor": 0 }))
        .await;
    // Told behind everything else.
    let title = json!({ "title": "the marker" });
    talk.ask("pollux/sessionRename", title).await;
    let mut events = Vec::new();
    loop {
        let event = talk.any().await;
        match event["kind"].as_str().unwrap() {
            "opened" => events.clear(),
            "titled" if event["title"] == "the marker" => return events,
            _ => events.push(event),
        }
    }
}

/// When the host is killed.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// As soon as whoever typed it knows that it has arrived.
    Answered,
    TurnStarted,
    ModelAsked,
    AnswerBegun,
}

/// A window whose host was killed at a moment of the first prompt of a new session.
async fn killed(world: &World, server: &ScriptedModel, moment: Moment) -> Talk {
    let mut talk = Talk::start(world, server).await;
    let waiting = talk
        .editor
        .start_request("pollux/snapshot", crate::support::never())
        .await;
    crate::support::snapshot(&talk.editor).await;
    talk.say("do not lose me").await;
    match moment {
        Moment::Answered => {}
        Moment::TurnStarted => drop(talk.event("turnStarted").await),
        Moment::ModelAsked => server.gate_reached("before").await,
        Moment::AnswerBegun => {
            server.gate_reached("before").await;
            server.open_gate("before");
            talk.event("text").await;
        }
    }
    kill(world.host());
    waiting.result().await.unwrap_err();
    talk
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_prompt_of_a_session_is_there_whenever_its_host_is_killed() {
    let moments = [
        Moment::Answered,
        Moment::Answered,
        Moment::TurnStarted,
        Moment::ModelAsked,
        Moment::AnswerBegun,
    ];
    for moment in moments {
        let world = World::new();
        let answer = Reply::new().gate("before").chunk("half").gate("never");
        let server = talk::model([answer.finish("STOP").always()]).await;
        let mut talk = killed(&world, &server, moment).await;
        let listed = talk.editor.request("pollux/sessionList", json!({})).await;
        let listed = listed.unwrap();
        let is_it = |line: &&Value| line["session"] == talk.session.as_str();
        let line = listed["sessions"].as_array().unwrap().iter().find(is_it);
        let shown = line.unwrap_or_else(|| panic!("{moment:?}: not listed: {listed}"));
        assert_eq!(shown["firstPrompt"], "do not lose me", "{moment:?}");

        let events = relived(&mut talk).await;
        let texts = events.iter().filter_map(|event| {
            let text = match event["kind"].as_str().unwrap() {
                "turnStarted" => &event["prompt"],
                "promptQueued" => &event["text"],
                _ => return None,
            };
            text.as_str()
        });
        let texts: Vec<&str> = texts.collect();
        // Once, and not once more beside its own turn.
        assert_eq!(texts, ["do not lose me"], "{moment:?}: {events:#?}");
        talk.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_was_never_recorded_can_be_deleted() {
    let world = World::new();
    let answer = Reply::new().gate("before").chunk("half");
    let server = talk::model([answer.finish("STOP").always()]).await;
    let talk = killed(&world, &server, Moment::Answered).await;
    talk.ask("pollux/sessionDelete", json!({})).await;
    let listed = talk.editor.request("pollux/sessionList", json!({})).await;
    assert_eq!(listed.unwrap()["sessions"], json!([]));
    talk.close().await;
}

const BEFORE: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";

fn edit(old: &str, new: &str) -> Reply {
    let edit = json!({
        "file_path": "a.txt", "instruction": "use digits", "old_string": old, "new_string": new,
    });
    calls("replace", edit)
}

async fn decide(talk: &Talk, how: &str) {
    let review = talk.editor.request("pollux/review", json!({})).await;
    let review = review.unwrap();
    let file = &review["files"][0];
    let hunk = json!({ "uri": file["uri"], "revision": file["revision"], "index": 0 });
    let params = json!({ "command": how, "arguments": [hunk] });
    let done = talk.editor.request("workspace/executeCommand", params);
    done.await.unwrap();
}

fn of_kind<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    let found = events.iter().filter(|event| event["kind"] == kind);
    found.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn edits_and_what_was_decided_about_them_are_shown_as_they_were() {
    let world = World::new();
    fs::write(world.work().join("a.txt"), BEFORE).unwrap();
    let server = talk::model([
        edit("one\n", "1\n"),
        edit("four\n", "4\n"),
        edit("seven\n", "7\n"),
        says("done"),
        edit("two\n", "2\n"),
        says("asked"),
    ])
    .await;
    let mut talk = Talk::start(&world, &server).await;
    let auto = json!({ "mode": "autoEdit" });
    talk.ask("pollux/modeSet", auto).await;
    talk.say("use digits").await;
    let live = talk.rest_unasked().await;
    let made: Vec<Value> = of_kind(&live, "editMade").into_iter().cloned().collect();
    assert_eq!(made.len(), 3);
    decide(&talk, "pollux.hunk.keep").await;
    talk.coming("hunksDecided").await;
    decide(&talk, "pollux.hunk.reject").await;
    let counts = talk.coming("hunksDecided").await;
    let numbers = ["kept", "rejected", "pending"].map(|name| counts[name].clone());
    assert_eq!(numbers, [json!(1), json!(1), json!(1)]);
    // And one that somebody is asked about, hunk by hunk.
    talk.ask("pollux/modeSet", json!({ "mode": "default" }))
        .await;
    talk.say("one more").await;
    let proposed = talk.event("editProposed").await;
    let keep = json!({ "proposal": proposed["proposal"], "decisions": ["keep"] });
    talk.ask("pollux/editDecide", keep).await;
    talk.rest().await;
    let session = talk.session.clone();
    talk.close().await;
    world.expect_no_process_left().await;

    let mut talk = Talk::start(&world, &server).await;
    talk.ask("pollux/sessionUnfollow", json!({})).await;
    talk.session = session;
    talk.ask("pollux/sessionFollow", json!({ "cursor": 0 }))
        .await;
    let mut events = talk.rest().await;
    events.extend(talk.rest().await);
    // The review's own word comes when its record has been read.
    loop {
        let counted = talk.coming("hunksDecided").await;
        if counted["turn"] == 1 {
            assert_eq!(counted, counts);
            break;
        }
    }
    let hunks = |edit: &Value| {
        (
            edit["call"].clone(),
            edit["path"].clone(),
            edit["hunks"].clone(),
        )
    };
    let again = of_kind(&events, "editMade");
    assert_eq!(
        again.iter().map(|edit| hunks(edit)).collect::<Vec<_>>(),
        made.iter().map(hunks).collect::<Vec<_>>()
    );
    let asked = of_kind(&events, "editProposed");
    assert_eq!(hunks(asked[0]), hunks(&proposed));
    assert_eq!(
        of_kind(&events, "editDecided")[0]["decisions"],
        json!(["keep"])
    );
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_says_what_it_costs_where_a_price_is_set() {
    let world = World::new();
    fs::create_dir_all(world.home().join(".gemini")).unwrap();
    fs::write(
        world.home().join(".gemini/settings.json"),
        json!({ "pollux": { "prices": {
            "gemini-2.5": { "input": 1000, "cachedInput": 500.0, "output": 8000, "currency": "EUR" },
        } } })
        .to_string(),
    )
    .unwrap();
    let used = Usage {
        prompt: 1_000,
        cached: 500,
        output: 125,
        thoughts: 125,
    };
    let answer = || Reply::text("so much").finish_with_usage("STOP", used);
    let server = talk::model([answer(), answer(), answer()]).await;
    let mut talk = Talk::start(&world, &server).await;
    let cost = |turn: f64, session: f64| json!({ "kind": "cost", "turn": turn, "session": session, "currency": "EUR" });
    talk.say("first").await;
    let events = talk.rest_unasked().await;
    assert_eq!(of_kind(&events, "cost"), [&cost(2.75, 2.75)]);
    talk.say("second").await;
    let events = talk.rest_unasked().await;
    assert_eq!(of_kind(&events, "cost"), [&cost(2.75, 5.5)]);
    let session = talk.session.clone();
    talk.close().await;
    world.expect_no_process_left().await;

    let mut talk = Talk::start(&world, &server).await;
    talk.ask("pollux/sessionUnfollow", json!({})).await;
    talk.session = session;
    talk.ask("pollux/sessionFollow", json!({ "cursor": 0 }))
        .await;
    assert_eq!(talk.coming("cost").await, cost(0.0, 5.5));
    talk.say("third").await;
    assert_eq!(talk.coming("cost").await, cost(2.75, 8.25));
    talk.close().await;
}

/// What the server has of a prompt besides its words.
async fn attached_to(talk: &Talk, prompt: Value) -> Result<Value, String> {
    let asked = talk.request("pollux/promptAttachments", json!({ "prompt": prompt }));
    asked.await.map(|found| found["attachments"].clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_attached_is_given_back_whole_by_this_host_and_by_the_next() {
    let world = World::new();
    let answer = Reply::new().gate("before").chunk("seen");
    let server = talk::model([answer.finish("STOP")]).await;
    let mut talk = Talk::start(&world, &server).await;
    let sent = json!([
        { "kind": "image", "mimeType": "image/png", "data": "iVBORw0KGgo=", "name": "screen.png" },
        { "kind": "text", "label": "Terminal", "text": "error:\n--- no\n", "uri": world.uri("a.rs") },
    ]);
    let prompt = json!({ "text": "why", "attachments": sent });
    talk.ask("pollux/promptQueue", prompt).await;
    server.gate_reached("before").await;
    let later = json!([{ "kind": "text", "label": "Later", "text": "note" }]);
    let prompt = json!({ "text": "then this", "attachments": later });
    talk.ask("pollux/promptQueue", prompt).await;
    let id = loop {
        let queued = talk.event("promptQueued").await;
        if queued["text"] == "then this" {
            break queued["id"].clone();
        }
    };
    // Also when it was taken back, which is when somebody wants them.
    talk.ask("pollux/promptUnqueue", json!({ "id": id })).await;
    let queued = json!({ "kind": "queued", "id": id });
    assert_eq!(attached_to(&talk, queued).await, Ok(later));
    server.open_gate("before");
    talk.rest_unasked().await;
    let first = || json!({ "kind": "turn", "turn": 1 });
    assert_eq!(attached_to(&talk, first()).await, Ok(sent.clone()));
    let never = attached_to(&talk, json!({ "kind": "turn", "turn": 9 })).await;
    assert_eq!(never, Err("the session has no such prompt".to_owned()));

    let session = talk.session.clone();
    talk.close().await;
    world.expect_no_process_left().await;
    let mut talk = Talk::start(&world, &server).await;
    talk.ask("pollux/sessionUnfollow", json!({})).await;
    talk.session = session;
    let events = relived(&mut talk).await;
    let labels = json!([
        { "kind": "image", "label": "screen.png" },
        { "kind": "text", "label": "Terminal" },
    ]);
    assert_eq!(of_kind(&events, "turnStarted")[0]["attachments"], labels);
    assert_eq!(attached_to(&talk, first()).await, Ok(sent));
    talk.close().await;
}
