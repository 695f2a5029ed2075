//! The model's list of steps, which clients show as a plan.

use agent_client_protocol_schema::v1::{Plan, PlanEntry, PlanEntryPriority, PlanEntryStatus};
use pollux_agent::api::{Todo, TodoStatus};

pub(super) fn plan(todos: &[Todo]) -> Plan {
    Plan::new(todos.iter().map(entry).collect())
}

/// The protocol has fewer words for how far a step is; the others are said with it.
fn entry(todo: &Todo) -> PlanEntry {
    let (status, note) = match todo.status {
        TodoStatus::Pending => (PlanEntryStatus::Pending, ""),
        TodoStatus::InProgress => (PlanEntryStatus::InProgress, ""),
        TodoStatus::Completed => (PlanEntryStatus::Completed, ""),
        TodoStatus::Cancelled => (PlanEntryStatus::Completed, " (cancelled)"),
        TodoStatus::Blocked => (PlanEntryStatus::Pending, " (blocked)"),
    };
    let content = format!("{}{note}", todo.description);
    PlanEntry::new(content, PlanEntryPriority::Medium, status)
}
