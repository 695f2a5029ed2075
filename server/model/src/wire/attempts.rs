//! Sending a request until it gets through.

use std::collections::VecDeque;

use tokio::time::{Instant, sleep, sleep_until};

use super::reading::Reading;
use super::{Call, Flow};
use crate::http::{NoReply, Reply};
use crate::limits::EVENT_BYTES;
use crate::retry::Backoff;
use crate::{ModelError, NetworkError, Phase, RetryTrigger, StreamEvent};

/// The life of one stream. A request is sent again only while nothing of an answer has been handed out.
#[derive(Debug)]
pub(super) struct Attempts {
    call: Call,
    backoff: Backoff,
    stage: Stage,
    ready: VecDeque<StreamEvent>,
    /// Waits until `ready` is empty.
    fault: Option<ModelError>,
    answer: Phase,
}

#[derive(Debug)]
enum Stage {
    Waiting {
        until: Option<Instant>,
        trigger: RetryTrigger,
    },
    Opening,
    Reading(Box<Reading>),
    Over,
}

impl Attempts {
    pub(super) fn new(call: Call) -> Self {
        Self {
            backoff: Backoff::new(&call.retry),
            call,
            stage: Stage::Opening,
            ready: VecDeque::new(),
            fault: None,
            answer: Phase::BeforeAnswer,
        }
    }

    /// The next item; `None` at the end. Must not be called again after an error.
    pub(super) async fn next(&mut self) -> Option<Result<StreamEvent, ModelError>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                if !matches!(event, StreamEvent::UsedSoFar(_)) {
                    self.answer = Phase::MidAnswer;
                }
                return Some(Ok(event));
            }
            if let Some(fault) = self.fault.take() {
                return Some(self.retry_or_fail(fault));
            }
            match &mut self.stage {
                Stage::Over => return None,
                Stage::Waiting { until, trigger } => {
                    wait(*until, trigger).await;
                    self.stage = Stage::Opening;
                    return Some(Ok(StreamEvent::RetryStarted));
                }
                Stage::Opening => match open(&self.call).await {
                    Ok(reply) => {
                        let reading = Reading::new(reply, self.call.decoder());
                        self.stage = Stage::Reading(Box::new(reading));
                    }
                    Err(error) => self.fault = Some(error),
                },
                Stage::Reading(reading) => match reading.advance(&mut self.ready).await {
                    Ok(Flow::More | Flow::Stopped) => {}
                    Ok(Flow::Ended) => self.stage = Stage::Over,
                    Err(error) => self.fault = Some(error),
                },
            }
        }
    }

    fn retry_or_fail(&mut self, fault: ModelError) -> Result<StreamEvent, ModelError> {
        let retry = match self.answer {
            Phase::BeforeAnswer => self.backoff.after(&fault),
            Phase::MidAnswer => None,
        };
        match retry {
            Some(retry) => {
                self.stage = Stage::Waiting {
                    until: Instant::now().checked_add(retry.delay),
                    trigger: retry.trigger.clone(),
                };
                Ok(StreamEvent::Retrying(retry))
            }
            None => {
                self.stage = Stage::Over;
                Err(in_phase(fault, self.answer))
            }
        }
    }
}

/// A pause that is longer than the calendar ends with the trigger only.
async fn wait(until: Option<Instant>, trigger: &RetryTrigger) {
    let pause = async {
        match until {
            Some(until) => sleep_until(until).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = trigger.fired() => {}
        () = pause => {}
    }
}

/// The body of a reply, after as many attempts as it takes.
pub(super) async fn fetch(call: &Call) -> Result<Vec<u8>, ModelError> {
    let mut backoff = Backoff::new(&call.retry);
    loop {
        let body = match open(call).await {
            Ok(reply) => reply.whole(EVENT_BYTES).await,
            Err(error) => Err(error),
        };
        match body {
            Ok(body) => return Ok(body),
            Err(error) => match backoff.after(&error) {
                Some(retry) => sleep(retry.delay).await,
                None => return Err(error),
            },
        }
    }
}

async fn open(call: &Call) -> Result<Reply, ModelError> {
    call.exchange.send().await.map_err(|none| match none {
        NoReply::Refused(refusal) => call.refused(&refusal),
        NoReply::Failed(error) => error,
    })
}

fn in_phase(error: ModelError, phase: Phase) -> ModelError {
    match error {
        ModelError::Network(network) => ModelError::Network(NetworkError { phase, ..network }),
        other => other,
    }
}
