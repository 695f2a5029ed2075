//! Takes back what the last turn edited, through the review that has the record of it.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, bail};
use pollux_workspace::{Input, ReviewCommand, ReviewError, Rooms};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, timeout};

/// How long files may take to be as they were, where an editor has to take it.
const AT_REST: Duration = Duration::from_secs(5);
/// How long it is waited for a record that another process has.
const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(100);

/// Undoes the last turn through whoever holds the record. Returns what was done, or `None` if no turn is left to undo.
pub(super) async fn undo(rooms: &Rooms, folder: &Path) -> Result<Option<String>> {
    let started = Instant::now();
    loop {
        if let Some(done) = undo_there(rooms, folder).await {
            return done;
        }
        match undo_here(rooms, folder).await {
            Err(ReviewError::NotRecorded { busy: true, .. }) if started.elapsed() < PATIENCE => {
                sleep(PAUSE).await;
            }
            Err(error) => bail!("{error}"),
            Ok(done) => return Ok(done),
        }
    }
}

/// By this process.
pub(crate) async fn undo_here(rooms: &Rooms, folder: &Path) -> Result<Option<String>, ReviewError> {
    let room = rooms.lease(folder.to_owned());
    let (reply, answer) = oneshot::channel();
    room.inbox().post(Input::Review {
        command: ReviewCommand::UndoLastTurn,
        reply,
    });
    let done = match answer.await {
        Ok(Ok(done)) => done.message,
        Ok(Err(ReviewError::NothingToUndo)) | Err(_) => return Ok(None),
        Ok(Err(error)) => return Err(error),
    };
    let (reply, rested) = oneshot::channel();
    room.inbox().post(Input::Rest(reply));
    // An agent that works in the same room may never rest.
    let _late_or_gone = timeout(AT_REST, rested).await;
    Ok(Some(done))
}

/// By the process that has the record, if it takes such requests. Nothing if it does not.
#[cfg(unix)]
async fn undo_there(rooms: &Rooms, folder: &Path) -> Option<Result<Option<String>>> {
    use crate::shared::foreign_edits::{Answer, Request, ask};

    let socket = rooms.record_holder(folder)?;
    let request = Request::UndoLastTurn {
        root: folder.to_owned(),
    };
    let never = tokio_util::sync::CancellationToken::new();
    match ask(&socket, &request, &never).await.ok()? {
        Answer::Undone(done) => Some(Ok(done)),
        Answer::Failed(error) => match pollux_agent::FileError::from(error) {
            pollux_agent::FileError::NotRecorded { source }
                if source.kind() == std::io::ErrorKind::ResourceBusy =>
            {
                None
            }
            pollux_agent::FileError::NotRecorded { source } => {
                Some(Err(anyhow::Error::msg(source.to_string())))
            }
            error => Some(Err(error.into())),
        },
        Answer::Written { .. } | Answer::OpenTexts(_) => None,
    }
}

#[cfg(not(unix))]
async fn undo_there(_: &Rooms, _: &Path) -> Option<Result<Option<String>>> {
    None
}
