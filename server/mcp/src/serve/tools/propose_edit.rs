//! `propose_edit`

#[cfg(test)]
mod tests;

use std::sync::Arc;

use rmcp::model::Tool;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Call, Effect, Failure};
use crate::serve::proposals::Wish;
use crate::serve::sight::{Found, Hidden};

pub(super) const NAME: &str = "propose_edit";

/// In bytes, as for any file that is shown to a model.
pub(super) const LONGEST: usize = 4 * 1024 * 1024;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Arguments {
    /// Within the workspace folder, or whole. A file that is not there is made.
    path: String,
    /// The whole text of the file after the edit. Give either this or `replacements`.
    text: Option<String>,
    /// Parts to replace, each in the text as the ones before have left it.
    replacements: Option<Vec<Replacement>>,
}

#[derive(Deserialize, JsonSchema)]
struct Replacement {
    /// Has to occur exactly once.
    old: String,
    new: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Answer {
    /// For `wait_for_decision`.
    id: String,
    path: String,
    /// How many places the person is asked about.
    hunks: usize,
}

pub(super) fn tool() -> Tool {
    super::tool::<Arguments, Answer>(
        NAME,
        "Propose an edit",
        "Shows an edit of a file to the person, who keeps or rejects it hunk by hunk in the editor. Returns at once; \
         nothing is written unless the person keeps it. Call `wait_for_decision` with the id to learn what became of it.",
        &Effect::Asks,
    )
}

pub(super) async fn run(call: &Call<'_>, arguments: Arguments) -> Result<Answer, Failure> {
    let Arguments {
        path,
        text,
        replacements,
    } = arguments;
    let found = call.tell(move |sight| {
        let found = sight.find(&path)?;
        let name = sight.name(&found.place.at.path);
        Ok((found, name, sight.room.clone()))
    });
    let (Found { place, text: base }, name, room) = found.await?;
    let proposed = match (text, replacements) {
        (Some(text), None) => with_line_ends_of(base.as_deref().unwrap_or_default(), text),
        (None, Some(parts)) => {
            let base = base.clone().ok_or_else(|| Hidden::Missing(name.clone()))?;
            replaced(base, &parts)?
        }
        _ => {
            return Err(Failure::Said(
                "give either `text` or `replacements`".to_owned(),
            ));
        }
    };
    if proposed.len() > LONGEST {
        return Err(Failure::Said(format!(
            "the text has more than {LONGEST} bytes"
        )));
    }
    let wish = Wish {
        room,
        place,
        base,
        proposed,
    };
    let (proposals, rooms) = (Arc::clone(&call.front.proposals), call.front.rooms());
    let client = call.client_name();
    // Two large texts take a moment to be compared.
    let comparing = tokio::task::spawn_blocking(move || proposals.propose(wish, &client, &rooms));
    let proposal = match comparing.await {
        Ok(proposed) => proposed.map_err(|error| Failure::Said(error.to_string()))?,
        Err(_) => return Err(Failure::Said("the texts cannot be compared".to_owned())),
    };
    Ok(Answer {
        id: proposal.id.clone(),
        path: name,
        hunks: proposal.hunks(),
    })
}

fn replaced(mut text: String, parts: &[Replacement]) -> Result<String, Failure> {
    for part in parts {
        let old = with_line_ends_of(&text, part.old.clone());
        let mut found = text.match_indices(&old);
        match (found.next(), found.next()) {
            (Some((at, _)), None) if !old.is_empty() => {
                let new = with_line_ends_of(&text, part.new.clone());
                text.replace_range(at..at + old.len(), &new);
            }
            (None, _) => return Err(Failure::Said(format!("{:?} is not in the file", part.old))),
            _ => {
                return Err(Failure::Said(format!(
                    "{:?} is in the file more than once; add lines around it",
                    part.old
                )));
            }
        }
    }
    Ok(text)
}

/// Models write LF, whatever a file has.
fn with_line_ends_of(base: &str, text: String) -> String {
    match base.contains("\r\n") && !text.contains("\r\n") {
        true => text.replace('\n', "\r\n"),
        false => text,
    }
}
