//! `write_todos`: the steps that the model has set itself, for the person to watch.

#[cfg(test)]
mod tests;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_model::ToolDeclaration;
use serde_json::{Map, Value, json};

use super::{Desk, Tool, ToolError, ToolOutput};
use crate::api::{Event, Todo, TodoStatus};

pub(super) const NAME: &str = "write_todos";

pub(super) struct WriteTodos;

impl Tool for WriteTodos {
    fn name(&self) -> &str {
        NAME
    }

    fn declaration(&self) -> ToolDeclaration {
        let statuses = TodoStatus::ALL.map(TodoStatus::name);
        ToolDeclaration {
            name: NAME.to_owned(),
            description: "Shows the person the steps of a longer task. Send the whole list each time; at most one \
                          step is in_progress. Not for short tasks."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "todos": {
                        "type": "array",
                        "description": "All steps, in order.",
                        "items": {
                            "type": "object",
                            "properties": {
                                "description": { "type": "string" },
                                "status": { "type": "string", "enum": statuses },
                            },
                            "required": ["description", "status"],
                            "additionalProperties": false,
                        },
                    },
                },
                "required": ["todos"],
                "additionalProperties": false,
            }),
        }
    }

    fn title(&self, args: &Map<String, Value>) -> String {
        match todos(args).len() {
            0 => "Clear the steps".to_owned(),
            1 => "Set 1 step".to_owned(),
            count => format!("Set {count} steps"),
        }
    }

    fn check(&self, desk: &Desk<'_>) -> Result<(), ToolError> {
        let todos = todos(&desk.call.args);
        if todos.iter().any(|todo| todo.description.trim().is_empty()) {
            return Err(ToolError::invalid("every todo must have a description"));
        }
        let busy = |todo: &&Todo| todo.status == TodoStatus::InProgress;
        match todos.iter().filter(busy).count() {
            0 | 1 => Ok(()),
            count => Err(ToolError::invalid(format!(
                "only one todo can be in_progress at a time, and {count} are"
            ))),
        }
    }

    fn run<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async {
            let todos = todos(&desk.call.args);
            let output = output(&todos);
            desk.events.emit(Event::TodosChanged(todos)).await;
            Ok(output)
        }
        .boxed()
    }
}

/// The steps, as far as they make sense: the title is asked for before anything is checked.
fn todos(args: &Map<String, Value>) -> Vec<Todo> {
    let todos = args.get("todos").and_then(Value::as_array);
    let todo = |value: &Value| {
        Some(Todo {
            description: value.get("description")?.as_str()?.to_owned(),
            status: TodoStatus::from_name(value.get("status")?.as_str()?)?,
        })
    };
    todos.into_iter().flatten().filter_map(todo).collect()
}

fn output(todos: &[Todo]) -> ToolOutput {
    if todos.is_empty() {
        return ToolOutput::text("The list is empty now.", "no steps");
    }
    let mut text = "The list is now:".to_owned();
    for (index, todo) in todos.iter().enumerate() {
        let status = todo.status.name();
        text.push_str(&format!("\n{}. [{status}] {}", index + 1, todo.description));
    }
    let is_done = |todo: &&Todo| todo.status == TodoStatus::Completed;
    let done = todos.iter().filter(is_done).count();
    ToolOutput::text(text, format!("{done} of {} done", todos.len()))
}
