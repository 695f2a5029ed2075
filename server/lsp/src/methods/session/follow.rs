//! `pollux/sessionFollow` and `pollux/sessionUnfollow`, and the `pollux/sessionEvents` that come of it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pollux_workspace::{Follower, LiveSession, SessionEnd};
use tokio_util::task::AbortOnDropHandle;
use tower_lsp::Client;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::notification::Notification;

use super::{event, live};
use crate::protocol::{
    Done, SessionEvent, SessionEventsParams, SessionFollowParams, SessionParams, method,
};
use crate::server::Server;

/// Events that come closer together than this are sent in one message. A person sees no
/// difference, and an editor has a tenth of the work.
const JOIN: Duration = Duration::from_millis(25);

/// The sessions this client follows. The tasks end with the connection.
#[derive(Default)]
pub(crate) struct Following {
    tasks: Mutex<HashMap<String, AbortOnDropHandle<()>>>,
}

struct SessionEvents;

impl Notification for SessionEvents {
    type Params = SessionEventsParams;
    const METHOD: &'static str = method::SESSION_EVENTS;
}

pub(crate) async fn handle(server: &Server, params: SessionFollowParams) -> Result<Done> {
    let live = live(server, &params.session).await?;
    begin(server, live, params.cursor);
    Ok(Done {})
}

/// Sends the client what happens in this session from the cursor on.
pub(super) fn begin(server: &Server, live: Arc<LiveSession>, cursor: u64) {
    let session = live.id.to_string();
    let task = tokio::spawn(follow(live, cursor, server.client.clone()));
    let following = &server.connection.following;
    following.insert(session, AbortOnDropHandle::new(task));
}

pub(crate) async fn stop(server: &Server, params: SessionParams) -> Result<Done> {
    server.connection.following.remove(&params.session);
    Ok(Done {})
}

/// Sends what happens until the client stops listening. While the client takes its time, events
/// gather in the feed, where they are kept in any case, and come joined.
async fn follow(live: Arc<LiveSession>, given: u64, client: Client) {
    let _shown_here = Follower::of(&live);
    let now = live.feed.end();
    let mut cursor = live.feed.place(given);
    loop {
        let ended = tokio::select! {
            biased;
            () = live.feed.beyond(cursor) => None,
            ended = live.ended() => Some(ended),
        };
        if let Some(ended) = ended {
            if ended == SessionEnd::Deleted {
                let deleted = SessionEventsParams {
                    session: live.id.to_string(),
                    cursor: live.feed.given(cursor),
                    past: false,
                    more: false,
                    events: vec![SessionEvent::Deleted {}],
                };
                client.send_notification::<SessionEvents>(deleted).await;
            }
            return;
        }
        let past = cursor < now;
        let batch = live.feed.read(cursor);
        cursor = batch.next;
        let params = SessionEventsParams {
            session: live.id.to_string(),
            cursor: live.feed.given(cursor),
            past,
            more: cursor < now,
            events: batch.events.iter().filter_map(event::from).collect(),
        };
        client.send_notification::<SessionEvents>(params).await;
        tokio::time::sleep(JOIN).await;
    }
}

impl Following {
    fn insert(&self, session: String, task: AbortOnDropHandle<()>) {
        self.lock().insert(session, task);
    }

    fn remove(&self, session: &str) {
        self.lock().remove(session);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, AbortOnDropHandle<()>>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
