//! Checks that run after the rules and can only make a decision stricter.

mod allowed_path;

use crate::rule::{Asked, Condition, Probe, RuleScope};
use crate::{Context, Decision, Rank, RulePlace};

#[cfg(test)]
mod tests;

/// A checker and the calls it is for.
#[derive(Clone, Debug)]
pub struct CheckerRule {
    pub(crate) scope: RuleScope,
    pub(crate) condition: Condition,
    pub(crate) rank: Rank,
    pub(crate) checker: Checker,
    pub(crate) place: RulePlace,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Checker {
    /// Every argument that names a path must stay in the workspace.
    AllowedPath {
        included: Vec<String>,
        excluded: Vec<String>,
    },
    /// A second model that judges calls. Pollux has none.
    Conseca,
    /// A program. None is known today.
    External { name: String },
}

/// Whether settings ask for the second model's judgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Conseca {
    #[default]
    Off,
    On,
}

/// An objection: what it makes of the decision, and why.
pub(crate) struct Objection {
    pub(crate) decision: Decision,
    pub(crate) reason: String,
}

impl CheckerRule {
    pub(crate) fn covers(&self, asked: &Asked<'_>, probe: &Probe<'_>) -> bool {
        self.scope.covers(asked, Decision::Deny) && self.condition.holds(probe, Decision::Deny)
    }

    pub(crate) fn check(
        &self,
        asked: &Asked<'_>,
        context: &Context<'_>,
        conseca: Conseca,
    ) -> Option<Objection> {
        match &self.checker {
            Checker::AllowedPath { included, excluded } => {
                allowed_path::check(asked.call.args, included, excluded, context)
            }
            Checker::Conseca => (conseca == Conseca::On).then(|| Objection {
                decision: Decision::Ask,
                reason: "security.enableConseca wants a second opinion, which only a person can give here"
                    .to_owned(),
            }),
            Checker::External { name } => Some(Objection {
                decision: Decision::Deny,
                reason: format!("the safety checker `{name}` is not there to be asked"),
            }),
        }
    }
}
