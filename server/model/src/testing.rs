//! What the tests of the providers share.

use std::time::Duration;

use futures_util::StreamExt as _;
use pollux_testkit::{Reply, Script, ScriptedModel};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::{
    ApiKey, CallId, Content, EventStream, FunctionCall, FunctionResponse, Gemini, GeminiApi,
    GeminiConfig, Http, InlineData, Jitter, Model, ModelError, NetworkOptions, OpenAi,
    OpenAiConfig, Part, Request, RetryPolicy, Role, StreamEvent, Thought, ToolDeclaration,
};

/// Must never be seen outside of a header.
pub(crate) const KEY: &str = "AIza-0123456789-very-secret";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Gemini,
    OpenAi,
}

pub(crate) const SHAPES: [Shape; 2] = [Shape::Gemini, Shape::OpenAi];

pub(crate) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => panic!("not an object: {other}"),
    }
}

/// Pauses of exactly 5, 10, 20, 30 … seconds.
pub(crate) fn policy(attempts: u32) -> RetryPolicy {
    RetryPolicy {
        attempts,
        jitter: Jitter::fixed(0.5),
        ..RetryPolicy::default()
    }
}

pub(crate) fn gemini(base: &str, retry: RetryPolicy) -> Gemini {
    let config = GeminiConfig {
        base_url: base.to_owned(),
        retry,
        ..GeminiConfig::new(GeminiApi::Developer, "gemini-3-pro", ApiKey::new(KEY))
    };
    Gemini::new(config, Http::new(NetworkOptions::default())).unwrap()
}

pub(crate) fn open_ai(base: &str, retry: RetryPolicy) -> OpenAi {
    let config = OpenAiConfig {
        key: ApiKey::new(KEY),
        retry,
        ..OpenAiConfig::new(format!("{base}/v1"), "qwen3")
    };
    OpenAi::new(config, Http::new(NetworkOptions::default())).unwrap()
}

pub(crate) fn model(shape: Shape, base: &str, attempts: u32) -> Model {
    match shape {
        Shape::Gemini => Model::Gemini(gemini(base, policy(attempts))),
        Shape::OpenAi => Model::OpenAi(open_ai(base, policy(attempts))),
    }
}

pub(crate) fn prompt() -> Request {
    Request {
        contents: vec![Content::prompt("hi")],
        ..Request::default()
    }
}

pub(crate) async fn serve(reply: Reply) -> ScriptedModel {
    ScriptedModel::start(Script::new().reply(reply)).await
}

pub(crate) fn stream(model: &Model) -> EventStream {
    model.stream(prompt(), CancellationToken::new())
}

pub(crate) async fn ask(model: &Model) -> Vec<Result<StreamEvent, ModelError>> {
    stream(model).collect().await
}

/// One line for each event.
pub(crate) fn shown(events: &[Result<StreamEvent, ModelError>]) -> String {
    let line = |event: &Result<StreamEvent, ModelError>| match event {
        Ok(StreamEvent::Text(text)) => format!("text {text:?}\n"),
        Ok(StreamEvent::SignedText(signed)) => {
            format!("text {:?} {}\n", signed.text, signed.signature)
        }
        Ok(StreamEvent::Thought(thought)) => {
            format!("thought {:?} {:?}\n", thought.subject, thought.description)
        }
        Ok(StreamEvent::FunctionCall(call)) => {
            let args = Value::Object(call.args.clone());
            let signature = call.signature.as_deref().unwrap_or("-");
            format!("call {} {} {args} {signature}\n", call.id, call.name)
        }
        Ok(StreamEvent::Citation(citation)) => {
            format!("citation {:?} {}\n", citation.title, citation.uri)
        }
        Ok(StreamEvent::Grounding(grounding)) => format!("{grounding:?}\n"),
        Ok(StreamEvent::Retrying(retry)) => format!(
            "retrying {}/{} in {:?}: {}\n",
            retry.attempt, retry.attempts, retry.delay, retry.error
        ),
        Ok(StreamEvent::RetryStarted) => String::new(),
        Ok(StreamEvent::UsedSoFar(usage)) => format!("used {} so far\n", usage.total_tokens),
        Ok(StreamEvent::Finished { reason, usage }) => {
            let tokens = [
                usage.prompt_tokens,
                usage.cached_tokens,
                usage.answer_tokens,
                usage.thought_tokens,
                usage.tool_tokens,
                usage.total_tokens,
            ];
            format!("finished {reason:?} {tokens:?}\n")
        }
        Err(error) => format!("error {error}\n"),
    };
    events.iter().map(line).collect()
}

/// A conversation with everything in it.
pub(crate) fn whole_conversation() -> Request {
    let call = |id: &str, signature: Option<&str>| FunctionCall {
        id: CallId::new(id),
        name: "read_file".to_owned(),
        args: object(json!({ "file_path": "a.rs", "limit": 3 })),
        signature: signature.map(str::to_owned),
    };
    let response = |id: &str, response: Value| {
        Part::FunctionResponse(FunctionResponse {
            id: CallId::new(id),
            name: "read_file".to_owned(),
            response: object(response),
        })
    };
    let inline = |mime_type: &str, data: &str| {
        Part::InlineData(InlineData {
            mime_type: mime_type.to_owned(),
            data: data.to_owned(),
        })
    };
    let user = |parts| Content {
        role: Role::User,
        parts,
    };
    Request {
        system_instruction: Some("Be brief.".to_owned()),
        contents: vec![
            user(vec![
                Part::Text("look".to_owned()),
                inline("image/png", "iVBO"),
                inline("application/pdf", "JVBE"),
            ]),
            Content {
                role: Role::Model,
                parts: vec![
                    Part::Thought(Thought {
                        subject: "Plan".to_owned(),
                        description: "Read both.".to_owned(),
                    }),
                    Part::Text("Reading.".to_owned()),
                    Part::FunctionCall(call("c1", Some("sig=="))),
                    Part::FunctionCall(call("c2", None)),
                ],
            },
            user(vec![
                response("c1", json!({ "output": "fn main() {}" })),
                response("c2", json!({ "error": "no such file", "code": 2 })),
                Part::Text("also: be quick".to_owned()),
            ]),
            user(Vec::new()),
        ],
        tools: vec![ToolDeclaration {
            name: "read_file".to_owned(),
            description: "Reads a file.".to_owned(),
            parameters: json!({ "type": "object", "properties": { "file_path": { "type": "string" } } }),
        }],
        generation: object(json!({
            "temperature": 1,
            "topP": 0.95,
            "topK": 64,
            "maxOutputTokens": 2000,
            "thinkingConfig": { "includeThoughts": true },
            "responseMimeType": "application/json",
        })),
    }
}

/// What nothing on loopback takes.
pub(crate) const AT_ONCE: Duration = Duration::from_millis(100);

/// JSON of any shape, made of the words that providers use.
pub(crate) fn arbitrary_json() -> impl Strategy<Value = Value> {
    let known = prop::sample::select(vec![
        "candidates",
        "content",
        "parts",
        "text",
        "thought",
        "functionCall",
        "args",
        "id",
        "name",
        "finishReason",
        "usageMetadata",
        "promptTokenCount",
        "promptFeedback",
        "blockReason",
        "error",
        "code",
        "message",
        "details",
        "@type",
        "citationMetadata",
        "citations",
        "choices",
        "delta",
        "tool_calls",
        "index",
        "function",
        "arguments",
        "finish_reason",
        "usage",
        "prompt_tokens",
        "reasoning_content",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (0_u64..600).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
        Just(json!("STOP")),
        Just(json!("{\"a\":1}")),
    ];
    leaf.prop_recursive(8, 64, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((known.clone().prop_map(str::to_owned), inner), 0..5)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}
