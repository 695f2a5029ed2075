//! The tool calls that run at the moment. They end in any order and are shown in the order of the calls.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use pollux_agent::api::{CallId, ToolOutcome};

#[derive(Default)]
pub(super) struct Calls {
    running: VecDeque<Call>,
    /// The call that the last line on the screen is about.
    current: Option<CallId>,
}

struct Call {
    id: CallId,
    title: String,
    /// What it printed while an earlier call was still running.
    printed: String,
    outcome: Option<ToolOutcome>,
}

/// What comes next on the screen.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// The line of a call begins.
    Title(String),
    Printed(String),
    Ended(CallId, ToolOutcome),
}

impl Calls {
    pub(super) fn started(&mut self, id: CallId, title: String) {
        self.running.push_back(Call {
            id,
            title,
            printed: String::new(),
            outcome: None,
        });
    }

    pub(super) fn printed(&mut self, id: &CallId, text: &str) {
        if let Some(call) = self.find(id) {
            call.printed.push_str(text);
        }
    }

    pub(super) fn ended(&mut self, id: &CallId, outcome: ToolOutcome) {
        if let Some(call) = self.find(id) {
            call.outcome = Some(outcome);
        }
    }

    /// The person is asked about a call, whether or not its turn has come. Returns its title, unless that is what
    /// they have just read.
    pub(super) fn asked_about(&mut self, id: &CallId) -> Option<String> {
        if self.current.as_ref() == Some(id) {
            return None;
        }
        let title = self.find(id)?.title.clone();
        self.current = Some(id.clone());
        Some(title)
    }

    /// The next piece that can be shown: about the first call that has not been shown to its end.
    pub(super) fn next(&mut self) -> Option<Shown> {
        let call = self.running.front_mut()?;
        if call.printed.is_empty() && call.outcome.is_none() {
            return None;
        }
        if self.current.as_ref() != Some(&call.id) {
            self.current = Some(call.id.clone());
            return Some(Shown::Title(call.title.clone()));
        }
        if !call.printed.is_empty() {
            return Some(Shown::Printed(std::mem::take(&mut call.printed)));
        }
        let call = self.running.pop_front()?;
        self.current = None;
        Some(Shown::Ended(call.id, call.outcome?))
    }

    fn find(&mut self, id: &CallId) -> Option<&mut Call> {
        self.running.iter_mut().find(|call| call.id == *id)
    }
}
