//! Questions for clients that have no view to show them in: `window/showMessageRequest`.
//!
//! Every such client in the room is asked, and every client at all where an agent outside asks, since no view shows that.
//! The first answer counts, and the question is withdrawn everywhere else.

mod guests;
mod words;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pollux_agent::api::{Answer, ApprovalId, Op};
use pollux_workspace::{Asker, OpenQuestion, SessionId};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;
use tower::Service;
use tower_lsp::Client;
use tower_lsp::jsonrpc::Request;
use tower_lsp::ls_types::notification::Notification;
use tower_lsp::ls_types::{MessageActionItem, MessageType};
use tracing::debug;

use crate::connection::Connection;
use words::{Button, Choices};

type Asked = BTreeMap<(SessionId, ApprovalId), Asking>;

/// A question that was put to the client.
struct Asking {
    request: String,
    /// Whether the client still shows it.
    shown: Arc<AtomicBool>,
    _task: AbortOnDropHandle<()>,
}

/// Asks until the connection ends.
pub(crate) async fn run(connection: &Arc<Connection>, client: Client) {
    // Whoever comes while a question is open is asked it too.
    connection.ready.cancelled().await;
    let mut questions = connection.host.sessions.questions();
    let mut asked = Asked::new();
    loop {
        if let Some(open) = mine(connection, &mut questions).await {
            ask(connection, &client, &mut asked, open).await;
        }
        if questions.changed().await.is_err() {
            return;
        }
    }
}

/// The open questions of this client's folders that it does not show itself.
async fn mine(
    connection: &Connection,
    questions: &mut watch::Receiver<Vec<OpenQuestion>>,
) -> Option<Vec<OpenQuestion>> {
    let open = questions.borrow_and_update().clone();
    let entered = connection.entered.get()?;
    let shown_elsewhere = entered.client.approves;
    let open: Vec<OpenQuestion> = open
        .into_iter()
        .filter(|question| !shown_elsewhere || question.asker != Asker::Session)
        .collect();
    if open.is_empty() {
        return Some(open);
    }
    let roots = connection.snapshot(None).await.ok()?.roots.clone();
    let is_mine = |question: &OpenQuestion| roots.contains(&question.folder);
    Some(open.into_iter().filter(is_mine).collect())
}

async fn ask(
    connection: &Arc<Connection>,
    client: &Client,
    asked: &mut Asked,
    open: Vec<OpenQuestion>,
) {
    let key = |question: &OpenQuestion| (question.session.clone(), question.asked.id());
    let keys: Vec<_> = open.iter().map(key).collect();
    let over: Vec<_> = asked
        .extract_if(.., |known, _| !keys.contains(known))
        .collect();
    for (_, asking) in over {
        // What the client has closed or answered itself it need not take away.
        if !asking.shown.load(Ordering::Acquire) {
            continue;
        }
        let params = json!({ "id": asking.request });
        client.send_notification::<CancelRequest>(params).await;
    }
    for question in open {
        let key = key(&question);
        if asked.contains_key(&key) {
            continue;
        }
        let request = connection.next_request_id();
        let shown = Arc::new(AtomicBool::new(true));
        let show = show(
            Arc::clone(connection),
            client.clone(),
            request.clone(),
            question,
            Arc::clone(&shown),
        );
        let task = AbortOnDropHandle::new(tokio::spawn(show));
        asked.insert(
            key,
            Asking {
                request,
                shown,
                _task: task,
            },
        );
    }
}

/// Shows one question, for as long as a person takes.
async fn show(
    connection: Arc<Connection>,
    mut client: Client,
    id: String,
    question: OpenQuestion,
    shown: Arc<AtomicBool>,
) {
    let traits = connection.traits();
    let choices = Choices::of(&question, traits);
    if traits.hunks && !traits.asks_aside {
        // The hunks are there to be decided; a question would stand in the way until it is answered.
        shown.store(false, Ordering::Release);
        return client
            .show_message(MessageType::INFO, choices.message)
            .await;
    }
    let actions: Vec<Value> = choices
        .titles()
        .map(|title| json!({ "title": title }))
        .collect();
    let request = Request::build("window/showMessageRequest")
        .id(id)
        // Type 3 is "information"; nothing has gone wrong.
        .params(json!({ "type": 3, "message": choices.message, "actions": actions }))
        .finish();
    let reply = client.call(request).await;
    shown.store(false, Ordering::Release);
    let Ok(Some(reply)) = reply else {
        return;
    };
    let (_, result) = reply.into_parts();
    let chosen = match result {
        Ok(value) => serde_json::from_value::<Option<MessageActionItem>>(value)
            .ok()
            .flatten(),
        Err(error) => {
            debug!(%error, "the client cannot show a question");
            return;
        }
    };
    // Whoever closes the message has not said no: the question stays open, here and elsewhere.
    match chosen.and_then(|item| choices.answer(&item.title)) {
        Some(Button::Answer(answer)) => submit(&connection, &question, answer).await,
        Some(Button::Show) => guests::show_edit(&connection, &client, &question).await,
        None => {}
    }
}

async fn submit(connection: &Connection, question: &OpenQuestion, answer: Answer) {
    let op = Op::Answer {
        approval: question.asked.id(),
        answer,
        by: connection.window(),
    };
    // A session that has ended asks nothing any more.
    let _ended = question.handle.submit(op).await;
}

pub(crate) struct CancelRequest;

impl Notification for CancelRequest {
    type Params = Value;
    const METHOD: &'static str = "$/cancelRequest";
}
