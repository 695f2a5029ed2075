use std::fmt::Write;

use expect_test::{Expect, expect};
use serde_json::json;

use super::*;
use crate::read::read_stream;
use crate::testing::{Counted, at};

/// One line per turn, parts behind each other.
fn shown(history: &[Content]) -> String {
    let mut text = String::new();
    for content in history {
        write!(text, "{:?}:", content.role).unwrap();
        for part in &content.parts {
            match part {
                Part::Text(said) => write!(text, " {said:?}"),
                Part::SignedText(signed) => write!(text, " {:?}+{}", signed.text, signed.signature),
                Part::Thought(thought) => {
                    write!(
                        text,
                        " thought({}|{})",
                        thought.subject, thought.description
                    )
                }
                Part::FunctionCall(call) => {
                    let signature = call.signature.as_deref().unwrap_or("-");
                    write!(text, " {}#{}[{signature}]", call.name, call.id)
                }
                Part::FunctionResponse(answer) => {
                    let response = serde_json::to_string(&answer.response).unwrap();
                    write!(text, " {}#{}={response}", answer.name, answer.id)
                }
                Part::InlineData(data) => write!(text, " <{}>", data.mime_type),
            }
            .unwrap();
        }
        text.push('\n');
    }
    text
}

fn rebuilt(messages: &[Value]) -> Vec<Content> {
    let lines: Vec<String> = messages
        .iter()
        .enumerate()
        .map(|(number, message)| {
            let mut message = message.clone();
            message["id"] = json!(format!("m{number}"));
            message.to_string()
        })
        .collect();
    history_of(&read_stream(lines.join("\n").as_bytes()).unwrap().messages)
}

fn check(messages: &[Value], expected: Expect) {
    expected.assert_eq(&shown(&rebuilt(messages)));
}

fn answer(id: &str, output: &str) -> Value {
    json!({"functionResponse": {"id": id, "name": "read", "response": {"output": output}}})
}

#[test]
fn what_is_not_for_the_model_is_left_out() {
    check(
        &[
            json!({"type": "user", "content": "<session_context>\nToday is Friday"}),
            json!({"type": "info", "content": "welcome"}),
            json!({"type": "user", "content": "/help"}),
            json!({"type": "user", "content": ["hello", {"text": "you"}]}),
            json!({"type": "warning", "content": "slow"}),
            json!({"type": "gemini", "content": "hi"}),
            json!({"type": "gemini", "content": ""}),
        ],
        expect![[r#"
            User: "hello" "you"
            Model: "hi"
        "#]],
    );
}

#[test]
fn a_tool_call_recorded_by_the_newest_writer_is_answered_once() {
    check(
        &[
            json!({"type": "user", "content": [{"text": "read it"}]}),
            json!({"type": "gemini", "content": "ok",
                "thoughts": [{"subject": "Plan", "description": "read"}],
                "toolCalls": [{"id": "read__c1", "name": "read", "args": {}, "status": "success",
                    "result": [answer("c1", "text")]}]}),
            json!({"type": "user", "content": [answer("c1", "text")]}),
            json!({"type": "gemini", "content": "done"}),
        ],
        expect![[r#"
            User: "read it"
            Model: thought(Plan|read) "ok" read#c1[-]
            User: read#c1={"output":"text"}
            Model: "done"
        "#]],
    );
}

#[test]
fn results_that_an_older_writer_kept_with_the_calls_become_a_turn() {
    check(
        &[
            json!({"type": "gemini", "content": "", "toolCalls": [
                {"id": "c1", "name": "read", "args": {}, "result": "text", "thoughtSignature": "s"},
                {"id": "c2", "name": "read", "args": {}, "result": answer("c2", "two")},
                {"id": "c3", "name": "read", "args": {}, "result": [{"text": "bare"},
                    {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}]},
                {"name": "list", "args": {"a": 1}, "result": "x"},
                {"name": "list", "args": {"a": 1}, "result": "y"}]}),
            json!({"type": "user", "content": "thanks"}),
        ],
        expect![[r#"
            Model: read#c1[s] read#c2[-] read#c3[-] list#synth_list_2938fd07[-] list#synth_list_7a6db25e[-]
            User: read#c1={"output":"text"} read#c2={"output":"two"} read#c3={"output":"bare[Image: image/png, 0.0 KB]"} <image/png> list#synth_list_2938fd07={"output":"x"} list#synth_list_7a6db25e={"output":"y"}
            User: "thanks"
        "#]],
    );
}

#[test]
fn a_call_that_was_cut_off_is_answered_with_an_error_in_its_place() {
    let calls = json!({"type": "gemini", "content": "", "toolCalls": [
        {"id": "c1", "name": "read", "args": {}, "status": "executing"},
        {"id": "c2", "name": "read", "args": {}, "result": "two"},
        {"id": "c3", "name": "read", "args": {}, "result": "three"}]});
    check(
        &[
            calls.clone(),
            json!({"type": "user", "content": [answer("c2", "two")]}),
            calls,
        ],
        expect![[r#"
            Model: read#c1[-] read#c2[-] read#c3[-]
            User: read#c1={"error":"The call was interrupted before it returned a result."} read#c3={"output":"three"} read#c2={"output":"two"}
            Model: read#c1[-] read#c2[-] read#c3[-]
            User: read#c1={"error":"The call was interrupted before it returned a result."} read#c2={"error":"The call was interrupted before it returned a result."} read#c3={"error":"The call was interrupted before it returned a result."}
        "#]],
    );
}

#[test]
fn an_answer_that_nobody_asked_for_gets_an_id() {
    let response = json!({"functionResponse": {"name": "read", "response": {}}});
    let history = rebuilt(&[json!({"type": "user", "content": [response]})]);
    assert!(shown(&history).starts_with("User: read#synth_orph_read_"));
}

#[test]
fn exact_parts_are_used_as_they_are_and_unknown_ones_are_named() {
    check(
        &[
            json!({"type": "user", "content": [{"text": "see"}, {"fileData": {"fileUri": "x"}}]}),
            json!({"type": "gemini",
                "content": [{"text": "**Plan** read", "thought": true}, {"text": "ok"},
                    {"functionCall": {"id": "c1", "name": "read", "args": {}}, "thoughtSignature": "s"}],
                "thoughts": [{"subject": "not", "description": "used"}],
                "toolCalls": [{"id": "c1", "name": "read", "args": {}, "result": "text"}]}),
        ],
        expect![[r#"
            User: "see" "[File Data]"
            Model: thought(Plan|read) "ok" read#c1[s]
            User: read#c1={"output":"text"}
        "#]],
    );
}

#[test]
fn a_history_that_replaces_the_recorded_one_is_rebuilt_as_it_was() {
    let history = rebuilt(&[
        json!({"type": "user", "content": [{"text": "read"},
            {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}]}),
        json!({"type": "gemini", "content": "ok", "thoughts": [{"subject": "a", "description": ""}],
            "toolCalls": [
                {"id": "c1", "name": "read", "args": {"p": 1}, "result": "text", "thoughtSignature": "s"},
                {"id": "c2", "name": "read", "args": {}}]}),
        json!({"type": "user", "content": "more"}),
        json!({"type": "gemini", "content": "done"}),
    ]);
    let messages = messages_of(&history, at(0), &mut Counted::default());
    assert_eq!(history_of(&messages), history);
    let calls = messages[1].tool_calls.as_ref().unwrap();
    let statuses: Vec<_> = calls.iter().map(|call| call.status.unwrap()).collect();
    use crate::record::CallStatus;
    assert_eq!(statuses, [CallStatus::Success, CallStatus::Error]);
}

fn png(data: &str) -> Value {
    json!({"inlineData": {"mimeType": "image/png", "data": data}})
}

#[test]
fn images_of_tools_come_back_with_the_answer_that_they_belong_to() {
    let mut within = answer("c2", "two");
    within["functionResponse"]["parts"] = json!([png("BBBB"), {"text": "lost"}]);
    check(
        &[
            json!({"type": "gemini", "content": "", "toolCalls": [
                {"id": "c1", "name": "read", "args": {}, "result": [answer("c1", "one"), png("AAAA")]},
                {"id": "c2", "name": "read", "args": {}, "result": [within]},
                {"id": "c3", "name": "read", "args": {}, "result": [answer("c3", "three"), png("CCCC")]}]}),
            json!({"type": "user", "content": [answer("c1", "one"), png("AAAA"), within]}),
            json!({"type": "gemini", "content": "I see"}),
        ],
        expect![[r#"
            Model: read#c1[-] read#c2[-] read#c3[-]
            User: read#c3={"output":"three"} <image/png> read#c1={"output":"one"} <image/png> read#c2={"output":"two"} <image/png>
            Model: "I see"
        "#]],
    );
}

#[test]
fn an_image_that_was_recorded_twice_comes_back_once() {
    check(
        &[
            json!({"type": "gemini", "content": "", "toolCalls": [{"id": "c1", "name": "read", "args": {}}]}),
            json!({"type": "user", "content": [answer("c1", "one"), png("AAAA")]}),
            json!({"type": "user", "content": [answer("c1", "one"), png("AAAA"), "and", png("BBBB")]}),
        ],
        expect![[r#"
            Model: read#c1[-]
            User: read#c1={"output":"one"} <image/png>
            User: "and" <image/png>
        "#]],
    );
}
