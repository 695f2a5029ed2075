//! The tools. Each has a file of its own, with its arguments, its answer and what it does.

mod definition;
mod diagnostics;
mod open_files;
mod pending_hunks;
mod propose_edit;
mod read_file;
mod references;
mod rename;
mod selection;
mod wait_for_decision;

use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::handler::server::tool::{schema_for_input, schema_for_output};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations};
use rmcp::service::{RequestContext, RoleServer};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::front::Front;
use super::sight::{Blind, Hidden, Sight};

/// Why a tool has no answer. The words are for the model.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error(transparent)]
    Blind(#[from] Blind),
    #[error(transparent)]
    Hidden(#[from] Hidden),
    #[error("{0}")]
    Said(String),
    #[error("the call was cancelled")]
    Cancelled,
}

/// What a call needs.
pub(super) struct Call<'call> {
    front: &'call Arc<Front>,
    pub(super) context: &'call RequestContext<RoleServer>,
}

impl Call<'_> {
    /// What the client calls itself, as a person is shown it.
    fn client_name(&self) -> String {
        let name = self.context.client_info().map(|info| info.name);
        let name = name.unwrap_or_default();
        let shown = name.chars().filter(|character| !character.is_control());
        let shown: String = shown.take(64).collect();
        match shown.is_empty() {
            true => "an MCP client".to_owned(),
            false => shown,
        }
    }

    pub(super) async fn tell<T: Send + 'static>(
        &self,
        tell: impl FnOnce(&Sight) -> Result<T, Hidden> + Send + 'static,
    ) -> Result<T, Failure> {
        Ok(self.front.tell(tell).await??)
    }
}

/// No arguments at all.
#[derive(serde::Deserialize, JsonSchema)]
#[schemars(inline)]
struct Nothing {}

/// What a tool does to the world.
enum Effect {
    /// It only looks.
    Reads,
    /// It asks a person, who may then have a file changed.
    Asks,
}

/// All of them.
pub(super) fn list() -> Vec<Tool> {
    vec![
        open_files::tool(),
        read_file::tool(),
        selection::tool(),
        diagnostics::tool(),
        pending_hunks::tool(),
        definition::tool(),
        references::tool(),
        rename::tool(),
        propose_edit::tool(),
        wait_for_decision::tool(),
    ]
}

pub(super) async fn call(
    front: &Arc<Front>,
    name: &str,
    arguments: Option<JsonObject>,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    let Ok(_place) = front.calls.try_acquire() else {
        return Ok(failed("too many calls run at the same time; wait for one"));
    };
    let call = Call { front, context };
    let arguments = Value::Object(arguments.unwrap_or_default());
    match name {
        open_files::NAME => answered(open_files::run(&call, parsed(arguments)?).await),
        read_file::NAME => answered(read_file::run(&call, parsed(arguments)?).await),
        selection::NAME => answered(selection::run(&call, parsed(arguments)?).await),
        diagnostics::NAME => answered(diagnostics::run(&call, parsed(arguments)?).await),
        pending_hunks::NAME => answered(pending_hunks::run(&call, parsed(arguments)?).await),
        definition::NAME => answered(definition::run(&call, parsed(arguments)?).await),
        references::NAME => answered(references::run(&call, parsed(arguments)?).await),
        rename::NAME => answered(rename::run(&call, parsed(arguments)?).await),
        propose_edit::NAME => answered(propose_edit::run(&call, parsed(arguments)?).await),
        wait_for_decision::NAME => {
            answered(wait_for_decision::run(&call, parsed(arguments)?).await)
        }
        _ => {
            let words = format!("there is no tool {name:?}");
            Err(ErrorData::invalid_params(words, None))
        }
    }
}

fn tool<I: JsonSchema + 'static, O: JsonSchema + 'static>(
    name: &'static str,
    title: &'static str,
    description: &'static str,
    effect: &Effect,
) -> Tool {
    // Both are made of types of ours, which are objects.
    let input = schema_for_input::<I>().unwrap_or_default();
    let annotations = match effect {
        Effect::Reads => ToolAnnotations::with_title(title)
            .read_only(true)
            .destructive(false)
            .idempotent(true),
        Effect::Asks => ToolAnnotations::with_title(title)
            .read_only(false)
            .destructive(false)
            .idempotent(false),
    };
    Tool::new(name, description, input)
        .with_title(title)
        .with_raw_output_schema(schema_for_output::<O>())
        .with_annotations(annotations.open_world(false))
}

fn parsed<T: DeserializeOwned>(arguments: Value) -> Result<T, ErrorData> {
    serde_json::from_value(arguments)
        .map_err(|error| ErrorData::invalid_params(error.to_string(), None))
}

fn answered(answer: Result<impl Serialize, Failure>) -> Result<CallToolResult, ErrorData> {
    match answer {
        Ok(answer) => {
            let value = serde_json::to_value(answer);
            let value =
                value.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
            Ok(CallToolResult::structured(value))
        }
        Err(failure) => Ok(failed(&failure.to_string())),
    }
}

fn failed(words: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(words)])
}
