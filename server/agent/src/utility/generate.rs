//! A model is asked beside the conversation: retries are told, and so is what the answer costs.

use futures_util::StreamExt as _;
use pollux_model::{Answer, AnswerBuilder, Collected, Model, ModelError, Request, StreamEvent};
use tokio_util::sync::CancellationToken;

use crate::api::{Event, Usage};
use crate::turn::Events;

/// Who asks, and who is told of it.
pub(crate) struct Asking<'turn> {
    /// The name under which the tokens are counted.
    pub(crate) task: &'turn str,
    pub(crate) events: &'turn Events,
    pub(crate) cancel: &'turn CancellationToken,
}

impl Asking<'_> {
    /// The whole answer. Whatever a provider does, a stop is a stop.
    pub(crate) async fn generate(
        &self,
        model: &Model,
        request: Request,
    ) -> Result<Answer, ModelError> {
        let mut used = None;
        let answer = self.collect(model, request, &mut used).await;
        let used = match &answer {
            Ok(answer) => Some(answer.usage),
            Err(_) => used,
        };
        self.count(model, used).await;
        answer
    }

    async fn collect(
        &self,
        model: &Model,
        request: Request,
        used: &mut Option<Usage>,
    ) -> Result<Answer, ModelError> {
        let mut stream = model.stream_whole(request, self.cancel.clone());
        let mut builder = AnswerBuilder::default();
        let mut waiting = None;
        loop {
            let event = tokio::select! {
                biased;
                () = self.cancel.cancelled() => return Err(ModelError::Cancelled),
                event = stream.next() => event,
            };
            let event = event.ok_or_else(AnswerBuilder::cut_off)?;
            match builder.add(event?) {
                Collected::Piece => {}
                Collected::Whole(answer) => return Ok(*answer),
                Collected::Beside(StreamEvent::Retrying(retry)) => {
                    self.count(model, used.take()).await;
                    waiting = Some(self.events.retrying(retry).await);
                }
                Collected::Beside(StreamEvent::RetryStarted) => {
                    self.events.retry_started(waiting.take()).await;
                }
                Collected::Beside(StreamEvent::UsedSoFar(usage)) => *used = Some(usage),
                Collected::Beside(_) => {}
            }
        }
    }

    async fn count(&self, model: &Model, used: Option<Usage>) {
        let Some(usage) = used else {
            return;
        };
        let used = Event::UtilityUsed {
            task: self.task.to_owned(),
            model: model.name().to_owned(),
            usage,
        };
        self.events.emit(used).await;
        self.events.used(model.name(), usage).await;
    }
}
