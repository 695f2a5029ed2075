//! Questions of a session, put to the client for as long as they are open.
//!
//! Whoever answers first counts, here or at another door. A question that is answered elsewhere is taken back.

mod choices;
mod form;

use std::sync::Arc;

use agent_client_protocol_schema::v1::{
    CLIENT_METHOD_NAMES, CreateElicitationResponse, Error, ErrorCode, RequestPermissionOutcome,
    RequestPermissionRequest, RequestPermissionResponse, SessionId, ToolCallUpdate,
};
use pollux_agent::api::{Answer, ApprovalId, Op, Question as Posed, Subject};
use pollux_workspace::Asked;
use serde::de::DeserializeOwned;
use tokio::sync::oneshot;
use tracing::debug;

use crate::attached::Attached;
use crate::client::{Client, Question};
use crate::wire;
use choices::{Choice, Choices};

/// A question that the client shows. It is taken away when this is dropped.
pub(crate) struct Asking {
    _question: Question,
}

/// What the client made of a question.
enum Reaction {
    Answer(Answer),
    /// The person wants to say why not.
    AskWhy,
    /// The client has stopped the turn, or wants it stopped.
    Stop,
    /// It cannot ask, or did not understand.
    Nothing,
}

/// Puts a question to the client. Its answer goes to the session by itself.
pub(crate) async fn ask(
    attached: &Arc<Attached>,
    client: &Arc<Client>,
    asked: &Asked,
    call: ToolCallUpdate,
) -> Asking {
    let session = SessionId::new(attached.live.id.as_str());
    let forms = client.traits().forms;
    let waiting = Waiting {
        attached: Arc::clone(attached),
        client: Arc::clone(client),
        id: asked.id(),
    };
    if let Some(questions) = questions(asked).filter(|_| forms) {
        let params = form::request(&session, &call.tool_call_id, questions);
        let method = CLIENT_METHOD_NAMES.elicitation_create;
        let (question, coming) = client.ask(method, &params).await;
        let posed = questions.to_vec();
        tokio::spawn(waiting.until(coming, move |answer| filled_in(&posed, answer)));
        return Asking {
            _question: question,
        };
    }
    let choices = Choices::of(asked, forms);
    let params = RequestPermissionRequest::new(session, call, choices.options());
    let method = CLIENT_METHOD_NAMES.session_request_permission;
    let (question, coming) = client.ask(method, &params).await;
    tokio::spawn(waiting.until(coming, move |answer| chosen(&choices, answer)));
    Asking {
        _question: question,
    }
}

fn questions(asked: &Asked) -> Option<&[Posed]> {
    match asked {
        Asked::Approval(approval) => match &approval.subject {
            Subject::Questions(questions) => Some(questions),
            _ => None,
        },
        Asked::Edit(_) => None,
    }
}

/// Somebody who waits for an answer of the client.
struct Waiting {
    attached: Arc<Attached>,
    client: Arc<Client>,
    id: ApprovalId,
}

impl Waiting {
    async fn until(
        self,
        coming: oneshot::Receiver<wire::Answer>,
        read: impl FnOnce(wire::Answer) -> Reaction + Send,
    ) {
        // Taken back, or the client is gone.
        let Ok(answer) = coming.await else {
            return;
        };
        match read(answer) {
            Reaction::Answer(answer) => self.submit(answer).await,
            Reaction::AskWhy => {
                let feedback = self.why().await;
                self.submit(Answer::Deny { feedback }).await;
            }
            // Somebody else may answer what this client does not, unless it is the one who waits for the end.
            Reaction::Stop if self.attached.has_prompts() => self.attached.stop(),
            Reaction::Nothing if self.attached.has_prompts() => {
                self.submit(Answer::Deny { feedback: None }).await;
            }
            Reaction::Stop | Reaction::Nothing => {}
        }
    }

    async fn submit(&self, answer: Answer) {
        let op = Op::Answer {
            approval: self.id,
            answer,
            by: self.client.window(),
        };
        // A session that has ended asks nothing any more.
        let _ended = self.attached.live.handle.submit(op).await;
    }

    /// What to do instead, if the person says so.
    async fn why(&self) -> Option<String> {
        let session = SessionId::new(self.attached.live.id.as_str());
        let method = CLIENT_METHOD_NAMES.elicitation_create;
        let params = form::why(&session);
        let (_question, coming) = self.client.ask(method, &params).await;
        let filled: CreateElicitationResponse = read(coming.await.ok()?).ok()?;
        form::reason(filled)
    }
}

fn chosen(choices: &Choices, answer: wire::Answer) -> Reaction {
    let response: RequestPermissionResponse = match read(answer) {
        Ok(response) => response,
        Err(reaction) => return reaction,
    };
    match response.outcome {
        RequestPermissionOutcome::Selected(selected) => match choices.find(&selected.option_id) {
            Some(Choice::Answer(answer)) => Reaction::Answer(answer.clone()),
            Some(Choice::AskWhy) => Reaction::AskWhy,
            None => Reaction::Nothing,
        },
        _ => Reaction::Stop,
    }
}

fn filled_in(questions: &[Posed], answer: wire::Answer) -> Reaction {
    let response: CreateElicitationResponse = match read(answer) {
        Ok(response) => response,
        Err(reaction) => return reaction,
    };
    match form::replies(questions, response) {
        form::Filled::Replies(replies) => Reaction::Answer(Answer::Replies(replies)),
        form::Filled::Declined => Reaction::Answer(Answer::Deny { feedback: None }),
        form::Filled::Closed => Reaction::Stop,
    }
}

fn read<T: DeserializeOwned>(answer: wire::Answer) -> Result<T, Reaction> {
    let unread = |error: Error| {
        debug!(%error, "the client cannot ask a question");
        match error.code {
            ErrorCode::RequestCancelled => Reaction::Stop,
            _ => Reaction::Nothing,
        }
    };
    let answer = answer.map_err(unread)?;
    serde_json::from_str(answer.get()).map_err(|error| unread(error.into()))
}
