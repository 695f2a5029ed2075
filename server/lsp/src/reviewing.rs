//! Keeps a client's picture of the pending hunks up to date.
//!
//! A client with a plugin gets `pollux/hunks`; any other gets diagnostics, and is told to ask for its code lenses
//! again. Nothing is queued: what is sent is the state of that moment, so a client that takes its time skips what
//! lies between.

mod diagnostics;
mod hunks;
mod place;
mod watching;
mod words;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use pollux_workspace::{DocumentKey, Snapshot};
use tokio::sync::Notify;
use tower_lsp::Client;
use tower_lsp::ls_types::request::CodeLensRefresh;
use tracing::debug;

use crate::connection::Connection;
use crate::outbound;

pub(crate) use hunks::{is_pending, reviewed_file};
pub(crate) use place::{Opened, line_count, shown_path, whole_lines};
pub(crate) use words::{capitalised, lines as counted, sentence};

/// Between two messages about the same typing. The first change after a pause is sent at once, and so is what a
/// command of this client has done.
const PACE: Duration = Duration::from_millis(150);

/// What the handlers of a connection tell the task that shows its review.
#[derive(Default)]
pub(crate) struct Reviewing {
    hurry: Notify,
    refresh: Notify,
    /// Files whose hunks this client is to be sent again, whether they moved or not.
    again: Mutex<BTreeSet<DocumentKey>>,
}

impl Reviewing {
    /// The person waits for what comes of a command.
    pub(crate) fn hurry(&self) {
        self.hurry.notify_one();
    }

    /// The client named a hunk that is not there: what it shows is old.
    pub(crate) fn show_again(&self, key: DocumentKey) {
        self.lock().insert(key);
        self.hurry();
    }

    fn take_again(&self) -> BTreeSet<DocumentKey> {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeSet<DocumentKey>> {
        self.again.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Shows the review until the connection ends.
pub(crate) async fn run(connection: &Connection, client: Client) {
    connection.ready.cancelled().await;
    tokio::join!(
        show(connection, &client),
        refresh(connection, &client),
        watching::run(connection, &client),
    );
}

async fn show(connection: &Connection, client: &Client) {
    let mut picture = match connection.traits().hunks {
        true => Picture::Hunks(hunks::Picture::default()),
        false => Picture::Diagnostics(diagnostics::Picture::default()),
    };
    // The room that is followed may become part of another one, which is followed then.
    while let Ok(mut moves) = connection.follow_reviews().await {
        loop {
            moves.mark_unchanged();
            // A room that has ended has nothing more to show; the connection ends with it.
            let Ok(snapshot) = connection.snapshot(None).await else {
                return;
            };
            picture
                .bring_up_to_date(connection, client, &snapshot)
                .await;
            // Whoever holds a snapshot makes the room copy what it changes.
            drop(snapshot);
            let hurry = &connection.reviewing.hurry;
            tokio::select! {
                () = tokio::time::sleep(PACE) => {}
                () = hurry.notified() => continue,
            }
            tokio::select! {
                moved = moves.changed() => if moved.is_err() { break },
                () = hurry.notified() => {}
            }
        }
    }
}

/// What the client was told last.
enum Picture {
    Hunks(hunks::Picture),
    Diagnostics(diagnostics::Picture),
}

impl Picture {
    async fn bring_up_to_date(
        &mut self,
        connection: &Connection,
        client: &Client,
        snapshot: &Snapshot,
    ) {
        let again = connection.reviewing.take_again();
        match self {
            Self::Hunks(picture) => {
                for params in picture.news(snapshot, connection.door, &again) {
                    client.send_notification::<hunks::Hunks>(params).await;
                }
            }
            Self::Diagnostics(picture) => {
                let news = picture.news(snapshot, connection.door, &again);
                if !news.is_empty() {
                    connection.reviewing.refresh.notify_one();
                }
                for params in news {
                    client
                        .send_notification::<diagnostics::PublishDiagnostics>(params)
                        .await;
                }
            }
        }
    }
}

/// Tells the client to ask for its code lenses again, once for however much has changed meanwhile.
async fn refresh(connection: &Connection, client: &Client) {
    let traits = connection.traits();
    if !traits.shows_lenses || !traits.refreshes_lenses {
        return;
    }
    loop {
        connection.reviewing.refresh.notified().await;
        if let Err(error) = outbound::request::<CodeLensRefresh>(connection, client, ()).await {
            debug!(%error, "the client does not refresh its code lenses");
        }
    }
}
