use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pollux_policy::ApprovalMode;

use crate::routing::Plan;

/// The approval mode of a session, which the person, an answer or a tool may change in the middle of a turn.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedMode(Arc<Mutex<Held>>);

#[derive(Debug, Default)]
struct Held {
    mode: ApprovalMode,
    plan: Plan,
}

impl SharedMode {
    pub(crate) fn new(mode: ApprovalMode) -> Self {
        let plan = Plan::None;
        Self(Arc::new(Mutex::new(Held { mode, plan })))
    }

    pub(crate) fn get(&self) -> ApprovalMode {
        self.held().mode
    }

    /// Whether that was a change.
    pub(crate) fn set(&self, mode: ApprovalMode) -> bool {
        std::mem::replace(&mut self.held().mode, mode) != mode
    }

    /// The same for a tool or an answer to one. No tool leaves the plan mode but with a plan that was approved.
    pub(crate) fn set_by_tool(&self, mode: ApprovalMode) -> bool {
        let mut held = self.held();
        let before = std::mem::replace(&mut held.mode, mode);
        if before == ApprovalMode::Plan && mode != ApprovalMode::Plan {
            held.plan = Plan::Approved;
        }
        before != mode
    }

    pub(crate) fn plan(&self) -> Plan {
        self.held().plan
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
