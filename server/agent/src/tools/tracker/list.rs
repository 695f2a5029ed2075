//! `tracker_list_tasks`.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_model::ToolDeclaration;
use serde_json::{Map, Value, json};

use super::id_schema;
use super::store::Store;
use super::task::{KINDS, STATUSES, Task};
use crate::tools::params::Params;
use crate::tools::tool::Waiting;
use crate::tools::{Desk, Tool, ToolError, ToolOutput};

const NAME: &str = "tracker_list_tasks";

/// Tasks that one call lists; more of them would only hide the ones that matter.
pub(super) const MOST_LISTED: usize = 500;

pub(super) struct List(pub(super) Arc<Store>);

impl Tool for List {
    fn name(&self) -> &str {
        NAME
    }

    fn declaration(&self) -> ToolDeclaration {
        ToolDeclaration {
            name: NAME.to_owned(),
            description: "Lists tasks, all or by status, type and parent.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "status": { "type": "string", "enum": STATUSES },
                    "type": { "type": "string", "enum": KINDS },
                    "parentId": id_schema(),
                },
            }),
        }
    }

    fn title(&self, _: &Map<String, Value>) -> String {
        "List tasks".to_owned()
    }

    fn waiting(&self) -> Waiting {
        Waiting::Mentioned
    }

    fn run<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async {
            let tasks = self.0.open().await?;
            let params = desk.params();
            let found: Vec<&Task> = tasks.all().filter(|task| fits(task, &params)).collect();
            Ok(output(&found))
        }
        .boxed()
    }
}

fn fits(task: &Task, params: &Params<'_>) -> bool {
    let same = |name: &str, held: Option<&str>| {
        let wanted = params.optional_string(name);
        wanted.is_none_or(|wanted| held == Some(wanted))
    };
    same("status", Some(task.status.name()))
        && same("type", Some(task.kind.name()))
        && same("parentId", task.parent_id.as_deref())
}

fn output(found: &[&Task]) -> ToolOutput {
    let summary = match found.len() {
        0 => return ToolOutput::text("There are no such tasks.", "no tasks"),
        1 => "1 task".to_owned(),
        count => format!("{count} tasks"),
    };
    let shown = found.iter().take(MOST_LISTED);
    let mut lines: Vec<String> = shown.map(|task| task.line()).collect();
    if found.len() > MOST_LISTED {
        lines.push(format!("... and {} more", found.len() - MOST_LISTED));
    }
    ToolOutput::text(lines.join("\n"), summary)
}
