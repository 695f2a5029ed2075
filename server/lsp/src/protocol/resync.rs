//! `pollux/resync`: the server has lost track of a text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A change to this file did not fit the text the server holds. The client answers with an
/// ordinary `textDocument/didChange` whose one change has no range and carries the whole text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResyncParams {
    pub uri: String,
}
