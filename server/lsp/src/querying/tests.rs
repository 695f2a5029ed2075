use std::path::PathBuf;

use pollux_text::{Position, Range};
use pollux_workspace::DocumentKey;
use serde_json::json;

use super::*;

#[test]
fn what_a_client_says_is_told_in_the_words_of_the_room() {
    let range =
        json!({ "start": { "line": 1, "character": 2 }, "end": { "line": 1, "character": 5 } });
    let own = Range {
        start: Position {
            line: 1,
            character: 2,
        },
        end: Position {
            line: 1,
            character: 5,
        },
    };
    // Spelled as no parser of URIs likes it.
    let uri = "file:///home/me/[id].rs";
    let key = DocumentKey::File(PathBuf::from("/home/me/[id].rs"));
    let told = |said| answer(serde_json::from_value(said).unwrap());
    let places = json!({ "kind": "places", "places": [{ "uri": uri, "range": range }] });
    assert_eq!(
        told(places),
        Some(EditorAnswer::Places(vec![FoundPlace {
            key: key.clone(),
            range: own
        }]))
    );
    let edits = json!({ "kind": "edits", "files": [
        { "uri": uri, "edits": [{ "range": range, "newText": "new" }] },
    ] });
    assert_eq!(
        told(edits),
        Some(EditorAnswer::Edits(vec![FileEdits {
            key,
            version: None,
            edits: vec![Edit::Splice {
                range: own,
                text: "new".to_owned()
            }],
        }]))
    );
    assert_eq!(told(json!({ "kind": "later" })), None);
}
