//! `open_files`

use rmcp::model::Tool;

use super::{Call, Effect, Failure, Nothing};
use crate::serve::facts::OpenFiles;

pub(super) const NAME: &str = "open_files";

pub(super) fn tool() -> Tool {
    super::tool::<Nothing, OpenFiles>(
        NAME,
        "Open files",
        "Lists the files that are open in the person's editor, and which of them are unsaved or in front.",
        &Effect::Reads,
    )
}

pub(super) async fn run(call: &Call<'_>, _: Nothing) -> Result<OpenFiles, Failure> {
    call.tell(|sight| Ok(OpenFiles::of(sight))).await
}
