use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

use crate::api::{CallId, Refusal};

/// The calls that are running, shared by the turn, which runs them, and the session, which is told to stop one.
#[derive(Clone, Default)]
pub(crate) struct Running(Arc<Mutex<BTreeMap<CallId, CancellationToken>>>);

impl Running {
    /// From here on the call can be stopped by itself, until what is returned is gone. It stops with the turn in any case.
    pub(crate) fn begin(&self, call: &CallId, turn: &CancellationToken) -> RunningCall {
        let cancel = turn.child_token();
        self.lock().insert(call.clone(), cancel.clone());
        RunningCall {
            all: self.clone(),
            call: call.clone(),
            cancel,
        }
    }

    pub(crate) fn stop(&self, call: &CallId) -> Result<(), Refusal> {
        let running = self.lock().get(call).cloned();
        running.ok_or(Refusal::NotRunning)?.cancel();
        Ok(())
    }

    /// Every change of the table is one call, so a panic elsewhere cannot leave it half done.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<CallId, CancellationToken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call while it runs.
pub(crate) struct RunningCall {
    all: Running,
    call: CallId,
    cancel: CancellationToken,
}

impl RunningCall {
    pub(crate) fn cancel(&self) -> &CancellationToken {
        &self.cancel
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        self.all.lock().remove(&self.call);
    }
}
