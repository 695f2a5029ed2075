use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::api::{KeptId, Prompt};

/// What the person says into a running turn, until the model can hear it.
#[derive(Clone, Default)]
pub(crate) struct Steering(Arc<Mutex<Said>>);

#[derive(Default)]
struct Said {
    waiting: Vec<Prompt>,
    heard: Vec<KeptId>,
}

impl Steering {
    pub(crate) fn push(&self, prompt: Prompt) {
        self.lock().waiting.push(prompt);
    }

    /// For the model, which hears it now.
    pub(crate) fn hear(&self) -> Vec<Prompt> {
        let mut said = self.lock();
        let heard = std::mem::take(&mut said.waiting);
        said.heard
            .extend(heard.iter().filter_map(|prompt| prompt.kept));
        heard
    }

    /// What nobody has heard.
    pub(crate) fn take(&self) -> Vec<Prompt> {
        std::mem::take(&mut self.lock().waiting)
    }

    /// What was heard and is recorded, or went with the turn.
    pub(crate) fn heard(&self) -> Vec<KeptId> {
        std::mem::take(&mut self.lock().heard)
    }

    fn lock(&self) -> MutexGuard<'_, Said> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
