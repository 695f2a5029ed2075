//! Servers by the settings of a folder, read anew whenever somebody asks.

use std::collections::BTreeSet;
use std::path::PathBuf;

use pollux_mcp::connect::{Gates, ServerSource, Setup, Switch, Trusted, plan};
use pollux_settings::{EditorTrust, Environment, Loaded};
use pollux_workspace::SessionRequest;
use serde_json::{Map, Value};

use super::enablement;
use crate::{environment, equipment};

/// The request that opened the first session stands for its person and folder.
#[derive(Clone)]
pub(crate) struct Source {
    pub(crate) environment: Environment,
    pub(crate) folder: PathBuf,
    pub(crate) trust: EditorTrust,
    /// Servers that a door has brought along; one of the same name stands behind it.
    pub(crate) given: Map<String, Value>,
    /// Instead of `mcp.allowed`, unless it is empty.
    pub(crate) allowed: Vec<String>,
}

impl Source {
    pub(super) fn of(request: &SessionRequest, allowed: &[String]) -> Self {
        Self {
            environment: environment::of_door(&request.context),
            folder: request.folder.clone(),
            trust: EditorTrust::from(request.trusted),
            given: request.wishes.servers.clone(),
            allowed: allowed.to_vec(),
        }
    }

    pub(super) fn load(&self) -> Loaded {
        pollux_settings::load(&self.environment, &self.folder, self.trust)
    }

    pub(super) fn setup_of(&self, loaded: &Loaded, off_for_now: &BTreeSet<String>) -> Setup {
        let mut gates = gates(loaded);
        gates.off_for_now.clone_from(off_for_now);
        if !self.allowed.is_empty() {
            gates.allowed.clone_from(&self.allowed);
        }
        let mut entries = entries(loaded);
        entries.extend(self.given.clone());
        Setup {
            servers: plan(&entries, server_command(loaded), &gates),
            environment: equipment::server_environment(loaded),
            folder: self.folder.clone(),
        }
    }
}

impl ServerSource for Source {
    fn setup(&self, off_for_now: &BTreeSet<String>) -> Setup {
        self.setup_of(&self.load(), off_for_now)
    }

    fn switch(&self, server: &str, switch: Switch) -> Result<(), String> {
        enablement::switch(&self.load().locations, server, switch)
    }
}

/// Whether there is anything to connect. Asked at every start, so it must cost nothing.
pub(super) fn has_any(loaded: &Loaded) -> bool {
    let servers = loaded.merged.get("mcpServers").and_then(Value::as_object);
    servers.is_some_and(|servers| !servers.is_empty()) || server_command(loaded).is_some()
}

pub(super) fn entries(loaded: &Loaded) -> Map<String, Value> {
    let servers = loaded.merged.get("mcpServers").and_then(Value::as_object);
    servers.cloned().unwrap_or_default()
}

pub(super) fn server_command(loaded: &Loaded) -> Option<&str> {
    let command = loaded.merged.get("mcp.serverCommand");
    let command = command.and_then(Value::as_str);
    command.filter(|command| !command.trim().is_empty())
}

pub(super) fn gates(loaded: &Loaded) -> Gates {
    let list = |name: &str| -> Vec<String> {
        let list = loaded.merged.get(name).and_then(Value::as_array);
        let names = list.into_iter().flatten().filter_map(Value::as_str);
        names.map(str::to_owned).collect()
    };
    Gates {
        allowed: list("mcp.allowed"),
        excluded: list("mcp.excluded"),
        off_for_now: BTreeSet::new(),
        disabled: enablement::disabled(&loaded.locations),
        trusted: match loaded.trust.is_trusted() {
            true => Trusted::Yes,
            false => Trusted::No,
        },
    }
}
