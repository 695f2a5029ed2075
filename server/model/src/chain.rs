//! Fallback chains: which model comes next when one fails, whether the person is asked first, and for how long the
//! failed one is avoided.
//!
//! Decides and says so; it neither asks the person nor sends anything. Nothing here switches models silently to the
//! eye: [`Fallback`] holds what a visible notice needs even if nobody has to be asked.

mod catalogue;

#[cfg(test)]
mod tests;

use std::time::Instant;

use crate::FailureKind;
use crate::availability::{Availability, Selection, TerminalReason, expiry};

/// A failure, and what it says about the model's health if the policy takes the model out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    pub kind: FailureKind,
    pub reason: TerminalReason,
}

/// Whether the person decides about the next model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Go on with the next model; tell the person.
    Silent,
    Prompt,
}

/// What becomes of the failed model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextState {
    Terminal,
    StickyRetry,
}

/// A place in a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rank {
    Preferred,
    /// Asked even if it is unavailable, when everything else is too.
    LastResort,
}

/// Whether the person is present to be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainMode {
    Normal,
    /// Plan mode goes on by itself, whatever the policies say.
    Plan,
}

/// How one model of a chain is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    pub model: String,
    pub rank: Rank,
    /// How often to try, if the chain knows better than the network's settings.
    pub attempts: Option<u32>,
    actions: PerKind<Action>,
    states: PerKind<NextState>,
}

/// Models in the order of preference. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    first: Policy,
    others: Vec<Policy>,
    wrap: Wrap,
}

/// What follows from a failure. Nothing has changed until [`apply`](Self::apply): if the action is a prompt, the
/// person may say no.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fallback {
    pub failed: String,
    pub failure: Failure,
    pub action: Action,
    /// Nothing: the error is shown.
    pub next: Option<String>,
    /// How often to try the next model, if that differs from the usual.
    pub attempts: Option<u32>,
    pub state: NextState,
    pub avoided_until: AvoidedUntil,
}

/// How long the failed model is left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AvoidedUntil {
    NextTurn,
    Time(Instant),
    SessionEnd,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrap {
    /// Models before the active one come after the last one.
    Around,
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PerKind<T> {
    terminal: T,
    transient: T,
    not_found: T,
    unknown: T,
}

impl Failure {
    /// With the reason that usually goes with the kind.
    pub fn new(kind: FailureKind) -> Self {
        let reason = match kind {
            FailureKind::Terminal => TerminalReason::Quota,
            FailureKind::NotFound => TerminalReason::Missing,
            FailureKind::Transient | FailureKind::Unknown => TerminalReason::Capacity,
        };
        Self { kind, reason }
    }

    /// The provider said that it has no room for this model.
    pub fn capacity() -> Self {
        Self {
            kind: FailureKind::Terminal,
            reason: TerminalReason::Capacity,
        }
    }
}

impl Chain {
    /// The active model first.
    pub fn policies(&self) -> impl Iterator<Item = &Policy> {
        std::iter::once(&self.first).chain(&self.others)
    }

    pub fn policy(&self, model: &str) -> Option<&Policy> {
        self.policies().find(|policy| policy.model == model)
    }

    /// The model to ask now: the first available one, else the last resort.
    pub fn select(&self, availability: &mut Availability, now: Instant) -> Selection {
        let models = self.policies().map(|policy| policy.model.as_str());
        let mut selection = availability.select_first_available(models, now);
        let model = match selection.model.take() {
            Some(model) => model,
            None => self.last_resort().model.clone(),
        };
        if selection.attempts.is_none() {
            selection.attempts = self.policy(&model).and_then(|policy| policy.attempts);
        }
        selection.model = Some(model);
        selection
    }

    /// What to do after `failed` has failed for good, its retries included.
    pub fn on_failure(
        &self,
        failed: &str,
        failure: Failure,
        availability: &Availability,
        now: Instant,
    ) -> Fallback {
        let policy = self.policy(failed).unwrap_or(&self.first);
        let state = *policy.states.of(failure.kind);
        let candidates = self.after(failed);
        let models = candidates.iter().map(|policy| policy.model.as_str());
        let selection = availability.first_available(models, now);
        let last_resort = || {
            let found = candidates
                .iter()
                .find(|policy| policy.rank == Rank::LastResort);
            found.map(|policy| policy.model.clone())
        };
        let next = selection.model.or_else(last_resort);
        let usual = next
            .as_deref()
            .and_then(|model| self.policy(model)?.attempts);
        Fallback {
            failed: failed.to_owned(),
            failure,
            action: *policy.actions.of(failure.kind),
            next,
            attempts: selection.attempts.or(usual),
            state,
            avoided_until: match state {
                NextState::StickyRetry => AvoidedUntil::NextTurn,
                NextState::Terminal => match expiry(failure.reason, now) {
                    Some(time) => AvoidedUntil::Time(time),
                    None => AvoidedUntil::SessionEnd,
                },
            },
        }
    }

    /// The models that may replace `failed`: downgrades first, then, in a chain that wraps, what came before it.
    fn after(&self, failed: &str) -> Vec<&Policy> {
        let mut before: Vec<&Policy> = self.policies().collect();
        let Some(place) = before.iter().position(|policy| policy.model == failed) else {
            return before;
        };
        let mut candidates = before.split_off(place).split_off(1);
        if self.wrap == Wrap::Around {
            candidates.append(&mut before);
        }
        candidates
    }

    fn last_resort(&self) -> &Policy {
        self.policies()
            .find(|policy| policy.rank == Rank::LastResort)
            .unwrap_or(&self.first)
    }
}

impl Fallback {
    /// Records the failed model's state: at once if nobody is asked, otherwise when the person agreed to go on.
    pub fn apply(&self, availability: &mut Availability, now: Instant) {
        match self.state {
            NextState::Terminal => {
                availability.mark_terminal(&self.failed, self.failure.reason, now);
            }
            NextState::StickyRetry => availability.mark_sticky_retry(&self.failed, now),
        }
    }
}

impl Policy {
    pub fn action(&self, kind: FailureKind) -> Action {
        *self.actions.of(kind)
    }

    pub fn state(&self, kind: FailureKind) -> NextState {
        *self.states.of(kind)
    }
}

impl<T> PerKind<T> {
    fn of(&self, kind: FailureKind) -> &T {
        match kind {
            FailureKind::Terminal => &self.terminal,
            FailureKind::Transient => &self.transient,
            FailureKind::NotFound => &self.not_found,
            FailureKind::Unknown => &self.unknown,
        }
    }
}

impl<T: Copy> PerKind<T> {
    fn all(value: T) -> Self {
        Self {
            terminal: value,
            transient: value,
            not_found: value,
            unknown: value,
        }
    }
}
