//! Which model answers, and how another one is chosen.

use pollux_testkit::scripted_model::{Reply, Script, ScriptedModel};
use serde_json::json;

use super::of_kind;
use crate::support::talk::{Talk, model, says};
use crate::support::world::World;

#[tokio::test(flavor = "multi_thread")]
async fn a_model_is_chosen_for_the_turns_that_follow() {
    let world = World::new();
    let server = model([says("one"), says("two")]).await;
    let mut talk = Talk::start(&world, &server).await;
    let list = talk.editor.request("pollux/modelList", json!({})).await;
    let list = list.unwrap();
    assert_eq!(list["current"], "gemini-2.5-pro");
    let ids: Vec<&str> = list["models"]
        .as_array()
        .unwrap()
        .iter()
        .map(|model| model["id"].as_str().unwrap())
        .collect();
    assert_eq!(
        ids,
        [
            "gemini-2.5-pro",
            "auto",
            "pro",
            "flash",
            "flash-lite",
            "demo"
        ]
    );
    talk.say("first").await;
    let events = talk.rest_unasked().await;
    assert_eq!(of_kind(&events, "turnStarted")["model"], "gemini-2.5-pro");

    talk.ask("pollux/modelSet", json!({ "model": "gemini-2.5-flash" }))
        .await;
    assert_eq!(
        talk.coming("modelChosen").await,
        json!({ "kind": "modelChosen", "model": "gemini-2.5-flash", "reason": "person" })
    );
    talk.say("second").await;
    let events = talk.rest_unasked().await;
    assert_eq!(of_kind(&events, "turnStarted")["model"], "gemini-2.5-flash");
    let requests = server.requests();
    assert!(
        requests[1].path.contains("gemini-2.5-flash"),
        "{}",
        requests[1].path
    );
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_key_there_is_the_demo_and_a_word_about_the_others() {
    let world = World::new();
    let talk = Talk::start_in(&world.work(), world.door(&["lsp"])).await;
    let list = talk.editor.request("pollux/modelList", json!({})).await;
    let list = list.unwrap();
    assert_eq!(list["current"], "demo");
    assert_eq!(list["models"].as_array().unwrap().len(), 1);
    let refused = talk.request("pollux/modelSet", json!({ "model": "pro" }));
    let refused = refused.await.unwrap_err();
    assert!(refused.starts_with("pro needs a key"), "{refused}");
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ollama_that_runs_is_offered_and_can_be_chosen_again() {
    let world = World::new();
    let tags = json!({ "models": [{ "name": "qwen3:8b" }] });
    let shown = json!({ "model_info": { "qwen3.context_length": 40_960 } });
    let script = Script::new()
        .reply(Reply::json(&tags).when_path("/api/tags").always())
        .reply(Reply::json(&shown).when_path("/api/show").always())
        .reply(says("from this machine").when_path("/v1/chat").always());
    let server = ScriptedModel::start(script).await;
    let mut command = world.pollux(&["lsp"]);
    command.env("OLLAMA_HOST", server.address().to_string());
    let mut talk = Talk::start_in(&world.work(), World::start_trusting(command)).await;
    let list = talk.editor.request("pollux/modelList", json!({})).await;
    let list = list.unwrap();
    assert_eq!(list["current"], "demo");
    let offered = json!({
        "id": "ollama:qwen3:8b",
        "label": "qwen3:8b",
        "description": "On this machine, by Ollama",
    });
    assert_eq!(list["models"][0], offered, "{list}");
    for chosen in ["ollama:qwen3:8b", "demo", "ollama:qwen3:8b"] {
        talk.ask("pollux/modelSet", json!({ "model": chosen }))
            .await;
        assert_eq!(talk.coming("modelChosen").await["model"], chosen);
    }
    talk.say("hello").await;
    let events = talk.rest_unasked().await;
    assert_eq!(of_kind(&events, "text")["text"], "from this machine");
    let requests = server.requests();
    let asked = requests
        .iter()
        .find(|sent| sent.path == "/v1/chat/completions");
    assert_eq!(asked.unwrap().json()["model"], "qwen3:8b");
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_has_no_quota_left_is_asked_who_goes_on_and_sees_it() {
    let world = World::new();
    let used_up = Reply::error(429, "RESOURCE_EXHAUSTED", "day").quota_failure("RequestsPerDay");
    let server = model([
        used_up.when_path("gemini-3-pro-preview"),
        says("from flash").when_path("gemini-3-flash-preview"),
        says("again").when_path("gemini-3-flash-preview"),
    ])
    .await;
    let mut talk = Talk::start(&world, &server).await;
    talk.ask(
        "pollux/modelSet",
        json!({ "model": "gemini-3-pro-preview" }),
    )
    .await;
    talk.say("first").await;
    let question = talk.event("approvalRequested").await;
    let asked = &question["subject"]["questions"][0];
    let text = asked["text"].as_str().unwrap();
    assert!(text.contains("Quota used up (daily limit): day"), "{text}");
    let options = asked["answer"]["options"].as_array().unwrap();
    let labels: Vec<&str> = options
        .iter()
        .map(|option| option["label"].as_str().unwrap())
        .collect();
    assert_eq!(
        labels,
        [
            "Use gemini-3-flash-preview for this session",
            "Use gemini-3-flash-preview for this prompt",
            "Try gemini-3-pro-preview again",
        ]
    );
    // Another window sees the question too, and its answer counts.
    let mut other = talk.join(&world, &server).await;
    let question = other.event("approvalRequested").await;
    let answer = json!({ "kind": "replies", "replies": { "0": labels[0] } });
    other.answer(&question, answer).await;
    let changed = talk.event("modelChanged").await;
    assert_eq!(
        changed,
        json!({
            "kind": "modelChanged",
            "from": "gemini-3-pro-preview",
            "to": "gemini-3-flash-preview",
            "reason": "Quota used up (daily limit): day",
            "avoidedUntil": { "until": "sessionEnd" },
        })
    );
    let events = talk.rest_unasked().await;
    assert_eq!(of_kind(&events, "text")["text"], "from flash");
    talk.say("second").await;
    let events = talk.rest_unasked().await;
    assert_eq!(
        of_kind(&events, "turnStarted")["model"],
        "gemini-3-flash-preview"
    );
    other.close().await;
    talk.close().await;
    world.expect_no_process_left().await;
}
