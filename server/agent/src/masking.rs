//! Masking: old outputs of tools go to files, and the conversation keeps a glimpse of each.
//!
//! Outputs are most of a long conversation, and old ones are seldom looked at again. Nothing is lost: whoever
//! needs one reads its file.

mod preview;

#[cfg(test)]
mod tests;

use std::hash::{BuildHasher, Hasher, RandomState};

use pollux_model::{Content, FunctionResponse, Part, TokenEstimate};
use serde_json::{Map, Value};
use tracing::warn;

use crate::Scratch;
use crate::compression::file_name_part;

/// Tokens of the newest outputs that are left alone.
const PROTECTED: u64 = 50_000;
/// With fewer tokens to gain it is not worth a change, which costs the provider's cache.
const WORTH_IT: u64 = 30_000;
/// What these say stays true for the whole conversation.
const EXEMPT: [&str; 4] = [
    "activate_skill",
    "ask_user",
    "enter_plan_mode",
    "exit_plan_mode",
];
const OPENS: &str = "<tool_output_masked>";

/// Where masked outputs go.
#[derive(Clone, Copy)]
pub(crate) struct Shelf<'a> {
    pub(crate) scratch: &'a dyn Scratch,
    /// The session's id.
    pub(crate) session: Option<&'a str>,
}

/// Masks what is old and long. Says how many tokens that saved; zero is no change. The last content is left alone:
/// the model has not seen it yet, or works on it.
pub(crate) async fn mask(contents: &mut [Content], shelf: Shelf<'_>) -> u64 {
    let mut saved = TokenEstimate::default();
    for (place, part) in prunable(contents) {
        let part = contents
            .get_mut(place)
            .and_then(|content| content.parts.get_mut(part));
        let Some(Part::FunctionResponse(response)) = part else {
            continue;
        };
        if let Some((masked, gain)) = shelf.put(response).await {
            *response = masked;
            saved += gain;
        }
    }
    saved.tokens()
}

/// The places of the outputs to mask, the newest first. None if it is not worth it.
fn prunable(contents: &[Content]) -> Vec<(usize, usize)> {
    let older = contents.split_last().map_or(&[][..], |(_, older)| older);
    let mut seen = 0;
    let mut gain = 0;
    let mut found = Vec::new();
    for (place, content) in older.iter().enumerate().rev() {
        for (number, part) in content.parts.iter().enumerate().rev() {
            let Part::FunctionResponse(response) = part else {
                continue;
            };
            if is_exempt(response) {
                continue;
            }
            let tokens = TokenEstimate::of_part(part).tokens();
            seen += tokens;
            if seen > PROTECTED {
                gain += tokens;
                found.push((place, number));
            }
        }
    }
    match gain >= WORTH_IT {
        true => found,
        false => Vec::new(),
    }
}

fn is_exempt(response: &FunctionResponse) -> bool {
    let is_masked = |value: &Value| matches!(value, Value::String(text) if text.starts_with(OPENS));
    EXEMPT.contains(&response.name.as_str())
        || response.response.is_empty()
        || response.response.values().any(is_masked)
}

impl Shelf<'_> {
    /// Saves an output and returns what stands for it, if that is shorter.
    async fn put(&self, response: &FunctionResponse) -> Option<(FunctionResponse, TokenEstimate)> {
        let content = serde_json::to_string_pretty(&response.response).ok()?;
        let name = self.name(response);
        let masked = |file: &std::path::Path| {
            let text = format!(
                "{OPENS}\n{}\n\nOutput too large. Full output available at: {}\n</tool_output_masked>",
                preview::preview(response, &content),
                file.display(),
            );
            FunctionResponse {
                response: Map::from_iter([("output".to_owned(), Value::String(text))]),
                ..response.clone()
            }
        };
        let before = tokens(response);
        // What does not get shorter needs no file.
        if tokens(&masked(&self.scratch.place(&name))) >= before {
            return None;
        }
        match self.scratch.write(&name, &content).await {
            Ok(file) => {
                let masked = masked(&file);
                let after = tokens(&masked);
                (after < before).then_some((masked, before - after))
            }
            Err(error) => {
                warn!(%error, name, "an old output cannot be saved, so it stays");
                None
            }
        }
    }

    fn name(&self, response: &FunctionResponse) -> String {
        let folder = match self.session {
            Some(session) => format!("tool-outputs/session-{}", session_part(session)),
            None => "tool-outputs".to_owned(),
        };
        format!(
            "{folder}/{}_{}_{:06x}.txt",
            file_name_part(&response.name),
            file_name_part(response.id.as_str()),
            RandomState::new().build_hasher().finish() & 0xFF_FFFF,
        )
    }
}

/// A session's id keeps its case.
fn session_part(id: &str) -> String {
    let safe = |char: char| match char {
        'A'..='Z' | 'a'..='z' | '0'..='9' | '_' | '-' => char,
        _ => '_',
    };
    id.chars().map(safe).collect()
}

fn tokens(response: &FunctionResponse) -> TokenEstimate {
    TokenEstimate::of_part(&Part::FunctionResponse(response.clone()))
}
