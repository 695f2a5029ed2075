use expect_test::expect;

use super::*;

fn say(memory: &mut DoorMemory, message: &Value) -> Keep {
    let message = message.to_string();
    memory.heard(&Message::read(message.as_bytes()).unwrap())
}

/// Has the client ask it, and the host do it.
fn ask(memory: &mut DoorMemory, method: &str, params: &Value) {
    let request = json!({ "id": 1, "method": method, "params": params }).to_string();
    let request = Message::read(request.as_bytes()).unwrap();
    assert_ne!(memory.heard(&request), Keep::Nothing);
    let answer = Message::read(br#"{"id":1,"result":{}}"#).unwrap();
    memory.answered(&request, &answer);
}

#[test]
fn another_host_is_told_who_the_client_is_and_what_it_follows() {
    let mut memory = DoorMemory::default();
    assert_eq!(memory.retell(), Vec::<Vec<u8>>::new());
    ask(&mut memory, "initialize", &json!({}));
    say(
        &mut memory,
        &json!({ "method": "notifications/initialized" }),
    );
    for uri in ["a:1", "a:2", "a:3"] {
        ask(&mut memory, "resources/subscribe", &json!({ "uri": uri }));
    }
    ask(
        &mut memory,
        "resources/unsubscribe",
        &json!({ "uri": "a:2" }),
    );
    let answer = Message::read(br#"{"id":1,"result":{}}"#).unwrap();
    let mut shown = String::new();
    for line in memory.retell() {
        let request = Message::read(&line).unwrap();
        shown += &format!("{}\n", String::from_utf8_lossy(&line));
        for line in memory.retold(&request, &answer) {
            shown += &format!("  and to the client: {}\n", String::from_utf8_lossy(&line));
        }
    }
    expect![[r#"
        {"id":1,"method":"initialize","params":{}}
          and to the client: {"jsonrpc":"2.0","method":"notifications/resources/list_changed"}
        {"method":"notifications/initialized"}
        {"jsonrpc":"2.0","id":"pollux door 1","method":"resources/subscribe","params":{"uri":"a:1"}}
          and to the client: {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:1"}}
        {"jsonrpc":"2.0","id":"pollux door 2","method":"resources/subscribe","params":{"uri":"a:3"}}
          and to the client: {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:3"}}
    "#]].assert_eq(&shown);
}

#[test]
fn a_request_that_listens_is_for_the_next_host_until_it_is_taken_back() {
    let mut memory = DoorMemory::default();
    let listen = json!({ "id": 3, "method": "subscriptions/listen" });
    assert_eq!(say(&mut memory, &listen), Keep::ForTheNextHost);
    let cancel = json!({ "method": "notifications/cancelled", "params": { "requestId": 3 } });
    let cancel = cancel.to_string();
    let cancel = Message::read(cancel.as_bytes()).unwrap();
    assert_eq!(memory.taken_back(&cancel).as_deref(), Some("3"));
}
