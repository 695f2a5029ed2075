//! What the settings say about agents, whoever has described them.

#[cfg(test)]
mod tests;

use std::time::Duration;

use serde_json::{Map, Value};

use super::tool_names;
use crate::settings::Settings;

/// `agents.overrides.<name>`. A value that makes no sense counts as none.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgentOverride {
    pub enabled: Option<bool>,
    pub max_turns: Option<u32>,
    pub max_time: Option<Duration>,
    pub model: Option<String>,
    /// How the model is to be asked.
    pub generation: Map<String, Value>,
    /// Instead of those that are described.
    pub tools: Option<Vec<String>>,
}

/// `experimental.enableAgents`
pub fn agents_are_on(settings: &Settings) -> bool {
    let set = settings.get("experimental.enableAgents");
    set.and_then(Value::as_bool).unwrap_or(true)
}

pub fn agent_override(settings: &Settings, name: &str) -> AgentOverride {
    let overrides = settings.get("agents.overrides");
    let Some(set) = overrides.and_then(|overrides| overrides.get(name)) else {
        return AgentOverride::default();
    };
    let run = |name: &str| set.get("runConfig").and_then(|run| run.get(name));
    let model = |name: &str| set.get("modelConfig").and_then(|model| model.get(name));
    let named = model("model").and_then(Value::as_str);
    let tools = set.get("tools").and_then(Value::as_array);
    AgentOverride {
        enabled: set.get("enabled").and_then(Value::as_bool),
        max_turns: run("maxTurns")
            .and_then(Value::as_u64)
            .and_then(|turns| u32::try_from(turns).ok())
            .filter(|turns| *turns > 0),
        max_time: run("maxTimeMinutes")
            .and_then(Value::as_f64)
            .and_then(|minutes| Duration::try_from_secs_f64(minutes * 60.0).ok())
            .filter(|time| !time.is_zero()),
        model: named
            .filter(|model| !model.is_empty() && *model != "inherit")
            .map(str::to_owned),
        generation: model("generateContentConfig")
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default(),
        tools: tools.map(|tools| {
            let names = tools.iter().filter_map(Value::as_str);
            let names = names.filter(|name| tool_names::is_known(name));
            names.map(str::to_owned).collect()
        }),
    }
}
