//! `tracker_update_task`.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_model::ToolDeclaration;
use serde_json::{Map, Value, json};

use super::store::Store;
use super::task::{STATUSES, Status};
use super::{id_schema, ids_schema};
use crate::tools::params::Params;
use crate::tools::tool::Waiting;
use crate::tools::{Desk, Tool, ToolError, ToolOutput};

const NAME: &str = "tracker_update_task";

pub(super) struct Update(pub(super) Arc<Store>);

impl Tool for Update {
    fn name(&self) -> &str {
        NAME
    }

    fn declaration(&self) -> ToolDeclaration {
        ToolDeclaration {
            name: NAME.to_owned(),
            description: "Changes a task. What is not given stays.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "id": id_schema(),
                    "title": { "type": "string" },
                    "description": { "type": "string" },
                    "status": { "type": "string", "enum": STATUSES },
                    "dependencies": ids_schema(),
                },
                "required": ["id"],
            }),
        }
    }

    fn title(&self, args: &Map<String, Value>) -> String {
        let params = Params::new(args);
        let id = params.optional_string("id").unwrap_or_default();
        match params.optional_string("status") {
            Some(status) => format!("Update task {id}: {status}"),
            None => format!("Update task {id}"),
        }
    }

    fn waiting(&self) -> Waiting {
        Waiting::Mentioned
    }

    fn run<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async {
            let params = desk.params();
            let mut tasks = self.0.open().await?;
            let mut task = tasks.get(params.string("id")?)?.clone();
            if let Some(title) = params.optional_string("title") {
                task.title = title.to_owned();
            }
            if let Some(description) = params.optional_string("description") {
                task.description = description.to_owned();
            }
            let status = params.optional_string("status");
            if let Some(status) = status.and_then(Status::from_name) {
                task.status = status;
            }
            if let Some(dependencies) = params.strings("dependencies") {
                task.dependencies = dependencies;
            }
            let (line, status) = (task.line(), task.status.name());
            tasks.put(task).await?;
            Ok(ToolOutput::text(format!("Updated {line}"), status))
        }
        .boxed()
    }
}
