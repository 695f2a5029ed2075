//! From settings to what is to be connected.

#[cfg(test)]
mod tests;

use std::path::PathBuf;

use pollux_exec::Variable;
use serde_json::{Map, Value};

use super::{Gates, ServerConfig};

/// Everything that the connections of a workspace are made from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Setup {
    /// By name.
    pub servers: Vec<(String, Planned)>,
    /// What every server gets to see: without secrets.
    pub environment: Vec<Variable>,
    /// Where servers are started.
    pub folder: PathBuf,
}

/// What is to become of a configured server.
#[derive(Clone, Debug, PartialEq)]
pub enum Planned {
    Connect(Box<ServerConfig>),
    /// It is listed and left alone, for this reason.
    Blocked(String),
}

/// What becomes of each entry of `mcpServers` and of `mcp.serverCommand`, by name.
pub fn plan(
    entries: &Map<String, Value>,
    server_command: Option<&str>,
    gates: &Gates,
) -> Vec<(String, Planned)> {
    let mut planned: Vec<(String, Planned)> = entries
        .iter()
        .filter_map(|(name, entry)| {
            let parsed = ServerConfig::parse(name, entry).transpose()?;
            Some((name.clone(), judged(name, parsed, gates)))
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
        (None, Err(error)) => Planned::Blocked(format!("its settings are wrong: {error}")),
    }
}
