use std::io::{BufReader, PipeReader, PipeWriter, Write, pipe};
use std::thread::{self, JoinHandle};

use expect_test::expect;
use serde_json::{Value, json};

use super::Client;
use crate::bench::frame;

/// A server on the other end of two pipes. It says its lines whenever a request has come in, and
/// hands back everything it heard.
fn fake_server(lines: Vec<Value>) -> (Client<PipeWriter>, JoinHandle<Vec<Value>>) {
    let (from_client, to_server) = pipe().unwrap();
    let (from_server, to_client) = pipe().unwrap();
    let server = thread::spawn(move || serve(from_client, to_client, lines));
    (Client::over(from_server, to_server), server)
}

fn serve(read: PipeReader, mut write: PipeWriter, lines: Vec<Value>) -> Vec<Value> {
    let mut read = BufReader::new(read);
    let mut heard = Vec::new();
    let mut lines = Some(lines);
    while let Ok(Some(message)) = frame::read(&mut read) {
        let is_request = message.get("id").is_some() && message.get("method").is_some();
        heard.push(message);
        if is_request {
            for line in lines.take().into_iter().flatten() {
                write.write_all(&frame::encode(&line)).unwrap();
            }
        }
    }
    heard
}

fn listing(heard: &[Value]) -> String {
    heard.iter().map(|message| format!("{message}\n")).collect()
}

#[test]
fn a_reply_is_matched_by_its_id_and_questions_are_answered_on_the_way() {
    let (mut client, server) = fake_server(vec![
        json!({"method": "window/logMessage", "params": {}}),
        json!({"id": 99, "result": "somebody else's"}),
        json!({"id": "q", "method": "workspace/configuration", "params": {"items": [{}, {}]}}),
        json!({"id": 1, "method": "client/registerCapability", "params": {}}),
        json!({"id": 1, "result": {"revision": 4}}),
    ]);
    client.notify("initialized", &json!({})).unwrap();
    let result = client.request("pollux/snapshot", &json!({})).unwrap();
    assert_eq!(result, json!({"revision": 4}));
    drop(client);
    expect![[r#"
        {"jsonrpc":"2.0","method":"initialized","params":{}}
        {"jsonrpc":"2.0","id":1,"method":"pollux/snapshot","params":{}}
        {"jsonrpc":"2.0","id":"q","result":[null,null]}
        {"jsonrpc":"2.0","id":1,"result":null}
    "#]]
    .assert_eq(&listing(&server.join().unwrap()));
}

#[test]
fn a_refused_request_says_why() {
    let (mut client, _server) = fake_server(vec![json!({
        "id": 1,
        "error": {"code": -32601, "message": "no such method"}
    })]);
    let error = client.request("pollux/nope", &json!({})).unwrap_err();
    expect![[r#"pollux/nope was refused: {"code":-32601,"message":"no such method"}"#]]
        .assert_eq(&error.to_string());
}

#[test]
fn a_server_that_ends_is_an_error_and_not_a_wait() {
    let (from_client, to_server) = pipe().unwrap();
    let (from_server, to_client) = pipe().unwrap();
    drop(to_client);
    let mut client = Client::over(from_server, to_server);
    let error = client.request("initialize", &json!({})).unwrap_err();
    expect!["waiting for initialize: the server has ended"].assert_eq(&format!("{error:#}"));
    drop(from_client);
}
