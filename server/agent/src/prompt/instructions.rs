#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;

use pollux_policy::ApprovalMode;

use super::memory::MemoryTexts;
use super::system::{
    Mode, ModelFamily, StandingMemory, SubAgent, Switches, SystemBody, SystemState, memory_section,
    system_prompt,
};
use crate::agents::{AgentDefinition, Agents};
use crate::{Instructions, PromptState};

/// The tool that hands a job to a sub-agent. Without it, they are not worth a word.
const INVOKE_AGENT: &str = "invoke_agent";

/// The system prompt of one session, written anew as its mode and its topic change.
#[derive(Clone)]
pub struct SystemInstructions {
    /// Everything that stays. Mode, topic, family and sub-agents in it do not count.
    pub state: SystemState,
    pub switches: Switches,
    /// The text of the file that `GEMINI_SYSTEM_MD` names, if there is one.
    pub replacement: Option<String>,
    pub memory: MemoryTexts,
    pub plans_folder: PathBuf,
    /// Asked each time, and not before: they may be described in files that have changed.
    pub agents: Option<Arc<dyn Agents>>,
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
            sub_agents: self.sub_agents(),
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

    fn sub_agents(&self) -> Vec<SubAgent> {
        let can_ask = self.state.tools.contains(INVOKE_AGENT);
        let agents = self.agents.as_ref().filter(|_| can_ask);
        let offered = agents.map(|agents| agents.offered()).unwrap_or_default();
        let listed = |agent: &Arc<AgentDefinition>| SubAgent {
            name: agent.name.clone(),
            description: agent.description.clone(),
        };
        offered.iter().map(listed).collect()
    }
}
