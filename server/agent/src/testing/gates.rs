//! Who decides in a test.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Mutex;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_policy::{Call, Context, Decision, Policy, Presence, Trust, Verdict};

use crate::Gate;
use crate::api::{ApprovalMode, Offer, Scope};

/// Asks about edits and says the same to every other call.
pub(crate) struct FixedGate {
    pub(crate) others: Decision,
    /// Tools that are forbidden, whatever is said about the others.
    pub(crate) denied: &'static [&'static str],
    /// Tools that sub-agents may not use.
    pub(crate) denied_to_agents: &'static [&'static str],
    pub(crate) presence: Presence,
    pub(crate) excluded: BTreeSet<String>,
    pub(crate) trust: Trust,
    /// Why nothing can be remembered, if so.
    pub(crate) forgets: Option<&'static str>,
    pub(crate) remembered: Mutex<Vec<(String, usize, Scope)>>,
}

impl Default for FixedGate {
    fn default() -> Self {
        Self {
            others: Decision::Allow,
            denied: &[],
            denied_to_agents: &[],
            presence: Presence::Interactive,
            excluded: BTreeSet::new(),
            trust: Trust::Trusted,
            forgets: None,
            remembered: Mutex::default(),
        }
    }
}

impl FixedGate {
    pub(crate) fn asking() -> Self {
        Self {
            others: Decision::Ask,
            ..Self::default()
        }
    }
}

impl Gate for FixedGate {
    fn judge(&self, call: &Call<'_>, mode: ApprovalMode) -> Verdict {
        let decision = match call.tool {
            tool if self.denied.contains(&tool) => Decision::Deny,
            tool if call.subagent.is_some() && self.denied_to_agents.contains(&tool) => {
                Decision::Deny
            }
            "replace" | "write_file" if mode < ApprovalMode::AutoEdit => Decision::Ask,
            _ => self.others,
        };
        Verdict {
            decision,
            reason: "the test says so".to_owned(),
            deny_message: None,
            rule: None,
            parts: Vec::new(),
            only_reads: false,
        }
    }

    fn offers(&self, call: &Call<'_>, _: ApprovalMode) -> Vec<Offer> {
        vec![Offer {
            label: call.tool.to_owned(),
            scopes: vec![Scope::Session],
            rule: None,
        }]
    }

    fn remember<'a>(
        &'a self,
        call: &'a Call<'a>,
        _: ApprovalMode,
        offer: usize,
        scope: Scope,
    ) -> BoxFuture<'a, Result<(), String>> {
        let remembered = (call.tool.to_owned(), offer, scope);
        self.remembered.lock().unwrap().push(remembered);
        async { self.forgets.map_or(Ok(()), |reason| Err(reason.to_owned())) }.boxed()
    }

    fn excluded(&self, _: &[&str], _: ApprovalMode) -> BTreeSet<String> {
        self.excluded.clone()
    }

    fn presence(&self) -> Presence {
        self.presence
    }

    fn may_enter(&self, mode: ApprovalMode) -> bool {
        self.trust == Trust::Trusted || mode <= ApprovalMode::Default
    }
}

/// The rules that come with Pollux.
pub(crate) struct ShippedGate {
    policy: Policy,
    root: PathBuf,
}

impl ShippedGate {
    pub(crate) fn new(root: PathBuf) -> Self {
        Self {
            policy: Policy::shipped(),
            root,
        }
    }
}

impl Gate for ShippedGate {
    fn judge(&self, call: &Call<'_>, mode: ApprovalMode) -> Verdict {
        let roots = [self.root.clone()];
        let context = Context {
            mode,
            presence: Presence::Interactive,
            trust: Trust::Trusted,
            cwd: &self.root,
            roots: &roots,
            view: &|path: &std::path::Path| Some(path.to_owned()),
        };
        self.policy.decide(call, &context)
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
        async { Ok(()) }.boxed()
    }

    fn excluded(&self, _: &[&str], _: ApprovalMode) -> BTreeSet<String> {
        BTreeSet::new()
    }

    fn presence(&self) -> Presence {
        Presence::Interactive
    }

    fn may_enter(&self, _: ApprovalMode) -> bool {
        true
    }
}
