//! Forwards between an editor and whichever host is alive.

use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use pollux_door::{Connect, Output, Reconnect};
use pollux_text::PositionEncoding;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, timeout, timeout_at};

use super::followed::{FollowedSessions, SessionRequest};
use super::frame::{BadFrame, FrameReader, Incoming, MAX_FRAME, framed};
use super::memory::{Memory, notification};
use super::message::{FromHost, Kind, Message, Unreadable, error_reply};
use super::shown::Shown;
use crate::methods::{MESSAGES_LOST, SESSION_RESTORE, SessionRestoreParams};
use crate::protocol::method;

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
pub(super) const SERVER_CANCELLED: i32 = -32802;

/// The host's replies may hold a whole file, escaped.
pub(super) const MAX_HOST_FRAME: usize = 16 * MAX_FRAME;

/// So many bad messages in a row are no accident: the other side does not speak the protocol.
const BAD_IN_A_ROW: usize = 100;

/// How long replies may still come once the editor has closed its end.
const DRAIN: Duration = Duration::from_millis(500);

/// How long a new host may take to answer what it is retold.
const RETELL_DEADLINE: Duration = Duration::from_secs(10);

/// Why a door closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The editor asked for `shutdown` first.
    Orderly,
    /// It did not, or it is gone.
    Abrupt,
    /// What it sends is not the language server protocol.
    Garbage,
}

/// Forwards until the editor is done. `editor_died` resolves when the editor's process has ended
/// without closing its end; it is told the process id that `initialize` named.
pub async fn run<R, W, C, D, F>(
    editor_in: R,
    editor_out: W,
    mut connect: C,
    editor_died: D,
) -> io::Result<End>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
    C: Connect,
    D: Fn(u32) -> F,
    F: Future<Output = ()>,
{
    let (replies, mut local) = mpsc::channel(64);
    let door = Door {
        state: Mutex::default(),
        replies,
        editor_process: watch::Sender::new(None),
        editor_died,
    };
    let mut editor = FrameReader::new(editor_in, MAX_FRAME);
    let mut output = Output::new(editor_out);
    let mut reconnect = Reconnect::default();
    let mut host = connect.connect().await?;
    // One watch for all hosts: a process that ended between two of them would not be found again.
    let mut editor_gone = std::pin::pin!(door.editor_process_ended());
    loop {
        let (host_in, mut host_out) = host;
        let mut host_in = FrameReader::new(host_in, MAX_HOST_FRAME);
        let host_life = async {
            for message in door.retell(&mut host_in, &mut host_out).await? {
                output.queue(&framed(&message));
            }
            door.session(
                &mut editor,
                &mut output,
                &mut host_in,
                &mut host_out,
                &mut local,
            )
            .await
        };
        let ended = tokio::select! {
            ended = host_life => ended,
            () = &mut editor_gone => return Ok(door.end(EditorEnd::Closed)),
        };
        match ended {
            Ok(end) => return Ok(end),
            // It was the last message, and there is nobody left to send it to.
            Err(HostLost) if door.state().exit => return Ok(door.end(EditorEnd::Exit)),
            Err(HostLost) => {
                for reply in door.answer_in_flight() {
                    output.queue(&framed(&reply));
                }
                for message in door.state().shown.take_back() {
                    output.queue(&framed(&message));
                }
            }
        }
        let next = async {
            // An editor that reads nothing does not keep the next host from being found.
            let told = timeout(DRAIN, output.flush());
            let (_read, next) = tokio::join!(told, reconnect.next_host(&mut connect));
            next
        };
        host = tokio::select! {
            next = next => next?,
            () = &mut editor_gone => return Ok(door.end(EditorEnd::Closed)),
        };
    }
}

struct HostLost;

/// Whom a message of the host is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum For {
    Editor,
    Door,
}

impl From<io::Error> for HostLost {
    fn from(_: io::Error) -> Self {
        HostLost
    }
}

struct Door<D> {
    /// Held for a map operation at a time, never across an await.
    state: Mutex<State>,
    /// Replies that the door gives itself.
    replies: mpsc::Sender<Vec<u8>>,
    editor_process: watch::Sender<Option<u32>>,
    editor_died: D,
}

#[derive(Default)]
struct State {
    memory: Memory,
    shown: Shown,
    followed: FollowedSessions,
    /// Requests of the editor that have no reply yet, by their id as JSON.
    in_flight: HashMap<String, InFlight>,
    /// How many requests there were.
    requests: u64,
    shutdown: bool,
    exit: bool,
}

/// A request that has no reply yet.
struct InFlight {
    /// Its place among the requests of this door.
    order: u64,
    /// The message, until all of it is written to a host. No host has acted on it before.
    unsent: Option<Bytes>,
    on_host_loss: OnHostLoss,
    session: Option<SessionRequest>,
}

/// What becomes of a request whose host dies before it has replied.
#[derive(PartialEq, Eq)]
enum OnHostLoss {
    /// The next host is told of it with everything else and replies to it.
    Initialize,
    /// The next host is sent the same request.
    Repeat(Bytes),
    /// The editor gets an error and decides itself.
    Refuse,
}

/// Ids of the door's own requests begin so. Their replies are not for the editor.
const OWN_ID: &str = r#""$/pollux/"#;

/// What the reader of the editor's messages came to.
enum EditorEnd {
    Exit,
    Closed,
    Garbage,
}

impl<D, F> Door<D>
where
    D: Fn(u32) -> F,
    F: Future<Output = ()>,
{
    /// Forwards both ways between the editor and one host.
    async fn session<R, W, HR, HW>(
        &self,
        editor: &mut FrameReader<R>,
        output: &mut Output<W>,
        host: &mut FrameReader<HR>,
        host_out: &mut HW,
        local: &mut mpsc::Receiver<Vec<u8>>,
    ) -> Result<End, HostLost>
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin,
        HR: AsyncRead + Unpin,
        HW: AsyncWrite + Unpin,
    {
        let mut to_editor = std::pin::pin!(self.to_editor(host, output, local));
        let ended = tokio::select! {
            lost = &mut to_editor => return Err(lost),
            ended = self.to_host(editor, host_out) => ended?,
        };
        // The host closes its end when it has answered; a shut-down write half tells it to.
        let _host_is_gone = host_out.shutdown().await;
        let _answers_are_late = timeout(DRAIN, to_editor).await;
        Ok(self.end(ended))
    }

    fn end(&self, ended: EditorEnd) -> End {
        match ended {
            EditorEnd::Garbage => End::Garbage,
            EditorEnd::Exit | EditorEnd::Closed if self.state().shutdown => End::Orderly,
            EditorEnd::Exit | EditorEnd::Closed => End::Abrupt,
        }
    }

    async fn to_host<R, HW>(
        &self,
        editor: &mut FrameReader<R>,
        host_out: &mut HW,
    ) -> Result<EditorEnd, HostLost>
    where
        R: AsyncRead + Unpin,
        HW: AsyncWrite + Unpin,
    {
        let mut bad_in_a_row = 0;
        loop {
            // An editor that cannot be read from is gone.
            let Ok(Some(incoming)) = editor.next().await else {
                return Ok(EditorEnd::Closed);
            };
            let refusal = match incoming {
                Incoming::Bad(bad) => refuse_frame(&bad),
                Incoming::Frame(body) if body.is_empty() => continue,
                Incoming::Frame(body) => match Message::read(body) {
                    Ok(mut message) => {
                        bad_in_a_row = 0;
                        let exit = self.take(&mut message);
                        host_out.write_all(&framed(&message.body)).await?;
                        if let Kind::Call { id: Some(id), .. } = &message.kind {
                            self.note_sent(id);
                        }
                        if exit {
                            return Ok(EditorEnd::Exit);
                        }
                        continue;
                    }
                    Err(unreadable) => refuse_message(&unreadable),
                },
            };
            bad_in_a_row += 1;
            // Nobody is left to read the reply when this fails.
            let _closing = self.replies.send(refusal).await;
            if bad_in_a_row >= BAD_IN_A_ROW {
                return Ok(EditorEnd::Garbage);
            }
            self.state().memory.messages_lost();
            let lost = format!(r#"{{"jsonrpc":"2.0","method":"{MESSAGES_LOST}"}}"#);
            host_out.write_all(&framed(lost.as_bytes())).await?;
        }
    }

    /// Remembers a message of the editor. Says whether it is the last one.
    fn take(&self, message: &mut Message) -> bool {
        let mut state = self.state();
        let (method, id, params) = match &message.kind {
            Kind::Call { method, id, params } => (method, id, params),
            Kind::Reply { id } => {
                state.shown.note_reply(id);
                return false;
            }
        };
        let mut on_host_loss = match SessionRequest::is_repeatable(method) {
            true => OnHostLoss::Repeat(message.body.clone()),
            false => OnHostLoss::Refuse,
        };
        match method.as_str() {
            // A second one is refused by the host, and changes nothing.
            "initialize" if state.memory.initialize().is_none() => {
                on_host_loss = OnHostLoss::Initialize;
                self.editor_process.send_replace(process_id(params));
            }
            "shutdown" => state.shutdown = true,
            "exit" => state.exit = true,
            _ => {}
        }
        if let Some(id) = id {
            state.requests += 1;
            let in_flight = InFlight {
                order: state.requests,
                unsent: Some(message.body.clone()),
                on_host_loss,
                session: SessionRequest::read(method, params),
            };
            state.in_flight.insert(id.clone(), in_flight);
        }
        state.memory.note(message);
        state.exit
    }

    /// A host has all of this request, and may act on it.
    fn note_sent(&self, id: &str) {
        if let Some(request) = self.state().in_flight.get_mut(id) {
            request.unsent = None;
        }
    }

    async fn to_editor<W, HR>(
        &self,
        host: &mut FrameReader<HR>,
        output: &mut Output<W>,
        local: &mut mpsc::Receiver<Vec<u8>>,
    ) -> HostLost
    where
        W: AsyncWrite + Unpin,
        HR: AsyncRead + Unpin,
    {
        loop {
            output.flush().await;
            tokio::select! {
                incoming = host.next() => match incoming {
                    Ok(Some(Incoming::Frame(body))) => {
                        if self.answered(&body) == For::Editor {
                            output.queue(&framed(&body));
                        }
                    }
                    Ok(Some(Incoming::Bad(_)) | None) | Err(_) => return HostLost,
                },
                Some(reply) = local.recv() => output.queue(&framed(&reply)),
            }
        }
    }

    /// Notes that a request has its reply, and what the editor is shown.
    fn answered(&self, body: &[u8]) -> For {
        let Ok(message) = serde_json::from_slice::<FromHost<'_>>(body) else {
            return For::Editor;
        };
        let mut state = self.state();
        if let (Some(method), Some(id)) = (message.method, message.id) {
            state.shown.note_request(method, id);
        }
        if let (Some(method), Some(params)) = (message.method, message.params) {
            state.shown.note(method, params);
            if method.get().trim_matches('"') == method::SESSION_EVENTS {
                state.followed.events(params);
            }
        }
        let (None, Some(id)) = (message.method, message.id) else {
            return For::Editor;
        };
        if id.get().starts_with(OWN_ID) {
            return For::Door;
        }
        let Some(request) = state.in_flight.remove(id.get()) else {
            return For::Editor;
        };
        if request.on_host_loss == OnHostLoss::Initialize {
            match message.result {
                Some(result) => state.memory.agreed_on(encoding_of(result)),
                None => state.memory.initialize_was_refused(),
            }
        }
        if let (Some(session), Some(result)) = (request.session, message.result) {
            state.followed.done(session, result);
        }
        For::Editor
    }

    /// Tells a new host what the last one knew. Gives what the host said meanwhile, with the reply
    /// to `initialize` only if the editor still waits for it.
    async fn retell<HR, HW>(
        &self,
        host: &mut FrameReader<HR>,
        host_out: &mut HW,
    ) -> Result<Vec<Bytes>, HostLost>
    where
        HR: AsyncRead + Unpin,
        HW: AsyncWrite + Unpin,
    {
        let Some(initialize) = self.state().memory.initialize().map(<[u8]>::to_vec) else {
            return Ok(Vec::new());
        };
        host_out.write_all(&framed(&initialize)).await?;
        let deadline = Instant::now() + RETELL_DEADLINE;
        let mut said = Vec::new();
        let reply = loop {
            let Ok(Ok(Some(Incoming::Frame(message)))) = timeout_at(deadline, host.next()).await
            else {
                return Err(HostLost);
            };
            // The protocol lets a server show messages before it answers.
            if is_reply(&message) {
                break message;
            }
            said.push(message);
        };
        let waited_for = {
            let state = self.state();
            state
                .in_flight
                .values()
                .any(|request| request.on_host_loss == OnHostLoss::Initialize)
        };
        self.answered(&reply);
        let messages = self.state().memory.retell();
        for message in messages {
            host_out.write_all(&framed(&message)).await?;
        }
        if waited_for {
            said.push(reply);
        }
        self.restore_sessions(host, host_out, deadline, &mut said)
            .await?;
        Ok(said)
    }

    /// Has a new host open the sessions that the editor follows, so that what the editor says next finds them. Then
    /// repeats the requests that the last host has not replied to.
    async fn restore_sessions<HR, HW>(
        &self,
        host: &mut FrameReader<HR>,
        host_out: &mut HW,
        deadline: Instant,
        said: &mut Vec<Bytes>,
    ) -> Result<(), HostLost>
    where
        HR: AsyncRead + Unpin,
        HW: AsyncWrite + Unpin,
    {
        let sessions = self.state().followed.restore();
        let mut open = sessions.len();
        for (number, params) in sessions.iter().enumerate() {
            let id = format!("$/pollux/{number}");
            let request =
                json!({ "jsonrpc": "2.0", "id": id, "method": SESSION_RESTORE, "params": params });
            host_out
                .write_all(&framed(request.to_string().as_bytes()))
                .await?;
        }
        while open > 0 {
            let message = match timeout_at(deadline, host.next()).await {
                Ok(Ok(Some(Incoming::Frame(message)))) => message,
                Ok(_) => return Err(HostLost),
                // The editor need not wait for a session that takes its time.
                Err(_) => break,
            };
            match self.answered(&message) {
                For::Door => {
                    open -= 1;
                    said.extend(not_restored(&message, &sessions));
                }
                For::Editor => said.push(message),
            }
        }
        for (id, request) in self.repeated() {
            host_out.write_all(&framed(&request)).await?;
            self.note_sent(&id);
        }
        Ok(())
    }

    /// The requests that are sent to the next host, in their order, with their ids.
    fn repeated(&self) -> Vec<(String, Bytes)> {
        let state = self.state();
        let requests = state.in_flight.iter();
        let mut repeated: Vec<_> = requests
            .filter_map(
                |(id, request)| match (&request.on_host_loss, &request.unsent) {
                    (OnHostLoss::Initialize, _) | (OnHostLoss::Refuse, None) => None,
                    (OnHostLoss::Repeat(body), _) | (OnHostLoss::Refuse, Some(body)) => {
                        Some((request.order, id.clone(), body.clone()))
                    }
                },
            )
            .collect();
        repeated.sort_by_key(|(order, ..)| *order);
        let repeated = repeated.into_iter();
        repeated.map(|(_, id, body)| (id, body)).collect()
    }

    /// Error replies for what the dead host still owed, except for what the next host answers.
    fn answer_in_flight(&self) -> Vec<Vec<u8>> {
        let mut state = self.state();
        let lost = state.in_flight.extract_if(|_, request| {
            request.on_host_loss == OnHostLoss::Refuse && request.unsent.is_none()
        });
        lost.map(|(id, _)| error_reply(&id, SERVER_CANCELLED, "the host was restarted; ask again"))
            .collect()
    }

    /// Resolves when the process that `initialize` named has ended.
    async fn editor_process_ended(&self) {
        let mut named = self.editor_process.subscribe();
        let process = match named.wait_for(Option::is_some).await {
            Ok(process) => *process,
            Err(_) => None,
        };
        match process {
            Some(process) => (self.editor_died)(process).await,
            None => std::future::pending().await,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the client of a session is told that the new host could not open.
fn not_restored(reply: &[u8], sessions: &[SessionRestoreParams]) -> Option<Bytes> {
    let reply: FromHost<'_> = serde_json::from_slice(reply).ok()?;
    let number = reply.id?.get().trim_matches('"').rsplit('/').next()?;
    let restored = sessions.get(number.parse::<usize>().ok()?)?;
    let reason = format!(
        "This session could not be opened again: {}",
        reply.error?.message
    );
    let params = json!({
        "session": restored.session,
        "cursor": restored.cursor,
        "past": false,
        "more": false,
        "events": [{ "kind": "refused", "reason": reason }],
    });
    Some(notification(method::SESSION_EVENTS, &params).into())
}

fn refuse_frame(bad: &BadFrame) -> Vec<u8> {
    let code = match bad {
        BadFrame::Header => PARSE_ERROR,
        BadFrame::TooLong { .. } => INVALID_REQUEST,
    };
    error_reply("null", code, &bad.to_string())
}

fn refuse_message(unreadable: &Unreadable) -> Vec<u8> {
    let (id, code) = match unreadable {
        Unreadable::NotJson(_) => ("null", PARSE_ERROR),
        Unreadable::NotRpc { id, .. } => (id.as_str(), INVALID_REQUEST),
    };
    error_reply(id, code, &unreadable.to_string())
}

fn process_id(params: &Value) -> Option<u32> {
    params.get("processId")?.as_u64()?.try_into().ok()
}

fn is_reply(body: &[u8]) -> bool {
    serde_json::from_slice::<FromHost<'_>>(body)
        .is_ok_and(|message| message.method.is_none() && message.id.is_some())
}

fn encoding_of(result: &RawValue) -> PositionEncoding {
    #[derive(Deserialize, Default)]
    struct Initialized {
        capabilities: Capabilities,
    }
    #[derive(Deserialize, Default)]
    #[serde(rename_all = "camelCase")]
    struct Capabilities {
        position_encoding: Option<String>,
    }
    match serde_json::from_str::<Initialized>(result.get())
        .unwrap_or_default()
        .capabilities
        .position_encoding
        .as_deref()
    {
        Some("utf-8") => PositionEncoding::Utf8,
        Some("utf-32") => PositionEncoding::Utf32,
        _ => PositionEncoding::Utf16,
    }
}

#[cfg(test)]
mod tests;
