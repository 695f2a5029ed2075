//! What the model is to be told of a person's doings, until it has heard of it.
//!
//! A prompt that is taken back takes along what was sent with it, and all of that goes with the next one.

use pollux_model::Part;

use crate::api::{IfUnheard, Prompt};
use crate::prompt::{HunkDecision, tell_decisions};

/// So many decisions are remembered for a model that never answers.
const MOST: usize = 500;

#[derive(Debug, Default)]
pub(crate) struct Untold {
    waiting: Words,
    /// Sent with the prompt that is being answered.
    sent: Words,
    /// What the model was told last about servers that are missing.
    missing: Option<String>,
}

#[derive(Debug, Default)]
struct Words {
    prompts: Vec<String>,
    decisions: Vec<HunkDecision>,
}

impl Untold {
    /// People have decided this since.
    pub(super) fn decided(&mut self, decisions: Vec<HunkDecision>) {
        let waiting = &mut self.waiting.decisions;
        waiting.extend(decisions);
        let surplus = waiting.len().saturating_sub(MOST);
        waiting.drain(..surplus);
    }

    /// A prompt is on its way, which says some of it itself.
    pub(super) fn prompted(&mut self, prompt: &Prompt) {
        match prompt.if_unheard {
            IfUnheard::TakenBack => {}
            IfUnheard::ToldLater => self.waiting.prompts.push(prompt.text.clone()),
        }
    }

    /// What goes with a prompt besides what it says itself.
    pub(super) fn parts(&self, prompt: &Prompt) -> Vec<Part> {
        let mut earlier = self.waiting.prompts.as_slice();
        if prompt.if_unheard == IfUnheard::ToldLater {
            earlier = earlier.split_last().map_or(earlier, |(_, earlier)| earlier);
        }
        let decisions = tell_decisions(&self.waiting.decisions);
        let words = earlier.iter().cloned().chain(decisions);
        words.map(Part::Text).collect()
    }

    /// Whether what is to be said about missing servers is news.
    pub(super) fn is_news(&mut self, missing: Option<&str>) -> bool {
        let is_news = self.missing.as_deref() != missing;
        self.missing = missing.map(str::to_owned);
        is_news
    }

    /// It is a part of the conversation.
    pub(super) fn sent(&mut self) {
        self.sent = std::mem::take(&mut self.waiting);
    }

    /// It is not any more.
    pub(super) fn taken_back(&mut self) {
        self.missing = None;
        let later = std::mem::replace(&mut self.waiting, std::mem::take(&mut self.sent));
        self.waiting.prompts.extend(later.prompts);
        self.decided(later.decisions);
    }
}
