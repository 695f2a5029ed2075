//! `tracker_visualize`: all tasks as a tree, children below their parents.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_model::ToolDeclaration;
use serde_json::{Map, Value, json};

use super::list::MOST_LISTED;
use super::store::Store;
use super::task::{Status, Task};
use crate::tools::tool::Waiting;
use crate::tools::{Desk, Tool, ToolError, ToolOutput};

const NAME: &str = "tracker_visualize";

pub(super) struct Visualize(pub(super) Arc<Store>);

impl Tool for Visualize {
    fn name(&self) -> &str {
        NAME
    }

    fn declaration(&self) -> ToolDeclaration {
        ToolDeclaration {
            name: NAME.to_owned(),
            description: "Draws all tasks as a tree.".to_owned(),
            parameters: json!({ "type": "object", "properties": {} }),
        }
    }

    fn title(&self, _: &Map<String, Value>) -> String {
        "Draw the tasks".to_owned()
    }

    fn waiting(&self) -> Waiting {
        Waiting::Mentioned
    }

    fn run<'a>(&'a self, _: &'a Desk<'_>) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async {
            let tasks = self.0.open().await?;
            let tree = tree(tasks.all());
            Ok(match tree.is_empty() {
                true => ToolOutput::text("There are no tasks.", "no tasks"),
                false => ToolOutput::text(tree, "drawn"),
            })
        }
        .boxed()
    }
}

fn tree<'a>(tasks: impl Iterator<Item = &'a Task>) -> String {
    let tasks: Vec<&Task> = tasks.collect();
    let ids: BTreeSet<&str> = tasks.iter().map(|task| task.id.as_str()).collect();
    let mut children: BTreeMap<Option<&str>, Vec<&Task>> = BTreeMap::new();
    for task in &tasks {
        // Whoever has lost its parent stands at the top, where it can be seen.
        let parent = task.parent_id.as_deref();
        let parent = parent.filter(|parent| ids.contains(parent));
        children.entry(parent).or_default().push(task);
    }
    let mut lines = Vec::new();
    let mut left: Vec<(usize, &Task)> = Vec::new();
    let below = |id: Option<&str>, depth: usize| {
        let tasks = children.get(&id).into_iter().flatten();
        tasks
            .rev()
            .map(move |task| (depth, *task))
            .collect::<Vec<_>>()
    };
    left.extend(below(None, 0));
    while let Some((depth, task)) = left.pop() {
        if lines.len() == MOST_LISTED {
            lines.push("... and more".to_owned());
            break;
        }
        let mark = match task.status {
            Status::Open => "( )",
            Status::InProgress => "(>)",
            Status::Blocked => "(!)",
            Status::Closed => "(x)",
        };
        lines.push(format!("{}{mark} {}", "  ".repeat(depth), task.line()));
        left.extend(below(Some(&task.id), depth + 1));
    }
    lines.join("\n")
}
