use std::sync::{Arc, Mutex, PoisonError};

use pollux_policy::ApprovalMode;

/// The approval mode of a session, which the person, an answer or a tool may change in the middle of a turn.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedMode(Arc<Mutex<ApprovalMode>>);

impl SharedMode {
    pub(crate) fn new(mode: ApprovalMode) -> Self {
        Self(Arc::new(Mutex::new(mode)))
    }

    pub(crate) fn get(&self) -> ApprovalMode {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether that was a change.
    pub(crate) fn set(&self, mode: ApprovalMode) -> bool {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *held, mode) != mode
    }
}
