use pollux_testkit::scripted_model::{Reply, Script, ScriptedModel};
use serde_json::json;

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn an_ollama_is_asked_once_in_a_while() {
    let tags = json!({ "models": [{ "name": "qwen3:8b" }] });
    let script = Script::new().reply(Reply::json(&tags).when_path("/api/tags"));
    let server = ScriptedModel::start(script.strict()).await;
    let known = LocalModels::default();
    let host = server.url();
    for _ in 0..2 {
        let (known, host) = (known.clone(), host.clone());
        let names = tokio::task::spawn_blocking(move || {
            known.names(&NetworkOptions::default(), Some(&host))
        });
        assert_eq!(names.await.unwrap(), ["qwen3:8b"]);
    }
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn without_a_runtime_nothing_is_asked() {
    let known = LocalModels::default();
    assert!(known.names(&NetworkOptions::default(), None).is_empty());
}
