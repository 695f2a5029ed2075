//! `references`

use pollux_workspace::Wanted;
use rmcp::model::Tool;

use super::{Call, Effect, Failure};
use crate::serve::editors;
use crate::serve::places::{self, Places};
use crate::serve::spot::Spot;

pub(super) const NAME: &str = "references";

pub(super) fn tool() -> Tool {
    super::tool::<Spot, Places>(
        NAME,
        "References",
        "Finds everywhere that something is used, and where it is declared, as the language servers of the person's editor \
         know it. Name the place by its line and the name that stands there.",
        &Effect::Reads,
    )
}

pub(super) async fn run(call: &Call<'_>, spot: Spot) -> Result<Places, Failure> {
    let heard = editors::ask(call, spot, Wanted::References).await?;
    places::told(call, heard).await
}
