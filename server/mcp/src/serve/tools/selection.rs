//! `selection`

use rmcp::model::Tool;

use super::{Call, Effect, Failure, Nothing};
use crate::serve::facts::Selection;

pub(super) const NAME: &str = "selection";

pub(super) fn tool() -> Tool {
    super::tool::<Nothing, Selection>(
        NAME,
        "Selection",
        "Tells which file the person looks at, where the cursor is and what is selected.",
        &Effect::Reads,
    )
}

pub(super) async fn run(call: &Call<'_>, _: Nothing) -> Result<Selection, Failure> {
    call.tell(|sight| Ok(Selection::of(sight))).await
}
