//! `/mcp`

#[cfg(test)]
mod tests;

use super::{BuiltIn, Deed, Outcome};
use crate::{Lasting, Offering, ServerOrder, ServerState, SessionConfig};

pub(super) const COMMAND: BuiltIn = BuiltIn {
    name: "mcp",
    description: "Show the MCP servers, their tools and how they stand",
    arguments: Some("list|desc|schema|auth|reload|enable|disable [server] [--session|--remove]"),
    deed: Deed::Mcp,
};

const USAGE: &str = "`/mcp list [server]` shows the servers, `desc` with descriptions and `schema` with schemas; \
                     `/mcp enable|disable <server> [--session]`, `/mcp auth [server]`, `/mcp auth <server> \
                     --remove` and `/mcp reload` change something.";

pub(super) async fn run(config: &SessionConfig, arguments: &str) -> Outcome {
    let Some(servers) = config.tools.servers() else {
        return Outcome::Answer(
            "No MCP servers are configured. `pollux mcp-servers add` configures one.".to_owned(),
        );
    };
    let mut words = arguments.split_whitespace();
    let (verb, server) = (words.next(), words.next());
    let option = words.next();
    let lasting = match option {
        Some("--session") => Lasting::Session,
        _ => Lasting::ForGood,
    };
    let order = match (verb, server) {
        (None | Some("list" | "ls" | "nodesc"), filter) => {
            return listed(&servers.offering(), filter, Detail::Names);
        }
        (Some("desc"), filter) => {
            return listed(&servers.offering(), filter, Detail::Descriptions);
        }
        (Some("schema"), filter) => return listed(&servers.offering(), filter, Detail::Schemas),
        (Some("reload" | "refresh"), _) => ServerOrder::Reload,
        (Some("auth"), Some(server)) if option == Some("--remove") => ServerOrder::SignOut(server),
        (Some("auth"), server) => ServerOrder::Authenticate(server),
        (Some("enable"), Some(server)) => ServerOrder::Enable(server, lasting),
        (Some("disable"), Some(server)) => ServerOrder::Disable(server, lasting),
        _ => return Outcome::Answer(USAGE.to_owned()),
    };
    Outcome::Answer(servers.order(order).await)
}

/// How much is said about a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Detail {
    Names,
    Descriptions,
    Schemas,
}

fn listed(offering: &Offering, filter: Option<&str>, detail: Detail) -> Outcome {
    let is_wanted =
        |state: &&ServerState| filter.is_none_or(|filter| state.server.contains(filter));
    let mut text = String::new();
    for state in offering.states.iter().filter(is_wanted) {
        text.push_str(&server(offering, state, detail));
    }
    if text.is_empty() {
        text.push_str("There is no such server.");
    }
    Outcome::Answer(text)
}

fn server(offering: &Offering, state: &ServerState, detail: Detail) -> String {
    let mut text = format!("**{}**: {}\n", state.server, state.standing);
    let mine = |server: &str| server == state.server;
    for tool in offering.tools.iter().filter(|tool| mine(&tool.server)) {
        text.push_str(&format!("- `{}`", tool.name));
        if detail != Detail::Names {
            text.push_str(&format!(": {}", tool.description));
        }
        text.push('\n');
        if detail == Detail::Schemas {
            let schema = serde_json::to_string_pretty(&tool.parameters).unwrap_or_default();
            let schema = schema.replace('\n', "\n  ");
            text.push_str(&format!("  ```json\n  {schema}\n  ```\n"));
        }
    }
    for (tool, reason) in &state.left_out {
        text.push_str(&format!("- `{tool}` is left out: {reason}\n"));
    }
    let prompts = offering.prompts.iter().filter(|one| mine(&one.server));
    let prompts: Vec<String> = prompts
        .map(|prompt| format!("`/{}`", prompt.name))
        .collect();
    if !prompts.is_empty() {
        text.push_str(&format!("- prompts: {}\n", prompts.join(", ")));
    }
    match offering
        .resources
        .iter()
        .filter(|one| mine(&one.server))
        .count()
    {
        0 => {}
        1 => text.push_str("- 1 resource\n"),
        count => text.push_str(&format!("- {count} resources\n")),
    }
    text.push('\n');
    text
}
