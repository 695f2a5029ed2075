//! `pollux/companion`: where an agent in a terminal finds this editor.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where agents outside find the room. Replaces what was said before; `null` means that it is nowhere to be found
/// any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompanionParams {
    pub companion: Option<Companion>,
}

/// What a terminal of this editor is told by environment variables.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Companion {
    /// `GEMINI_CLI_IDE_SERVER_PORT`
    pub port: u16,
    /// `GEMINI_CLI_IDE_WORKSPACE_PATH`
    pub workspace_path: String,
    /// `GEMINI_CLI_IDE_AUTH_TOKEN`. Whoever has it may propose edits: it belongs in no log.
    pub auth_token: String,
}

impl fmt::Debug for Companion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Companion")
            .field("port", &self.port)
            .field("workspace_path", &self.workspace_path)
            .finish_non_exhaustive()
    }
}
