use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pollux_model::RetryTrigger;

use crate::api::Refusal;

/// The requests of a turn that wait before they are sent again, shared by the turn, which waits, and the session,
/// which is told to wait no longer.
#[derive(Clone, Default)]
pub(crate) struct RetryWaits(Arc<Mutex<Waiting>>);

#[derive(Default)]
struct Waiting {
    last: u64,
    triggers: BTreeMap<u64, RetryTrigger>,
}

/// A request while it waits.
pub(crate) struct RetryWait {
    all: RetryWaits,
    number: u64,
}

impl RetryWaits {
    /// From here on the wait can be ended, until what is returned is gone.
    pub(crate) fn begin(&self, trigger: RetryTrigger) -> RetryWait {
        let mut waiting = self.lock();
        waiting.last += 1;
        let number = waiting.last;
        waiting.triggers.insert(number, trigger);
        RetryWait {
            all: self.clone(),
            number,
        }
    }

    pub(crate) fn is_waiting(&self) -> bool {
        !self.lock().triggers.is_empty()
    }

    /// Sends everything that waits.
    pub(crate) fn retry_now(&self) -> Result<(), Refusal> {
        let waiting = self.lock();
        if waiting.triggers.is_empty() {
            return Err(Refusal::NoRetryWaits);
        }
        for trigger in waiting.triggers.values() {
            trigger.retry_now();
        }
        Ok(())
    }

    /// Every change of the table is one call, so a panic elsewhere cannot leave it half done.
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for RetryWait {
    fn drop(&mut self) {
        self.all.lock().triggers.remove(&self.number);
    }
}
