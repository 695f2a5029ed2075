//! `complete_task`: a sub-agent hands in its work.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_model::ToolDeclaration;
use serde_json::{Map, Value, json};

use super::{Desk, Tool, ToolError, ToolOutput};
use crate::agents::{AgentResult, HandedIn};

const NAME: &str = "complete_task";
/// What plain words are handed in as.
const RESULT: &str = "result";

pub(crate) struct CompleteTask {
    result: AgentResult,
    handed_in: HandedIn,
}

impl CompleteTask {
    pub(crate) fn new(result: AgentResult, handed_in: HandedIn) -> Self {
        Self { result, handed_in }
    }

    fn parameter(&self) -> &str {
        match &self.result {
            AgentResult::Text => RESULT,
            AgentResult::Shaped { name, .. } => name,
        }
    }
}

impl Tool for CompleteTask {
    fn name(&self) -> &str {
        NAME
    }

    fn declaration(&self) -> ToolDeclaration {
        let schema = match &self.result {
            AgentResult::Text => json!({
                "type": "string",
                "description": "Everything that the other agent has to know, in full.",
            }),
            AgentResult::Shaped { schema, .. } => schema.clone(),
        };
        let name = self.parameter();
        ToolDeclaration {
            name: NAME.to_owned(),
            description:
                "Hands in your work and ends it. Call it once, when everything else is done."
                    .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": { name: schema },
                "required": [name],
            }),
        }
    }

    fn title(&self, _: &Map<String, Value>) -> String {
        "Hand in the result".to_owned()
    }

    fn check(&self, desk: &Desk<'_>) -> Result<(), ToolError> {
        let name = self.parameter();
        match desk.call.args.get(name) {
            Some(Value::String(words)) if words.trim().is_empty() => {
                let told = format!("`{name}` must not be empty: say what came of your work");
                Err(ToolError::invalid(told))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn run<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async {
            let result = match desk.call.args.get(self.parameter()) {
                Some(Value::String(words)) => words.clone(),
                Some(value) => serde_json::to_string_pretty(value).unwrap_or_default(),
                None => String::new(),
            };
            self.handed_in.put(result);
            Ok(ToolOutput::text("Your work is handed in.", "Handed in"))
        }
        .boxed()
    }
}
