//! An agent's session over the Agent Client Protocol: JSON lines on its stdin and stdout.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::super::place::Place;
use super::agent::Agent;
use super::record;

pub(super) struct Session {
    child: Child,
    /// Until the client leaves.
    write: Option<ChildStdin>,
    read: BufReader<ChildStdout>,
    last_id: u64,
    id: Value,
    /// From just before the process was made to the answer to `initialize`.
    pub(super) started: Duration,
}

/// A piece of the answer, and when it was read, since 1970.
pub(super) struct Piece<'a> {
    pub(super) read: Duration,
    pub(super) text: &'a str,
}

impl Session {
    pub(super) fn open(agent: &Agent, place: &Place) -> Result<Self> {
        let mut session = Self::start(agent, place)?;
        session.begin(place)?;
        Ok(session)
    }

    /// Comes back with the answer to `initialize`, and knows how long that took.
    pub(super) fn start(agent: &Agent, place: &Place) -> Result<Self> {
        let mut command = place.command(&agent.program)?;
        agent.acp_arguments(&mut command);
        Self::talk(&mut command).with_context(|| agent.name)
    }

    /// The same with an agent that was prepared.
    pub(super) fn talk(command: &mut Command) -> Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let begin = Instant::now();
        let mut child = command.spawn().context("it does not start")?;
        let write = child.stdin.take();
        let read = BufReader::new(child.stdout.take().context("no stdout")?);
        let mut session = Self {
            child,
            write,
            read,
            last_id: 0,
            id: Value::Null,
            started: Duration::ZERO,
        };
        let capabilities = json!({ "protocolVersion": 1, "clientCapabilities": {} });
        session.request("initialize", &capabilities, |_| {})?;
        session.started = begin.elapsed();
        Ok(session)
    }

    /// A new session, in which later prompts are; how long it took to come.
    pub(super) fn begin(&mut self, place: &Place) -> Result<Duration> {
        let folder = json!({ "cwd": place.workspace(), "mcpServers": [] });
        let begin = Instant::now();
        let new = self.request("session/new", &folder, |_| {})?;
        let took = begin.elapsed();
        self.id = new.get("sessionId").context("no session")?.clone();
        Ok(took)
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Comes back when the turn has ended.
    pub(super) fn prompt(&mut self, text: &str) -> Result<()> {
        self.prompt_hearing(text, |_| {})
    }

    /// The same; each piece of the answer is told when it has come.
    pub(super) fn prompt_hearing(&mut self, text: &str, hear: impl FnMut(Piece)) -> Result<()> {
        let prompt = json!({
            "sessionId": self.id,
            "prompt": [{ "type": "text", "text": text }],
        });
        let end = self.request("session/prompt", &prompt, hear)?;
        if end.get("stopReason").is_none_or(|why| why != "end_turn") {
            bail!("a turn went wrong: {end}");
        }
        Ok(())
    }

    /// The client leaves, and the agent ends by itself.
    pub(super) fn close(mut self) -> Result<()> {
        self.write = None;
        self.child.wait()?;
        Ok(())
    }

    fn request(
        &mut self,
        method: &str,
        params: &Value,
        mut hear: impl FnMut(Piece),
    ) -> Result<Value> {
        self.last_id += 1;
        let id = self.last_id;
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let write = self.write.as_mut().context("no stdin")?;
        writeln!(write, "{request}")?;
        write.flush()?;
        loop {
            let mut line = String::new();
            if self.read.read_line(&mut line)? == 0 {
                bail!("the agent ended during {method}");
            }
            let read = record::now();
            // Anything that is no JSON was meant for a person.
            let Ok(message) = serde_json::from_str::<Value>(&line) else {
                continue;
            };
            if message.get("method").is_some() && message.get("id").is_some() {
                bail!("the agent asks, and nobody is there to answer: {message}");
            }
            if message.get("id") == Some(&json!(id)) {
                let result = message.get("result").cloned();
                return result.with_context(|| format!("{method} was refused: {message}"));
            }
            if let Some(text) = said(&message) {
                hear(Piece { read, text });
            }
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Its second process, if it has one, ends when its pipes do.
        let _already_ended = self.child.kill();
        let _already_waited_for = self.child.wait();
    }
}

fn said(message: &Value) -> Option<&str> {
    let update = message.pointer("/params/update")?;
    let is_answer = update.get("sessionUpdate")? == "agent_message_chunk";
    is_answer.then(|| update.pointer("/content/text")?.as_str())?
}
