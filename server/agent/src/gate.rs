use std::collections::BTreeSet;
use std::path::PathBuf;

use futures_util::future::BoxFuture;
use pollux_policy::{ApprovalMode, Call, Decision, Presence, Verdict};

use crate::api::{Offer, Scope};

/// Who decides what a tool may do, by rules and by what the person said earlier.
pub trait Gate: Send + Sync {
    /// Asked once per call, before any effect.
    fn judge(&self, call: &Call<'_>, mode: ApprovalMode) -> Verdict;

    /// Where the files lie that the call writes as far as its text says, links followed.
    fn targets(&self, _: &Call<'_>, _: ApprovalMode) -> Vec<PathBuf> {
        Vec::new()
    }

    /// What "always" may mean for this call, the narrowest first.
    fn offers(&self, call: &Call<'_>, mode: ApprovalMode) -> Vec<Offer>;

    /// Holds on to an approval. The error is for the person; the call itself stays approved.
    fn remember<'a>(
        &'a self,
        call: &'a Call<'a>,
        mode: ApprovalMode,
        offer: usize,
        scope: Scope,
    ) -> BoxFuture<'a, Result<(), String>>;

    /// Whether a rule that a person has written could answer for this call from now on. The error is for the person.
    fn check_rule(&self, _: &Call<'_>, _: ApprovalMode, _: &str) -> Result<(), String> {
        Err("rules cannot be saved here".to_owned())
    }

    /// Holds on to a rule that a person has written, as [`Self::remember`] does to an approval.
    fn remember_rule<'a>(
        &'a self,
        call: &'a Call<'a>,
        mode: ApprovalMode,
        rule: &'a str,
        _: Scope,
    ) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move { self.check_rule(call, mode, rule) })
    }

    /// The tools that no call could ever get through, so that the model is not told of them.
    fn excluded(&self, tools: &[&str], mode: ApprovalMode) -> BTreeSet<String>;

    fn presence(&self) -> Presence;

    /// Whether the session may go into this mode.
    fn may_enter(&self, mode: ApprovalMode) -> bool;
}

/// Lets nothing through: for a session that only talks.
pub struct ClosedGate;

impl Gate for ClosedGate {
    fn judge(&self, _: &Call<'_>, _: ApprovalMode) -> Verdict {
        Verdict {
            decision: Decision::Deny,
            reason: "this session has no use for tools".to_owned(),
            deny_message: None,
            rule: None,
            parts: Vec::new(),
            only_reads: false,
        }
    }

    fn offers(&self, _: &Call<'_>, _: ApprovalMode) -> Vec<Offer> {
        Vec::new()
    }

    fn remember<'a>(
        &'a self,
        _: &'a Call<'a>,
        _: ApprovalMode,
        _: usize,
        _: Scope,
    ) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async { Ok(()) })
    }

    fn excluded(&self, tools: &[&str], _: ApprovalMode) -> BTreeSet<String> {
        tools.iter().map(|tool| (*tool).to_owned()).collect()
    }

    fn presence(&self) -> Presence {
        Presence::Headless
    }

    fn may_enter(&self, _: ApprovalMode) -> bool {
        false
    }
}
