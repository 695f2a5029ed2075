//! Which models can be asked right now.
//!
//! Owns the health of every model that has failed. Has no clock: whoever asks says what time it is.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::time::{Duration, Instant};

/// A server without capacity is worth another try after this time.
const CAPACITY_EXPIRY: Duration = Duration::from_secs(30);
/// A model that failed in an earlier turn gets one try per turn, not a series of retries.
const ATTEMPTS_AFTER_FAILURE: u32 = 1;

/// The health of models. A model that is not in it is healthy.
#[derive(Clone, Debug, Default)]
pub struct Availability {
    health: HashMap<String, Health>,
}

/// Why a model is not asked again on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerminalReason {
    /// The account's quota is used up: until the session ends.
    Quota,
    /// The provider is full: for 30 seconds.
    Capacity,
    /// The provider does not know the model: until the session ends, for 30 seconds would not change that.
    Missing,
}

/// What can be said of a model at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelStatus {
    Healthy,
    /// It failed in an earlier turn and may be tried once in this one.
    OneTry,
    /// It had its try in this turn.
    NextTurn,
    Terminal {
        reason: TerminalReason,
        /// Nothing for the rest of the session.
        until: Option<Instant>,
    },
}

/// A model to ask, and those that would have come first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    pub model: Option<String>,
    /// How often it may be tried, if that differs from the usual.
    pub attempts: Option<u32>,
    pub skipped: Vec<Skipped>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    pub model: String,
    pub status: ModelStatus,
}

#[derive(Clone, Copy, Debug)]
enum Health {
    Terminal {
        reason: TerminalReason,
        until: Option<Instant>,
    },
    StickyRetry(Try),
}

#[derive(Clone, Copy, Debug)]
enum Try {
    Open,
    Consumed,
}

impl Availability {
    /// The model failed in a way that another try would not change.
    pub fn mark_terminal(&mut self, model: &str, reason: TerminalReason, now: Instant) {
        let until = expiry(reason, now);
        self.set(model, Health::Terminal { reason, until });
    }

    /// The model failed for now: not again in this turn, once in the next. A terminal state stays as it is.
    pub fn mark_sticky_retry(&mut self, model: &str, now: Instant) {
        if !matches!(self.status(model, now), ModelStatus::Terminal { .. }) {
            self.set(model, Health::StickyRetry(Try::Consumed));
        }
    }

    /// The model answered.
    pub fn mark_healthy(&mut self, model: &str) {
        self.health.remove(model);
    }

    /// A new turn begins: every model that failed for now may be tried again.
    pub fn reset_turn(&mut self) {
        for health in self.health.values_mut() {
            if let Health::StickyRetry(attempt) = health {
                *attempt = Try::Open;
            }
        }
    }

    pub fn status(&self, model: &str, now: Instant) -> ModelStatus {
        match self.health.get(model) {
            None => ModelStatus::Healthy,
            Some(Health::Terminal {
                until: Some(until), ..
            }) if *until <= now => ModelStatus::Healthy,
            Some(Health::Terminal { reason, until }) => ModelStatus::Terminal {
                reason: *reason,
                until: *until,
            },
            Some(Health::StickyRetry(Try::Open)) => ModelStatus::OneTry,
            Some(Health::StickyRetry(Try::Consumed)) => ModelStatus::NextTurn,
        }
    }

    /// The first model that may be asked. Its one try of this turn, if it has only that, is consumed by being
    /// selected; [`mark_healthy`](Self::mark_healthy) after a good answer gives it back.
    pub fn select_first_available<'a>(
        &mut self,
        models: impl IntoIterator<Item = &'a str>,
        now: Instant,
    ) -> Selection {
        let selection = self.first_available(models, now);
        if let (Some(model), Some(_)) = (&selection.model, selection.attempts) {
            self.set(model, Health::StickyRetry(Try::Consumed));
        }
        selection
    }

    /// The same choice without its consequence.
    pub fn first_available<'a>(
        &self,
        models: impl IntoIterator<Item = &'a str>,
        now: Instant,
    ) -> Selection {
        let mut skipped = Vec::new();
        for model in models {
            let status = self.status(model, now);
            let attempts = match status {
                ModelStatus::Healthy => None,
                ModelStatus::OneTry => Some(ATTEMPTS_AFTER_FAILURE),
                ModelStatus::NextTurn | ModelStatus::Terminal { .. } => {
                    let model = model.to_owned();
                    skipped.push(Skipped { model, status });
                    continue;
                }
            };
            return Selection {
                model: Some(model.to_owned()),
                attempts,
                skipped,
            };
        }
        Selection {
            model: None,
            attempts: None,
            skipped,
        }
    }

    fn set(&mut self, model: &str, health: Health) {
        self.health.insert(model.to_owned(), health);
    }
}

/// When a model that became unavailable at `now` is worth asking again.
pub(crate) fn expiry(reason: TerminalReason, now: Instant) -> Option<Instant> {
    match reason {
        TerminalReason::Capacity => now.checked_add(CAPACITY_EXPIRY),
        TerminalReason::Quota | TerminalReason::Missing => None,
    }
}
