//! What the sub-agents of a session did before it goes on, from their own records.

use std::collections::HashMap;

use pollux_sessions::{Message, Project, SessionId, ToolCall, read_session};

/// Runs that are shown, the latest. Their records are read while somebody waits.
const MOST_RUNS: usize = 40;

/// Bytes of all their records.
const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// By the run: its calls in order.
pub(super) type Delegated = HashMap<String, Vec<ToolCall>>;

/// A session without sub-agents reads nothing here. What cannot be read is not shown.
pub(super) fn read(project: &Project, session: &SessionId, messages: &[Message]) -> Delegated {
    let calls = messages
        .iter()
        .rev()
        .flat_map(|message| message.tool_calls.iter().flatten().rev());
    let runs = calls.filter_map(|call| call.agent_id.as_deref());
    let mut left = MOST_BYTES;
    let mut delegated = Delegated::new();
    for run in runs.take(MOST_RUNS) {
        let Some(path) = project.subagent_file(session, run) else {
            continue;
        };
        let size = path.metadata().map_or(u64::MAX, |known| known.len());
        if size > left {
            continue;
        }
        left -= size;
        match read_session(&path) {
            Ok(record) => {
                let calls = record.messages.into_iter();
                let calls = calls.filter_map(|message| message.tool_calls);
                delegated.insert(run.to_owned(), calls.flatten().collect());
            }
            Err(error) => tracing::warn!(%error, run, "a run of an agent cannot be read"),
        }
    }
    delegated
}
