//! Sessions as the host opens them: model, files and record by the settings of a folder.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use pollux_agent::{Baggage, LoopDetection, OneVoice, Session, SessionConfig};
use pollux_model::{Demo, Model, Pace};
use pollux_workspace::{
    DoorContext, OpenedSession, SessionError, SessionId, SessionRequest, SessionSource,
    SessionSummary, Which,
};

use crate::disk_files::DiskFiles;

/// Opens what the settings say.
pub(crate) struct Configured {
    pub(crate) demo_pace: Pace,
}

impl Configured {
    /// Fast enough not to bore, slow enough to be seen as a stream.
    pub(crate) const READABLE: Pace = Pace::PerWord(Duration::from_millis(12));
}

impl SessionSource for Configured {
    fn open(&self, request: &SessionRequest) -> Result<OpenedSession, SessionError> {
        let id = match &request.which {
            Which::New => new_id(),
            Which::Recorded(which) => {
                return Err(SessionError::NotFound(format!(
                    "there is no session {which}"
                )));
            }
        };
        let (handle, events) = Session::start(
            SessionConfig {
                voices: OneVoice::shared(Model::Demo(Demo::new(self.demo_pace))),
                files: Arc::new(DiskFiles::new(request.folder.clone())),
                root: request.folder.clone(),
                system_instruction: None,
                opening: Vec::new(),
                turn_limit: None,
                loop_detection: LoopDetection::On,
                round_limit: SessionConfig::ROUND_LIMIT,
                excluded_tools: BTreeSet::new(),
            },
            Baggage::default(),
        );
        Ok(OpenedSession {
            id,
            model: "demo".to_owned(),
            handle,
            events,
            past: Vec::new(),
        })
    }

    fn list(&self, _: &DoorContext, _: &Path) -> Vec<SessionSummary> {
        Vec::new()
    }

    fn delete(&self, _: &DoorContext, _: &Path, which: &str) -> Result<(), SessionError> {
        Err(SessionError::NotFound(format!(
            "there is no session {which}"
        )))
    }
}

fn new_id() -> SessionId {
    SessionId::from("demo")
}
