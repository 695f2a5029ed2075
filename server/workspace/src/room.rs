//! The task that owns a room.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tracing::{error, warn};

use crate::inbox::Posted;
use crate::reviews::Records;
use crate::{ConfigurationSource, Disk, Inbox, Input};

mod state;

pub(crate) use state::{DoorEntry, RoomState};

/// A keystroke must not wait behind anything slower than this.
const SLOW: Duration = Duration::from_millis(50);

/// Starts a room. Its task ends when the last sender of the inbox is gone.
pub(crate) fn open(
    source: Arc<dyn ConfigurationSource>,
    disk: Arc<dyn Disk>,
    records: Option<Records>,
) -> Inbox {
    let (inbox, receiver) = Inbox::new();
    let state = RoomState::new(source, disk, records, inbox.downgrade());
    tokio::spawn(run(state, receiver));
    inbox
}

async fn run(mut state: RoomState, mut receiver: mpsc::UnboundedReceiver<Posted>) {
    while let Some(Posted { input, place }) = receiver.recv().await {
        match input {
            Input::MoveTo(target) => return move_to(&target, state, receiver).await,
            input => handle(&mut state, input),
        }
        drop(place);
    }
}

/// Hands everything to another room and becomes a pipe into it, so that senders of this inbox
/// need not know, and the order of what each of them sends is kept.
async fn move_to(target: &Inbox, state: RoomState, mut receiver: mpsc::UnboundedReceiver<Posted>) {
    target.post(Input::Absorb(Box::new(state)));
    while let Some(posted) = receiver.recv().await {
        // These are about the folders of before the move, and say nothing about the room that
        // absorbed this one. It has its own.
        let is_past = matches!(
            posted.input,
            Input::Configured(_) | Input::CompanionMoved(_)
        );
        if !is_past {
            target.forward(posted);
        }
    }
}

fn handle(state: &mut RoomState, input: Input) {
    let started = Instant::now();
    if catch_unwind(AssertUnwindSafe(|| state.handle(input))).is_err() {
        error!("the room dropped a message that made it panic");
    }
    let took = started.elapsed();
    if took > SLOW {
        warn!(
            milliseconds = took.as_millis(),
            "the room took long over one message"
        );
    }
}

#[cfg(test)]
mod tests;
