//! A session that shows what it would send: the way to a model up to its door, by the code that goes through it.
//!
//! Nothing is sent and nothing is recorded. What a prompt stands for is filled in, so that a custom command with a shell
//! command in it runs that, if the rules allow it.

use std::sync::Arc;
use std::time::SystemTime;

use pollux_agent::api::Event;
use pollux_agent::{Baggage, Session, SessionConfig, SessionHandle, Voice, Voices};
use pollux_model::{Chain, ChainMode, Model, ModelError, Previews, Request, Shown};
use pollux_sessions::{SessionRef, find_session, history_of, project_for, read_session};
use pollux_settings::EditorTrust;
use pollux_workspace::{SessionError, SessionId, SessionRequest, Which};
use tokio::sync::mpsc;

use super::around::Around;
use super::models::Chosen;
use super::preparing::{Answering, Own, Prepared};
use super::{Configured, not_found, not_possible, options, past};
use crate::environment;

/// A session whose model is none.
pub(crate) struct ShownSession {
    pub(crate) handle: SessionHandle,
    pub(crate) events: mpsc::Receiver<Event>,
    /// What it would have sent.
    pub(crate) requests: mpsc::UnboundedReceiver<Request>,
}

impl Configured {
    pub(crate) fn show(&self, request: &SessionRequest) -> Result<ShownSession, SessionError> {
        let door = environment::of_door(&request.context);
        let trust = EditorTrust::from(request.trusted);
        let loaded = pollux_settings::load(&door, &request.folder, trust);
        let Chosen { voices, service } = self.choose(&loaded, &door, request)?;
        let voice = voices
            .voice(voices.requested(), None)
            .map_err(|error| SessionError::NotPossible(error.to_string()))?;
        let project = project_for(&loaded.locations, &request.folder, SystemTime::now())
            .map_err(not_possible)?;
        let history = match &request.which {
            Which::New => Vec::new(),
            Which::Recorded(which) | Which::Again(which) => {
                let found = find_session(&project, &SessionRef::parse(which)).map_err(not_found)?;
                let recorded = read_session(&found.path).map_err(not_possible)?;
                history_of(&past::kept(&recorded.messages))
            }
        };
        let id = SessionId::from("shown");
        let scratch = project.folder.join(id.as_str());
        let (listener, _decided) = mpsc::unbounded_channel();
        let Around {
            files,
            surroundings,
            changes,
        } = self.around(&loaded, request, &id, scratch.clone(), listener);
        let answering = Answering {
            model: voice.model.name(),
            service,
        };
        let own = Own {
            scratch,
            changes,
            terminals: Arc::default(),
            recorded_as: None,
        };
        let prepared = self.prepare(&loaded, &door, request, own, &project, answering)?;
        let Prepared {
            tools,
            gate,
            mode,
            opening,
            facts,
            scratch,
            agents,
            ..
        } = prepared;
        let (requests_tx, requests) = mpsc::unbounded_channel();
        let config = SessionConfig {
            voices: Arc::new(ShownVoices::new(voice, requests_tx)),
            files,
            surroundings: Some(surroundings),
            root: request.folder.clone(),
            places: request.wishes.places.clone(),
            instructions: Some(Arc::new(opening.instructions)),
            opening: vec![opening.context],
            turn_limit: None,
            loop_detection: options::loop_detection(&loaded),
            continuation_limit: SessionConfig::CONTINUATION_LIMIT,
            tools,
            gate: Arc::new(gate),
            // They run programs at every step of a turn, and there is no turn.
            hooks: Default::default(),
            mode,
            context: options::context(&loaded, &id, scratch),
            commands: Some(self.commanding(request, facts, agents)),
        };
        let baggage = Baggage {
            history,
            memory: Some(opening.memory),
            ..Baggage::default()
        };
        let (handle, events) = Session::start(config, baggage);
        Ok(ShownSession {
            handle,
            events,
            requests,
        })
    }
}

/// The model that would answer, and nobody behind it. Named by its own name, so that nothing has to be chosen, for which
/// a model would have to be asked.
struct ShownVoices {
    voice: Voice,
}

impl ShownVoices {
    fn new(instead_of: Voice, requests: mpsc::UnboundedSender<Request>) -> Self {
        let shown = Shown {
            name: instead_of.model.name().to_owned(),
            token_limit: instead_of.model.token_limit(),
            requests,
        };
        Self {
            voice: Voice {
                model: Model::Shown(shown),
                generation: instead_of.generation,
            },
        }
    }
}

impl Voices for ShownVoices {
    fn requested(&self) -> &str {
        self.voice.model.name()
    }

    fn chain(&self, active: &str, mode: ChainMode) -> Chain {
        Chain::new(active, active, Previews::Allowed, mode)
    }

    fn voice(&self, _: &str, _: Option<u32>) -> Result<Voice, ModelError> {
        Ok(self.voice.clone())
    }

    fn utility(&self, _: &str) -> Result<Voice, ModelError> {
        Err(ModelError::NoPrompt)
    }
}
