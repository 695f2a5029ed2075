//! `pollux/editorAnswer`

use pollux_workspace::{Input, QueryId};
use serde_json::Value;

use super::parse;
use crate::connection::Connection;
use crate::protocol::EditorAnswerParams;
use crate::querying;

/// In order with what is typed: the room then has the text that the answer is about.
pub(super) fn read(
    connection: &Connection,
    params: Value,
) -> Result<Option<Input>, serde_json::Error> {
    let EditorAnswerParams { id, answer } = parse(params)?;
    Ok(querying::answer(answer).map(|answer| Input::QueryAnswered {
        door: connection.door,
        query: QueryId(id),
        answer,
    }))
}
