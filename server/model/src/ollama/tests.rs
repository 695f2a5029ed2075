use expect_test::expect;
use pollux_testkit::scripted_model::RefusedPort;
use pollux_testkit::{Reply, Step};
use serde_json::json;

use super::*;
use crate::testing::serve;

#[tokio::test]
async fn a_running_server_is_found_with_its_models() {
    let tags =
        json!({ "models": [{ "name": "qwen3:8b" }, { "size": 1 }, { "name": "llama3:latest" }] });
    let server = serve(Reply::json(&tags).when_path("/api/tags")).await;
    let host = server.address().to_string();
    let found = find_ollama(&Http::default(), Some(&host)).await.unwrap();
    assert_eq!(found.base_url, format!("http://{host}/v1"));
    assert_eq!(found.models, ["qwen3:8b", "llama3:latest"]);
    let sent = server.next_request().await;
    assert_eq!(
        (sent.method.as_str(), sent.path.as_str()),
        ("GET", "/api/tags")
    );
}

#[tokio::test]
async fn what_is_no_ollama_is_not_found() {
    let port = RefusedPort::reserve();
    assert_eq!(find_ollama(&Http::default(), Some(&port.url())).await, None);
    for reply in [
        Reply::json(&json!({ "error": "x" })),
        Reply::raw("text/html", "<p>").status(404),
        Reply::raw("text/html", "<p>"),
    ] {
        let server = serve(reply).await;
        assert_eq!(
            find_ollama(&Http::default(), Some(&server.url())).await,
            None
        );
    }
    assert_eq!(find_ollama(&Http::default(), Some("ht tp://")).await, None);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_says_nothing_is_not_waited_for() {
    let server = serve(Reply::new().before_headers(Step::Stall)).await;
    assert_eq!(
        find_ollama(&Http::default(), Some(&server.url())).await,
        None
    );
}

#[test]
fn hosts_are_written_in_many_ways() {
    let cases = [
        "",
        "0.0.0.0",
        "0.0.0.0:8080",
        ":8080",
        "box",
        "box:1",
        "http://box",
        "https://box/",
        "http://box:1/",
        "[::]:9",
        "[::1]",
        "::1",
        "::",
    ];
    let shown = cases.map(|case| format!("{case:?} -> {}\n", address(case)));
    expect![[r#"
        "" -> http://127.0.0.1:11434
        "0.0.0.0" -> http://127.0.0.1:11434
        "0.0.0.0:8080" -> http://127.0.0.1:8080
        ":8080" -> http://127.0.0.1:8080
        "box" -> http://box:11434
        "box:1" -> http://box:1
        "http://box" -> http://box:80
        "https://box/" -> https://box
        "http://box:1/" -> http://box:1
        "[::]:9" -> http://127.0.0.1:9
        "[::1]" -> http://[::1]:11434
        "::1" -> http://[::1]:11434
        "::" -> http://127.0.0.1:11434
    "#]]
    .assert_eq(&shown.concat());
}

#[tokio::test]
async fn the_window_is_what_a_model_was_set_up_with_or_made_for() {
    let made_for = json!({ "general.architecture": "qwen3", "qwen3.context_length": 40960 });
    let cases = [
        (json!({ "model_info": made_for }), Some(40960)),
        (
            json!({ "parameters": "stop \"x\"\nnum_ctx      8192\n", "model_info": made_for }),
            Some(8192),
        ),
        (json!({ "model_info": { "qwen3.context_length": 0 } }), None),
        (json!({ "error": "no such model" }), None),
    ];
    for (shown, expected) in cases {
        let server = serve(Reply::json(&shown).when_path("/api/show")).await;
        let found = ollama_window(&Http::default(), Some(&server.url()), "qwen3:8b").await;
        assert_eq!(found, expected, "{shown}");
        let sent = server.next_request().await;
        assert_eq!(sent.json(), json!({ "model": "qwen3:8b" }));
    }
    let port = RefusedPort::reserve();
    assert_eq!(
        ollama_window(&Http::default(), Some(&port.url()), "x").await,
        None
    );
}
