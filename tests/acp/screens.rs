//! A client's terminals, in which nothing runs but what a test says.

use std::sync::{Mutex, MutexGuard};

use agent_client_protocol::Error;
use agent_client_protocol::v1::Responder;
use agent_client_protocol::v1::schema::{
    CreateTerminalRequest, CreateTerminalResponse, KillTerminalResponse, ReleaseTerminalResponse,
    TerminalExitStatus, TerminalOutputResponse, WaitForTerminalExitResponse,
};
use tokio::sync::watch;
use tokio::time::timeout;

use super::client::PATIENCE;

/// What becomes of a request for a terminal.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Opens {
    #[default]
    AtOnce,
    /// With an error.
    Not,
    /// It is never answered.
    Never,
}

pub(super) struct Screens {
    opens: Opens,
    state: Mutex<State>,
    /// What was asked of it so far, in one word each.
    done: watch::Sender<Vec<String>>,
}

#[derive(Default)]
struct State {
    request: Option<CreateTerminalRequest>,
    output: String,
    exit: Option<TerminalExitStatus>,
    waiting: Vec<Responder<WaitForTerminalExitResponse>>,
    /// Kept, so that they are never answered.
    unanswered: Vec<Responder<CreateTerminalResponse>>,
}

impl Default for Screens {
    fn default() -> Self {
        Self::new(Opens::default())
    }
}

impl Screens {
    pub(super) const ID: &'static str = "screen";

    pub(super) fn new(opens: Opens) -> Self {
        Self {
            opens,
            state: Mutex::default(),
            done: watch::Sender::new(Vec::new()),
        }
    }

    /// Waits until this was asked of it.
    pub(super) async fn until(&self, word: &str) {
        let mut done = self.done.subscribe();
        let seen = done.wait_for(|done| done.iter().any(|one| one == word));
        timeout(PATIENCE, seen).await.expect(word).unwrap();
    }

    pub(super) fn done(&self) -> Vec<String> {
        let done = self.done.borrow();
        // How often it is looked at is a matter of time.
        done.iter()
            .filter(|word| *word != "output")
            .cloned()
            .collect()
    }

    /// What was to be run.
    pub(super) fn request(&self) -> CreateTerminalRequest {
        self.state().request.clone().unwrap()
    }

    pub(super) fn print(&self, text: &str) {
        self.state().output.push_str(text);
    }

    pub(super) fn exit(&self, status: TerminalExitStatus) {
        let mut state = self.state();
        state.exit = Some(status.clone());
        for waiting in state.waiting.drain(..) {
            // One that nobody waits for any more is gone.
            let _taken_back = waiting.respond(WaitForTerminalExitResponse::new(status.clone()));
        }
    }

    pub(super) fn create(
        &self,
        request: CreateTerminalRequest,
        responder: Responder<CreateTerminalResponse>,
    ) -> Result<(), Error> {
        self.state().request = Some(request);
        let answered = match self.opens {
            Opens::AtOnce => responder.respond(CreateTerminalResponse::new(Self::ID)),
            Opens::Not => responder.respond_with_error(Error::new(-32603, "no room for it")),
            Opens::Never => {
                self.state().unanswered.push(responder);
                Ok(())
            }
        };
        self.note("create");
        answered
    }

    pub(super) fn output(&self, responder: Responder<TerminalOutputResponse>) -> Result<(), Error> {
        self.note("output");
        let state = self.state();
        let shown = TerminalOutputResponse::new(state.output.clone(), false);
        responder.respond(shown.exit_status(state.exit.clone()))
    }

    pub(super) fn wait(
        &self,
        responder: Responder<WaitForTerminalExitResponse>,
    ) -> Result<(), Error> {
        self.note("wait");
        let mut state = self.state();
        match state.exit.clone() {
            Some(status) => responder.respond(WaitForTerminalExitResponse::new(status)),
            None => {
                state.waiting.push(responder);
                Ok(())
            }
        }
    }

    pub(super) fn kill(&self, responder: Responder<KillTerminalResponse>) -> Result<(), Error> {
        self.exit(TerminalExitStatus::new().signal("SIGKILL".to_owned()));
        self.note("kill");
        responder.respond(KillTerminalResponse::new())
    }

    pub(super) fn release(
        &self,
        responder: Responder<ReleaseTerminalResponse>,
    ) -> Result<(), Error> {
        self.note("release");
        responder.respond(ReleaseTerminalResponse::new())
    }

    fn note(&self, word: &str) {
        self.done.send_modify(|done| done.push(word.to_owned()));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }
}
