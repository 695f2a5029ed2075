//! Compression: the oldest part of a long conversation becomes a summary.
//!
//! Makes a new history out of the old one and says what became of it. Whatever goes wrong, the old one is still
//! there: the caller replaces it only by what comes back.

mod excerpt;
mod prompt;
mod split;
mod truncate;

#[cfg(test)]
mod tests;

use pollux_model::{Content, Model, Part, Role, TokenEstimate};
use tracing::warn;

pub(crate) use excerpt::file_name_part;

use crate::api::{CompressionStatus, TurnId};
use crate::utility::{Errand, Utility, UtilityError};
use crate::{Scratch, history};

/// What the model is taken to say to its own summary, so that the sides alternate.
const ACKNOWLEDGED: &str = "Got it. Thanks for the additional context!";

/// What a session remembers about compressing.
#[derive(Debug, Default)]
pub(crate) struct Compressions {
    /// A summary was longer than what it summed up. Only outputs are cut from then on, unless the person asks.
    pub(crate) inflated: bool,
    /// The turn in which no summary could be had.
    pub(crate) failed_in: Option<TurnId>,
    /// How many outputs were saved so far, which numbers their files.
    pub(crate) saved: u64,
}

/// Who wants it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trigger {
    /// The window is filling up.
    Automatic,
    /// The person.
    Forced,
}

/// What it takes to compress.
pub(crate) struct Compressor<'turn> {
    pub(crate) utility: Utility<'turn>,
    pub(crate) scratch: Option<&'turn dyn Scratch>,
    /// The model that the conversation is held with.
    pub(crate) model: &'turn Model,
    /// What every request begins with; it counts.
    pub(crate) opening: &'turn [Content],
    /// The tokens of what goes with every request besides.
    pub(crate) every_request: u64,
    /// What the conversation is known to take.
    pub(crate) tokens: u64,
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Compressed {
    pub(crate) status: CompressionStatus,
    /// The tokens of the new history, or of the one that stays.
    pub(crate) after: u64,
    pub(crate) history: Option<Rewritten>,
}

/// A history that takes the place of another.
#[derive(Debug, PartialEq)]
pub(crate) struct Rewritten {
    pub(crate) contents: Vec<Content>,
    /// So many contents at its end are contents of the old one.
    pub(crate) kept: usize,
}

/// The turn was stopped meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stopped;

impl Compressor<'_> {
    pub(crate) async fn compress(
        &self,
        contents: &[Content],
        trigger: Trigger,
        state: &mut Compressions,
    ) -> Result<Compressed, Stopped> {
        let mut whole = contents.to_vec();
        history::drop_invalid_answers(&mut whole);
        if whole.is_empty() {
            return Ok(self.unchanged(CompressionStatus::Noop));
        }
        let cut = truncate::truncate(&whole, self.scratch, &mut state.saved).await;
        if state.inflated && trigger == Trigger::Automatic {
            return Ok(self.only_truncated(&whole, cut));
        }
        let place = split::split_point(&cut);
        let (Some(old), Some(old_cut), Some(kept)) =
            (whole.get(..place), cut.get(..place), cut.get(place..))
        else {
            return Ok(self.unchanged(CompressionStatus::Noop));
        };
        if old.is_empty() {
            return Ok(self.unchanged(CompressionStatus::Noop));
        }
        let fits = TokenEstimate::of_contents(old).tokens() < self.model.token_limit();
        let source = if fits { old } else { old_cut };
        let summary = match self.summarise(source).await {
            Ok(summary) => summary,
            Err(UtilityError::Cancelled) => return Err(Stopped),
            Err(error) => {
                warn!(%error, "the conversation could not be summarised");
                String::new()
            }
        };
        if summary.is_empty() {
            return Ok(self.unchanged(CompressionStatus::FailedEmptySummary));
        }
        let mut contents = vec![said(Role::User, summary), said(Role::Model, ACKNOWLEDGED)];
        contents.extend_from_slice(kept);
        let after = self.count(&contents).await?;
        if after > self.tokens {
            state.inflated |= trigger == Trigger::Automatic;
            return Ok(Compressed {
                status: CompressionStatus::FailedInflated,
                after,
                history: None,
            });
        }
        Ok(Compressed {
            status: CompressionStatus::Compressed,
            after,
            history: Some(Rewritten {
                contents,
                kept: kept.len(),
            }),
        })
    }

    /// A summary, and then what the summariser makes of it when it looks at it again. The second look is an
    /// improvement: without it the first summary is still one.
    async fn summarise(&self, source: &[Content]) -> Result<String, UtilityError> {
        let mut contents = source.to_vec();
        contents.push(Content::prompt(prompt::instruction(
            prompt::holds_snapshot(source),
        )));
        let first = self.ask(contents.clone()).await?;
        contents.push(said(Role::Model, first.as_str()));
        contents.push(Content::prompt(prompt::PROBE));
        let second = match self.ask(contents).await {
            Ok(second) => second,
            Err(UtilityError::Cancelled) => return Err(UtilityError::Cancelled),
            Err(error) => {
                warn!(%error, "the summary could not be verified");
                String::new()
            }
        };
        let best = match second.trim().is_empty() {
            true => first,
            false => second,
        };
        Ok(best.trim().to_owned())
    }

    async fn ask(&self, contents: Vec<Content>) -> Result<String, UtilityError> {
        let errand = Errand {
            alias: alias_for(self.model.name()),
            system: prompt::SYSTEM,
            contents,
        };
        self.utility.text(errand).await
    }

    fn only_truncated(&self, whole: &[Content], cut: Vec<Content>) -> Compressed {
        let saved = TokenEstimate::of_contents(whole) - TokenEstimate::of_contents(&cut);
        if saved.tokens() == 0 {
            return self.unchanged(CompressionStatus::Noop);
        }
        Compressed {
            status: CompressionStatus::ContentTruncated,
            after: self.tokens.saturating_sub(saved.tokens()),
            history: Some(Rewritten {
                kept: cut.len(),
                contents: cut,
            }),
        }
    }

    fn unchanged(&self, status: CompressionStatus) -> Compressed {
        Compressed {
            status,
            after: self.tokens,
            history: None,
        }
    }

    /// With what every request begins with, and what goes along.
    async fn count(&self, contents: &[Content]) -> Result<u64, Stopped> {
        let mut all = self.opening.to_vec();
        all.extend_from_slice(contents);
        let estimate = TokenEstimate::of_contents(&all).tokens();
        match self.utility.count(self.model, all).await {
            Ok(counted) => Ok(counted.unwrap_or(estimate) + self.every_request),
            Err(_) => Err(Stopped),
        }
    }
}

/// The model that summarises is of the size of the one that talks.
fn alias_for(model: &str) -> &'static str {
    match model {
        "gemini-3-pro-preview"
        | "gemini-3.1-pro-preview"
        | "gemini-3.1-pro-preview-customtools" => "chat-compression-3-pro",
        "gemini-3-flash-preview" | "gemini-3.5-flash" => "chat-compression-3-flash",
        "gemini-3.1-flash-lite" => "chat-compression-3.1-flash-lite",
        "gemini-2.5-pro" => "chat-compression-2.5-pro",
        "gemini-2.5-flash" => "chat-compression-2.5-flash",
        "gemini-2.5-flash-lite" => "chat-compression-2.5-flash-lite",
        _ => "chat-compression-default",
    }
}

fn said(role: Role, text: impl Into<String>) -> Content {
    Content {
        role,
        parts: vec![Part::Text(text.into())],
    }
}
