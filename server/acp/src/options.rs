//! What can be set about a session: the mode, and who answers.

use agent_client_protocol_schema::v1::{
    SessionConfigOption, SessionConfigOptionCategory, SessionConfigSelectOption, SessionMode,
    SessionModeState,
};
use pollux_agent::Thinking;
use pollux_agent::api::{ApprovalMode, Event};
use pollux_workspace::{Adjustable, LiveSession, ModelLine, ModelList};

pub(crate) const MODE: &str = "mode";
pub(crate) const MODEL: &str = "model";
pub(crate) const THINKING: &str = "thinking";

/// Who has chosen a model when a person has.
pub(crate) const BY_PERSON: &str = "person";

/// How a session is set, and what it could be set to.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) mode: ApprovalMode,
    pub(crate) model: String,
    pub(crate) thinking: Thinking,
    models: Vec<ModelLine>,
    can_think: Adjustable,
}

impl Options {
    /// As things stand in the session, wherever they were set.
    pub(crate) fn of(live: &LiveSession, list: ModelList) -> Self {
        let mode = live.feed.find_last(|event| match event {
            Event::ModeChanged(mode) | Event::Opened { mode, .. } => Some(*mode),
            _ => None,
        });
        let chosen = live.feed.find_last(|event| match event {
            Event::ModelChosen {
                model,
                reason,
                thinking,
            } if reason == BY_PERSON => Some((model.clone(), *thinking)),
            _ => None,
        });
        let (model, thinking) = chosen.unwrap_or((list.current, Thinking::AsConfigured));
        Self {
            mode: mode.unwrap_or_default(),
            model,
            thinking,
            models: list.models,
            can_think: list.thinking,
        }
    }

    pub(crate) fn list(&self) -> Vec<SessionConfigOption> {
        let modes = ApprovalMode::ALL.map(|mode| {
            let (name, description) = words(mode);
            SessionConfigSelectOption::new(mode.as_str(), name).description(description.to_owned())
        });
        let mode = SessionConfigOption::select(MODE, "Mode", self.mode.as_str(), modes.to_vec())
            .description("What the agent may do without asking".to_owned())
            .category(SessionConfigOptionCategory::Mode);
        let mut models: Vec<SessionConfigSelectOption> = self.models.iter().map(model).collect();
        if !self.models.iter().any(|line| line.id == self.model) {
            let own = SessionConfigSelectOption::new(self.model.clone(), self.model.clone());
            models.insert(0, own);
        }
        let model = SessionConfigOption::select(MODEL, "Model", self.model.clone(), models)
            .description("Who answers".to_owned())
            .category(SessionConfigOptionCategory::Model);
        let mut all = vec![mode, model];
        if self.can_think == Adjustable::Yes {
            all.push(self.thoughts());
        }
        all
    }

    fn thoughts(&self) -> SessionConfigOption {
        let levels = THOUGHTS.map(|(_, id, name)| SessionConfigSelectOption::new(id, name));
        let current = THOUGHTS.iter().find(|(level, ..)| *level == self.thinking);
        let current = current.map_or("default", |(_, id, _)| id);
        SessionConfigOption::select(THINKING, "Thinking", current, levels.to_vec())
            .description("How long the model may think before it answers".to_owned())
            .category(SessionConfigOptionCategory::ThoughtLevel)
    }

    /// The same for clients that know modes only.
    pub(crate) fn modes(&self) -> SessionModeState {
        let modes = ApprovalMode::ALL.map(|mode| {
            let (name, description) = words(mode);
            SessionMode::new(mode.as_str(), name).description(description.to_owned())
        });
        SessionModeState::new(self.mode.as_str(), modes.to_vec())
    }
}

fn model(line: &ModelLine) -> SessionConfigSelectOption {
    SessionConfigSelectOption::new(line.id.clone(), line.label.clone())
        .description(line.description.clone())
}

/// A mode is called what it does.
fn words(mode: ApprovalMode) -> (&'static str, &'static str) {
    match mode {
        ApprovalMode::Plan => ("Plan", "Reads and plans; changes nothing"),
        ApprovalMode::Default => (
            "Ask",
            "Asks before edits, and before commands that may change something",
        ),
        ApprovalMode::AutoEdit => (
            "Edit without asking",
            "Edits are made at once and can be reviewed; asks before commands that may change something",
        ),
        ApprovalMode::Yolo => (
            "Auto-approve all",
            "Edits and runs commands without asking, except for guarded files",
        ),
    }
}

const THOUGHTS: [(Thinking, &str, &str); 3] = [
    (Thinking::AsConfigured, "default", "As configured"),
    (Thinking::Little, "low", "Little"),
    (Thinking::Much, "high", "Much"),
];

/// How long to think, by its id.
pub(crate) fn thinking(id: &str) -> Option<Thinking> {
    let found = THOUGHTS.iter().find(|(_, known, _)| *known == id);
    found.map(|(level, ..)| *level)
}

/// A mode by its id.
pub(crate) fn mode(id: &str) -> Option<ApprovalMode> {
    ApprovalMode::parse(id)
}
