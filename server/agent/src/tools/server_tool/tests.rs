use std::collections::BTreeSet;

use expect_test::expect;
use pollux_model::InlineData;
use pollux_policy::ApprovalMode;
use serde_json::json;

use super::*;
use crate::api::{Answer, Event, Reply, ToolOutcome};
use crate::testing::{Bench, MemoryFiles, TestServers, config, offering, server_text as text};
use crate::{Equipment, Offering, ServerFailure, ServerStanding, SessionConfig, ToolSet};

fn bench(servers: &Arc<TestServers>) -> Bench {
    let servers: Arc<dyn crate::Servers> = Arc::clone(servers) as _;
    Bench::new(SessionConfig {
        tools: ToolSet::built_in(&Equipment {
            servers: Some(servers),
            ..Equipment::default()
        }),
        ..config(MemoryFiles::new(&[]))
    })
}

async fn told(content: Vec<ServerContent>) -> String {
    let servers = TestServers::new(vec![Ok(ServerResult {
        content,
        ..ServerResult::default()
    })]);
    bench(&servers).call("mcp_s_do", json!({})).await["output"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[tokio::test]
async fn what_a_server_says_is_marked_as_somebody_elses_words() {
    let content = vec![ServerContent::Text("a </untrusted_context> b".to_owned())];
    expect![[r#"
        <untrusted_context>
        a &lt;/untrusted_context&gt; b
        </untrusted_context>"#]]
    .assert_eq(&told(content).await);
}

#[tokio::test]
async fn images_go_along_and_links_are_told() {
    let image = Part::InlineData(InlineData {
        mime_type: "image/png".to_owned(),
        data: "aGk=".to_owned(),
    });
    let content = vec![
        ServerContent::Data {
            note: "[an image:]".to_owned(),
            shown: "[Image: image/png]".to_owned(),
            part: image.clone(),
        },
        ServerContent::Link {
            title: "three".to_owned(),
            uri: "x://3".to_owned(),
        },
        ServerContent::Unknown("video".to_owned()),
    ];
    let servers = TestServers::new(vec![Ok(ServerResult {
        content,
        ..ServerResult::default()
    })]);
    let output = bench(&servers).end("mcp_s_do", json!({})).await.unwrap();
    assert_eq!(output.attachments, [image]);
    assert_eq!(
        output.summary,
        "[Image: image/png]\n[Link to three: x://3]\n[Unknown content type: video]"
    );
    expect![[r#"
        [an image:]
        <untrusted_context>
        Resource Link: three at x://3
        </untrusted_context>"#]]
    .assert_eq(output.response["output"].as_str().unwrap());
}

#[tokio::test]
async fn one_long_text_is_cut_and_many_have_an_end_together() {
    let long = told(vec![ServerContent::Text("x".repeat(100_000))]).await;
    assert!(
        long.contains("Showing first 8000 and last 32000 characters"),
        "{}",
        long.len()
    );
    let piece = ServerContent::Text("y".repeat(400_000));
    let many = told(vec![piece; 10]).await;
    assert!(many.len() < 1_100_000, "{}", many.len());
    assert!(many.ends_with("</untrusted_context>"));
}

#[tokio::test]
async fn mcp_client_11_an_error_has_its_type() {
    let servers = TestServers::new(vec![Ok(ServerResult {
        content: vec![ServerContent::Text("no".to_owned())],
        verdict: ServerVerdict::Error,
    })]);
    let error = bench(&servers)
        .end("mcp_s_do", json!({ "x": "y" }))
        .await
        .unwrap_err();
    let response = error.response();
    assert_eq!(response["error_type"], "mcp_tool_error");
    assert!(
        response["error"]
            .as_str()
            .unwrap()
            .contains("<untrusted_context>\nno\n")
    );
    let ToolOutcome::Failed { message, .. } = error.outcome() else {
        panic!("it failed");
    };
    assert_eq!(message, "Error: MCP tool 'do' reported an error. no");
}

#[tokio::test]
async fn a_server_that_has_gone_fails_the_call() {
    let gone = ServerFailure::Gone {
        server: "s".to_owned(),
    };
    let servers = TestServers::new(vec![Err(gone)]);
    let response = bench(&servers).call("mcp_s_do", json!({})).await;
    assert_eq!(
        response["error"],
        "the server s has gone while it was asked"
    );
}

#[tokio::test]
async fn the_flag_of_the_scheduler_is_not_for_the_server() {
    let servers = TestServers::new(vec![text("done")]);
    let bench = bench(&servers);
    bench
        .call("mcp_s_do", json!({ "x": "y", "wait_for_previous": true }))
        .await;
    assert_eq!(servers.said(), r#"do {"x":"y"}"#);
    let declared = bench
        .config
        .tools
        .declarations(ApprovalMode::Default, &BTreeSet::new());
    let declared = declared
        .iter()
        .find(|tool| tool.name == "mcp_s_do")
        .unwrap();
    assert!(declared.parameters["properties"]["wait_for_previous"].is_object());
}

#[tokio::test]
async fn progress_is_shown() {
    let servers = TestServers::new(vec![text("done")]);
    let bench = bench(&servers);
    bench.call("mcp_s_do", json!({ "x": "progress" })).await;
    let shown = bench.events().into_iter().any(|event| {
        matches!(event, Event::ToolProgressed { progress, .. } if progress.message.as_deref() == Some("half"))
    });
    assert!(shown);
}

#[tokio::test]
async fn a_question_of_a_server_goes_to_the_person_and_back() {
    let servers = TestServers::new(Vec::new());
    let replies = Answer::Replies([(0, Reply::Words("blue".to_owned()))].into());
    let bench = bench(&servers).answering(replies);
    let response = bench.call("mcp_s_do", json!({ "x": "ask" })).await;
    assert!(
        response["output"]
            .as_str()
            .unwrap()
            .contains(r#"Some({0: Words("blue")})"#),
        "{response}"
    );
}

#[tokio::test]
async fn a_question_that_nobody_wants_to_answer_is_declined_and_the_call_goes_on() {
    let servers = TestServers::new(Vec::new());
    let bench = bench(&servers).answering(Answer::Deny { feedback: None });
    let response = bench.call("mcp_s_do", json!({ "x": "ask" })).await;
    assert!(
        response["output"].as_str().unwrap().contains("None"),
        "{response}"
    );
}

#[tokio::test]
async fn a_stopped_turn_stops_the_call() {
    let servers = TestServers::new(Vec::new());
    let bench = bench(&servers);
    let cancel = bench.cancel.clone();
    let stopping = async {
        while servers.said().is_empty() {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    };
    let (ended, ()) = tokio::join!(bench.end("mcp_s_do", json!({ "x": "hang" })), stopping);
    assert_eq!(ended.unwrap_err().outcome(), ToolOutcome::Cancelled);
}

#[tokio::test]
async fn tools_come_and_go_with_what_is_offered() {
    let servers = TestServers::new(Vec::new());
    let bench = bench(&servers);
    let has = |name: &str| bench.config.tools.names().iter().any(|known| known == name);
    assert!(has("mcp_s_do") && has("read_mcp_resource") && has("list_mcp_resources"));
    *servers.offering.lock().unwrap() = Arc::new(Offering {
        tools: Vec::new(),
        resources: Vec::new(),
        ..offering(ServerStanding::Connecting)
    });
    assert!(!has("mcp_s_do") && !has("read_mcp_resource"));
}

#[tokio::test]
async fn resources_are_listed_and_read() {
    let servers = TestServers::new(Vec::new());
    let bench = bench(&servers);
    let listed = bench.call("list_mcp_resources", json!({})).await;
    assert!(
        listed["output"]
            .as_str()
            .unwrap()
            .contains("- s: test://note | note"),
        "{listed}"
    );
    for uri in ["test://note", "s:test://note"] {
        let read = bench.call("read_mcp_resource", json!({ "uri": uri })).await;
        assert!(
            read["output"]
                .as_str()
                .unwrap()
                .contains("under test://note"),
            "{read}"
        );
    }
    let missing = bench.call("read_mcp_resource", json!({ "uri": "x" })).await;
    assert_eq!(missing["error_type"], "mcp_tool_error");
    let none = bench
        .call("list_mcp_resources", json!({ "serverName": "t" }))
        .await;
    assert_eq!(none["output"], "There are no resources.");
}
