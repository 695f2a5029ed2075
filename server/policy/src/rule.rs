//! One rule, ready to be tested against calls.

pub(crate) mod condition;
mod words;

use serde_json::Value;

pub(crate) use condition::{Condition, Probe};

use crate::names::Names;
use crate::{ApprovalMode, Call, Decision, Presence, Rank, RulePlace, Tier, ToolPattern};

/// A rule. Comes from a file, from settings or from an approval.
#[derive(Clone, Debug)]
pub struct Rule {
    pub(crate) scope: RuleScope,
    pub(crate) condition: Condition,
    pub(crate) decision: Decision,
    pub(crate) rank: Rank,
    pub(crate) tier: Tier,
    pub(crate) origin: Origin,
    pub(crate) redirection: Redirecting,
    pub(crate) deny_message: Option<String>,
    pub(crate) place: RulePlace,
}

/// Which calls a rule or a checker is about, apart from their arguments.
#[derive(Clone, Debug)]
pub(crate) struct RuleScope {
    pub(crate) tools: ToolPattern,
    /// Tools that a pattern is not about after all.
    pub(crate) except: Vec<ToolPattern>,
    pub(crate) subagent: Option<String>,
    pub(crate) annotations: Vec<(String, Value)>,
    /// None for all modes.
    pub(crate) modes: Option<Vec<ApprovalMode>>,
    pub(crate) presence: Option<Presence>,
}

/// Whether a person said so while being asked, in this session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Written,
    Session,
}

/// What a rule that allows a command says about `>` and `<`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Redirecting {
    Unsaid,
    Allowed,
}

impl RuleScope {
    pub(crate) fn of(tools: ToolPattern) -> Self {
        Self {
            tools,
            except: Vec::new(),
            subagent: None,
            annotations: Vec::new(),
            modes: None,
            presence: None,
        }
    }

    pub(crate) fn covers(&self, asked: &Asked<'_>, decision: Decision) -> bool {
        let said = |(key, value): &(String, Value)| {
            asked
                .call
                .annotations
                .is_some_and(|annotations| annotations.get(key) == Some(value))
        };
        self.modes
            .as_ref()
            .is_none_or(|modes| modes.contains(&asked.mode))
            && self
                .presence
                .is_none_or(|presence| presence == asked.presence)
            && self
                .subagent
                .as_deref()
                .is_none_or(|subagent| asked.call.subagent == Some(subagent))
            && self.tools.matches(&asked.names, decision)
            && self.annotations.iter().all(said)
            && !self
                .except
                .iter()
                .any(|tools| tools.matches(&asked.names, Decision::Allow))
    }
}

impl Rule {
    /// A rule that says what it says about whole tools; more is set by whoever makes it.
    pub(crate) fn new(
        tools: ToolPattern,
        decision: Decision,
        tier: Tier,
        priority: u32,
        source: &str,
    ) -> Self {
        Self {
            scope: RuleScope::of(tools),
            condition: Condition::Always,
            decision,
            rank: Rank::new(tier, priority),
            tier,
            origin: Origin::Written,
            redirection: Redirecting::Unsaid,
            deny_message: None,
            place: RulePlace {
                source: source.to_owned(),
                line: None,
            },
        }
    }

    pub(crate) fn is_approval(&self) -> bool {
        self.rank.priority() == Rank::APPROVED
    }
}

/// A call as rules look at it.
pub(crate) struct Asked<'a> {
    pub(crate) call: Call<'a>,
    pub(crate) names: Names<'a>,
    /// The mode that counts, which an untrusted folder may have lowered.
    pub(crate) mode: ApprovalMode,
    pub(crate) presence: Presence,
}
