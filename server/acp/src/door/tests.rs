use expect_test::{Expect, expect};

use super::*;

/// Has the client say it, and the host answer it.
fn exchange(memory: &mut DoorMemory, request: &Value, answer: &Value) {
    let (request, answer) = (request.to_string(), answer.to_string());
    let request = Message::read(request.as_bytes()).unwrap();
    let answer = Message::read(answer.as_bytes()).unwrap();
    assert_ne!(memory.heard(&request), Keep::Nothing);
    memory.answered(&request, &answer);
}

fn say(memory: &mut DoorMemory, method: &str, params: Value) {
    let request = json!({ "id": 7, "method": method, "params": params });
    exchange(memory, &request, &json!({ "id": 7, "result": {} }));
}

fn told(memory: &mut DoorMemory, message: &Value) {
    let message = message.to_string();
    memory.told(&Message::read(message.as_bytes()).unwrap());
}

fn check(lines: Vec<Vec<u8>>, expected: &Expect) {
    let lines: Vec<String> = lines
        .into_iter()
        .map(|line| String::from_utf8(line).unwrap() + "\n")
        .collect();
    expected.assert_eq(&lines.concat());
}

fn begun() -> DoorMemory {
    let mut memory = DoorMemory::default();
    say(&mut memory, "initialize", json!({ "protocolVersion": 1 }));
    let new =
        json!({ "id": 7, "method": "session/new", "params": { "cwd": "/w", "mcpServers": [] } });
    let answer = json!({ "id": 7, "result": { "sessionId": "a" } });
    exchange(&mut memory, &new, &answer);
    memory
}

#[test]
fn another_host_is_told_who_the_client_is_and_what_it_has_open_and_has_set() {
    let mut memory = begun();
    say(&mut memory, "authenticate", json!({ "methodId": "k" }));
    say(
        &mut memory,
        "session/set_mode",
        json!({ "sessionId": "a", "modeId": "plan" }),
    );
    say(
        &mut memory,
        "session/set_config_option",
        json!({ "sessionId": "a", "configId": "model", "value": "m" }),
    );
    say(
        &mut memory,
        "session/set_config_option",
        json!({ "sessionId": "a", "configId": "mode", "value": "yolo" }),
    );
    let load = json!({ "sessionId": "b", "cwd": "/w", "mcpServers": [], "_meta": { "x": 1 } });
    say(&mut memory, "session/load", load.clone());
    say(
        &mut memory,
        "session/resume",
        json!({ "sessionId": "c", "cwd": "/w" }),
    );
    say(&mut memory, "session/close", json!({ "sessionId": "c" }));
    told(
        &mut memory,
        &json!({ "id": 12, "method": "session/request_permission" }),
    );
    check(
        memory.retell(),
        &expect![[r#"
        {"jsonrpc":"2.0","method":"_pollux/before","params":{"asked":12,"loggedOut":false}}
        {"id":7,"method":"initialize","params":{"protocolVersion":1}}
        {"jsonrpc":"2.0","id":"pollux door 1","method":"authenticate","params":{"methodId":"k"}}
        {"jsonrpc":"2.0","id":"pollux door 2","method":"session/resume","params":{"cwd":"/w","mcpServers":[],"sessionId":"a","_meta":{"pollux/again":true}}}
        {"jsonrpc":"2.0","id":"pollux door 3","method":"session/set_config_option","params":{"sessionId":"a","configId":"mode","value":"yolo"}}
        {"jsonrpc":"2.0","id":"pollux door 4","method":"session/set_config_option","params":{"sessionId":"a","configId":"model","value":"m"}}
        {"jsonrpc":"2.0","id":"pollux door 5","method":"session/resume","params":{"sessionId":"b","cwd":"/w","mcpServers":[],"_meta":{"x":1,"pollux/again":true}}}
    "#]],
    );
    // Loaded once more, it stays as it was set.
    let again = json!({ "sessionId": "a", "cwd": "/w" });
    say(&mut memory, "session/load", again);
    assert_eq!(memory.sessions["a"].settings.len(), 2);
}

#[test]
fn whoever_has_logged_out_is_not_let_in_by_the_next_host() {
    let mut memory = begun();
    say(&mut memory, "authenticate", json!({ "methodId": "k" }));
    say(&mut memory, "logout", json!({}));
    say(&mut memory, "session/delete", json!({ "sessionId": "a" }));
    check(
        memory.retell(),
        &expect![[r#"
        {"jsonrpc":"2.0","method":"_pollux/before","params":{"asked":0,"loggedOut":true}}
        {"id":7,"method":"initialize","params":{"protocolVersion":1}}
    "#]],
    );
}

#[test]
fn nothing_is_told_before_the_client_has_begun() {
    let mut memory = DoorMemory::default();
    assert_eq!(memory.retell(), Vec::<Vec<u8>>::new());
}

#[test]
fn what_the_host_asked_is_taken_back_and_what_it_did_has_failed() {
    let mut memory = begun();
    for id in [1, 2, 3] {
        told(
            &mut memory,
            &json!({ "id": id, "method": "session/request_permission" }),
        );
    }
    let answer = json!({ "id": 1, "result": {} }).to_string();
    memory.heard(&Message::read(answer.as_bytes()).unwrap());
    told(
        &mut memory,
        &json!({ "method": "$/cancel_request", "params": { "requestId": 2 } }),
    );
    let mut call = |id: &str, status: &str| {
        let update = json!({ "sessionUpdate": "tool_call", "toolCallId": id, "status": status });
        let params = json!({ "sessionId": "a", "update": update });
        told(
            &mut memory,
            &json!({ "method": "session/update", "params": params }),
        );
    };
    call("one", "pending");
    call("two", "in_progress");
    call("two", "completed");
    check(
        memory.lost(),
        &expect![[r#"
        {"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":3}}
        {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"a","update":{"sessionUpdate":"tool_call_update","toolCallId":"one","status":"failed"}}}
    "#]],
    );
    assert_eq!(memory.lost(), Vec::<Vec<u8>>::new());
}

#[test]
fn the_client_learns_how_its_session_stands_or_that_it_is_not_there() {
    let mut memory = begun();
    let resume = memory.retell().pop().unwrap();
    let resume = Message::read(&resume).unwrap();
    let result =
        json!({ "modes": { "currentModeId": "plan", "availableModes": [] }, "configOptions": [] });
    let stands = json!({ "id": "pollux door 1", "result": result }).to_string();
    let lines = memory.retold(&resume, &Message::read(stands.as_bytes()).unwrap());
    check(
        lines,
        &expect![[r#"
        {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"a","update":{"sessionUpdate":"current_mode_update","currentModeId":"plan"}}}
        {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"a","update":{"sessionUpdate":"config_option_update","configOptions":[]}}}
    "#]],
    );
    let error = json!({ "code": -32603, "message": "/w is not there" });
    let gone = json!({ "id": "pollux door 1", "error": error }).to_string();
    let lines = memory.retold(&resume, &Message::read(gone.as_bytes()).unwrap());
    check(
        lines,
        &expect![[r#"
        {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"a","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"This session could not be opened again: /w is not there."}}}}
    "#]],
    );
    assert!(memory.sessions.is_empty());
}
