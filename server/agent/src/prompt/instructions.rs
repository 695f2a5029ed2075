#[cfg(test)]
mod tests;

use std::path::PathBuf;

use pollux_policy::ApprovalMode;

use super::memory::MemoryTexts;
use super::system::{
    Mode, ModelFamily, StandingMemory, Switches, SystemBody, SystemState, memory_section,
    system_prompt,
};
use crate::{Instructions, PromptState};

/// The system prompt of one session, written anew as its mode and its topic change.
#[derive(Clone, Debug)]
pub struct SystemInstructions {
    /// Everything that stays. Mode, topic and family in it do not count.
    pub state: SystemState,
    pub switches: Switches,
    /// The text of the file that `GEMINI_SYSTEM_MD` names, if there is one.
    pub replacement: Option<String>,
    pub memory: MemoryTexts,
    pub plans_folder: PathBuf,
}

impl Instructions for SystemInstructions {
    fn text(&self, now: &PromptState) -> String {
        let state = SystemState {
            mode: match now.mode {
                ApprovalMode::Plan => Mode::Plan {
                    plans_folder: self.plans_folder.clone(),
                },
                ApprovalMode::Default | ApprovalMode::AutoEdit => Mode::Approving,
                ApprovalMode::Yolo => Mode::Yolo,
            },
            topic: now.topic.clone(),
            family: ModelFamily::of(&now.model),
            ..self.state.clone()
        };
        let body = match &self.replacement {
            Some(text) => SystemBody::Replaced(text),
            None => SystemBody::Sections,
        };
        system_prompt(&state, &self.switches, body, self.standing())
    }

    fn memory(&self) -> String {
        memory_section(self.standing())
    }
}

impl SystemInstructions {
    fn standing(&self) -> StandingMemory<'_> {
        StandingMemory {
            global: &self.memory.global,
            user_project: &self.memory.user_project,
        }
    }
}
