//! The rules of the turn loop do not depend on the provider: what holds for Gemini holds for chat completions. Each
//! script is played to both, and they must tell the same. What only one shape can say is told at the end.

use expect_test::expect;
use pollux_model::{InlineData, Part};
use pollux_testkit::{Call, RefusedPort, Reply, ReplyEnd, Script, Step, Usage};
use serde_json::{Value, json};
use tokio::time::{Duration, Instant};

use super::shapes::Shape;
use super::{Stage, is_end, ok, read, reads};
use crate::api::{Attachment, AttachmentKind, Event, Op, Prompt};
use crate::{OneVoice, PromptState};

async fn chat(script: Script) -> Stage {
    Shape::ChatCompletions.stage(script).await
}

fn messages(stage: &Stage, order: usize) -> String {
    Shape::ChatCompletions.said(stage, order)
}

/// Plays the script to both providers; the transcripts of two prompts must be equal.
async fn same(reply: impl Fn() -> Script) -> String {
    let mut shown = Vec::new();
    for shape in Shape::BOTH {
        let mut stage = shape.stage(reply()).await;
        shown.push(stage.turn("fix it").await + &stage.turn("again").await);
    }
    assert_eq!(shown[0], shown[1]);
    shown.remove(0)
}

#[tokio::test(start_paused = true)]
async fn every_kind_of_event_is_told_alike() {
    let usage = Usage {
        prompt: 12,
        output: 3,
        ..Usage::default()
    };
    let script = || {
        Script::new()
            .reply(
                Reply::new()
                    .thought("hm")
                    .chunk("I read ")
                    .chunk("two files.")
                    .call(read("a.rs", "1"))
                    .call(read("b.rs", "2"))
                    .finish_with_usage("STOP", usage),
            )
            .reply(
                Reply::new()
                    .call(Call::new("no_such_tool", json!({})).id("3"))
                    .finish("STOP"),
            )
            .reply(ok())
            .reply(ok())
    };
    expect![[r#"
        0s turn 1 with gemini-test: fix it
        0s thought: 
        0s text: I read two files.
        0s answer ended: Stop, prompt of 12
        0s 1: Read a.rs
        0s 2: Read b.rs
        0s 1 Succeeded { summary: "1 line" }
        0s 2 Succeeded { summary: "1 line" }
        0s answer ended: Stop, prompt of 0
        0s 3: no_such_tool
        0s 3 Failed { error_type: "tool_not_registered", message: "Tool \"no_such_tool\" not found. Did you mean one of: \"list_directory\", \"read_file\", \"glob\"?" }
        0s text: ok
        0s answer ended: Stop, prompt of 0
        0s turn 1 ended: Completed
        0s turn 2 with gemini-test: again
        0s text: ok
        0s answer ended: Stop, prompt of 0
        0s turn 2 ended: Completed
    "#]].assert_eq(&same(script).await);
    let mut stage = chat(script()).await;
    stage.turn("fix it").await;
    stage.turn("again").await;
    expect![[r#"
        user: "fix it"
        assistant: "I read two files." [{"id":"1","type":"function","function":{"name":"read_file","arguments":"{\"file_path\":\"a.rs\"}"}},{"id":"2","type":"function","function":{"name":"read_file","arguments":"{\"file_path\":\"b.rs\"}"}}]
        tool: "one\n"
        tool: "two\n"
        assistant: null [{"id":"3","type":"function","function":{"name":"no_such_tool","arguments":"{}"}}]
        tool: "{\"error\":\"Tool \\\"no_such_tool\\\" not found. Did you mean one of: \\\"list_directory\\\", \\\"read_file\\\", \\\"glob\\\"?\",\"error_type\":\"tool_not_registered\"}"
        assistant: "ok"
        user: "again"
    "#]].assert_eq(&messages(&stage, 4));
}

#[tokio::test(start_paused = true)]
async fn answers_that_are_none_are_asked_for_again_and_leave_no_trace() {
    let finish = |reason: &str| Reply::new().finish(reason);
    let table = [
        Reply::new().thought("think").finish("STOP"),
        Reply::text("no end").without_done(),
        Reply::new().without_done(),
        finish("MAX_TOKENS"),
        finish("SAFETY"),
        finish("BLOCKLIST"),
        finish("STOP"),
        Reply::text("\u{200b} <!-- nothing -->\n").finish("STOP"),
    ];
    for invalid in table {
        let script = || Script::new().reply(invalid.clone().times(4)).reply(ok());
        let shown = same(script).await;
        assert_eq!(shown.matches("discarded: ").count(), 3, "{shown}");
        assert!(shown.contains("7s turn 1 ended InvalidAnswer"), "{shown}");
        let mut stage = chat(script()).await;
        stage.turn("fix it").await;
        stage.turn("again").await;
        assert_eq!(messages(&stage, 5), "user: \"again\"\n");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_good_at_last_is_the_only_one_in_the_history() {
    let script = || {
        Script::new()
            .reply(Reply::new().thought("think").finish("STOP"))
            .reply(Reply::text("lost").without_done())
            .reply(Reply::text("whole").finish("STOP"))
            .reply(ok())
    };
    same(script).await;
    let mut stage = chat(script()).await;
    stage.turn("fix it").await;
    stage.turn("again").await;
    expect![[r#"
        user: "fix it\nYour last response held no text for the user. Please answer now, or go on with the task."
        --
        user: "fix it"
        assistant: "whole"
        user: "again"
    "#]].assert_eq(&format!(
        "{}--\n{}",
        messages(&stage, 2),
        messages(&stage, 4)
    ));
}

#[tokio::test(start_paused = true)]
async fn text_makes_an_answer_that_was_stopped_early_a_good_one() {
    for reason in ["MAX_TOKENS", "SAFETY", "OTHER", "STOP"] {
        let shown = same(|| {
            Script::new()
                .reply(Reply::text("so far").finish(reason))
                .reply(ok())
        });
        assert!(shown.await.contains("0s turn 1 ended: Completed"));
    }
}

#[tokio::test(start_paused = true)]
async fn silence_and_thoughts_after_a_tool_are_nudged() {
    let silence = || Reply::new().finish("STOP");
    let thought = || Reply::new().thought("think").finish("STOP");
    for quiet in [silence(), thought(), Reply::text("read").without_done()] {
        let mut shown = Vec::new();
        for shape in Shape::BOTH {
            let last = ok().always();
            let script = Script::new()
                .reply(reads("a.rs", "1"))
                .reply(quiet.clone())
                .reply(last);
            let mut stage = shape.stage(script).await;
            shown.push(stage.turn("fix it").await + &stage.turn("again").await);
        }
        assert_eq!(shown[0], shown[1]);
        assert!(shown[0].contains("turn 1 ended: Completed"), "{}", shown[0]);
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_breaks_off_is_discarded_and_asked_for_again() {
    let table = [
        Reply::text("half").cut(),
        Reply::text("half").reset(),
        Reply::text("half").stall(),
        Reply::new().thought("think").cut(),
        Reply::text("half").raw_event("{half"),
    ];
    for broken in table {
        let shown = same(|| Script::new().reply(broken.clone()).reply(ok()).reply(ok())).await;
        assert_eq!(shown.matches("discarded: ").count(), 1, "{shown}");
        assert!(shown.contains("turn 1 ended: Completed"), "{shown}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_breaks_off_four_times_fails_the_turn_and_is_forgotten() {
    for broken in [Reply::text("half").cut(), Reply::text("half").reset()] {
        let script = || Script::new().reply(broken.clone().times(4)).reply(ok());
        let shown = same(script).await;
        assert_eq!(shown.matches("discarded: ").count(), 3, "{shown}");
        assert!(shown.contains("7s turn 1 ended Failed: "), "{shown}");
        let mut stage = chat(script()).await;
        stage.turn("fix it").await;
        stage.turn("again").await;
        assert_eq!(messages(&stage, 5), "user: \"again\"\n");
    }
}

#[tokio::test(start_paused = true)]
async fn a_fault_before_the_first_word_is_retried_by_the_request() {
    let table = [
        Reply::new().before_headers(Step::Reset),
        Reply::new().reset(),
        Reply::new().cut(),
        Reply::new().raw_event("{half"),
        Reply::error(500, "INTERNAL", "oops"),
        Reply::error(502, "INTERNAL", "gateway"),
        Reply::error(503, "UNAVAILABLE", "busy"),
        Reply::error(504, "DEADLINE_EXCEEDED", "late"),
        Reply::error(499, "CANCELLED", "gone"),
        Reply::error(429, "RESOURCE_EXHAUSTED", "slow"),
    ];
    for fault in table {
        let shown = same(|| Script::new().reply(fault.clone()).reply(ok()).reply(ok())).await;
        assert!(shown.contains("0s retries 1/3 after 5s"), "{shown}");
        assert!(shown.contains("5s turn 1 ended: Completed"), "{shown}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_that_never_begins_is_given_up_alike() {
    let silent = || Reply::new().before_headers(Step::Stall);
    let shown = same(|| Script::new().reply(silent()).reply(ok()).reply(ok())).await;
    assert!(shown.contains("turn 1 ended: Completed"), "{shown}");
}

#[tokio::test(start_paused = true)]
async fn three_times_busy_spends_the_attempts_and_the_next_prompt_works() {
    let busy = || Reply::error(503, "UNAVAILABLE", "busy").times(3);
    let shown = same(|| Script::new().reply(busy()).reply(ok())).await;
    assert_eq!(shown.matches("retries ").count(), 2, "{shown}");
    assert!(shown.contains("15s turn 1 ended Failed: "), "{shown}");
}

#[tokio::test(start_paused = true)]
async fn what_another_try_would_not_change_fails_at_once() {
    let table = [
        Reply::error(400, "INVALID_ARGUMENT", "bad"),
        Reply::error(401, "UNAUTHENTICATED", "who?"),
        Reply::error(403, "PERMISSION_DENIED", "no"),
        Reply::error(404, "NOT_FOUND", "none"),
        Reply::new().status(302),
    ];
    for refusal in table {
        let shown = same(|| Script::new().reply(refusal.clone()).reply(ok())).await;
        assert!(shown.contains("0s turn 1 ended Failed: "), "{shown}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_refused_connection_is_tried_again_and_fails_and_the_session_stays() {
    let mut shown = Vec::new();
    for shape in Shape::BOTH {
        let port = RefusedPort::reserve();
        let mut stage = Stage::start_with(Script::new(), |_, config| {
            config.voices = OneVoice::shared(shape.model(&port.url()));
        })
        .await;
        let host = port.address().to_string();
        let told = stage.turn("fix it").await + &stage.turn("again").await;
        shown.push(told.replace(&host, "<host>"));
    }
    assert_eq!(shown[0], shown[1]);
    assert!(
        shown[0].contains("15s turn 1 ended Failed: "),
        "{}",
        shown[0]
    );
}

#[tokio::test(start_paused = true)]
async fn a_stop_is_a_stop() {
    for shape in Shape::BOTH {
        let script = Script::new()
            .reply(Reply::text("so far").stall())
            .reply(ok());
        let mut stage = shape.stage(script).await;
        stage.submit(Op::Queue("fix it".into())).await;
        stage
            .until(|event| matches!(event, Event::TextReceived(_)))
            .await;
        let stopped = Instant::now();
        stage.submit(Op::CancelTurn).await;
        assert!(stage.until(is_end).await.ends_with("Cancelled\n"));
        assert!(stopped.elapsed() < Duration::from_millis(100));
        assert_eq!(stage.server.reply_end(1).await, ReplyEnd::ClientLeft);
        stage.turn("again").await;
        assert_eq!(shape.said(&stage, 2), "user: \"again\"\n");
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_failed_behind_its_tools_is_marked_and_keeps_their_results() {
    let script = || {
        Script::new()
            .reply(reads("a.rs", "1"))
            .reply(Reply::error(400, "INVALID_ARGUMENT", "bad"))
            .reply(ok())
    };
    same(script).await;
    let mut stage = chat(script()).await;
    stage.turn("fix it").await;
    stage.turn("again").await;
    expect![[r#"
        user: "fix it"
        assistant: null [{"id":"1","type":"function","function":{"name":"read_file","arguments":"{\"file_path\":\"a.rs\"}"}}]
        tool: "one\n"
        assistant: "[The previous response was interrupted before it completed.]"
        user: "again"
    "#]].assert_eq(&messages(&stage, 3));
}

// From here on, what only chat completions can say.

/// One delta of a call.
fn delta(index: usize, more: Value) -> Value {
    let mut call = json!({ "index": index });
    for (key, value) in more.as_object().unwrap() {
        call[key] = value.clone();
    }
    json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [call] } }] })
}

#[tokio::test(start_paused = true)]
async fn calls_that_come_in_pieces_and_mixed_are_put_together() {
    let begins = |index, id: &str| {
        let function = json!({ "name": "read_file", "arguments": "" });
        delta(
            index,
            json!({ "id": id, "type": "function", "function": function }),
        )
    };
    let goes_on = |index, text: &str| delta(index, json!({ "function": { "arguments": text } }));
    let reply = Reply::new()
        .event(begins(0, "one"))
        .event(goes_on(0, "{\"file_"))
        .event(begins(1, "two"))
        .event(goes_on(1, "{\"file_path\": \"b.rs\""))
        .event(goes_on(0, "path\": \"a.rs\"}"))
        .event(goes_on(1, "}"))
        .finish("tool_calls");
    let mut stage = chat(Script::new().reply(reply).reply(ok())).await;
    expect![[r#"
        0s turn 1 with gemini-test: fix it
        0s answer ended: Stop, prompt of 0
        0s one: Read a.rs
        0s two: Read b.rs
        0s one Succeeded { summary: "1 line" }
        0s two Succeeded { summary: "1 line" }
        0s text: ok
        0s answer ended: Stop, prompt of 0
        0s turn 1 ended: Completed
    "#]]
    .assert_eq(&stage.turn("fix it").await);
    expect![[r#"
        user: "fix it"
        assistant: null [{"id":"one","type":"function","function":{"name":"read_file","arguments":"{\"file_path\":\"a.rs\"}"}},{"id":"two","type":"function","function":{"name":"read_file","arguments":"{\"file_path\":\"b.rs\"}"}}]
        tool: "one\n"
        tool: "two\n"
    "#]].assert_eq(&messages(&stage, 2));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_no_json_is_asked_for_again() {
    let function = json!({ "name": "read_file", "arguments": "{\"file_path\": " });
    let half = || {
        let call = json!({ "id": "1", "type": "function", "function": function });
        Reply::new().event(delta(0, call)).finish("tool_calls")
    };
    let mut stage = chat(Script::new().reply(half()).reply(ok())).await;
    expect![[r#"
        0s turn 1 with gemini-test: fix it
        0s answer ended: MalformedFunctionCall, prompt of 0
        0s discarded: MALFORMED_FUNCTION_CALL
        1s text: ok
        1s answer ended: Stop, prompt of 0
        1s turn 1 ended: Completed
    "#]]
    .assert_eq(&stage.turn("fix it").await);
}

#[tokio::test(start_paused = true)]
async fn an_error_in_the_middle_of_the_stream_is_one() {
    let busy = json!({ "error": { "message": "busy", "code": 503 } });
    let script = Script::new()
        .reply(Reply::text("half").event(busy))
        .reply(ok());
    let mut stage = chat(script).await;
    expect![[r#"
        0s turn 1 with gemini-test: fix it
        0s text: half
        0s discarded: the model is busy (HTTP 503): busy
        1s text: ok
        1s answer ended: Stop, prompt of 0
        1s turn 1 ended: Completed
    "#]]
    .assert_eq(&stage.turn("fix it").await);
}

#[tokio::test(start_paused = true)]
async fn the_providers_own_words_for_quota_delay_and_length() {
    let message = "This model's maximum context length is 8 tokens.";
    let slow = || Reply::error(429, "RATE_LIMIT_EXCEEDED", "slow");
    let table = [
        slow().header("retry-after", "10"),
        slow().header("retry-after", "400"),
        Reply::error(429, "INSUFFICIENT_QUOTA", "pay"),
        Reply::error(402, "PAYMENT_REQUIRED", "pay"),
        Reply::error(400, "CONTEXT_LENGTH_EXCEEDED", message),
        Reply::error(422, "UNPROCESSABLE_ENTITY", "odd"),
    ];
    let mut shown = String::new();
    for refusal in table {
        let mut stage = chat(Script::new().reply(refusal).reply(ok().always())).await;
        shown += &stage.turn("fix it").await;
        assert!(stage.turn("again").await.ends_with("Completed\n"));
    }
    expect![[r#"
        0s turn 1 with gemini-test: fix it
        0s retries 1/3 after 11s: the model is busy (HTTP 429): slow
        11s text: ok
        11s answer ended: Stop, prompt of 0
        11s turn 1 ended: Completed
        0s turn 1 with gemini-test: fix it
        0s turn 1 ended Failed: Quota used up: slow
        0s turn 1 with gemini-test: fix it
        0s turn 1 ended Failed: Quota used up (not enough credits): pay
        0s turn 1 with gemini-test: fix it
        0s turn 1 ended Failed: Quota used up (not enough credits): pay
        0s turn 1 with gemini-test: fix it
        0s turn 1 ended Failed: the conversation is too long for the model: This model's maximum context length is 8 tokens.
        0s turn 1 with gemini-test: fix it
        0s turn 1 ended Failed: the provider rejects the request: odd
    "#]].assert_eq(&shown);
}

#[tokio::test(start_paused = true)]
async fn usage_comes_in_an_event_of_its_own() {
    let usage = json!({
        "choices": [],
        "usage": {
            "prompt_tokens": 100,
            "completion_tokens": 30,
            "prompt_tokens_details": { "cached_tokens": 60 },
            "completion_tokens_details": { "reasoning_tokens": 10 },
        },
    });
    let reply = Reply::text("ok").finish("STOP").event(usage);
    let mut stage = chat(Script::new().reply(reply)).await;
    stage.submit(Op::Queue("fix it".into())).await;
    let usage = loop {
        if let Event::AnswerEnded { usage, .. } = stage.events.recv().await.unwrap() {
            break usage;
        }
    };
    assert_eq!((usage.prompt_tokens, usage.cached_tokens), (100, 60));
    assert_eq!((usage.answer_tokens, usage.thought_tokens), (20, 10));
    assert_eq!(usage.total_tokens, 130);
}

/// Everything that goes out, the second time a person speaks. One tool stands for all.
#[tokio::test(start_paused = true)]
async fn the_whole_request_of_a_later_turn() {
    let script = Script::new()
        .reply(
            Reply::text("I look.")
                .call(read("a.rs", "1"))
                .call(read("none.rs", "2"))
                .finish("STOP"),
        )
        .reply(ok())
        .reply(ok());
    let mut stage = Shape::ChatCompletions
        .stage_with(script, |config| {
            let told = |_: &PromptState| "You are an agent.".to_owned();
            config.instructions = Some(std::sync::Arc::new(told));
            config.opening = vec![pollux_model::Content::prompt("Today is Friday.")];
        })
        .await;
    stage.turn("fix it").await;
    let picture = InlineData {
        mime_type: "image/png".to_owned(),
        data: "iVBORw0KGgo=".to_owned(),
    };
    stage
        .submit(Op::Queue(Prompt {
            text: "like this".to_owned(),
            attachments: [Attachment {
                kind: AttachmentKind::Image,
                label: "picture.png".to_owned(),
                path: None,
                range: None,
                content: Part::InlineData(picture),
            }]
            .into(),
            ..Prompt::default()
        }))
        .await;
    stage.until(is_end).await;
    let request = stage.server.requests()[2].clone();
    assert_eq!(request.path, "/v1/chat/completions");
    let mut body = request.json();
    let tools = body["tools"].as_array_mut().unwrap();
    let names: Vec<String> = tools
        .iter()
        .map(|tool| tool["function"]["name"].to_string())
        .collect();
    tools.retain(|tool| tool["function"]["name"] == "read_file");
    expect![[r#""list_directory" "read_file" "grep_search" "glob" "replace" "write_file""#]]
        .assert_eq(&names.join(" "));
    expect![[r#"
        {
          "model": "gemini-test",
          "messages": [
            {
              "role": "system",
              "content": "You are an agent."
            },
            {
              "role": "user",
              "content": "Today is Friday.\nfix it"
            },
            {
              "role": "assistant",
              "content": "I look.",
              "tool_calls": [
                {
                  "id": "1",
                  "type": "function",
                  "function": {
                    "name": "read_file",
                    "arguments": "{\"file_path\":\"a.rs\"}"
                  }
                },
                {
                  "id": "2",
                  "type": "function",
                  "function": {
                    "name": "read_file",
                    "arguments": "{\"file_path\":\"none.rs\"}"
                  }
                }
              ]
            },
            {
              "role": "tool",
              "tool_call_id": "1",
              "content": "one\n"
            },
            {
              "role": "tool",
              "tool_call_id": "2",
              "content": "{\"error\":\"there is no such file\",\"error_type\":\"file_not_found\"}"
            },
            {
              "role": "assistant",
              "content": "ok"
            },
            {
              "role": "user",
              "content": [
                {
                  "type": "text",
                  "text": "like this"
                },
                {
                  "type": "image_url",
                  "image_url": {
                    "url": "data:image/png;base64,iVBORw0KGgo="
                  }
                }
              ]
            }
          ],
          "tools": [
            {
              "type": "function",
              "function": {
                "name": "read_file",
                "description": "Reads a text file of the workspace. Returns at most 2000 lines unless end_line is given; says so when there is more.",
                "parameters": {
                  "type": "object",
                  "properties": {
                    "file_path": {
                      "type": "string",
                      "description": "The file, relative to the workspace root."
                    },
                    "start_line": {
                      "type": "integer",
                      "minimum": 1,
                      "description": "The first line to read, counted from 1."
                    },
                    "end_line": {
                      "type": "integer",
                      "minimum": 1,
                      "description": "The last line to read."
                    }
                  },
                  "required": [
                    "file_path"
                  ]
                }
              }
            }
          ],
          "stream": true,
          "stream_options": {
            "include_usage": true
          }
        }
    "#]].assert_eq(&format!(
        "{}\n",
        serde_json::to_string_pretty(&body).unwrap()
    ));
}
