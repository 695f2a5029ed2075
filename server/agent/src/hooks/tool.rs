use pollux_model::FunctionCall;
use serde_json::{Map, Value, json};

use super::merged::Ruling;
use super::settings::HookEvent;
use super::{Hooks, run::Fired};
use crate::api::ToolOutcome;
use crate::tools::{TailCall, ToolError, ToolOutput};

/// What hooks say to a call before it is judged.
#[derive(Debug, Default)]
pub(crate) struct BeforeTool {
    pub(crate) ruling: Ruling,
    /// Stands for the call's own arguments.
    pub(crate) args: Option<Map<String, Value>>,
    pub(crate) notices: Vec<String>,
}

/// What hooks say to a call that has been carried out.
#[derive(Debug, Default)]
pub(crate) struct AfterTool {
    pub(crate) ruling: Ruling,
    /// For the model, behind the result.
    pub(crate) context: Option<String>,
    /// A call whose result stands for this one's.
    pub(crate) tail: Option<TailCall>,
    pub(crate) notices: Vec<String>,
}

/// A call that is over.
pub(super) type Finished<'a> = Result<&'a ToolOutput, &'a ToolError>;

impl Hooks {
    /// `asked_as` is the name that the model called, where another call stands for its own.
    pub(crate) async fn before_tool(
        &self,
        call: &FunctionCall,
        asked_as: Option<&str>,
    ) -> BeforeTool {
        let about = || about(call, asked_as);
        let Some(fired) = self.fire_lazily(HookEvent::BeforeTool, call, about).await else {
            return BeforeTool::default();
        };
        let Fired {
            mut merged,
            notices,
        } = fired;
        BeforeTool {
            args: match merged.specific.shift_remove("tool_input") {
                Some(Value::Object(args)) => Some(args),
                _ => None,
            },
            ruling: merged.ruling,
            notices,
        }
    }

    pub(crate) async fn after_tool(
        &self,
        call: &FunctionCall,
        asked_as: Option<&str>,
        finished: Finished<'_>,
    ) -> AfterTool {
        let about = || {
            let mut about = about(call, asked_as);
            about.insert("tool_response".to_owned(), response(finished));
            about
        };
        let Some(fired) = self.fire_lazily(HookEvent::AfterTool, call, about).await else {
            return AfterTool::default();
        };
        let Fired {
            mut merged,
            notices,
        } = fired;
        AfterTool {
            tail: merged
                .specific
                .shift_remove("tailToolCallRequest")
                .and_then(tail),
            context: merged.context,
            ruling: merged.ruling,
            notices,
        }
    }

    /// Results may be long; without hooks nobody copies them.
    async fn fire_lazily(
        &self,
        event: HookEvent,
        call: &FunctionCall,
        about: impl FnOnce() -> Map<String, Value>,
    ) -> Option<Fired> {
        self.0.as_ref()?;
        self.fire(event, &call.name, about()).await
    }
}

fn about(call: &FunctionCall, asked_as: Option<&str>) -> Map<String, Value> {
    let mut about = Map::new();
    about.insert("tool_name".to_owned(), call.name.as_str().into());
    about.insert("tool_input".to_owned(), Value::Object(call.args.clone()));
    if let Some(name) = asked_as {
        about.insert("original_request_name".to_owned(), name.into());
    }
    about
}

fn response(finished: Finished<'_>) -> Value {
    match finished {
        Ok(output) => json!({
            "llmContent": content(&output.response, "output"),
            "returnDisplay": output.summary,
        }),
        Err(error) => {
            let response = error.response();
            let message = match error.outcome() {
                ToolOutcome::Failed { message, .. } => message,
                ToolOutcome::Cancelled | ToolOutcome::Succeeded { .. } => String::new(),
            };
            json!({
                "llmContent": content(&response, "error"),
                "returnDisplay": message,
                "error": { "message": message, "type": error.kind().name() },
            })
        }
    }
}

/// The text for the model where there is one, else everything.
fn content(response: &Map<String, Value>, text: &str) -> Value {
    match response.get(text) {
        Some(Value::String(text)) if response.len() == 1 => text.as_str().into(),
        _ => Value::Object(response.clone()),
    }
}

fn tail(request: Value) -> Option<TailCall> {
    let Value::Object(mut request) = request else {
        return None;
    };
    let name = request.get("name")?.as_str()?.to_owned();
    let args = match request.shift_remove("args") {
        Some(Value::Object(args)) => args,
        _ => Map::new(),
    };
    Some(TailCall { name, args })
}
