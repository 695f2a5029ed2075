//! From a call and all rules to a verdict.

mod command;
mod guard;
mod judge;
mod plan_mode;

use std::path::PathBuf;

pub use guard::is_build_file;

use crate::checker::CheckerRule;
use crate::names::Names;
use crate::rule::{Asked, Probe};
use crate::{ApprovalMode, Call, Conseca, Context, Decision, Presence, Rule, Verdict};

#[cfg(test)]
pub(crate) mod tests;

/// All rules that are in force, strongest first.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    rules: Vec<Rule>,
    checkers: Vec<CheckerRule>,
    options: Options,
}

/// What settings and administrators say about rules as such.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    pub approvals: Approvals,
    pub yolo: Yolo,
    pub conseca: Conseca,
}

/// Whether rules that come from "always allow" count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Approvals {
    #[default]
    Honoured,
    /// `security.disableAlwaysAllow`, or the admin's secure mode.
    Ignored,
}

/// Whether the mode without questions may be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Yolo {
    #[default]
    Available,
    /// `security.disableYoloMode`, or the admin's secure mode.
    Disabled,
}

impl Policy {
    /// Rules of the same rank keep their order, and the first one decides.
    pub fn new(mut rules: Vec<Rule>, mut checkers: Vec<CheckerRule>, options: Options) -> Self {
        rules.sort_by_key(|rule| std::cmp::Reverse(rule.rank));
        checkers.sort_by_key(|checker| std::cmp::Reverse(checker.rank));
        Self {
            rules,
            checkers,
            options,
        }
    }

    /// What becomes of the call.
    pub fn decide(&self, call: &Call<'_>, context: &Context<'_>) -> Verdict {
        let asked = self.asked(call, context);
        let is_shell = asked.names.is_shell();
        let verdict = if is_shell {
            command::judge(self, &asked, context)
        } else {
            judge::judge(self, &asked, context)
        };
        plan_mode::confine(verdict, call, is_shell, context)
    }

    /// Where the files lie that the call writes as far as its text says, links followed. It is not the same any more once
    /// a path of the call leads elsewhere.
    pub fn targets(&self, call: &Call<'_>, context: &Context<'_>) -> Vec<PathBuf> {
        let asked = self.asked(call, context);
        if asked.names.is_shell() {
            command::targets(&asked, context)
        } else {
            judge::targets(call, context)
        }
    }

    /// Adds a rule that holds as long as this value. The same rule is not added twice.
    pub fn remember(&mut self, rule: Rule) {
        let place = self.rules.partition_point(|other| other.rank > rule.rank);
        let description = rule.info();
        let known = self
            .rules
            .iter()
            .skip(place)
            .take_while(|other| other.rank == rule.rank)
            .any(|other| other.info() == description);
        if !known {
            // In front of its equals: what a person said last is what they mean.
            self.rules.insert(place, rule);
        }
    }

    /// The same policy with one more rule.
    pub fn with_session_rule(&self, rule: Rule) -> Self {
        let mut policy = self.clone();
        policy.remember(rule);
        policy
    }

    pub fn options(&self) -> Options {
        self.options
    }

    pub(crate) fn all_rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Whether a tool need not even be shown to the model: whatever its arguments are, it would be denied.
    pub fn is_excluded(&self, call: &Call<'_>, context: &Context<'_>) -> bool {
        let asked = self.asked(call, context);
        for rule in self.relevant(&asked) {
            match (rule.condition.is_always(), rule.decision) {
                (true, decision) => return decision == Decision::Deny,
                (false, Decision::Deny) => {}
                (false, Decision::Allow | Decision::Ask) => return false,
            }
        }
        context.presence == Presence::Headless
    }

    /// The mode that counts: a mode that is not available comes down to the default.
    pub fn effective_mode(&self, context: &Context<'_>) -> ApprovalMode {
        let disabled = context.mode == ApprovalMode::Yolo && self.options.yolo == Yolo::Disabled;
        match disabled || !context.mode.suits(context.trust) {
            true => ApprovalMode::Default,
            false => context.mode,
        }
    }

    fn asked<'a>(&self, call: &Call<'a>, context: &Context<'_>) -> Asked<'a> {
        Asked {
            call: *call,
            names: Names::of(call),
            mode: self.effective_mode(context),
            presence: context.presence,
        }
    }

    /// The rules about this tool in this situation, whatever they want of its arguments.
    fn relevant(&self, asked: &Asked<'_>) -> impl Iterator<Item = &Rule> {
        let ignored = self.options.approvals == Approvals::Ignored;
        self.rules.iter().filter(move |rule| {
            !(ignored && rule.is_approval()) && rule.scope.covers(asked, rule.decision)
        })
    }

    fn checkers<'s>(
        &'s self,
        asked: &'s Asked<'_>,
        probe: &'s Probe<'_>,
    ) -> impl Iterator<Item = &'s CheckerRule> {
        self.checkers
            .iter()
            .filter(move |checker| checker.covers(asked, probe))
    }
}
