//! What a session comes with and takes along.

use std::sync::Arc;

use pollux_model::Content;

use crate::api::{Prompt, TurnId};
use crate::journal::NoJournal;
use crate::prompt::Memory;
use crate::{Journal, Prices, PromptKeeper, Spent};

/// What a session comes with and takes along.
pub struct Baggage {
    /// What was said before, for a session that goes on.
    pub history: Vec<Content>,
    pub journal: Box<dyn Journal>,
    /// Keeps what was typed until the journal has it.
    pub keeper: Arc<dyn PromptKeeper>,
    /// What was typed and never had its turn. It waits until somebody says something, or lets it go on.
    pub waiting: Vec<Prompt>,
    /// How many turns there were before.
    pub turns: u64,
    /// Those of them that the conversation can go back to, oldest first.
    pub marks: Vec<Mark>,
    /// What the record calls it.
    pub title: Option<String>,
    /// What the models cost, as far as somebody has said so.
    pub prices: Prices,
    /// What the session has cost before.
    pub spent: Spent,
    /// How many questions were asked and edits proposed before. Their numbers are not given again.
    pub questions: u64,
    /// The memory files that are loaded; more come with the folders that tools look into.
    pub memory: Option<Memory>,
}

/// Where a turn begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    pub turn: TurnId,
    /// How long the conversation was before it.
    pub length: usize,
    /// As it was typed.
    pub prompt: String,
}

/// A new session that is not recorded.
impl Default for Baggage {
    fn default() -> Self {
        Self {
            history: Vec::new(),
            journal: Box::new(NoJournal),
            keeper: Arc::new(NoJournal),
            waiting: Vec::new(),
            turns: 0,
            marks: Vec::new(),
            title: None,
            prices: Prices::default(),
            spent: Spent::new(),
            questions: 0,
            memory: None,
        }
    }
}
