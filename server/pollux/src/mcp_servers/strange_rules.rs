//! Rules that name a tool which its server does not have, most likely by a slip of the pen.

#[cfg(test)]
mod tests;

use pollux_agent::{Offering, ServerStanding, mcp_tool_name};
use pollux_policy::{RuleInfo, ToolPattern};

/// A sentence for each, with the tool that was probably meant. Servers that are not there are not judged.
pub(super) fn of(rules: &[RuleInfo], offering: &Offering) -> Vec<String> {
    let servers: Vec<&str> = offering
        .states
        .iter()
        .map(|state| state.server.as_str())
        .collect();
    let is_connected = |server: &str| {
        let mut states = offering.states.iter();
        states.any(|state| state.server == server && state.standing == ServerStanding::Connected)
    };
    let mut told = Vec::new();
    for rule in rules {
        let Some((server, tool)) = named(&rule.tools, &servers) else {
            continue;
        };
        let tools = offering.tools.iter().filter(|one| one.server == server);
        let names: Vec<&str> = tools.clone().map(|one| one.tool.as_str()).collect();
        let full = mcp_tool_name(server, tool);
        if !is_connected(server)
            || tools
                .clone()
                .any(|one| [tool, full.as_str()].contains(&one.name.as_str()) || one.tool == tool)
        {
            continue;
        }
        let nearest = names
            .into_iter()
            .min_by_key(|name| strsim::levenshtein(name, tool));
        let advice = nearest.map(|nearest| format!("; the nearest is `{nearest}`"));
        let advice = advice.unwrap_or_default();
        let sentence = format!("{}: {server} has no tool `{tool}`{advice}", rule.place);
        if !told.contains(&sentence) {
            told.push(sentence);
        }
    }
    told
}

/// The server and the tool that a rule is about, if it is about one tool of one server.
fn named<'a>(pattern: &'a ToolPattern, servers: &[&'a str]) -> Option<(&'a str, &'a str)> {
    let tool = pattern.tool.as_str();
    if tool.contains('*') {
        return None;
    }
    match pattern.server.as_deref() {
        Some(server) => servers
            .iter()
            .find(|known| **known == server)
            .map(|known| (*known, tool)),
        // The longest counts: one server may be called as another one begins.
        None => {
            let matching = servers.iter().filter_map(|server| {
                let beginning = mcp_tool_name(server, "");
                Some((*server, tool.strip_prefix(beginning.as_str())?))
            });
            matching.max_by_key(|(server, _)| server.len())
        }
    }
}
