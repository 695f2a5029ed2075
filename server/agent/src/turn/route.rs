//! Which model answers: chosen with the prompt, and kept until the prompt is answered.

use std::time::Instant;

use pollux_policy::ApprovalMode;

use super::Turn;
use super::ask::{NoAnswer, Progress};
use crate::api::Event;
use crate::routing::{Route, Router, Stopped};
use crate::voices::chain_mode;

impl Turn<'_> {
    /// Does nothing if the choice is made and still holds.
    pub(super) async fn choose_model(&mut self) -> Result<(), NoAnswer> {
        let mode = self.mode.get();
        if self
            .routed
            .is_some_and(|routed| !changes_choice(routed, mode))
        {
            return Ok(());
        }
        let router = Router {
            utility: self.utility(),
            options: self.config.context.routing,
            availability: self.availability,
            mode,
            plan: self.mode.plan(),
            history: self.history,
        };
        let Route { model, source } = match router.route().await {
            Ok(route) => route,
            Err(Stopped) => return Err(NoAnswer::Cancelled),
        };
        let voices = &self.config.voices;
        let selection = voices
            .chain(&model, chain_mode(mode))
            .select(self.availability, Instant::now());
        let name = selection.model.unwrap_or(model);
        self.voice = voices
            .voice(&name, selection.attempts)
            .map_err(|error| NoAnswer::Failed(error, Progress::Awaited))?;
        self.voice_name = name;
        self.routed = Some(mode);
        let chosen = Event::ModelChosen {
            model: self.voice.model.name().to_owned(),
            reason: source.to_string(),
            thinking: self.config.voices.thinking(),
        };
        self.events.emit(chosen).await;
        Ok(())
    }
}

/// Planning and working alone call for other models than the rest does.
fn changes_choice(before: ApprovalMode, now: ApprovalMode) -> bool {
    let special = |mode| matches!(mode, ApprovalMode::Plan | ApprovalMode::Yolo);
    before != now && (special(before) || special(now))
}
