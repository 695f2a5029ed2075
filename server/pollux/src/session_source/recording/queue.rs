//! What waits to be written. Pieces of an answer that wait are one piece, and a model that writes fast wakes the writer
//! once in a while instead of for every few letters.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Owned;

/// Pieces of an answer that come closer together than this are written as one. The first is written at once, so only a
/// model that writes faster than this can lose more than the last piece to a process that is killed, and then what it
/// said in this time.
const JOIN: Duration = Duration::from_millis(1);

/// Bytes of the pieces of one answer that wait for the disk. The rest of them is left out: they serve only if the process
/// is killed before the whole answer is recorded.
const MOST_WAITING: usize = 16 * 1024 * 1024;

/// An end that puts in. The other end is told when the last of them is gone.
pub(super) struct Entries(Arc<Queue>);

/// The end that takes out. Nothing is kept once it is gone.
pub(super) struct Writing {
    queue: Arc<Queue>,
    join: Duration,
    /// When a piece of an answer was taken out last.
    piece: Option<Instant>,
}

#[derive(Default)]
struct Queue {
    /// Held to push or to pop, never while something is written.
    state: Mutex<State>,
    news: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Owned>,
    writer: Writer,
    /// How many can still put something in.
    ends: usize,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Writer {
    /// Looks into the queue by itself, soon.
    #[default]
    AtWork,
    /// Nothing is there to be written.
    Idle,
    /// Waits for more of an answer.
    Joining,
    Gone,
}

pub(super) fn queue() -> (Entries, Writing) {
    joining(JOIN)
}

fn joining(join: Duration) -> (Entries, Writing) {
    let queue = Arc::new(Queue::default());
    queue.lock().ends = 1;
    let writing = Writing {
        queue: Arc::clone(&queue),
        join,
        piece: None,
    };
    (Entries(queue), writing)
}

impl Entries {
    /// To be written as soon as what is before it.
    pub(super) fn put(&self, entry: Owned) {
        self.add(|state| {
            state.waiting.push_back(entry);
            matches!(state.writer, Writer::Idle | Writer::Joining)
        });
    }

    /// To be taken out with what comes next, and nothing to wake anybody for.
    pub(super) fn put_before_next(&self, entry: Owned) {
        self.add(|state| {
            state.waiting.push_back(entry);
            false
        });
    }

    /// More of an answer.
    pub(super) fn piece(&self, text: &str) {
        self.add(|state| {
            match state.waiting.back_mut() {
                Some(Owned::Text(before)) if before.len() + text.len() > MOST_WAITING => {}
                Some(Owned::Text(before)) => before.push_str(text),
                _ => state.waiting.push_back(Owned::Text(text.to_owned())),
            }
            state.writer == Writer::Idle
        });
    }

    /// Wakes the writer if it should look, once, however much comes until it is awake. It finds the queue unlocked.
    fn add(&self, change: impl FnOnce(&mut State) -> bool) {
        let mut state = self.0.lock();
        if state.writer == Writer::Gone || !change(&mut state) {
            return;
        }
        state.writer = Writer::AtWork;
        drop(state);
        self.0.news.notify_one();
    }
}

impl Clone for Entries {
    fn clone(&self) -> Self {
        self.0.lock().ends += 1;
        Self(Arc::clone(&self.0))
    }
}

impl Drop for Entries {
    fn drop(&mut self) {
        self.0.lock().ends -= 1;
        self.0.news.notify_one();
    }
}

impl Writing {
    /// Waits for the next entry; nothing once nobody can put one in.
    pub(super) fn next(&mut self) -> Option<Owned> {
        let queue = Arc::clone(&self.queue);
        let mut state = queue.lock();
        loop {
            let joins_for = self
                .piece
                .and_then(|last| self.join.checked_sub(last.elapsed()));
            match (state.waiting.front(), joins_for) {
                // Nothing is behind it that would have to wait for it.
                (Some(Owned::Text(_)), Some(rest))
                    if state.waiting.len() == 1 && state.ends > 0 =>
                {
                    state.writer = Writer::Joining;
                    let waited = queue.news.wait_timeout(state, rest);
                    state = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
                (Some(entry), _) => {
                    self.piece = matches!(entry, Owned::Text(_)).then(Instant::now);
                    state.writer = Writer::AtWork;
                    return state.waiting.pop_front();
                }
                (None, _) if state.ends == 0 => return None,
                (None, _) => {
                    state.writer = Writer::Idle;
                    state = queue
                        .news
                        .wait(state)
                        .unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        let mut state = self.queue.lock();
        state.writer = Writer::Gone;
        // Whoever waits to hear that something is written learns that it is not.
        let unwritten = std::mem::take(&mut state.waiting);
        drop(state);
        drop(unwritten);
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
