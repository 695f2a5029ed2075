use std::sync::{Arc, Mutex, PoisonError};

use crate::api::Prompt;

/// What the person says into a running turn, until the model can hear it.
#[derive(Clone, Default)]
pub(crate) struct Steering(Arc<Mutex<Vec<Prompt>>>);

impl Steering {
    pub(crate) fn push(&self, prompt: Prompt) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(prompt);
    }

    pub(crate) fn take(&self) -> Vec<Prompt> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
