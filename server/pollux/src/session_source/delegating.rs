//! What the sub-agents of a session need of it: the settings, models by their names, and a place in its record.

use std::sync::Arc;
use std::time::SystemTime;

use pollux_agent::agents::AgentRun;
use pollux_agent::{Journal, Voices};
use pollux_model::Pace;
use pollux_sessions::{NewSession, Place, Project, RandomIds, Recorder, SessionId};
use pollux_settings::{EditorTrust, Loaded};
use pollux_workspace::SessionRequest;

use super::Configured;
use super::commanding;
use super::recording::Recording;
use crate::agents::{Home, SessionAgents};
use crate::environment;

/// Where a session is recorded. Nothing: it is not.
pub(super) type RecordedAs = Option<SessionId>;

impl Configured {
    pub(super) fn agents(
        &self,
        loaded: Arc<Loaded>,
        request: &SessionRequest,
        project: &Project,
        session: RecordedAs,
    ) -> Arc<SessionAgents> {
        let home = Delegating {
            request: request.clone(),
            demo_pace: self.demo_pace,
            project: project.clone(),
            session,
        };
        Arc::new(SessionAgents::new(
            request.folder.clone(),
            loaded,
            self.audience,
            Box::new(home),
        ))
    }
}

/// The session, as its agents see it.
struct Delegating {
    request: SessionRequest,
    demo_pace: Pace,
    project: Project,
    session: RecordedAs,
}

impl Home for Delegating {
    fn settings(&self) -> Loaded {
        let door = environment::of_door(&self.request.context);
        let trust = EditorTrust::from(self.request.trusted);
        pollux_settings::load(&door, &self.request.folder, trust)
    }

    fn voices(&self, model: &str) -> Result<Arc<dyn Voices>, String> {
        let request = SessionRequest {
            model: Some(model.to_owned()),
            ..self.request.clone()
        };
        let voices = commanding::voices(&request, self.demo_pace);
        voices.map(|new| new.0).map_err(|error| error.to_string())
    }

    fn journal(&self, run: &AgentRun<'_>) -> Option<Box<dyn Journal>> {
        let new = NewSession {
            id: SessionId::new(run.id),
            place: Place::SubagentOf(self.session.clone()?),
            directories: self.request.wishes.places.clone(),
            started: SystemTime::now(),
        };
        taken_down(&self.project, &new)
    }
}

/// A run that cannot be recorded is a run all the same.
fn taken_down(project: &Project, new: &NewSession) -> Option<Box<dyn Journal>> {
    match Recorder::start(project, new, Box::new(RandomIds)) {
        Ok(recorder) => {
            let (recording, _nothing_is_typed_into_it) = Recording::new(recorder, None);
            Some(Box::new(recording))
        }
        Err(error) => {
            tracing::warn!(%error, "a run of an agent cannot be recorded");
            None
        }
    }
}
