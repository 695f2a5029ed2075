//! `tracker_get_task`.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_model::ToolDeclaration;
use serde_json::{Map, Value, json};

use super::id_schema;
use super::store::Store;
use crate::tools::params::Params;
use crate::tools::tool::Waiting;
use crate::tools::{Desk, Tool, ToolError, ToolOutput};

const NAME: &str = "tracker_get_task";

pub(super) struct Get(pub(super) Arc<Store>);

impl Tool for Get {
    fn name(&self) -> &str {
        NAME
    }

    fn declaration(&self) -> ToolDeclaration {
        ToolDeclaration {
            name: NAME.to_owned(),
            description: "Returns a task with everything in it, as JSON.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": { "id": id_schema() },
                "required": ["id"],
            }),
        }
    }

    fn title(&self, args: &Map<String, Value>) -> String {
        let id = Params::new(args).optional_string("id");
        format!("Look at task {}", id.unwrap_or_default())
    }

    fn waiting(&self) -> Waiting {
        Waiting::Mentioned
    }

    fn run<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async {
            let tasks = self.0.open().await?;
            let task = tasks.get(desk.params().string("id")?)?;
            let text = serde_json::to_string_pretty(task).unwrap_or_default();
            Ok(ToolOutput::text(text, task.title.clone()))
        }
        .boxed()
    }
}
