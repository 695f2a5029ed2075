use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use expect_test::{Expect, expect};
use pollux_agent::api::{
    AvoidedUntil, CallId, FinishReason, FunctionCall, ModelError, Retry, ToolOutcome, TurnId, Usage,
};
use pollux_model::RetryTrigger;
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
            attachments: Arc::default(),
        },
        Event::RequestRetried(Retry {
            attempt: 1,
            attempts: 10,
            delay: Duration::from_secs(5),
            at: Some(UNIX_EPOCH + Duration::from_secs(3_600)),
            error: ModelError::NoPrompt,
            trigger: RetryTrigger::default(),
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
            parent: None,
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

fn play(output: &mut dyn Output, outcome: TurnOutcome) {
    let mut stats = Stats::new();
    output.begin("session-1", "gemini-x", "look").unwrap();
    for event in events() {
        stats.count(&event);
        output.event(&event).unwrap();
    }
    output.end(&Ending::Turn(outcome), &stats).unwrap();
}

fn changed(avoided_until: AvoidedUntil) -> Event {
    Event::ModelChanged {
        from: "large".to_owned(),
        to: "small".to_owned(),
        reason: "busy".to_owned(),
        avoided_until,
    }
}

/// Times differ from run to run.
fn without_times(value: &mut Value) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                if key.contains("duration") || key.contains("Duration") || key.contains("Latency") {
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
    play(&mut Text::new(&mut out, &mut err), TurnOutcome::Completed);
    check(
        &out,
        expect![[r#"
            First I read.There is no a.rs.
        "#]],
    );
    check(
        &err,
        expect![[r#"
            [WARNING] the request holds no prompt; trying again in 5 s, at 01:00:00 UTC (1 of 10)
        "#]],
    );
}

#[test]
fn text_says_on_standard_error_why_it_failed() {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let limited = Ending::Turn(TurnOutcome::RoundLimitReached { limit: 100 });
    Text::new(&mut out, &mut err)
        .end(&limited, &Stats::new())
        .unwrap();
    check(&out, expect![""]);
    check(
        &err,
        expect![[r#"
            [ERROR] the model went on 100 times without calling a tool or coming to an end
        "#]],
    );
}

#[test]
fn json_is_one_object_with_the_last_answer() {
    let mut out = Vec::new();
    play(&mut Json::new(&mut out), TurnOutcome::Completed);
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
                      "totalErrors": 1,
                      "totalLatencyMs": 0,
                      "errorsByType": {
                        "no_prompt": 1
                      }
                    },
                    "tokens": {
                      "input": 120,
                      "prompt": 200,
                      "candidates": 14,
                      "total": 214,
                      "cached": 80,
                      "thoughts": 0,
                      "tool": 0
                    },
                    "roles": {
                      "main": {
                        "totalRequests": 2,
                        "totalErrors": 1,
                        "totalLatencyMs": 0,
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
                    }
                  }
                },
                "tools": {
                  "totalCalls": 1,
                  "totalSuccess": 0,
                  "totalFail": 1,
                  "totalDurationMs": 0,
                  "totalDecisions": {
                    "accept": 0,
                    "reject": 0,
                    "modify": 0,
                    "auto_accept": 0
                  },
                  "byName": {
                    "read_file": {
                      "count": 1,
                      "success": 0,
                      "fail": 1,
                      "durationMs": 0,
                      "decisions": {
                        "accept": 0,
                        "reject": 0,
                        "modify": 0,
                        "auto_accept": 0
                      }
                    }
                  }
                },
                "files": {
                  "totalLinesAdded": 0,
                  "totalLinesRemoved": 0
                }
              },
              "warnings": [
                "the request holds no prompt; trying again in 5 s, at 01:00:00 UTC (1 of 10)"
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
        TurnOutcome::Cancelled,
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
            {"type":"error","timestamp":"2026-11-15T23:59:59.999Z","severity":"warning","message":"the request holds no prompt; trying again in 5 s, at 01:00:00 UTC (1 of 10)"}
            {"type":"message","timestamp":"2026-11-15T23:59:59.999Z","role":"assistant","content":"First I \u001b[31mread.","delta":true}
            {"type":"tool_use","timestamp":"2026-11-15T23:59:59.999Z","tool_name":"read_file","tool_id":"read_file__1","parameters":{"file_path":"a.rs"}}
            {"type":"tool_result","timestamp":"2026-11-15T23:59:59.999Z","tool_id":"read_file__1","status":"error","output":"there is no such file","error":{"type":"file_not_found","message":"there is no such file"}}
            {"type":"message","timestamp":"2026-11-15T23:59:59.999Z","role":"assistant","content":"There is ","delta":true}
            {"type":"message","timestamp":"2026-11-15T23:59:59.999Z","role":"assistant","content":"no a.rs.","delta":true}
            {"type":"result","timestamp":"2026-11-15T23:59:59.999Z","status":"error","error":{"type":"FatalCancellationError","message":"the run was cancelled"},"stats":{"total_tokens":214,"input_tokens":200,"output_tokens":14,"cached":80,"input":120,"duration_ms":0,"tool_calls":1,"models":{"gemini-x":{"total_tokens":214,"input_tokens":200,"output_tokens":14,"cached":80,"input":120}}}}"#]],
    );
}

#[test]
fn a_model_that_answers_instead_is_named_everywhere_with_its_time() {
    let untils = [
        AvoidedUntil::NextTurn,
        AvoidedUntil::For(Duration::from_secs(30)),
        AvoidedUntil::SessionEnd,
    ];
    let (mut out, mut err) = (Vec::new(), Vec::new());
    for until in untils {
        let mut text = Text::new(&mut out, &mut err);
        text.event(&changed(until)).unwrap();
    }
    check(
        &err,
        expect![[r#"
            [WARNING] small answers instead of large until the next prompt: busy
            [WARNING] small answers instead of large for 30 s: busy
            [WARNING] small answers instead of large until the session ends: busy
        "#]],
    );
    let said = "small answers instead of large for 30 s: busy";
    let mut out = Vec::new();
    let mut json = Json::new(&mut out);
    json.event(&changed(untils[1])).unwrap();
    json.end(&Ending::Turn(TurnOutcome::Completed), &Stats::new())
        .unwrap();
    let object: Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(object["warnings"], json!([said]));
    let mut out = Vec::new();
    let mut stream = StreamJson::new(&mut out, Clock::System);
    stream.event(&changed(untils[1])).unwrap();
    let line: Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(
        (&line["severity"], &line["message"]),
        (&json!("warning"), &json!(said))
    );
}

/// What the two formats for programs make of an end: the status, the error, and what is said beside them.
fn told(ending: &Ending) -> Value {
    let mut out = Vec::new();
    let mut stream = StreamJson::new(&mut out, Clock::System);
    stream.end(ending, &Stats::new()).unwrap();
    let lines = std::str::from_utf8(&out).unwrap().lines();
    let lines: Vec<Value> = lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let errors = lines.iter().filter(|line| line["type"] == "error");
    let severities: Vec<&Value> = errors.map(|line| &line["severity"]).collect();
    let mut out = Vec::new();
    let mut json = Json::new(&mut out);
    json.end(ending, &Stats::new()).unwrap();
    let object: Value = serde_json::from_slice(&out).unwrap();
    json!({
        "status": lines.last().unwrap()["status"],
        "lines": severities,
        "error": object["error"],
        "warnings": object["warnings"],
    })
}

#[test]
fn headless_17_a_loop_and_a_hook_that_stops_are_warnings_of_a_run_that_is_done() {
    let looped = Ending::Turn(TurnOutcome::LoopDetected("a b".to_owned()));
    let warned = json!({
        "status": "success",
        "lines": ["warning"],
        "error": null,
        "warnings": ["the model repeats itself: a b"],
    });
    assert_eq!(told(&looped), warned);
    let reason = "enough".to_owned();
    let stopped = Ending::Turn(TurnOutcome::StoppedByHook { reason });
    let warned = json!({
        "status": "success",
        "lines": ["warning"],
        "error": null,
        "warnings": ["a hook stopped the agent: enough"],
    });
    assert_eq!(told(&stopped), warned);
}

#[test]
fn a_failure_carries_the_status_of_the_provider() {
    let error = ModelError::Server {
        status: 500,
        message: "down".into(),
    };
    let failed = told(&Ending::Turn(TurnOutcome::Failed(error)));
    assert_eq!(failed["status"], "error");
    assert_eq!(failed["error"]["code"], 500);
    let limited = Ending::Turn(TurnOutcome::RoundLimitReached { limit: 1 });
    assert_eq!(told(&limited)["lines"], json!(["error"]));
}

#[test]
fn what_a_sub_agent_does_is_told_as_its_own() {
    let started = |id: &str, name: &str, parent: Option<&str>| Event::ToolStarted {
        call: FunctionCall {
            id: CallId::new(id),
            name: name.to_owned(),
            args: Map::new(),
            signature: None,
        },
        title: name.to_owned(),
        parent: parent.map(CallId::new),
    };
    let ended = |id: &str| Event::ToolEnded {
        call: CallId::new(id),
        outcome: ToolOutcome::Succeeded {
            summary: "done".to_owned(),
        },
        report: Arc::default(),
    };
    let said = Event::ToolPrinted {
        call: CallId::new("a"),
        text: "I look around.".to_owned(),
    };
    let events = [
        started("a", "invoke_agent", None),
        said,
        started("b", "read_file", Some("a")),
        ended("b"),
        ended("a"),
    ];
    let (mut lines, mut out, mut err) = (Vec::new(), Vec::new(), Vec::new());
    let mut json = StreamJson::new(&mut lines, Clock::At(UNIX_EPOCH));
    let mut text = Text::new(&mut out, &mut err);
    for event in &events {
        json.event(event).unwrap();
        text.event(event).unwrap();
    }
    drop((json, text));
    let empty: (&[u8], &[u8]) = (b"", b"");
    assert_eq!((out.as_slice(), err.as_slice()), empty);
    check(
        &lines,
        expect![[r#"
        {"type":"tool_use","timestamp":"1970-01-01T00:00:00.000Z","tool_name":"invoke_agent","tool_id":"a","parameters":{}}
        {"type":"subagent_tool_use","timestamp":"1970-01-01T00:00:00.000Z","tool_name":"read_file","tool_id":"b","parameters":{},"parent_tool_id":"a"}
        {"type":"subagent_tool_result","timestamp":"1970-01-01T00:00:00.000Z","tool_id":"b","status":"success","output":"done","parent_tool_id":"a"}
        {"type":"tool_result","timestamp":"1970-01-01T00:00:00.000Z","tool_id":"a","status":"success","output":"done"}
    "#]],
    );
}
