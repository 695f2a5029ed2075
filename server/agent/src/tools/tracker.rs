//! The task tracker: tasks that outlive a list of steps, with parents and dependencies, a file each.

mod create;
mod depend;
mod get;
mod list;
mod store;
mod task;
mod update;
mod visualize;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde_json::{Value, json};

use super::Tool;
use crate::Scratch;
use store::Store;

/// The tools, in the order in which the model is told of them. They share what they know.
pub(super) fn tools(scratch: Arc<dyn Scratch>, folder: &str) -> Vec<Arc<dyn Tool>> {
    let store = Arc::new(Store::new(scratch, folder));
    vec![
        Arc::new(create::Create(Arc::clone(&store))),
        Arc::new(update::Update(Arc::clone(&store))),
        Arc::new(get::Get(Arc::clone(&store))),
        Arc::new(list::List(Arc::clone(&store))),
        Arc::new(depend::AddDependency(Arc::clone(&store))),
        Arc::new(visualize::Visualize(store)),
    ]
}

fn id_schema() -> Value {
    json!({ "type": "string", "description": "The id of a task: 6 hex digits." })
}

fn ids_schema() -> Value {
    json!({
        "type": "array",
        "items": { "type": "string" },
        "description": "Ids of the tasks that must be closed first.",
    })
}
