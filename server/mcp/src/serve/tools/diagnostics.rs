//! `diagnostics`

use rmcp::model::Tool;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Call, Effect, Failure};
use crate::serve::facts::Diagnostics;

pub(super) const NAME: &str = "diagnostics";

#[derive(Deserialize, JsonSchema)]
pub(super) struct Arguments {
    /// Only those of this file: a path within the workspace folder, or a whole one.
    path: Option<String>,
}

pub(super) fn tool() -> Tool {
    super::tool::<Arguments, Diagnostics>(
        NAME,
        "Diagnostics",
        "Lists the errors and warnings that the editor shows, of one file or of all.",
        &Effect::Reads,
    )
}

pub(super) async fn run(call: &Call<'_>, arguments: Arguments) -> Result<Diagnostics, Failure> {
    call.tell(move |sight| {
        let only = arguments.path.map(|path| sight.find(&path)).transpose()?;
        let only = only.as_ref().map(|found| found.place.at.path.as_path());
        Ok(Diagnostics::of(sight, only))
    })
    .await
}
