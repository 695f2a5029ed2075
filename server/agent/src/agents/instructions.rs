#[cfg(test)]
mod tests;

use std::sync::Arc;

use pollux_policy::ApprovalMode;

use crate::{Instructions, PromptState};

/// What a sub-agent is told: its author's words, what people wrote down for every agent, and how it hands in its work.
pub(super) struct AgentInstructions {
    /// Filled in.
    pub(super) own: String,
    /// Whoever instructs the session.
    pub(super) session: Option<Arc<dyn Instructions>>,
}

impl Instructions for AgentInstructions {
    fn text(&self, state: &PromptState) -> String {
        let written_down = self.session.as_ref().map(|session| session.memory());
        let planning = match state.mode {
            ApprovalMode::Plan => include_str!("plan.md"),
            ApprovalMode::Default | ApprovalMode::AutoEdit | ApprovalMode::Yolo => "",
        };
        let sections = [
            self.own.as_str(),
            written_down.as_deref().unwrap_or_default(),
            planning,
            include_str!("rules.md"),
        ];
        let sections = sections.map(str::trim);
        let said: Vec<&str> = sections
            .into_iter()
            .filter(|text| !text.is_empty())
            .collect();
        said.join("\n\n")
    }
}
