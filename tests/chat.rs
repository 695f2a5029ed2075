//! What a chat view needs: everything it shows comes from the server, and can be asked for again.

mod commands;
mod demo;
mod events;
mod lasting;
mod mentions;
mod models;
mod prompts;
mod sessions;
mod shell_lines;
mod texts;

use serde_json::Value;

/// The first event of this kind.
fn of_kind<'a>(events: &'a [Value], kind: &str) -> &'a Value {
    let mut found = events.iter().filter(|event| event["kind"] == kind);
    let first = found.next();
    first.unwrap_or_else(|| panic!("there is no {kind} in {events:#?}"))
}
