//! What commands of a session ask of the host. Settings and files are read each time, so that an edit counts at once.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use pollux_agent::agents::AgentOrder;
use pollux_agent::api::NewVoices;
use pollux_agent::{Beginning, Commands, CustomCommand};
use pollux_model::Pace;
use pollux_settings::EditorTrust;
use pollux_workspace::{SessionError, SessionRequest};

use super::models::{self, Chosen, DEMO, Service, Wanted};
use super::opening::{Facts, opening};
use crate::agents::SessionAgents;
use crate::{custom_commands, environment, keychain};

/// The request that opened the session stands for its person and folder.
pub(super) struct Commanding {
    pub(super) request: SessionRequest,
    pub(super) demo_pace: Pace,
    /// What the session began with.
    pub(super) facts: Facts,
    pub(super) agents: Arc<SessionAgents>,
}

impl Commands for Commanding {
    fn custom(&self) -> BoxFuture<'_, Vec<CustomCommand>> {
        let request = self.request.clone();
        Box::pin(async move {
            let load = tokio::task::spawn_blocking(move || custom(&request));
            load.await.unwrap_or_default()
        })
    }

    fn beginning(&self) -> BoxFuture<'_, Result<Beginning, String>> {
        let facts = self.facts.clone();
        Box::pin(async move {
            let opened = opening(facts).await.map_err(|error| error.to_string())?;
            Ok(Beginning {
                instructions: Arc::new(opened.instructions),
                opening: vec![opened.context],
                memory: opened.memory,
            })
        })
    }

    fn agents(&self, order: AgentOrder) -> BoxFuture<'_, String> {
        let agents = Arc::clone(&self.agents);
        Box::pin(async move {
            let obey = tokio::task::spawn_blocking(move || agents.obey(&order));
            let answer = obey.await;
            answer.unwrap_or_else(|_| "The sub-agents could not be looked at.".to_owned())
        })
    }

    fn voices<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<NewVoices, String>> {
        let request = SessionRequest {
            model: Some(name.to_owned()),
            ..self.request.clone()
        };
        let pace = self.demo_pace;
        Box::pin(async move {
            let chosen = tokio::task::spawn_blocking(move || voices(&request, pace)).await;
            match chosen {
                Ok(voices) => voices.map_err(|error| error.to_string()),
                Err(_) => Err("the model is not there".to_owned()),
            }
        })
    }
}

pub(super) fn custom(request: &SessionRequest) -> Vec<CustomCommand> {
    let door = environment::of_door(&request.context);
    let trust = EditorTrust::from(request.trusted);
    let loaded = pollux_settings::load(&door, &request.folder, trust);
    custom_commands::load(&loaded, &request.folder)
}

/// The models that a request names.
pub(super) fn voices(request: &SessionRequest, pace: Pace) -> Result<NewVoices, SessionError> {
    let door = environment::of_door(&request.context);
    let trust = EditorTrust::from(request.trusted);
    let loaded = pollux_settings::load(&door, &request.folder, trust);
    let keychain = || keychain::key_for_session(&door);
    let Chosen { voices, service } =
        models::choose(&loaded, &door, Wanted::by(request), pace, keychain)
            .map_err(|error| SessionError::ModelRefused(error.to_string()))?;
    let wanted = request.model.as_deref().unwrap_or_default();
    if matches!(service, Service::Demo(_)) && wanted != DEMO {
        return Err(SessionError::NotPossible(format!(
            "{wanted} needs a key: set GEMINI_API_KEY or run `pollux auth`"
        )));
    }
    Ok(NewVoices(voices))
}
