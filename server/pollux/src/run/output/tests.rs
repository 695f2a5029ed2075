use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use expect_test::{Expect, expect};
use pollux_agent::api::{
    CallId, FinishReason, FunctionCall, ModelError, Retry, ToolOutcome, TurnId, Usage,
};
use serde_json::{Map, Value, json};

use super::*;
use crate::run::clock::Clock;

fn events() -> Vec<Event> {
    let call = FunctionCall {
        id: CallId::new("read_file__1"),
        name: "read_file".to_owned(),
        args: json!({ "file_path": "a.rs" }).as_object().unwrap().clone(),
        signature: None,
    };
    let usage = Usage {
        prompt_tokens: 100,
        cached_tokens: 40,
        answer_tokens: 7,
        total_tokens: 107,
        ..Usage::default()
    };
    vec![
        Event::TurnStarted {
            turn: TurnId(1),
            prompt: "look".to_owned(),
            model: "gemini-x".to_owned(),
            attachments: Vec::new(),
        },
        Event::RequestRetried(Retry {
            attempt: 1,
            attempts: 10,
            delay: Duration::from_secs(5),
            error: ModelError::NoPrompt,
        }),
        Event::TextReceived("First I \u{1b}[31mread.".to_owned()),
        Event::AnswerEnded {
            reason: FinishReason::Stop,
            usage,
            context_window: None,
        },
        Event::ToolStarted {
            call: call.clone(),
            title: "Read a.rs".to_owned(),
        },
        Event::ToolEnded {
            call: call.id,
            outcome: ToolOutcome::Failed {
                error_type: "file_not_found",
                message: "there is no such file".to_owned(),
            },
            report: Arc::default(),
        },
        Event::TextReceived("There is ".to_owned()),
        Event::TextReceived("no a.rs.".to_owned()),
        Event::AnswerEnded {
            reason: FinishReason::Stop,
            usage,
            context_window: None,
        },
    ]
}

fn play(output: &mut dyn Output, outcome: &TurnOutcome) {
    let mut stats = Stats::new();
    output.begin("session-1", "gemini-x", "look").unwrap();
    for event in events() {
        stats.count(&event);
        output.event(&event).unwrap();
    }
    output.end(outcome, &stats).unwrap();
}

/// Times differ from run to run.
fn without_times(value: &mut Value) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                if key.contains("duration") || key.contains("Duration") {
                    *value = 0.into();
                }
                without_times(value);
            }
        }
        Value::Array(values) => values.iter_mut().for_each(without_times),
        _ => {}
    }
}

fn check(text: &[u8], expected: Expect) {
    expected.assert_eq(std::str::from_utf8(text).unwrap());
}

#[test]
fn text_keeps_the_answer_apart_from_everything_else() {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    play(&mut Text::new(&mut out, &mut err), &TurnOutcome::Completed);
    check(
        &out,
        expect![[r#"
            First I read.There is no a.rs.
        "#]],
    );
    check(
        &err,
        expect![[r#"
            [WARNING] the request holds no prompt; trying again in 5 s (1 of 10)
        "#]],
    );
}

#[test]
fn text_says_on_standard_error_why_it_failed() {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let limited = TurnOutcome::RoundLimitReached { limit: 100 };
    Text::new(&mut out, &mut err)
        .end(&limited, &Stats::new())
        .unwrap();
    check(&out, expect![""]);
    check(
        &err,
        expect![[r#"
            [ERROR] the model asked for tools 100 times without coming to an end
        "#]],
    );
}

#[test]
fn json_is_one_object_with_the_last_answer() {
    let mut out = Vec::new();
    play(&mut Json::new(&mut out), &TurnOutcome::Completed);
    let mut object: Value = serde_json::from_slice(&out).unwrap();
    without_times(&mut object);
    let printed = serde_json::to_string_pretty(&object).unwrap();
    check(
        printed.as_bytes(),
        expect![[r#"
        {
          "session_id": "session-1",
          "response": "There is no a.rs.",
          "stats": {
            "models": {
              "gemini-x": {
                "api": {
                  "totalRequests": 2,
                  "totalErrors": 1
                },
                "tokens": {
                  "input": 120,
                  "prompt": 200,
                  "candidates": 14,
                  "total": 214,
                  "cached": 80,
                  "thoughts": 0,
                  "tool": 0
                }
              }
            },
            "tools": {
              "totalCalls": 1,
              "totalSuccess": 0,
              "totalFail": 1,
              "totalDurationMs": 0,
              "byName": {
                "read_file": {
                  "count": 1,
                  "success": 0,
                  "fail": 1,
                  "durationMs": 0
                }
              }
            },
            "files": {
              "totalLinesAdded": 0,
              "totalLinesRemoved": 0
            }
          },
          "warnings": [
            "the request holds no prompt"
          ]
        }"#]],
    );
}

#[test]
fn stream_json_is_a_line_for_everything() {
    let mut out = Vec::new();
    let clock = Clock::At(UNIX_EPOCH + Duration::from_millis(1_794_787_199_999));
    play(
        &mut StreamJson::new(&mut out, clock),
        &TurnOutcome::Cancelled,
    );
    let lines: Vec<String> = std::str::from_utf8(&out)
        .unwrap()
        .lines()
        .map(|line| {
            let mut line: Map<String, Value> = serde_json::from_str(line).unwrap();
            line.values_mut().for_each(without_times);
            serde_json::to_string(&line).unwrap()
        })
        .collect();
    check(
        lines.join("\n").as_bytes(),
        expect![[r#"
        {"type":"init","timestamp":"2026-11-15T23:59:59.999Z","session_id":"session-1","model":"gemini-x"}
        {"type":"message","timestamp":"2026-11-15T23:59:59.999Z","role":"user","content":"look"}
        {"type":"error","timestamp":"2026-11-15T23:59:59.999Z","severity":"warning","message":"the request holds no prompt"}
        {"type":"message","timestamp":"2026-11-15T23:59:59.999Z","role":"assistant","content":"First I \u001b[31mread.","delta":true}
        {"type":"tool_use","timestamp":"2026-11-15T23:59:59.999Z","tool_name":"read_file","tool_id":"read_file__1","parameters":{"file_path":"a.rs"}}
        {"type":"tool_result","timestamp":"2026-11-15T23:59:59.999Z","tool_id":"read_file__1","status":"error","output":"there is no such file","error":{"type":"file_not_found","message":"there is no such file"}}
        {"type":"message","timestamp":"2026-11-15T23:59:59.999Z","role":"assistant","content":"There is ","delta":true}
        {"type":"message","timestamp":"2026-11-15T23:59:59.999Z","role":"assistant","content":"no a.rs.","delta":true}
        {"type":"result","timestamp":"2026-11-15T23:59:59.999Z","status":"error","error":{"type":"FatalCancellationError","message":"the run was cancelled"},"stats":{"total_tokens":214,"input_tokens":200,"output_tokens":14,"cached":80,"input":120,"duration_ms":0,"tool_calls":1,"models":{"gemini-x":{"total_tokens":214,"input_tokens":200,"output_tokens":14,"cached":80,"input":120}}}}"#]],
    );
}
