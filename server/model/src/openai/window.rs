use std::sync::{Arc, OnceLock};

/// How many tokens a model behind chat completions takes. The protocol has no question for it, so that it is learned
/// otherwise, and may be while the conversation is already going on. Clones learn together.
#[derive(Clone, Debug, Default)]
pub struct ContextWindow(Arc<OnceLock<u64>>);

impl ContextWindow {
    /// What most of them take that can call tools. Taking too many would cost the conversation its beginning, which
    /// servers drop without a word; taking too few only makes a summary early.
    const USUAL: u64 = 131_072;

    pub fn of(tokens: u64) -> Self {
        let window = Self::default();
        window.learn(tokens);
        window
    }

    /// What was known before stays.
    pub fn learn(&self, tokens: u64) {
        let _known = self.0.set(tokens);
    }

    pub fn known(&self) -> Option<u64> {
        self.0.get().copied()
    }

    pub fn tokens(&self) -> u64 {
        self.known().unwrap_or(Self::USUAL)
    }
}
