use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::record::MessageKind;

const META: &str = r#"{"sessionId":"1234abcd-0000","projectHash":"ff","startTime":"2026-01-02T03:04:05.000Z","lastUpdated":"2026-01-02T03:04:05.000Z","kind":"main"}"#;

fn message(id: &str, text: &str) -> String {
    json!({"id": id, "type": "user", "content": text}).to_string()
}

fn ids(lines: &[String]) -> Vec<String> {
    let text = format!("{META}\n{}\n", lines.join("\n"));
    let conversation = read_stream(text.as_bytes()).unwrap();
    let messages = conversation.messages.into_iter();
    messages.map(|message| message.id.to_string()).collect()
}

fn five() -> Vec<String> {
    (1..=5).map(|n| message(&format!("m{n}"), "x")).collect()
}

fn file(text: impl AsRef<[u8]>) -> (tempfile::TempDir, std::path::PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("session-x.jsonl");
    std::fs::write(&path, text).unwrap();
    (dir, path)
}

#[test]
fn a_rewind_drops_the_message_and_what_came_after_it() {
    let mut lines = five()[..3].to_vec();
    lines.push(r#"{"$rewindTo":"m2"}"#.to_owned());
    lines.push(message("m4", "x"));
    assert_eq!(ids(&lines), ["m1", "m4"]);
}

#[test]
fn a_rewind_to_an_unknown_message_drops_all_messages() {
    let mut lines = five();
    lines.push(r#"{"$rewindTo":"m9"}"#.to_owned());
    assert!(ids(&lines).is_empty());
}

#[test]
fn a_message_that_comes_again_replaces_the_first_in_its_place() {
    let text = [
        META,
        &message("m1", "a"),
        &message("m2", "b"),
        &message("m1", "c"),
    ]
    .join("\n");
    let conversation = read_stream(text.as_bytes()).unwrap();
    let said: Vec<_> = conversation
        .messages
        .iter()
        .map(|message| (message.id.as_str(), message.content.as_value().clone()))
        .collect();
    assert_eq!(said, [("m1", json!("c")), ("m2", json!("b"))]);
}

#[test]
fn messages_in_a_set_replace_the_conversation() {
    let mut lines = five();
    lines.push(
        r#"{"$set":{"messages":[{"id":"a","type":"user","content":"x"}],"summary":"s"}}"#
            .to_owned(),
    );
    assert_eq!(ids(&lines), ["a"]);
}

#[test]
fn blank_broken_and_partial_lines_are_passed_over() {
    let text = format!(
        "\u{feff}{META}\r\n\n  \nnot json\n[1]\n{}\n{{\"id\":\"m2\",\"ty",
        message("m1", "x")
    );
    let conversation = read_stream(text.as_bytes()).unwrap();
    assert_eq!(conversation.messages.len(), 1);
    assert_eq!(conversation.unreadable_lines, 3);
    assert_eq!(conversation.metadata.project_hash(), Some("ff"));
}

#[test]
fn a_line_beyond_the_limit_costs_itself_and_no_memory() {
    let long = message("long", &"y".repeat(500));
    let text = [META, &message("m1", "x"), &long, &message("m2", "x")].join("\n");
    let mut fold = Fold::new(|message| message);
    fold_lines(BufReader::with_capacity(7, text.as_bytes()), 300, &mut fold).unwrap();
    assert_eq!(fold.unreadable_lines, 1);
    assert_eq!(fold.entries().count(), 2);
}

#[test]
fn the_kinds_of_lines_are_tested_in_order() {
    for (line, kind) in [
        (json!({"$rewindTo": "m", "id": "m"}), "rewind"),
        (
            json!({"id": "m", "$set": {}, "sessionId": "s", "projectHash": "h"}),
            "message",
        ),
        (
            json!({"$set": {}, "sessionId": "s", "projectHash": "h"}),
            "set",
        ),
        (
            json!({"id": 5, "sessionId": "s", "projectHash": "h"}),
            "metadata",
        ),
        (json!({"sessionId": "s"}), "nothing"),
        (json!({"$set": 1}), "nothing"),
        (json!({"$rewindTo": 7}), "nothing"),
    ] {
        let found = match Line::parse(line.to_string().as_bytes()) {
            Some(Line::RewindTo(_)) => "rewind",
            Some(Line::Message(_)) => "message",
            Some(Line::Set(_)) => "set",
            Some(Line::Metadata(_)) => "metadata",
            None => "nothing",
        };
        assert_eq!(found, kind, "{line}");
    }
}

#[test]
fn an_older_document_is_read_pretty_or_on_one_line() {
    let document = json!({
        "sessionId": "s", "projectHash": "h", "startTime": "2026-01-02T03:04:05.000Z",
        "messages": [
            {"id": "m1", "type": "user", "content": "hello"},
            {"id": "m2", "type": "gemini", "content": "hi", "tokens": null}
        ]
    });
    for text in [
        serde_json::to_string_pretty(&document).unwrap(),
        document.to_string(),
    ] {
        let (_dir, path) = file(text);
        let conversation = read_session(&path).unwrap();
        assert_eq!(conversation.messages.len(), 2);
        assert_eq!(conversation.messages[1].kind, MessageKind::Gemini);
        assert_eq!(read_session_id(&path).unwrap().as_str(), "s");
    }
}

#[test]
fn what_is_no_session_is_unreadable() {
    for text in [
        "",
        "\n\n",
        "hello",
        "[]",
        "{}",
        r#"{"id":"m1"}"#,
        r#"{"sessionId":"s"}"#,
    ] {
        let (_dir, path) = file(text);
        let error = read_session(&path).unwrap_err();
        assert!(
            matches!(error, SessionError::Unreadable { .. }),
            "{text}: {error}"
        );
    }
}

#[test]
fn what_a_newer_twin_writes_survives_being_written_again() {
    let record = json!({
        "id": "m1", "timestamp": 5, "type": "gemini", "content": [{"text": "a", "new": 1}],
        "thoughts": "of a new shape", "tokens": {"input": 1, "output": 2, "cached": 3, "total": 6, "x": 7},
        "toolCalls": [{"id": "c", "name": 7, "args": "text", "status": "paused", "later": [1]}],
        "brandNew": {"a": [null]}
    });
    let Some(line) = Line::parse(record.to_string().as_bytes()) else {
        panic!("not a line");
    };
    let mut written = Vec::new();
    line.write_to(&mut written).unwrap();
    let again: Value = serde_json::from_slice(&written).unwrap();
    assert_eq!(again, record);
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _any = read_stream(bytes.as_slice()).unwrap();
        let (_dir, path) = file(&bytes);
        let _any = read_session(&path).is_ok();
    }

    #[test]
    fn no_json_makes_the_reader_panic(text in r#"(\{"(id|\$set|\$rewindTo|sessionId|messages|toolCalls|type)":("a"|7|null|\{\}|\[\{"id":"b"\},1\])\}\n?){0,12}"#) {
        let _any = read_stream(text.as_bytes()).unwrap();
    }
}
