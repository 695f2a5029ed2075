//! `initializationOptions`: what a person has set up in the editor that starts the server.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an editor may say in `initialize`. All of it is optional; what is not known here is not looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct InitializationOptions {
    pub companion: CompanionOptions,
}

/// The companion, by which agents in a terminal find the editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct CompanionOptions {
    /// Whether agents in a terminal may find this window.
    pub enabled: bool,
}

impl Default for CompanionOptions {
    fn default() -> Self {
        Self { enabled: true }
    }
}
