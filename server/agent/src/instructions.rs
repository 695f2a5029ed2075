use crate::api::ApprovalMode;

/// What the system instruction depends on while a session runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptState {
    pub mode: ApprovalMode,
    /// What the model says it works on.
    pub topic: Option<String>,
    /// Who answers.
    pub model: String,
}

/// Writes the system instruction. Asked for every request, so the same state must give the same bytes: a provider
/// caches a request by its beginning.
pub trait Instructions: Send + Sync {
    fn text(&self, state: &PromptState) -> String;

    /// What people wrote down for every agent, whatever it does.
    fn memory(&self) -> String {
        String::new()
    }
}

impl<F: Fn(&PromptState) -> String + Send + Sync> Instructions for F {
    fn text(&self, state: &PromptState) -> String {
        self(state)
    }
}

/// The same words whatever happens.
impl Instructions for String {
    fn text(&self, _: &PromptState) -> String {
        self.clone()
    }
}
