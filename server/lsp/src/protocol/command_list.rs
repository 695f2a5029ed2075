//! `pollux/commandList`: what may follow a slash at the beginning of a prompt.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct CommandListParams {
    /// The commands of this session's folder; of the first workspace folder if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommandListResult {
    pub commands: Vec<CommandItem>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommandItem {
    /// Without the slash.
    pub name: String,
    pub description: String,
    /// What may follow the name, in a word or two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<String>,
    pub source: CommandOrigin,
}

/// Whose command it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CommandOrigin {
    Builtin,
    User,
    Workspace,
}
