//! Takes back what the last turn edited, through the review that has the record of it.

use std::path::Path;

use anyhow::{Result, bail};
use pollux_workspace::{Input, ReviewCommand, ReviewError, Rooms};
use tokio::sync::oneshot;

/// Says what was done, or nothing where no turn is left to take back.
pub(super) async fn undo(rooms: &Rooms, folder: &Path) -> Result<Option<String>> {
    let room = rooms.lease(folder.to_owned());
    let (reply, answer) = oneshot::channel();
    room.inbox().post(Input::Review {
        command: ReviewCommand::UndoLastTurn,
        reply,
    });
    let done = match answer.await? {
        Ok(done) => done.message,
        Err(ReviewError::NothingToUndo) => return Ok(None),
        Err(error) => bail!("{error}"),
    };
    let (reply, rested) = oneshot::channel();
    room.inbox().post(Input::Rest(reply));
    rested.await?;
    Ok(Some(done))
}
