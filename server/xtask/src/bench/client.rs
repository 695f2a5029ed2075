//! A small blocking language client.
//!
//! A thread reads, so that the server never waits for us while we write a thousand keystrokes.

use std::collections::VecDeque;
use std::io::{BufReader, Read, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Value, json};

use super::frame;

#[cfg(test)]
mod tests;

/// Far beyond any reply that is worth measuring.
const DEADLINE: Duration = Duration::from_secs(60);

pub(super) struct Client<W> {
    write: W,
    incoming: Receiver<Result<Value>>,
    last_id: i64,
    /// The notifications that somebody wants to see; all others are dropped.
    wanted: Option<&'static str>,
    kept: VecDeque<Value>,
}

impl<W: Write> Client<W> {
    pub(super) fn over(read: impl Read + Send + 'static, write: W) -> Self {
        let (tx, incoming) = mpsc::channel();
        thread::spawn(move || {
            let mut pipe = BufReader::new(read);
            while let Some(message) = frame::read(&mut pipe).transpose() {
                let broken = message.is_err();
                if tx.send(message).is_err() || broken {
                    break;
                }
            }
        });
        Self {
            write,
            incoming,
            last_id: 0,
            wanted: None,
            kept: VecDeque::new(),
        }
    }

    /// Sends a request and waits for its result. What the server asks meanwhile is answered.
    pub(super) fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.last_id += 1;
        let id = json!(self.last_id);
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.write_bytes(&frame::encode(&request))?;
        loop {
            let message = self
                .next()
                .with_context(|| format!("waiting for {method}"))?;
            let asks = message.get("method").and_then(Value::as_str);
            match (asks, message.get("id")) {
                (Some(asks), Some(number)) => {
                    let result = answer(asks, message.get("params"));
                    let reply = json!({"jsonrpc": "2.0", "id": number, "result": result});
                    self.write_bytes(&frame::encode(&reply))?;
                }
                (None, Some(number)) if *number == id => {
                    if let Some(error) = message.get("error") {
                        bail!("{method} was refused: {error}");
                    }
                    return Ok(message.get("result").cloned().unwrap_or_default());
                }
                (Some(says), None) if self.wanted == Some(says) => self.kept.push_back(message),
                // A notification, or the reply to a request that was given up.
                _ => {}
            }
        }
    }

    /// Keeps the notifications of a method from now on, for [`Self::notification`].
    pub(super) fn keep(&mut self, method: &'static str) {
        self.wanted = Some(method);
    }

    /// The parameters of the next notification that is kept. The server asks nothing meanwhile.
    pub(super) fn notification(&mut self) -> Result<Value> {
        loop {
            let mut message = match self.kept.pop_front() {
                Some(message) => message,
                None => self.next()?,
            };
            if message.get("method").and_then(Value::as_str) == self.wanted {
                return Ok(message
                    .get_mut("params")
                    .map(Value::take)
                    .unwrap_or_default());
            }
        }
    }

    pub(super) fn notify(&mut self, method: &str, params: &Value) -> Result<()> {
        self.write_bytes(&notification(method, params))
    }

    /// Writes messages that were encoded before the clock was started.
    pub(super) fn write_bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.write
            .write_all(bytes)
            .and_then(|()| self.write.flush())
            .context("the server does not read any more")
    }

    fn next(&mut self) -> Result<Value> {
        match self.incoming.recv_timeout(DEADLINE) {
            Ok(message) => message,
            Err(RecvTimeoutError::Disconnected) => Err(anyhow!("the server has ended")),
            Err(RecvTimeoutError::Timeout) => Err(anyhow!("no answer within {DEADLINE:?}")),
        }
    }
}

pub(super) fn notification(method: &str, params: &Value) -> Vec<u8> {
    frame::encode(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
}

/// What a client without settings and without a user interface says.
fn answer(method: &str, params: Option<&Value>) -> Value {
    match method {
        "workspace/configuration" => {
            let items = params.and_then(|params| params.get("items")?.as_array());
            json!(vec![Value::Null; items.map_or(0, Vec::len)])
        }
        "workspace/applyEdit" => json!({"applied": false}),
        _ => Value::Null,
    }
}
