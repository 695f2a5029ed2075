//! Whether a client is still there.
//!
//! None says goodbye: what tells that one has gone is that it has no stream open and says nothing.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

#[derive(Debug)]
pub(crate) struct Presence(Mutex<State>);

#[derive(Debug)]
struct State {
    streams: usize,
    /// When it last said something or closed a stream.
    heard: Instant,
}

/// A stream that is open for as long as this lives.
#[derive(Debug)]
pub(crate) struct OpenStream(Arc<Presence>);

impl Presence {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(State {
            streams: 0,
            heard: Instant::now(),
        }))
    }

    /// A request has come: whoever speaks is there.
    pub(crate) fn heard(&self) {
        self.lock().heard = Instant::now();
    }

    pub(crate) fn stream(self: &Arc<Self>) -> OpenStream {
        self.lock().streams += 1;
        OpenStream(Arc::clone(self))
    }

    /// Since when there has been no stream and no word.
    pub(crate) fn away(&self) -> Option<Instant> {
        let state = self.lock();
        (state.streams == 0).then_some(state.heard)
    }

    pub(crate) fn is_gone(&self, after: Duration) -> bool {
        self.away().is_some_and(|since| since.elapsed() >= after)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.streams = state.streams.saturating_sub(1);
        state.heard = Instant::now();
    }
}
