use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use crate::{CallId, Role};

fn fields(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

fn response(name: &str, value: Value) -> Part {
    Part::FunctionResponse(FunctionResponse {
        id: CallId::new("1"),
        name: name.to_owned(),
        response: fields(value),
    })
}

fn inline(mime_type: &str, data: &str) -> Part {
    Part::InlineData(InlineData {
        mime_type: mime_type.to_owned(),
        data: data.to_owned(),
    })
}

#[test]
fn texts_are_estimated_by_their_characters() {
    let cases = [
        ("", 0),
        ("abc", 0),
        ("abcd", 1),
        ("你好你好你好你好你好", 15),
        ("é", 1),
        ("éa", 1),
        ("éab", 2),
        ("🦀🦀", 3),
    ];
    for (text, expected) in cases {
        assert_eq!(TokenEstimate::of_text(text).tokens(), expected, "{text}");
    }
    assert_eq!(TokenEstimate::of_text(&"abcd".repeat(100)).tokens(), 100);
}

#[test]
fn a_text_beyond_a_hundred_thousand_chars_counts_by_length() {
    assert_eq!(
        TokenEstimate::of_text(&"你".repeat(100_000)).tokens(),
        150_000
    );
    assert_eq!(
        TokenEstimate::of_text(&"你".repeat(100_001)).tokens(),
        25_000
    );
    assert_eq!(
        TokenEstimate::of_text(&"🦀".repeat(50_001)).tokens(),
        25_000
    );
}

#[test]
fn parts_are_estimated_by_their_kind() {
    let call = Part::FunctionCall(FunctionCall {
        id: CallId::new("1"),
        name: "run".to_owned(),
        args: fields(json!({ "a": "你\n" })),
        signature: Some("sig".to_owned()),
    });
    let call_json = "{\"functionCall\":{\"id\":\"1\",\"name\":\"run\",\"args\":{\"a\":\"你\\n\"}},\"thoughtSignature\":\"sig\"}";
    let thought = Part::Thought(Thought {
        subject: "Plan".to_owned(),
        description: "go on".to_owned(),
    });
    let audio = "{\"inlineData\":{\"mimeType\":\"audio/wav\",\"data\":\"AAAA\"}}";
    let cases = [
        (
            response("read", json!({ "output": "x".repeat(400) })),
            (4 + 413) / 4,
        ),
        // The length of JSON counts, not the kind of its characters.
        (
            response("read", json!({ "output": "你".repeat(400) })),
            (4 + 413) / 4,
        ),
        (inline("image/png", "AAAA"), 3_000),
        (inline("application/pdf", "AAAA"), 25_800),
        (inline("audio/wav", "AAAA"), audio.len() as u64 / 4),
        (call, call_json.chars().count() as u64 / 4),
        (thought, "**Plan** go on".len() as u64 / 4),
    ];
    for (part, expected) in cases {
        assert_eq!(TokenEstimate::of_part(&part).tokens(), expected, "{part:?}");
    }
}

#[test]
fn a_sum_is_rounded_down_once() {
    let halves = vec![Part::Text("ab".to_owned()), Part::Text("ab".to_owned())];
    assert_eq!(TokenEstimate::of_parts(&halves).tokens(), 1);
}

#[test]
fn tools_weigh_what_the_model_is_told_about_them() {
    let tool = |description: &str| ToolDeclaration {
        name: "read".to_owned(),
        description: description.to_owned(),
        parameters: json!({ "type": "object", "properties": { "path": { "type": "string" } } }),
    };
    assert_eq!(TokenEstimate::of_tools(&[]).tokens(), 0);
    let told = r#"{"name":"read","description":"Reads.","parametersJsonSchema":{"type":"object","properties":{"path":{"type":"string"}}}},"#;
    let one = TokenEstimate::of_tools(&[tool("Reads.")]);
    assert_eq!(one.tokens(), told.len() as u64 / 4);
    let two = TokenEstimate::of_tools(&[tool("Reads."), tool(&"word".repeat(100))]);
    assert_eq!(two.tokens(), (2 * told.len() + 394) as u64 / 4);
}

#[test]
fn a_request_must_fit_into_what_is_left() {
    let request = TokenEstimate::of_text(&"abcd".repeat(100)).tokens();
    assert_eq!(room_for(request, 900, 1_000), Room::Fits);
    let overflow = Room::Overflows {
        estimated: 100,
        remaining: 99,
    };
    assert_eq!(room_for(request, 901, 1_000), overflow);
    let nothing_left = Room::Overflows {
        estimated: 100,
        remaining: 0,
    };
    assert_eq!(room_for(request, 2_000, 1_000), nothing_left);
}

#[test]
fn limits_are_those_of_the_facts() {
    assert_eq!(token_limit("gemini-2.5-pro"), 1_048_576);
    assert_eq!(token_limit("gemma-4-31b-it"), 256_000);
    assert_eq!(token_limit("gemma-4-26b-a4b-it"), 256_000);
}

fn content() -> impl Strategy<Value = Content> {
    let part = prop_oneof![
        ".{0,40}".prop_map(Part::Text),
        ".{0,40}".prop_map(|text| response("tool", json!({ "output": text }))),
        Just(inline("image/png", "AA")),
    ];
    prop::collection::vec(part, 0..4).prop_map(|parts| Content {
        role: Role::User,
        parts,
    })
}

proptest! {
    #[test]
    fn a_running_sum_is_the_estimate_of_the_whole(contents in prop::collection::vec(content(), 0..8)) {
        let mut sum = TokenEstimate::default();
        for content in &contents {
            sum += TokenEstimate::of_content(content);
        }
        prop_assert_eq!(sum, TokenEstimate::of_contents(&contents));
        for content in &contents {
            sum -= TokenEstimate::of_content(content);
        }
        prop_assert_eq!(sum, TokenEstimate::default());
    }

    #[test]
    fn a_text_weighs_what_its_chars_weigh(text in "\\PC{0,200}") {
        let quarters: u64 = text.chars().map(|char| if char.is_ascii() { 1 } else { 6 }).sum();
        prop_assert_eq!(TokenEstimate::of_text(&text).tokens(), quarters / 4);
    }
}
