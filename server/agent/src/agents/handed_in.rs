use std::sync::{Arc, Mutex, PoisonError};

/// Where a sub-agent puts its result, for whoever waits for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct HandedIn(Arc<Mutex<Option<String>>>);

impl HandedIn {
    pub(crate) fn put(&self, result: String) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
    }

    pub(crate) fn take(&self) -> Option<String> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.take()
    }
}
