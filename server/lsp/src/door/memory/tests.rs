use super::*;

fn note(memory: &mut Memory, method: &str, params: Value) {
    let body = notification(method, &params);
    memory.note(&mut Message::read(body.into()).unwrap());
}

fn open(memory: &mut Memory, uri: &str, text: &str) {
    let item = json!({ "uri": uri, "languageId": "rust", "version": 1, "text": text });
    note(
        memory,
        "textDocument/didOpen",
        json!({ "textDocument": item }),
    );
}

fn insert(memory: &mut Memory, uri: &str, version: i32, line: u32, character: u32, text: &str) {
    let place = json!({ "line": line, "character": character });
    let params = json!({
        "textDocument": { "uri": uri, "version": version },
        "contentChanges": [{ "range": { "start": place, "end": place }, "text": text }],
    });
    note(memory, "textDocument/didChange", params);
}

/// The text a host ends up with when it is told this.
fn text_after(messages: &[Vec<u8>], uri: &str) -> String {
    let mut buffer = Buffer::default();
    for message in messages {
        let message: Value = serde_json::from_slice(message).unwrap();
        let params = &message["params"];
        if params["textDocument"]["uri"] != uri {
            continue;
        }
        if message["method"] == "textDocument/didOpen" {
            buffer = Buffer::from(params["textDocument"]["text"].as_str().unwrap());
        } else {
            let changed: Changed = serde_json::from_value(params.clone()).unwrap();
            let edits: Vec<Edit> = changed
                .content_changes
                .into_iter()
                .map(Edit::from)
                .collect();
            buffer.apply(&edits, PositionEncoding::Utf16).unwrap();
        }
    }
    buffer.to_string()
}

#[test]
fn a_new_host_is_told_the_same_story() {
    let mut memory = Memory::default();
    note(&mut memory, "initialized", json!({}));
    open(&mut memory, "file:///a", "one\n");
    open(&mut memory, "file:///b", "two\n");
    insert(&mut memory, "file:///a", 2, 0, 3, " and a half");
    note(
        &mut memory,
        "textDocument/didClose",
        json!({ "textDocument": { "uri": "file:///b" } }),
    );
    note(
        &mut memory,
        method::EDITOR_STATE,
        json!({ "trusted": true, "activeFile": null }),
    );
    note(
        &mut memory,
        method::EDITOR_STATE,
        json!({ "trusted": false }),
    );
    let told = memory.retell();
    let methods: Vec<Value> = told
        .iter()
        .map(|message| serde_json::from_slice::<Value>(message).unwrap()["method"].clone())
        .collect();
    assert_eq!(
        methods,
        [
            "initialized",
            "textDocument/didOpen",
            "textDocument/didChange",
            "pollux/editorState"
        ]
    );
    assert_eq!(text_after(&told, "file:///a"), "one and a half\n");
    let state: Value = serde_json::from_slice(told.last().unwrap()).unwrap();
    assert_eq!(
        state["params"],
        json!({ "trusted": false, "activeFile": null })
    );
}

#[test]
fn many_changes_do_not_make_the_memory_grow() {
    let mut memory = Memory::default();
    open(&mut memory, "file:///a", "");
    let mut expected = String::new();
    for version in 0..5_000 {
        insert(&mut memory, "file:///a", version, 0, version as u32, "x");
        expected.push('x');
        let document = &memory.documents["file:///a"];
        assert!(document.changed_bytes <= FOLD_AT);
        assert!(document.changes.len() < 1_000);
    }
    let told = memory.retell();
    assert_eq!(text_after(&told, "file:///a"), expected);
}

#[test]
fn a_text_that_cannot_be_known_is_asked_for() {
    let mut memory = Memory::default();
    open(&mut memory, "file:///a", "short");
    for version in 0..1_000 {
        insert(&mut memory, "file:///a", version, 7, 0, "out of step");
    }
    let told = memory.retell();
    let last: Value = serde_json::from_slice(told.last().unwrap()).unwrap();
    assert_eq!(last["method"], MESSAGES_LOST);
}

#[test]
fn a_saved_text_takes_the_place_of_the_changes_before_it() {
    let mut memory = Memory::default();
    open(&mut memory, "file:///a", "x");
    insert(&mut memory, "file:///a", 2, 0, 1, "y");
    let saved = json!({ "textDocument": { "uri": "file:///a" }, "text": "xy\n" });
    note(&mut memory, "textDocument/didSave", saved);
    insert(&mut memory, "file:///a", 3, 0, 2, "z");
    let told = memory.retell();
    assert_eq!(told.len(), 2);
    assert_eq!(text_after(&told, "file:///a"), "xyz\n");
}

#[test]
fn a_change_that_cannot_be_read_drops_its_own_document_only() {
    let mut memory = Memory::default();
    open(&mut memory, "file:///a", "one\n");
    open(&mut memory, "file:///b", "two\n");
    let unreadable = json!({
        "textDocument": { "uri": "file:///a", "version": "2" },
        "contentChanges": 7,
    });
    note(&mut memory, "textDocument/didChange", unreadable);
    let messages = memory.retell();
    assert_eq!(text_after(&messages, "file:///b"), "two\n");
    assert_eq!(text_after(&messages, "file:///a"), "");
    let lost = |message: &Vec<u8>| String::from_utf8_lossy(message).contains(MESSAGES_LOST);
    assert!(messages.iter().any(lost), "the host asks for what is gone");
}

#[test]
fn folders_that_come_and_go_do_not_make_the_memory_grow() {
    let mut memory = Memory::default();
    let change = |memory: &mut Memory, added: Value, removed: Value| {
        let event = json!({ "event": { "added": added, "removed": removed } });
        note(memory, "workspace/didChangeWorkspaceFolders", event);
    };
    let folder = |name: &str| json!([{ "uri": format!("file:///{name}"), "name": name }]);
    change(&mut memory, folder("kept"), folder("first"));
    for _ in 0..10_000 {
        change(&mut memory, folder("other"), json!([]));
        change(&mut memory, json!([]), folder("other"));
    }
    assert!(memory.folders.len() <= MOST_FOLDER_MESSAGES);
    let all = merged(&memory.retell());
    let all: Value = serde_json::from_slice(&all).unwrap();
    let event = &all["params"]["event"];
    assert_eq!(event["added"], folder("kept"));
    assert_eq!(event["removed"], folder("first"));
}
