//! Forwards between a client and whichever host is alive.

mod host;

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncRead, AsyncWrite, BufReader};
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

use crate::{Connect, Keep, LONGEST_LINE, Line, Lines, Memory, Message, Output, Reconnect};
use host::{FromHost, HostLost, ToHost};

const INVALID_REQUEST: i32 = -32600;
const INTERNAL_ERROR: i32 = -32603;

/// How long answers may still come once the client has closed its end.
const DRAIN: Duration = Duration::from_millis(500);

/// How long a new host may take to hear everything.
const RETELL: Duration = Duration::from_secs(15);

/// Forwards until the client is done, or no host is to be had.
pub async fn carry<R, W, C, M>(input: R, output: W, mut connect: C, memory: M) -> io::Result<()>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin,
    C: Connect,
    M: Memory,
{
    let mut client = Client::new(input);
    let mut door = Door {
        memory,
        asked: BTreeMap::new(),
        unsent: None,
        output: Output::new(output),
    };
    let mut reconnect = Reconnect::default();
    let (mut from, mut to) = connect.connect().await?;
    loop {
        let (mut from_host, mut to_host) = (FromHost::new(from), ToHost::new(to));
        let ended = door.attend(&mut client, &mut from_host, &mut to_host);
        match ended.await {
            Ok(()) => return Ok(()),
            Err(HostLost) => door.lost(),
        }
        let next = async {
            // A client that reads nothing does not keep the next host from being found.
            let told = timeout(DRAIN, door.output.flush());
            let (_read, found) = tokio::join!(told, reconnect.next_host(&mut connect));
            found
        };
        (from, to) = tokio::select! {
            biased;
            next = next => next?,
            () = client.left() => return Ok(()),
        };
    }
}

/// The client's lines, read ahead by one, so that its end is noticed while a host is looked for.
struct Client {
    lines: mpsc::Receiver<Line>,
    reading: AbortOnDropHandle<()>,
}

impl Client {
    fn new(input: impl AsyncRead + Unpin + Send + 'static) -> Self {
        let (read, lines) = mpsc::channel(1);
        let reading = tokio::spawn(async move {
            let mut lines = Lines::new(BufReader::new(input), LONGEST_LINE);
            while let Some(line) = lines.next().await
                && read.send(line).await.is_ok()
            {}
        });
        Self {
            lines,
            reading: AbortOnDropHandle::new(reading),
        }
    }

    /// There is nothing more to read from it.
    async fn left(&mut self) {
        let _read_everything = (&mut self.reading).await;
    }
}

struct Door<W, M> {
    memory: M,
    /// Requests of the client that have no answer yet, by their id as JSON.
    asked: BTreeMap<String, Asked>,
    /// A line that no host has seen anything of.
    unsent: Option<Vec<u8>>,
    output: Output<W>,
}

struct Asked {
    keep: Keep,
    method: String,
    /// Empty where nothing is kept.
    line: Vec<u8>,
}

impl<W: AsyncWrite + Unpin, M: Memory> Door<W, M> {
    /// Serves the client with this host until one of them is gone.
    async fn attend<HR, HW>(
        &mut self,
        client: &mut Client,
        from_host: &mut FromHost<HR>,
        to_host: &mut ToHost<HW>,
    ) -> Result<(), HostLost>
    where
        HR: AsyncRead + Unpin,
        HW: AsyncWrite + Unpin,
    {
        let known = self.memory.retell();
        if !known.is_empty() {
            let retell = self.retell(known, from_host, to_host);
            tokio::select! {
                biased;
                retold = timeout(RETELL, retell) => retold.map_err(|_| HostLost)??,
                () = client.left() => return Ok(()),
            }
        }
        for asked in self.asked.values() {
            to_host.queue(&asked.line);
        }
        to_host.flush().await?;
        if let Some(line) = self.unsent.take() {
            self.heard(Line::Whole(line), to_host);
        }
        let forwarded = self.forward(client, from_host, to_host).await;
        if forwarded.is_err() {
            self.unsent = to_host.unsent();
        }
        forwarded
    }

    /// Forwards both ways. What the host says goes first, and as much of it at once as is there.
    async fn forward<HR, HW>(
        &mut self,
        client: &mut Client,
        from_host: &mut FromHost<HR>,
        to_host: &mut ToHost<HW>,
    ) -> Result<(), HostLost>
    where
        HR: AsyncRead + Unpin,
        HW: AsyncWrite + Unpin,
    {
        loop {
            tokio::select! {
                biased;
                written = to_host.write(), if to_host.has_more() => written?,
                lines = from_host.lines(), if self.output.has_room() => self.told(&lines?),
                () = self.output.flush(), if !self.output.is_flushed() => {
                    if self.output.is_deaf() {
                        return Ok(());
                    }
                }
                line = client.lines.recv(), if !to_host.has_more() => match line {
                    Some(line) => self.heard(line, to_host),
                    None => break,
                },
            }
        }
        // The host closes its end when it has answered; a shut-down write half tells it to.
        to_host.close().await;
        let rest = async {
            loop {
                self.output.flush().await;
                let Ok(lines) = from_host.lines().await else {
                    return;
                };
                self.output.queue(&lines);
            }
        };
        let _answers_are_late = timeout(DRAIN, rest).await;
        Ok(())
    }

    /// Tells a new host what the last one knew.
    async fn retell<HR, HW>(
        &mut self,
        known: Vec<Vec<u8>>,
        from_host: &mut FromHost<HR>,
        to_host: &mut ToHost<HW>,
    ) -> Result<(), HostLost>
    where
        HR: AsyncRead + Unpin,
        HW: AsyncWrite + Unpin,
    {
        for line in &known {
            to_host.queue(line);
            to_host.flush().await?;
            let Some(request) = Message::read(line) else {
                continue;
            };
            let mut open = request.id();
            while open.is_some() {
                let lines = from_host.lines().await?;
                for line in each(&lines) {
                    match Message::read(line) {
                        Some(answer) if answer.method().is_none() && answer.id() == open => {
                            for line in self.memory.retold(&request, &answer) {
                                self.say(&line);
                            }
                            open = None;
                        }
                        _ => self.told(line),
                    }
                }
            }
        }
        Ok(())
    }

    /// The client has said something.
    fn heard<HW: AsyncWrite + Unpin>(&mut self, line: Line, to_host: &mut ToHost<HW>) {
        let line = match line {
            Line::Whole(line) => line,
            Line::TooLong => {
                let reason = format!("a line has {LONGEST_LINE} bytes at most");
                return self.refuse("null", INVALID_REQUEST, &reason);
            }
        };
        // What is no message is for the host to refuse.
        if let Some(message) = Message::read(&line) {
            let keep = self.memory.heard(&message);
            if let Some(request) = self.memory.taken_back(&message) {
                self.asked.remove(&request);
            }
            if let (Some(method), Some(id)) = (message.method(), message.id()) {
                let method = method.to_owned();
                let line = match keep {
                    Keep::Nothing => Vec::new(),
                    Keep::UntilAnswered | Keep::ForTheNextHost => line.clone(),
                };
                self.asked.insert(id, Asked { keep, method, line });
            }
        }
        to_host.queue(&line);
    }

    /// The host has said something: lines with their ends.
    fn told(&mut self, lines: &[u8]) {
        self.output.queue(lines);
        for message in each(lines).filter_map(Message::read) {
            if message.method().is_some() {
                self.memory.told(&message);
            } else if let Some(id) = message.id() {
                self.answered(&id, &message);
            }
        }
    }

    fn answered(&mut self, id: &str, answer: &Message<'_>) {
        let Some(asked) = self.asked.remove(id) else {
            return;
        };
        if !answer.is_refusal()
            && let Some(request) = Message::read(&asked.line)
        {
            self.memory.answered(&request, answer);
        }
    }

    /// Whatever the dead host still owed the client. What it has not seen the next one takes.
    fn lost(&mut self) {
        let unsent = self.unsent.as_deref().and_then(Message::read);
        let unsent = unsent.filter(|message| message.method().is_some());
        if let Some(id) = unsent.and_then(|message| message.id()) {
            self.asked.remove(&id);
        }
        for line in self.memory.lost() {
            self.say(&line);
        }
        let owed = self
            .asked
            .extract_if(.., |_, asked| asked.keep != Keep::ForTheNextHost);
        let owed: Vec<(String, Asked)> = owed.collect();
        for (id, asked) in owed {
            let reason = self.memory.reason_of_loss(&asked.method);
            self.refuse(&id, INTERNAL_ERROR, reason);
        }
    }

    fn refuse(&mut self, id: &str, code: i32, reason: &str) {
        let error = json!({ "code": code, "message": reason });
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#);
        self.say(line.as_bytes());
    }

    fn say(&mut self, line: &[u8]) {
        self.output.queue(line);
        self.output.queue(b"\n");
    }
}

/// Lines, each with its end.
fn each(lines: &[u8]) -> impl Iterator<Item = &[u8]> {
    lines.split_inclusive(|byte| *byte == b'\n')
}

#[cfg(test)]
mod tests;
