use crate::{Call, Context, Decision, Presence, Verdict};

/// All rules that are in force.
#[derive(Clone, Debug, Default)]
pub struct Policy {}

impl Policy {
    /// What becomes of the call.
    pub fn decide(&self, _call: &Call<'_>, context: &Context<'_>) -> Verdict {
        let (decision, reason) = match context.presence {
            Presence::Interactive => (Decision::Ask, "no rule says otherwise"),
            Presence::Headless => (Decision::Deny, "no rule allows it, and nobody can be asked"),
        };
        Verdict {
            decision,
            reason: reason.to_owned(),
            deny_message: None,
            rule: None,
            parts: Vec::new(),
        }
    }
}
