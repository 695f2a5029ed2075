//! The room as those outside see it. It does not keep the room alive.

use std::sync::Arc;

use pollux_agent::api::{Decision, ProposalId};
use pollux_workspace::{
    DoorId, EditorAnswer, EditorQuery, Input, Revision, SessionId, Snapshot, WeakInbox,
};
use tokio::sync::oneshot;

#[derive(Clone, Debug)]
pub(crate) struct Room(pub(crate) WeakInbox);

impl Room {
    pub(crate) fn post(&self, input: Input) {
        if let Some(inbox) = self.0.upgrade() {
            inbox.post(input);
        }
    }

    /// Nothing when the room has ended.
    pub(crate) async fn snapshot(&self, after: Option<Revision>) -> Option<Arc<Snapshot>> {
        let (reply, answer) = oneshot::channel();
        self.post(Input::Snapshot { after, reply });
        answer.await.ok()
    }

    /// Nothing when the editor has gone, or is asked too much already. It may take as long as it likes.
    pub(crate) async fn ask_editor(
        &self,
        door: DoorId,
        query: EditorQuery,
    ) -> Option<EditorAnswer> {
        let (reply, answer) = oneshot::channel();
        self.post(Input::AskEditor { door, query, reply });
        answer.await.ok()
    }

    /// What people have decided about a proposal that is still open.
    pub(crate) async fn decisions_so_far(
        &self,
        session: SessionId,
        proposal: ProposalId,
    ) -> Option<Vec<Option<Decision>>> {
        let (reply, answer) = oneshot::channel();
        self.post(Input::DecisionsSoFar {
            session,
            proposal,
            reply,
        });
        answer.await.ok().flatten()
    }
}
