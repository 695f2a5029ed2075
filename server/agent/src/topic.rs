use std::sync::{Arc, Mutex, PoisonError};

use crate::api::Topic;

/// What a session works on at the moment, by the model's own word.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedTopic(Arc<Mutex<Option<Topic>>>);

impl SharedTopic {
    pub(crate) fn get(&self) -> Option<Topic> {
        self.lock().clone()
    }

    pub(crate) fn set(&self, topic: Topic) {
        *self.lock() = Some(topic);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Topic>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
