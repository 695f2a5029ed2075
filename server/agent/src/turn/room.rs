//! How full the model's window is, and whether what comes next still fits.

use pollux_model::{Content, Part, Role, Room, TokenEstimate, room_for};

use super::Turn;
use crate::api::{Added, Overflow, TurnOutcome};

/// A document has at most so many times the tokens that are estimated: a thousand pages, where a hundred are assumed.
const LONGEST_DOCUMENT: u64 = 10;

/// What the last request took of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Filling {
    /// All of it, mostly as the provider counted.
    Whole(u64),
    /// The conversation alone, estimated: instructions and tools come on top, and change while nobody has asked yet.
    Conversation(u64),
}

impl Filling {
    /// Until a provider has counted.
    pub(crate) fn estimate(opening: &[Content], history: &[Content]) -> Self {
        let sent = TokenEstimate::of_contents(opening) + TokenEstimate::of_contents(history);
        Self::Conversation(sent.tokens())
    }

    /// As far as it is known.
    pub(crate) fn tokens(self) -> u64 {
        match self {
            Self::Whole(tokens) | Self::Conversation(tokens) => tokens,
        }
    }

    /// So much of the conversation is gone.
    pub(super) fn less(self, saved: u64) -> Self {
        match self {
            Self::Whole(tokens) => Self::Whole(tokens.saturating_sub(saved)),
            Self::Conversation(tokens) => Self::Conversation(tokens.saturating_sub(saved)),
        }
    }
}

/// What goes with every request, whatever is said. Estimated tokens.
#[derive(Clone, Copy, Debug)]
pub(super) struct EveryRequest {
    pub(super) instructions: u64,
    pub(super) tools: u64,
}

impl EveryRequest {
    pub(super) fn tokens(self) -> u64 {
        self.instructions + self.tools
    }
}

impl Turn<'_> {
    pub(super) fn every_request(&self) -> EveryRequest {
        let instruction = self.instruction().unwrap_or_default();
        EveryRequest {
            instructions: TokenEstimate::of_text(&instruction).tokens(),
            tools: TokenEstimate::of_tools(&self.declarations()).tokens(),
        }
    }

    /// What a request would take that says nothing new.
    pub(super) fn used(&self) -> u64 {
        match *self.filling {
            Filling::Whole(tokens) => tokens,
            Filling::Conversation(tokens) => tokens + self.every_request().tokens(),
        }
    }

    /// Whether the model's window has room for what is to be added. Said before anything is sent.
    /// `beside` goes along with the parts.
    pub(super) async fn overflow(
        &mut self,
        parts: &[Part],
        beside: TokenEstimate,
        added: Added,
    ) -> Option<TurnOutcome> {
        let window = self.voice.model.token_limit();
        let used = self.used();
        let tokens = self.tokens_of(parts, window.saturating_sub(used)).await;
        match room_for(tokens + beside.tokens(), used, window) {
            Room::Fits => None,
            Room::Overflows {
                estimated,
                remaining,
            } => {
                let every_request = self.every_request();
                Some(TurnOutcome::ContextOverflow(Overflow {
                    model: self.voice.model.name().to_owned(),
                    window,
                    added,
                    estimated,
                    remaining,
                    instructions: every_request.instructions,
                    tools: every_request.tools,
                }))
            }
        }
    }

    /// An estimate, unless it holds documents and could be so wrong that they do not fit: then the provider is asked.
    async fn tokens_of(&mut self, parts: &[Part], remaining: u64) -> u64 {
        let estimate = TokenEstimate::of_parts(parts).tokens();
        if estimate.saturating_mul(LONGEST_DOCUMENT) <= remaining {
            return estimate;
        }
        let said = Content {
            role: Role::User,
            parts: parts.to_vec(),
        };
        let counted = self.utility().count(&self.voice.model, vec![said]).await;
        // A turn that was stopped meanwhile finds out with its next step.
        counted.ok().flatten().unwrap_or(estimate)
    }
}
