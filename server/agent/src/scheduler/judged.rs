//! What was judged, so that what is done is still that.
//!
//! A person takes their time to answer, and other calls run meanwhile: by then a path may lead through a link that was
//! not there. The question was about another file.

use std::path::PathBuf;

use pollux_policy::{ApprovalMode, Call, Decision, Verdict};

use crate::Gate;
use crate::tools::{ErrorKind, ToolError};

/// A verdict as it was before anybody answered.
#[derive(Clone, Debug)]
pub(crate) struct Judged {
    mode: ApprovalMode,
    decision: Decision,
    targets: Vec<PathBuf>,
}

impl Judged {
    pub(super) fn new(
        verdict: &Verdict,
        gate: &dyn Gate,
        call: &Call<'_>,
        mode: ApprovalMode,
    ) -> Self {
        Self {
            mode,
            decision: verdict.decision,
            targets: gate.targets(call, mode),
        }
    }

    /// Judges once more, right before the effect. What became freer meanwhile, because of the answer, is no matter.
    pub(crate) fn expect_unchanged(
        &self,
        gate: &dyn Gate,
        call: &Call<'_>,
    ) -> Result<(), ToolError> {
        let now = gate.judge(call, self.mode);
        let leads_elsewhere = gate.targets(call, self.mode) != self.targets;
        let changed = if leads_elsewhere {
            "a path leads elsewhere"
        } else if now.decision > self.decision {
            now.reason.as_str()
        } else {
            return Ok(());
        };
        let told = format!(
            "Nothing was done, because something has changed since the call was judged: {changed}. Make the call \
             again if it is still what you want."
        );
        Err(ToolError::new(ErrorKind::PolicyViolation, told))
    }
}
