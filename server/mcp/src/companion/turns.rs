//! Edits of one file are shown one after the other, in the order they came.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pollux_workspace::DocumentKey;
use tokio::sync::OwnedMutexGuard;

type File = Arc<tokio::sync::Mutex<()>>;

/// The files that somebody has the turn for, or waits for it. No other is kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Turns(Arc<Mutex<BTreeMap<DocumentKey, File>>>);

/// A file is somebody's for as long as this lives.
#[derive(Debug)]
pub(super) struct Turn {
    /// Goes first: the next one may have its turn before the place is given up.
    _held: OwnedMutexGuard<()>,
    _place: Place,
}

/// A place in the queue of a file. It is given up however the wait ends.
#[derive(Debug)]
struct Place {
    turns: Turns,
    key: DocumentKey,
    file: Option<File>,
}

impl Turns {
    /// Waits until nobody else has the file.
    pub(super) async fn of(&self, key: &DocumentKey) -> Turn {
        let file = Arc::clone(self.lock().entry(key.clone()).or_default());
        let place = Place {
            turns: self.clone(),
            key: key.clone(),
            file: Some(Arc::clone(&file)),
        };
        Turn {
            _held: file.lock_owned().await,
            _place: place,
        }
    }

    #[cfg(test)]
    pub(super) fn files(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<DocumentKey, File>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut files = self.turns.lock();
        drop(self.file.take());
        // Whoever else waits for it holds it too.
        let is_free = |file: &File| Arc::strong_count(file) == 1;
        if files.get(&self.key).is_some_and(is_free) {
            files.remove(&self.key);
        }
    }
}
