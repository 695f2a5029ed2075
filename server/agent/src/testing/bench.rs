//! A session's state without its turn: calls one after the other, with the answers that a person would give.

use std::collections::VecDeque;
use std::sync::Mutex;

use pollux_model::{CallId, FunctionCall};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::SessionConfig;
use crate::api::{Answer, ApprovalMode, Event, TurnId};
use crate::mode::SharedMode;
use crate::scheduler::{Ended, Scheduler};
use crate::topic::SharedTopic;
use crate::turn::{Events, Pending, Running};

pub(crate) struct Bench {
    pub(crate) config: SessionConfig,
    pub(crate) cancel: CancellationToken,
    mode: SharedMode,
    topic: SharedTopic,
    answers: Mutex<VecDeque<Answer>>,
    events: Mutex<Vec<Event>>,
}

impl Bench {
    pub(crate) fn new(config: SessionConfig) -> Self {
        Self {
            mode: SharedMode::new(config.mode),
            config,
            cancel: CancellationToken::new(),
            topic: SharedTopic::default(),
            answers: Mutex::default(),
            events: Mutex::default(),
        }
    }

    /// What the person says to the next question.
    pub(crate) fn answering(self, answer: Answer) -> Self {
        self.answers.lock().unwrap().push_back(answer);
        self
    }

    pub(crate) fn mode(&self) -> ApprovalMode {
        self.mode.get()
    }

    /// What happened since the last look.
    pub(crate) fn events(&self) -> Vec<Event> {
        std::mem::take(&mut *self.events.lock().unwrap())
    }

    /// What the model is told.
    pub(crate) async fn call(&self, name: &str, args: Value) -> Value {
        Value::Object(match self.end(name, args).await {
            Ok(output) => output.response,
            Err(error) => error.response(),
        })
    }

    pub(crate) async fn end(&self, name: &str, args: Value) -> Ended {
        let call = FunctionCall {
            id: CallId::new("call"),
            name: name.to_owned(),
            args: args.as_object().unwrap().clone(),
            signature: None,
        };
        let (event_tx, mut event_rx) = mpsc::channel(64);
        let pending = Pending::default();
        let events = Events::new(event_tx, self.cancel.clone());
        let scheduler = Scheduler {
            config: &self.config,
            events: &events,
            pending: &pending,
            running: &Running::default(),
            mode: &self.mode,
            topic: &self.topic,
            cancel: &self.cancel,
            turn: TurnId(1),
            caller: crate::tools::Caller::Model,
        };
        let listening = async {
            while let Some(event) = event_rx.recv().await {
                if let Event::ApprovalRequested(approval) = &event {
                    let answer = self.answers.lock().unwrap().pop_front();
                    let answer = answer.expect("a question without an answer");
                    pending.answer(approval.id, answer).unwrap();
                }
                self.events.lock().unwrap().push(event);
            }
        };
        let ended = tokio::select! {
            ended = scheduler.run_one(&call) => ended,
            () = listening => panic!("the events ended before the tool"),
        };
        while let Ok(event) = event_rx.try_recv() {
            self.events.lock().unwrap().push(event);
        }
        ended
    }
}
