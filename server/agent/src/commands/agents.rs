//! `/agents`

#[cfg(test)]
mod tests;

use super::{BuiltIn, Commands, Deed, Outcome};
use crate::agents::AgentOrder;

pub(super) const COMMAND: BuiltIn = BuiltIn {
    name: "agents",
    description: "Show the sub-agents, switch them on or off, and acknowledge those of the project",
    arguments: Some("list|reload|enable|disable|acknowledge [agent|all]"),
    deed: Deed::Agents,
};

const USAGE: &str = "`/agents list` shows the sub-agents; `/agents enable|disable <agent>`, `/agents acknowledge \
                     <agent>|all` and `/agents reload` change something.";

pub(super) async fn run(commands: &dyn Commands, arguments: &str) -> Outcome {
    match order(arguments) {
        Some(order) => Outcome::Answer(commands.agents(order).await),
        None => Outcome::Answer(USAGE.to_owned()),
    }
}

fn order(arguments: &str) -> Option<AgentOrder> {
    let mut words = arguments.split_whitespace();
    let order = match (words.next(), words.next()) {
        (None | Some("list" | "ls"), None) => AgentOrder::List,
        (Some("reload" | "refresh"), None) => AgentOrder::Reload,
        (Some("enable"), Some(agent)) => AgentOrder::Enable(agent.to_owned()),
        (Some("disable"), Some(agent)) => AgentOrder::Disable(agent.to_owned()),
        (Some("acknowledge" | "ack"), Some("all")) => AgentOrder::AcknowledgeAll,
        (Some("acknowledge" | "ack"), Some(agent)) => AgentOrder::Acknowledge(agent.to_owned()),
        _ => return None,
    };
    words.next().is_none().then_some(order)
}
