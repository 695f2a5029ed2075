//! A peer's session over the Agent Client Protocol: JSON lines on its stdin and stdout.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::super::place::Place;
use super::agent::{Agent, MODEL};

pub(super) struct Session {
    child: Child,
    write: ChildStdin,
    read: BufReader<ChildStdout>,
    last_id: u64,
    id: Value,
}

impl Session {
    pub(super) fn open(agent: &Agent, place: &Place) -> Result<Self> {
        let mut child = place
            .command(&agent.program)?
            .args(["--acp", "--model", MODEL])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("{} does not start", agent.name))?;
        let write = child.stdin.take().context("no stdin")?;
        let read = BufReader::new(child.stdout.take().context("no stdout")?);
        let mut session = Self {
            child,
            write,
            read,
            last_id: 0,
            id: Value::Null,
        };
        let capabilities = json!({ "protocolVersion": 1, "clientCapabilities": {} });
        session.request("initialize", &capabilities)?;
        let folder = json!({ "cwd": place.workspace(), "mcpServers": [] });
        let new = session.request("session/new", &folder)?;
        session.id = new.get("sessionId").context("no session")?.clone();
        Ok(session)
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Comes back when the turn has ended.
    pub(super) fn prompt(&mut self, text: &str) -> Result<()> {
        let prompt = json!({
            "sessionId": self.id,
            "prompt": [{ "type": "text", "text": text }],
        });
        let end = self.request("session/prompt", &prompt)?;
        if end.get("stopReason").is_none_or(|why| why != "end_turn") {
            bail!("a turn went wrong: {end}");
        }
        Ok(())
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.last_id += 1;
        let id = self.last_id;
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        writeln!(self.write, "{request}")?;
        self.write.flush()?;
        loop {
            let mut line = String::new();
            if self.read.read_line(&mut line)? == 0 {
                bail!("the peer ended during {method}");
            }
            // Anything that is no JSON was meant for a person.
            let Ok(message) = serde_json::from_str::<Value>(&line) else {
                continue;
            };
            if message.get("method").is_some() && message.get("id").is_some() {
                bail!("the peer asks, and nobody is there to answer: {message}");
            }
            if message.get("id") == Some(&json!(id)) {
                let result = message.get("result").cloned();
                return result.with_context(|| format!("{method} was refused: {message}"));
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
