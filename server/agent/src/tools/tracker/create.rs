//! `tracker_create_task`.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_model::ToolDeclaration;
use serde_json::{Map, Value, json};

use super::store::Store;
use super::task::{KINDS, Kind, Status, Task};
use super::{id_schema, ids_schema};
use crate::tools::params::Params;
use crate::tools::tool::Waiting;
use crate::tools::{Desk, Tool, ToolError, ToolOutput};

const NAME: &str = "tracker_create_task";

pub(super) struct Create(pub(super) Arc<Store>);

impl Tool for Create {
    fn name(&self) -> &str {
        NAME
    }

    fn declaration(&self) -> ToolDeclaration {
        ToolDeclaration {
            name: NAME.to_owned(),
            description: "Creates a task. Returns its id.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "title": { "type": "string" },
                    "description": { "type": "string" },
                    "type": { "type": "string", "enum": KINDS },
                    "parentId": id_schema(),
                    "dependencies": ids_schema(),
                },
                "required": ["title", "description", "type"],
            }),
        }
    }

    fn title(&self, args: &Map<String, Value>) -> String {
        let title = Params::new(args).optional_string("title");
        format!("Create task: {}", title.unwrap_or_default())
    }

    fn waiting(&self) -> Waiting {
        Waiting::Mentioned
    }

    fn run<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async {
            let params = desk.params();
            let mut tasks = self.0.open().await?;
            let id = tasks.new_id();
            let task = Task {
                id: id.clone(),
                title: params.string("title")?.to_owned(),
                description: params.string("description")?.to_owned(),
                kind: Kind::from_name(params.string("type")?).unwrap_or(Kind::Task),
                status: Status::Open,
                parent_id: params.optional_string("parentId").map(str::to_owned),
                dependencies: params.strings("dependencies").unwrap_or_default(),
                rest: Map::new(),
            };
            let text = format!("Created {}", task.line());
            tasks.put(task).await?;
            Ok(ToolOutput::text(text, id))
        }
        .boxed()
    }
}
