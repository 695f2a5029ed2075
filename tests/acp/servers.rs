//! MCP servers that a client brings along: programs that it names, and servers over HTTP that others have written.

use std::collections::BTreeSet;
use std::process::Stdio;

use agent_client_protocol::v1::schema::{
    HttpHeader, LoadSessionRequest, McpServer, McpServerHttp, McpServerSse, McpServerStdio,
    NewSessionRequest, PermissionOptionKind, StopReason,
};
use pollux_testkit::installed;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout};
use tokio::time::timeout;

use super::client::{Client, PATIENCE, said};
use crate::support::World;
use crate::support::talk::{calls, model, returned, says};

const ON_LOOPBACK: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/acp/servers/on_loopback.mjs"
);

/// Asks until the server is there.
async fn connected(client: &mut Client, session: &str, name: &str) {
    loop {
        let list = format!("/mcp list {name}");
        client.say(session, &list).reason().await;
        let told = said(&client.so_far());
        if told.contains(&format!("**{name}**: connected")) {
            return;
        }
        assert!(told.contains("connecting"), "{told}");
    }
}

/// One prompt with one call of a tool, which is asked about and allowed.
async fn used(client: &mut Client, session: &str) {
    let prompting = client.say(session, "use it");
    let question = client.asked().await;
    assert!(question.text().contains("hello"), "{}", question.text());
    question.choose(PermissionOptionKind::AllowOnce);
    assert_eq!(prompting.reason().await, StopReason::EndTurn);
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_of_the_client_are_there_for_its_session() {
    let world = World::new();
    let argv = pollux_testkit::scripted_mcp(&[]);
    let echo = calls("mcp_given_echo", json!({ "text": "hello" }));
    let server = model([echo, says("done")]).await;
    let mut client = Client::start(&world, &server).await;
    let given = McpServerStdio::new("given", &argv[0]).args(argv[1..].to_vec());
    let new = NewSessionRequest::new(world.work()).mcp_servers(vec![McpServer::Stdio(given)]);
    let session = client.call(new).await.unwrap().session_id.to_string();
    connected(&mut client, &session, "given").await;
    used(&mut client, &session).await;
    // Another session does not have it.
    let other = client.session(&world).await;
    client.say(&other, "/mcp list").reason().await;
    let told = said(&client.so_far());
    assert!(!told.contains("given"), "{told}");
    client.finish().await;
    world.expect_no_process_left().await;
}

/// The server with everything, over HTTP.
struct Everything {
    child: Child,
    told: Lines<BufReader<ChildStdout>>,
    port: u64,
}

impl Everything {
    async fn start(world: &World, transport: &str) -> Self {
        let program =
            installed("mcp/node_modules/@modelcontextprotocol/server-everything/dist/index.js");
        let mut command = world.command("node");
        command.args(["--import", ON_LOOPBACK]).arg(program);
        let mut child = command
            .arg(transport)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let told = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut everything = Self {
            child,
            told,
            port: 0,
        };
        while everything.port == 0 {
            let told = everything.next().await.expect("it listens");
            everything.port = told["port"].as_u64().unwrap_or_default();
        }
        everything
    }

    /// What it says to us. It may say something to people as well.
    async fn next(&mut self) -> Option<Value> {
        let line = timeout(PATIENCE, self.told.next_line()).await;
        let line = line.expect("the server says something").unwrap()?;
        Some(serde_json::from_str(&line).unwrap_or_default())
    }

    /// Ends it. Says which cards it was shown; whoever asked without one has shown "none".
    async fn stop(mut self) -> BTreeSet<String> {
        self.child.kill().await.unwrap();
        let mut cards = BTreeSet::new();
        while let Some(told) = self.next().await {
            if told["method"].is_string() {
                let card = told["headers"]["x-card"].as_str().unwrap_or("none");
                cards.insert(card.to_owned());
            }
        }
        cards
    }
}

fn card(text: &str) -> Vec<HttpHeader> {
    vec![HttpHeader::new("x-card", text)]
}

/// In a new session, and in the same one when it is loaded by the next client.
async fn works(transport: &str, given: impl Fn(u64, &str) -> McpServer) {
    let world = World::new();
    let everything = Everything::start(&world, transport).await;
    let given = |card| vec![given(everything.port, card)];
    let echo = || calls("mcp_everything_echo", json!({ "message": "hello" }));
    let server = model([echo(), says("done"), echo(), says("done")]).await;
    let mut one = Client::start(&world, &server).await;
    let offered = &one.initialized.agent_capabilities.mcp_capabilities;
    assert!(offered.http && offered.sse, "{offered:?}");
    let new = NewSessionRequest::new(world.work()).mcp_servers(given("first"));
    let session = one.call(new).await.unwrap().session_id.to_string();
    connected(&mut one, &session, "everything").await;
    used(&mut one, &session).await;
    assert!(returned(&server).contains("Echo: hello"));
    one.finish().await;

    let mut two = Client::start(&world, &server).await;
    let load = LoadSessionRequest::new(session.clone(), world.work());
    two.call(load.mcp_servers(given("second"))).await.unwrap();
    two.so_far();
    connected(&mut two, &session, "everything").await;
    used(&mut two, &session).await;
    assert!(returned(&server).contains("Echo: hello"));
    two.finish().await;
    let cards = everything.stop().await;
    assert_eq!(cards, ["first", "second"].map(str::to_owned).into());
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_over_http_works_in_a_new_and_in_a_loaded_session() {
    works("streamableHttp", |port, text| {
        let address = format!("http://127.0.0.1:{port}/mcp");
        McpServer::Http(McpServerHttp::new("everything", address).headers(card(text)))
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_over_events_works_in_a_new_and_in_a_loaded_session() {
    works("sse", |port, text| {
        let address = format!("http://127.0.0.1:{port}/sse");
        McpServer::Sse(McpServerSse::new("everything", address).headers(card(text)))
    })
    .await;
}
