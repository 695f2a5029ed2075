//! From settings to what is to be connected.

#[cfg(test)]
mod tests;

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::{Gates, HandedOn, ServerConfig};

/// Everything that the connections of a workspace are made from.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// By name.
    pub servers: Vec<(String, Planned)>,
    /// What every server gets to see: without secrets.
    pub environment: HandedOn,
    /// Where servers are started.
    pub folder: PathBuf,
}

/// What is to become of a configured server.
#[derive(Clone, Debug, PartialEq)]
pub enum Planned {
    Connect(Box<ServerConfig>),
    /// It is listed and left alone, for this reason.
    Blocked(String),
    /// Somebody wants it, and it cannot be had for this reason.
    Broken(String),
}

/// What becomes of each entry of `mcpServers` and of `mcp.serverCommand`, by name.
pub fn plan(
    entries: &Map<String, Value>,
    server_command: Option<&str>,
    gates: &Gates,
) -> Vec<(String, Planned)> {
    let mut planned: Vec<(String, Planned)> = entries
        .iter()
        .map(|(name, entry)| {
            let planned = match ServerConfig::parse(name, entry).transpose() {
                Some(parsed) => judged(name, parsed, gates),
                None => Planned::Blocked("it has neither `command` nor `url`".to_owned()),
            };
            (name.clone(), planned)
        })
        .collect();
    if let Some(command) = server_command {
        let parsed = ServerConfig::of_command(command);
        planned.retain(|(name, _)| name != "mcp");
        planned.push(("mcp".to_owned(), judged("mcp", parsed, gates)));
    }
    planned.sort_by(|(one, _), (other, _)| one.cmp(other));
    planned
}

fn judged(name: &str, parsed: Result<ServerConfig, super::ConfigError>, gates: &Gates) -> Planned {
    match (gates.block(name), parsed) {
        (Some(block), _) => Planned::Blocked(block.to_string()),
        (None, Ok(config)) => Planned::Connect(Box::new(config)),
        (None, Err(error)) => Planned::Broken(format!("its settings are wrong: {error}")),
    }
}
