//! Forwards between an editor and whichever host is alive.

use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use pollux_door::{Connect, Output};
use pollux_text::PositionEncoding;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, timeout, timeout_at};

use super::frame::{BadFrame, FrameReader, Incoming, MAX_FRAME, framed};
use super::memory::Memory;
use super::message::{FromHost, Kind, Message, Unreadable, error_reply};
use super::shown::Shown;
use crate::methods::MESSAGES_LOST;

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
pub(super) const SERVER_CANCELLED: i32 = -32802;

/// The host's replies may hold a whole file, escaped.
pub(super) const MAX_HOST_FRAME: usize = 16 * MAX_FRAME;

/// So many bad messages in a row are no accident: the other side does not speak the protocol.
const BAD_IN_A_ROW: usize = 100;

/// How long replies may still come once the editor has closed its end.
const DRAIN: Duration = Duration::from_millis(500);

/// A host that dies more often than this is not worth restarting once more.
const LIVES: usize = 5;
const LIVES_PER: Duration = Duration::from_secs(60);

/// How long a new host may take to answer the `initialize` it is retold.
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
    let mut deaths = Vec::new();
    // One watch for all hosts: a process that ended between two of them would not be found again.
    let mut editor_gone = std::pin::pin!(door.editor_process_ended());
    loop {
        let host_life = async {
            let (host_in, mut host_out) = connect.connect().await?;
            let mut host = FrameReader::new(host_in, MAX_HOST_FRAME);
            let end = async {
                for message in door.retell(&mut host, &mut host_out).await? {
                    output.queue(&framed(&message));
                }
                door.session(
                    &mut editor,
                    &mut output,
                    &mut host,
                    &mut host_out,
                    &mut local,
                )
                .await
            };
            Ok::<_, io::Error>(end.await)
        };
        let ended = tokio::select! {
            ended = host_life => ended?,
            () = &mut editor_gone => return Ok(door.end(EditorEnd::Closed)),
        };
        match ended {
            Ok(end) => return Ok(end),
            // It was the last message, and there is nobody left to send it to.
            Err(HostLost) if door.state().exit => return Ok(door.end(EditorEnd::Exit)),
            Err(HostLost) => {
                deaths.retain(|death: &Instant| death.elapsed() < LIVES_PER);
                deaths.push(Instant::now());
                if deaths.len() >= LIVES {
                    return Err(io::Error::other("the host keeps dying; see its log"));
                }
                for reply in door.answer_in_flight() {
                    output.queue(&framed(&reply));
                }
                for message in door.state().shown.take_back() {
                    output.queue(&framed(&message));
                }
            }
        }
    }
}

struct HostLost;

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
    /// Requests of the editor that have no reply yet, by their id as JSON.
    in_flight: HashMap<String, Asked>,
    shutdown: bool,
    exit: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    Initialize,
    Other,
}

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
        let Kind::Call { method, id, params } = &message.kind else {
            return false;
        };
        let mut asked = Asked::Other;
        match method.as_str() {
            // A second one is refused by the host, and changes nothing.
            "initialize" if state.memory.initialize().is_none() => {
                asked = Asked::Initialize;
                self.editor_process.send_replace(process_id(params));
            }
            "shutdown" => state.shutdown = true,
            "exit" => state.exit = true,
            _ => {}
        }
        if let Some(id) = id {
            state.in_flight.insert(id.clone(), asked);
        }
        state.memory.note(message);
        state.exit
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
                        self.answered(&body);
                        output.queue(&framed(&body));
                    }
                    Ok(Some(Incoming::Bad(_)) | None) | Err(_) => return HostLost,
                },
                Some(reply) = local.recv() => output.queue(&framed(&reply)),
            }
        }
    }

    /// Notes that a request has its reply, and what the editor is shown.
    fn answered(&self, body: &[u8]) {
        let Ok(message) = serde_json::from_slice::<FromHost<'_>>(body) else {
            return;
        };
        let mut state = self.state();
        if let (Some(method), Some(params)) = (message.method, message.params) {
            state.shown.note(method, params);
        }
        let (None, Some(id)) = (message.method, message.id) else {
            return;
        };
        if state.in_flight.remove(id.get()) == Some(Asked::Initialize) {
            match message.result {
                Some(result) => state.memory.agreed_on(encoding_of(result)),
                None => state.memory.initialize_was_refused(),
            }
        }
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
                .any(|asked| *asked == Asked::Initialize)
        };
        self.answered(&reply);
        let messages = self.state().memory.retell();
        for message in messages {
            host_out.write_all(&framed(&message)).await?;
        }
        if waited_for {
            said.push(reply);
        }
        Ok(said)
    }

    /// Error replies for what the dead host still owed. `initialize` is not among them: the next
    /// host answers it.
    fn answer_in_flight(&self) -> Vec<Vec<u8>> {
        let mut state = self.state();
        let lost = state
            .in_flight
            .extract_if(|_, asked| *asked == Asked::Other);
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
