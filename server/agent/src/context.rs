//! How a session keeps a long conversation within a model's reach, and which model it asks.

use std::sync::Arc;

use crate::Scratch;
use crate::routing::Routing;

/// What the settings say about it.
#[derive(Clone)]
pub struct ContextOptions {
    /// The part of the model's window that may be full before the oldest of a conversation becomes a summary.
    pub compression_threshold: f64,
    /// Where long outputs go. Nothing: they stay in the conversation.
    pub scratch: Option<Arc<dyn Scratch>>,
    /// The session's id, which names a folder of its own for what is masked.
    pub session: Option<String>,
    pub next_speaker: NextSpeaker,
    pub routing: Routing,
}

impl ContextOptions {
    pub const COMPRESSION_THRESHOLD: f64 = 0.5;

    /// The threshold that a setting means: zero is no threshold but the default.
    pub fn threshold(setting: Option<f64>) -> f64 {
        setting
            .filter(|threshold| *threshold != 0.0 && !threshold.is_nan())
            .unwrap_or(Self::COMPRESSION_THRESHOLD)
    }
}

impl Default for ContextOptions {
    fn default() -> Self {
        Self {
            compression_threshold: Self::COMPRESSION_THRESHOLD,
            scratch: None,
            session: None,
            next_speaker: NextSpeaker::Person,
            routing: Routing::default(),
        }
    }
}

/// Who speaks after an answer that calls no tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NextSpeaker {
    /// Always the person.
    #[default]
    Person,
    /// A model is asked whether the answer announces more; then it is told to go on.
    Judged,
}
