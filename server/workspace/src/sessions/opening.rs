//! Who opens a recorded session at this moment.
//!
//! Two windows that ask a new host for the same session at once share it: its record can be opened only once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OwnedMutexGuard;

/// Locks by what a session was asked for by.
#[derive(Default)]
pub(super) struct OpeningLocks(Mutex<BTreeMap<String, Arc<tokio::sync::Mutex<()>>>>);

impl OpeningLocks {
    /// Waits until nobody else opens what has this name.
    pub(super) async fn lock(&self, name: &str) -> OwnedMutexGuard<()> {
        let lock = {
            let mut locks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            locks.retain(|_, lock| Arc::strong_count(lock) > 1);
            Arc::clone(locks.entry(name.to_owned()).or_default())
        };
        lock.lock_owned().await
    }
}
