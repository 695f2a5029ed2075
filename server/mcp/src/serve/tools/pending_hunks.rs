//! `pending_hunks`

use rmcp::model::Tool;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Call, Effect, Failure};
use crate::serve::facts::Hunks;

pub(super) const NAME: &str = "pending_hunks";

#[derive(Deserialize, JsonSchema)]
pub(super) struct Arguments {
    /// Only those of this file: a path within the workspace folder, or a whole one.
    path: Option<String>,
}

pub(super) fn tool() -> Tool {
    super::tool::<Arguments, Hunks>(
        NAME,
        "Pending hunks",
        "Lists the changes of agents that the person has not decided about yet, of one file or of all.",
        &Effect::Reads,
    )
}

pub(super) async fn run(call: &Call<'_>, arguments: Arguments) -> Result<Hunks, Failure> {
    call.tell(move |sight| {
        let only = arguments.path.map(|path| sight.find(&path)).transpose()?;
        let only = only.as_ref().map(|found| found.place.at.path.as_path());
        Ok(Hunks::of(sight, only))
    })
    .await
}
