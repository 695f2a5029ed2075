//! A request of the editor's whose reply is awaited later.

use std::sync::Arc;

use serde_json::{Value, json};

use super::inbox::Inbox;
use super::message::{RequestId, RpcError};
use super::writer::Writer;

/// Holds the place of a reply. Dropping it does not excuse the reply: one that then arrives counts
/// as unread, unless [`PendingRequest::abandon`] said so.
#[must_use = "the reply of a request must be read or abandoned"]
pub struct PendingRequest {
    pub(super) id: i64,
    pub(super) method: String,
    pub(super) inbox: Arc<Inbox>,
    pub(super) writer: Arc<Writer>,
}

impl PendingRequest {
    pub fn id(&self) -> RequestId {
        RequestId::Number(self.id)
    }

    /// Waits for the reply.
    pub async fn result(self) -> Result<Value, RpcError> {
        let what = format!("the reply to {} (id {})", self.method, self.id);
        self.inbox
            .wait_for(&what, |state| {
                let reply = state.replies.get_mut(&self.id)?.take()?;
                state.replies.remove(&self.id);
                Some(reply)
            })
            .await
    }

    /// Whether the reply has arrived.
    pub fn is_answered(&self) -> bool {
        matches!(self.inbox.state().replies.get(&self.id), Some(Some(_)))
    }

    /// Sends `$/cancelRequest`. The server still owes a reply, which is to be read.
    pub async fn cancel(&self) {
        let params = json!({ "id": self.id });
        self.writer
            .send(&json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": params }))
            .await;
    }

    /// Says that the reply does not matter, whether it comes or not.
    pub fn abandon(self) {
        let mut state = self.inbox.state();
        let unanswered = state.replies.remove(&self.id) == Some(None);
        if unanswered {
            state.abandoned.insert(self.id);
        }
    }
}
