//! What has arrived from the server and not been read by the test yet.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::{Notify, mpsc};

use super::message::{Message, RequestId, RpcError};
use crate::deadline::within;

/// How many arrivals the text of a failed test lists.
const SHOWN_ARRIVALS: usize = 40;

/// Gives the result for one kind of server request.
pub(super) type Answer = Box<dyn Fn(&Value) -> Value + Send>;

/// A reply that the editor owes because of its answer table.
pub(super) type OwedReply = (RequestId, Value);

/// Shared between the editor, its pending requests and the task that reads the stream.
pub(super) struct Inbox {
    state: Mutex<State>,
    changed: Notify,
    owed_replies: mpsc::UnboundedSender<OwedReply>,
}

/// Invariant: `unread` holds no notification of an ignored method, no request of the answer
/// table, and no reply that a pending request waits for.
#[derive(Default)]
pub(super) struct State {
    pub(super) unread: VecDeque<Message>,
    /// Requests of ours without a reply; `Some` once it is there but not read.
    pub(super) replies: HashMap<i64, Option<Result<Value, RpcError>>>,
    /// Requests of ours whose reply nobody wants.
    pub(super) abandoned: HashSet<i64>,
    pub(super) ignored: HashSet<String>,
    pub(super) answers: HashMap<String, Answer>,
    /// What the answer table was asked.
    pub(super) answered: Vec<(String, Value)>,
    /// Why no more messages will come.
    pub(super) ended: Option<Ending>,
    pub(super) deadline: Duration,
    arrivals: VecDeque<String>,
}

/// How the server's stream ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// The server closed its side between two messages.
    Closed,
    /// The server sent something that is not the protocol.
    Broken(String),
    /// The test dropped the editor.
    Dropped,
}

impl Inbox {
    pub(super) fn new(deadline: Duration, owed_replies: mpsc::UnboundedSender<OwedReply>) -> Self {
        let state = State {
            deadline,
            ..State::default()
        };
        Self {
            state: Mutex::new(state),
            changed: Notify::new(),
            owed_replies,
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        // A panic while the lock is held is a failed test; its text matters more than the state.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sorts one message from the wire.
    pub(super) fn arrived(&self, message: Message) {
        let mut state = self.state();
        state.log(message.to_string());
        match message {
            Message::Notification { method, .. } if state.ignored.contains(&method) => {}
            Message::Request { id, method, params } if state.answers.contains_key(&method) => {
                self.answer(&mut state, id, method, params);
            }
            Message::Response {
                id: Some(RequestId::Number(id)),
                ..
            } if state.abandoned.remove(&id) => {}
            Message::Response {
                id: Some(RequestId::Number(id)),
                result,
            } if state.replies.get(&id) == Some(&None) => {
                state.replies.insert(id, Some(result));
            }
            other => state.unread.push_back(other),
        }
        drop(state);
        self.changed.notify_waiters();
    }

    pub(super) fn end(&self, ending: Ending) {
        let mut state = self.state();
        state.log(format!("end of the stream: {ending:?}"));
        state.ended.get_or_insert(ending);
        drop(state);
        self.changed.notify_waiters();
    }

    /// Puts a method into the answer table, also for requests that came before.
    pub(super) fn answer_with(&self, method: &str, answer: Answer) {
        let mut state = self.state();
        state.answers.insert(method.to_owned(), answer);
        for message in std::mem::take(&mut state.unread) {
            match message {
                Message::Request { id, method, params } if state.answers.contains_key(&method) => {
                    self.answer(&mut state, id, method, params);
                }
                other => state.unread.push_back(other),
            }
        }
    }

    fn answer(&self, state: &mut State, id: RequestId, method: String, params: Value) {
        let result = state.answers[&method](&params);
        state.answered.push((method, params));
        if self.owed_replies.send((id, result)).is_err() {
            state.log("a reply was owed after the editor was dropped".to_owned());
        }
    }

    /// Waits until `take` finds what it looks for.
    ///
    /// # Panics
    /// When the deadline passes or the server's stream ends first.
    pub(super) async fn wait_for<T>(
        &self,
        what: &str,
        mut take: impl FnMut(&mut State) -> Option<T>,
    ) -> T {
        let limit = self.state().deadline;
        let found = within(
            limit,
            async {
                loop {
                    let changed = self.changed.notified();
                    {
                        let mut state = self.state();
                        if let Some(found) = take(&mut state) {
                            return Ok(found);
                        }
                        if let Some(ending) = state.ended.clone() {
                            return Err(ending);
                        }
                    }
                    changed.await;
                }
            },
            || format!("awaited {what}\n{}", self.state().describe()),
        )
        .await;
        found.unwrap_or_else(|ending| {
            let state = self.state().describe();
            panic!("awaited {what}, but the stream had ended ({ending:?})\n{state}")
        })
    }
}

impl State {
    fn log(&mut self, line: String) {
        if self.arrivals.len() == SHOWN_ARRIVALS {
            self.arrivals.pop_front();
        }
        self.arrivals.push_back(line);
    }

    /// Every message that the test has neither read nor ignored.
    pub(super) fn leftovers(&self) -> Vec<String> {
        let mut replies: Vec<_> = self
            .replies
            .iter()
            .filter_map(|(&id, reply)| {
                let message = Message::Response {
                    id: Some(RequestId::Number(id)),
                    result: reply.clone()?,
                };
                Some((id, message.to_string()))
            })
            .collect();
        replies.sort();
        let unread = self.unread.iter().map(Message::to_string);
        let broken = match &self.ended {
            Some(Ending::Broken(reason)) => Some(format!("not the protocol: {reason}")),
            _ => None,
        };
        unread
            .chain(replies.into_iter().map(|(_, line)| line))
            .chain(broken)
            .collect()
    }

    /// What to show beside a failed wait.
    pub(super) fn describe(&self) -> String {
        let mut text = String::new();
        let mut list = |title: &str, lines: &[String]| {
            let _infallible = writeln!(text, "{title}");
            for line in lines {
                let _infallible = writeln!(text, "  {line}");
            }
        };
        list("unread:", &self.leftovers());
        let arrivals: Vec<_> = self.arrivals.iter().cloned().collect();
        list(
            &format!("the last arrivals, at most {SHOWN_ARRIVALS}:"),
            &arrivals,
        );
        text
    }
}
