//! The sections of the system prompt and the switches that turn them off.

use std::collections::BTreeSet;

/// A part of the system prompt, in the order in which they stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    Preamble,
    CoreMandates,
    SubAgents,
    AgentSkills,
    HookContext,
    PrimaryWorkflows,
    PlanningWorkflow,
    TaskTracker,
    OperationalGuidelines,
    Sandbox,
    InteractiveYoloMode,
    Git,
    FinalReminder,
}

impl Section {
    pub const ALL: [Self; 13] = [
        Self::Preamble,
        Self::CoreMandates,
        Self::SubAgents,
        Self::AgentSkills,
        Self::HookContext,
        Self::PrimaryWorkflows,
        Self::PlanningWorkflow,
        Self::TaskTracker,
        Self::OperationalGuidelines,
        Self::Sandbox,
        Self::InteractiveYoloMode,
        Self::Git,
        Self::FinalReminder,
    ];

    /// The name after `GEMINI_PROMPT_`: the twin's.
    pub fn key(self) -> &'static str {
        match self {
            Self::Preamble => "PREAMBLE",
            Self::CoreMandates => "COREMANDATES",
            Self::SubAgents => "AGENTCONTEXTS",
            Self::AgentSkills => "AGENTSKILLS",
            Self::HookContext => "HOOKCONTEXT",
            Self::PrimaryWorkflows => "PRIMARYWORKFLOWS",
            Self::PlanningWorkflow => "PLANNINGWORKFLOW",
            Self::TaskTracker => "TASKTRACKER",
            Self::OperationalGuidelines => "OPERATIONALGUIDELINES",
            Self::Sandbox => "SANDBOX",
            Self::InteractiveYoloMode => "INTERACTIVEYOLOMODE",
            Self::Git => "GIT",
            Self::FinalReminder => "FINALREMINDER",
        }
    }
}

/// Which sections the person turned off. All are on by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Switches {
    off: BTreeSet<Section>,
}

impl Switches {
    /// Asks for each `GEMINI_PROMPT_<SECTION>`; `0` and `false` turn it off, anything else leaves it on.
    pub fn from_environment<'a>(variable: impl Fn(&str) -> Option<&'a str>) -> Self {
        let off = Section::ALL.into_iter().filter(|section| {
            let value = variable(&format!("GEMINI_PROMPT_{}", section.key()));
            let value = value.map(|value| value.trim().to_ascii_lowercase());
            matches!(value.as_deref(), Some("0" | "false"))
        });
        Self { off: off.collect() }
    }

    pub fn is_on(&self, section: Section) -> bool {
        !self.off.contains(&section)
    }
}
