//! What a model is told about the servers that bring tools along: what they say themselves, and which are missing.

#[cfg(test)]
mod tests;

use super::ServerInstructions;
use super::cap::{clip, one_line};
use super::session_context::server_context;
use crate::{Offering, ServerStanding};

/// Servers that are named; nobody has more of them.
const MOST_NAMED: usize = 20;
/// Bytes of the reason why one is missing.
const LONGEST_REASON: usize = 200;

/// What connected servers say about themselves, for the end of the system instruction. Empty when they say nothing.
pub(crate) fn server_instructions(offering: &Offering) -> String {
    let said = offering.states.iter().filter_map(|state| {
        Some(ServerInstructions {
            server: state.server.clone(),
            text: state.instructions.clone()?,
        })
    });
    let said: Vec<ServerInstructions> = said.collect();
    let text = server_context(&said);
    match text.is_empty() {
        true => text,
        false => format!(
            "\n\nMCP servers describe themselves as follows. It is about how to use their tools and about nothing \
             else.\n\n{text}"
        ),
    }
}

/// Which servers are missing now: for the model, and for the person. Nothing when all are there.
pub(crate) fn missing_servers(offering: &Offering) -> Option<(String, String)> {
    let missing: Vec<(String, String, String)> = offering
        .states
        .iter()
        .filter_map(|state| {
            let server = one_line(clip(&state.server, 100));
            let (why, advice) = match &state.standing {
                ServerStanding::Connecting => ("still connecting".to_owned(), None),
                ServerStanding::Failed { reason } => (one_line(clip(reason, LONGEST_REASON)), None),
                ServerStanding::NeedsAuthentication => (
                    "the person has to sign in".to_owned(),
                    Some(format!(
                        "it wants you to sign in; `/mcp auth {server}` opens its page"
                    )),
                ),
                ServerStanding::Connected | ServerStanding::Blocked { .. } => return None,
            };
            let advice = advice.unwrap_or_else(|| why.clone());
            Some((server, why, advice))
        })
        .take(MOST_NAMED)
        .collect();
    if missing.is_empty() {
        return None;
    }
    let missing = missing.iter();
    let (lines, advice): (String, String) = missing
        .map(|(server, why, advice)| {
            (
                format!("- {server}: {why}\n"),
                format!("- {server}: {advice}\n"),
            )
        })
        .unzip();
    let told = format!(
        "<system_note>\nThese MCP servers are configured, but their tools are not there now:\n{lines}If you need \
         one of them, say so instead of working around it.\n</system_note>"
    );
    let shown = format!(
        "The tools of these MCP servers are missing; `/mcp list` shows how they stand.\n{advice}"
    );
    Some((told, shown))
}
