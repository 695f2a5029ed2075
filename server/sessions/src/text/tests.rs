use std::time::UNIX_EPOCH;

use serde_json::json;

use super::*;
use crate::id::MessageId;

fn message(kind: MessageKind, content: Value) -> Message {
    Message::new(MessageId::new("m"), kind, content.into(), UNIX_EPOCH)
}

#[test]
fn parts_are_named_when_they_are_no_text() {
    let image = "A".repeat(1368);
    for (content, text) in [
        (json!("a"), "a"),
        (json!(["a", {"text": "b"}]), "ab"),
        (json!({"functionCall": {"name": "n"}}), "[Function Call: n]"),
        (
            json!([{"functionResponse": {"name": "n"}}]),
            "[Function Response: n]",
        ),
        (json!({"fileData": {}}), "[File Data]"),
        (
            json!({"inlineData": {"mimeType": "image/png", "data": image}}),
            "[Image: image/png, 1.0 KB]",
        ),
        (json!({"text": "hm", "thought": true}), "[Thought: true]"),
        (json!({"executableCode": {}}), "[Executable Code]"),
        (
            json!({"codeExecutionResult": {}}),
            "[Code Execution Result]",
        ),
        (json!({"videoMetadata": {}}), "[Video Metadata]"),
        (json!(null), ""),
        (json!([7, {}]), ""),
    ] {
        assert_eq!(content_text(&content.into()), text);
    }
}

#[test]
fn what_counts_as_something_to_come_back_to() {
    for (content, resumable) in [
        ("hello", true),
        ("  /help", false),
        ("/chat save before lunch", false),
        ("/compact", false),
        ("?", false),
        ("?help", false),
        // Sent to a model by the twin too: no command has these names.
        ("/etc/hosts is odd", true),
        ("/help/index.md is out of date", true),
        ("/helpful would be a test", true),
        ("/", true),
        ("// why is this a comment", true),
        ("/* and this */", true),
        ("?? is not allowed here, is it", true),
        ("? how", true),
        ("<session_context>\nToday", false),
        ("<hook_context>x", false),
        (" \n", false),
    ] {
        let user = message(MessageKind::User, json!(content));
        assert_eq!(is_resumable(&user), resumable, "{content}");
    }
    let mut gemini = message(MessageKind::Gemini, json!(" "));
    assert!(!is_resumable(&gemini));
    gemini.tool_calls = Some(Vec::new());
    assert!(!is_resumable(&gemini));
    gemini.thoughts = Some(vec![Default::default()]);
    assert!(is_resumable(&gemini));
    assert!(!is_resumable(&message(MessageKind::Info, json!("x"))));
}

#[test]
fn titles_are_one_plain_line() {
    for (content, expected) in [
        ("fix\n\n the\t\u{1b}[31mbug\u{7}", "fix the [31mbug"),
        ("caf\u{e9} open", "caf open"),
        (
            "\u{65e5}\u{672c}\n\u{8a9e}\u{1b}",
            "\u{65e5}\u{672c} \u{8a9e}",
        ),
    ] {
        assert_eq!(title(&message(MessageKind::User, json!(content))), expected);
    }
    let mut expanded = message(MessageKind::User, json!("look\n--- a.rs ---"));
    expanded.display_content = Some(RecordedContent::text("look @a.rs"));
    assert_eq!(title(&expanded), "look @a.rs");
}

#[test]
fn command_names_are_sorted_to_be_found() {
    assert!(command::NAMES.is_sorted());
}
