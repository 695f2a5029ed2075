//! Rules as a person or a script wants to see them.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::rule::{Condition, Redirecting};
use crate::{ApprovalMode, Decision, Policy, Presence, Rank, Rule, RulePlace, Tier, ToolPattern};

#[cfg(test)]
mod tests;

/// Everything a rule says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleInfo {
    pub place: RulePlace,
    pub tier: Tier,
    /// The tier's number and the priority, such as `4.100`.
    pub rank: Rank,
    pub decision: Decision,
    pub tools: ToolPattern,
    pub except: Vec<ToolPattern>,
    pub condition: ConditionInfo,
    pub subagent: Option<String>,
    pub annotations: Map<String, Value>,
    /// None for all modes.
    pub modes: Option<Vec<ApprovalMode>>,
    pub presence: Option<Presence>,
    pub allow_redirection: bool,
    pub deny_message: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "kind", content = "text")]
pub enum ConditionInfo {
    Always,
    ArgsPattern(String),
    CommandPrefix(String),
    CommandRegex(String),
    /// It could not be read, and the rule asks where it may have been meant.
    Unreadable(String),
}

impl Policy {
    /// All rules, strongest first.
    pub fn rules(&self) -> Vec<RuleInfo> {
        self.all_rules().iter().map(Rule::info).collect()
    }
}

impl Rule {
    pub fn info(&self) -> RuleInfo {
        let text = self.condition.text().unwrap_or_default().to_owned();
        RuleInfo {
            place: self.place.clone(),
            tier: self.tier,
            rank: self.rank,
            decision: self.decision,
            tools: self.scope.tools.clone(),
            except: self.scope.except.clone(),
            condition: match self.condition {
                Condition::Always => ConditionInfo::Always,
                Condition::Args(_) => ConditionInfo::ArgsPattern(text),
                Condition::Prefix(_) => ConditionInfo::CommandPrefix(text),
                Condition::Command(_) => ConditionInfo::CommandRegex(text),
                Condition::Unreadable { .. } => ConditionInfo::Unreadable(text),
            },
            subagent: self.scope.subagent.clone(),
            annotations: self.scope.annotations.iter().cloned().collect(),
            modes: self.scope.modes.clone(),
            presence: self.scope.presence,
            allow_redirection: self.redirection == Redirecting::Allowed,
            deny_message: self.deny_message.clone(),
        }
    }
}
