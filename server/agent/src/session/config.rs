//! What a session is made of.

use std::path::PathBuf;
use std::sync::Arc;

use pollux_model::Content;

use crate::api::ApprovalMode;
use crate::{
    Commands, ContextOptions, Files, Gate, Hooks, Instructions, Surroundings, ToolSet, Voices,
};

/// What a session is made of.
#[derive(Clone)]
pub struct SessionConfig {
    pub voices: Arc<dyn Voices>,
    pub files: Arc<dyn Files>,
    /// Nothing: a prompt is sent as it was typed.
    pub surroundings: Option<Arc<dyn Surroundings>>,
    /// Absolute: the folder that tool paths are relative to.
    pub root: PathBuf,
    /// Absolute: folders outside the root that tools may use as well, such as the session's own.
    pub places: Vec<PathBuf>,
    /// Nothing: the model is told nothing but the conversation.
    pub instructions: Option<Arc<dyn Instructions>>,
    /// What the model is told before the person's first word, with every request.
    pub opening: Vec<Content>,
    /// How often in a row a prompt may go back to the model without a result of a tool.
    pub continuation_limit: usize,
    /// How often the session may ask the model in all: for prompts, and with the results of tools.
    pub turn_limit: Option<u64>,
    pub loop_detection: LoopDetection,
    pub tools: ToolSet,
    /// Who decides what they may do.
    pub gate: Arc<dyn Gate>,
    /// Who else has a say.
    pub hooks: Hooks,
    /// How much the agent may do without asking, to begin with.
    pub mode: ApprovalMode,
    /// How a long conversation goes on, and which model it goes on with.
    pub context: ContextOptions,
    /// Nothing: whatever begins with a slash is a prompt.
    pub commands: Option<Arc<dyn Commands>>,
}

impl SessionConfig {
    /// As in Gemini CLI, where results of tools begin the count anew.
    pub const CONTINUATION_LIMIT: usize = 100;
}

/// Whether a model that repeats itself is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopDetection {
    On,
    Off,
}
