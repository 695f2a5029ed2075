//! `tracker_add_dependency`.

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

const NAME: &str = "tracker_add_dependency";

pub(super) struct AddDependency(pub(super) Arc<Store>);

impl Tool for AddDependency {
    fn name(&self) -> &str {
        NAME
    }

    fn declaration(&self) -> ToolDeclaration {
        ToolDeclaration {
            name: NAME.to_owned(),
            description: "Makes one task wait until another is closed.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": { "taskId": id_schema(), "dependencyId": id_schema() },
                "required": ["taskId", "dependencyId"],
            }),
        }
    }

    fn title(&self, args: &Map<String, Value>) -> String {
        let params = Params::new(args);
        let id = |name| params.optional_string(name).unwrap_or("a task");
        format!("Let {} wait for {}", id("taskId"), id("dependencyId"))
    }

    fn waiting(&self) -> Waiting {
        Waiting::Mentioned
    }

    fn run<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async {
            let params = desk.params();
            let dependency = params.string("dependencyId")?;
            let mut tasks = self.0.open().await?;
            let mut task = tasks.get(params.string("taskId")?)?.clone();
            if !task.dependencies.iter().any(|held| held == dependency) {
                task.dependencies.push(dependency.to_owned());
            }
            let text = format!("Updated {}", task.line());
            tasks.put(task).await?;
            Ok(ToolOutput::text(text, format!("waits for {dependency}")))
        }
        .boxed()
    }
}
