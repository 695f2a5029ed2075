//! Servers that answer what a test has told them to.

use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, pending};
use serde_json::{Map, Value, json};
use tokio::sync::{mpsc, oneshot};

use crate::api::{Progress, Question, QuestionKind};
use crate::{
    CallEvent, Need, Offering, PromptArgument, ServerContent, ServerFailure, ServerOrder,
    ServerPrompt, ServerResource, ServerResult, ServerStanding, ServerState, ServerTool, Servers,
};

pub(crate) struct TestServers {
    pub(crate) offering: Mutex<Arc<Offering>>,
    pub(crate) results: Mutex<Vec<Result<ServerResult, ServerFailure>>>,
    /// What was asked of them.
    pub(crate) calls: Mutex<Vec<String>>,
}

impl TestServers {
    /// One server with one tool, one prompt and one resource.
    pub(crate) fn new(results: Vec<Result<ServerResult, ServerFailure>>) -> Arc<Self> {
        Arc::new(Self {
            offering: Mutex::new(Arc::new(offering(ServerStanding::Connected))),
            results: Mutex::new(results),
            calls: Mutex::default(),
        })
    }

    pub(crate) fn said(&self) -> String {
        self.calls.lock().unwrap().join("\n")
    }
}

pub(crate) fn offering(standing: ServerStanding) -> Offering {
    Offering {
        tools: vec![Arc::new(ServerTool {
            name: "mcp_s_do".to_owned(),
            server: "s".to_owned(),
            tool: "do".to_owned(),
            description: "Does it.".to_owned(),
            parameters: json!({ "type": "object", "properties": { "x": { "type": "string" } } }),
            annotations: Map::from_iter([("readOnlyHint".to_owned(), Value::Bool(true))]),
        })],
        prompts: vec![Arc::new(ServerPrompt {
            name: "greet".to_owned(),
            server: "s".to_owned(),
            prompt: "greet".to_owned(),
            description: "Greets.".to_owned(),
            arguments: vec![PromptArgument {
                name: "who".to_owned(),
                description: None,
                need: Need::Required,
            }],
        })],
        resources: vec![Arc::new(ServerResource {
            server: "s".to_owned(),
            uri: "test://note".to_owned(),
            name: "note".to_owned(),
            description: None,
            mime_type: None,
        })],
        states: vec![ServerState {
            server: "s".to_owned(),
            standing,
            instructions: Some("Use it well.".to_owned()),
            left_out: vec![("bomb".to_owned(), "its schema is too large".to_owned())],
        }],
    }
}

pub(crate) fn text(words: &str) -> Result<ServerResult, ServerFailure> {
    Ok(ServerResult {
        content: vec![ServerContent::Text(words.to_owned())],
        ..ServerResult::default()
    })
}

impl Servers for TestServers {
    fn offering(&self) -> Arc<Offering> {
        Arc::clone(&self.offering.lock().unwrap())
    }

    fn call<'a>(
        &'a self,
        tool: &'a ServerTool,
        args: &'a Map<String, Value>,
        events: mpsc::Sender<CallEvent>,
    ) -> BoxFuture<'a, Result<ServerResult, ServerFailure>> {
        async move {
            let args = Value::Object(args.clone());
            self.calls
                .lock()
                .unwrap()
                .push(format!("{} {args}", tool.tool));
            match args.get("x").and_then(Value::as_str) {
                Some("hang") => pending().await,
                Some("progress") => {
                    let progress = Progress {
                        message: Some("half".to_owned()),
                        done: 1.0,
                        total: Some(2.0),
                    };
                    events.send(CallEvent::Progressed(progress)).await.unwrap();
                }
                Some("ask") => {
                    let (answer, answered) = oneshot::channel();
                    let question = Question {
                        text: "Which?".to_owned(),
                        header: "Colour".to_owned(),
                        kind: QuestionKind::Text,
                        placeholder: None,
                        default: None,
                        is_optional: false,
                    };
                    let asked = CallEvent::Asked {
                        message: "Which?".to_owned(),
                        questions: vec![question],
                        answer,
                    };
                    events.send(asked).await.unwrap();
                    let replies = answered.await.unwrap();
                    return text(&format!("{replies:?}"));
                }
                _ => {}
            }
            self.results.lock().unwrap().remove(0)
        }
        .boxed()
    }

    fn prompt<'a>(
        &'a self,
        prompt: &'a ServerPrompt,
        typed: &'a str,
    ) -> BoxFuture<'a, Result<String, String>> {
        async move { Ok(format!("{} {typed:?}", prompt.prompt)) }.boxed()
    }

    fn read<'a>(
        &'a self,
        resource: &'a ServerResource,
    ) -> BoxFuture<'a, Result<Vec<ServerContent>, ServerFailure>> {
        async move { Ok(vec![ServerContent::Text(format!("under {}", resource.uri))]) }.boxed()
    }

    fn order<'a>(&'a self, order: ServerOrder<'a>) -> BoxFuture<'a, String> {
        async move { format!("{order:?}") }.boxed()
    }
}
