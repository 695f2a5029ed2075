//! Room for what comes next: the conversation is made shorter before it grows.

use pollux_model::{Content, Part, Role};

use super::{Filling, Turn};
use crate::Entry;
use crate::api::{CompressionStatus, Event};
use crate::compression::{Compressed, Compressor, Stopped, Trigger};
use crate::masking::{self, Shelf};
use crate::utility::Utility;

impl Turn<'_> {
    /// To be called before anything is added for the model. Keeps `before_prompt` at the beginning of the running
    /// prompt. What is `upcoming` is not looked at, but belongs into the record of a conversation that was replaced:
    /// results of tools are recorded already, and whoever is killed now must not lose them.
    pub(super) async fn make_room(
        &mut self,
        before_prompt: &mut usize,
        upcoming: &[Part],
    ) -> Result<(), Stopped> {
        // A summariser that failed is left alone for the rest of the turn. Before the first word there is nothing to sum
        // up, and nothing is counted that a first request would have to wait for.
        if !self.history.is_empty()
            && self.is_crowded()
            && self.compressions.failed_in != Some(self.id)
        {
            self.compress(Trigger::Automatic, before_prompt, upcoming)
                .await?;
        }
        let cancel = self.cancel.clone();
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(Stopped),
            () = self.mask(upcoming) => Ok(()),
        }
    }

    /// The person wants it.
    pub(crate) async fn compress_now(mut self) {
        let mut end = self.history.len();
        let tokens = self.used();
        if self.compress(Trigger::Forced, &mut end, &[]).await.is_err() {
            // Whoever asked waits for an answer.
            let stopped = Event::HistoryCompressed {
                before: tokens,
                after: tokens,
                status: CompressionStatus::Noop,
            };
            self.events.emit(stopped).await;
        }
    }

    pub(super) fn utility(&self) -> Utility<'_> {
        Utility {
            voices: &*self.config.voices,
            events: &self.events,
            cancel: &self.cancel,
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "windows are far below the numbers that a float cannot tell apart"
    )]
    fn is_crowded(&self) -> bool {
        let limit = self.voice.model.token_limit() as f64;
        self.used() as f64 >= self.config.context.compression_threshold * limit
    }

    async fn compress(
        &mut self,
        trigger: Trigger,
        before_prompt: &mut usize,
        upcoming: &[Part],
    ) -> Result<(), Stopped> {
        let before = self.used();
        let every_request = self.every_request().tokens();
        let mut state = std::mem::take(self.compressions);
        let compressor = Compressor {
            utility: self.utility(),
            scratch: self.config.context.scratch.as_deref(),
            model: &self.voice.model,
            opening: &self.config.opening,
            every_request,
            tokens: before,
        };
        let compressed = compressor.compress(self.history, trigger, &mut state).await;
        if let Ok(Compressed {
            status: CompressionStatus::FailedEmptySummary,
            ..
        }) = &compressed
        {
            state.failed_in = Some(self.id);
        }
        *self.compressions = state;
        let Compressed {
            status,
            after,
            history,
        } = compressed?;
        if let Some(rewritten) = history {
            // What belongs to the prompt is at the end, whatever became of the rest.
            let of_prompt = self.history.len().saturating_sub(*before_prompt);
            let length = rewritten.contents.len();
            *before_prompt = length - of_prompt.min(rewritten.kept);
            *self.history = rewritten.contents;
            // What was before is a summary now.
            self.marks.clear();
            *self.filling = Filling::Whole(after);
            if status == CompressionStatus::Compressed {
                self.told.reset();
                self.forget_discovered();
            }
            self.record_replacement(upcoming);
        }
        if trigger == Trigger::Forced || status != CompressionStatus::Noop {
            let compressed = Event::HistoryCompressed {
                before,
                after,
                status,
            };
            self.events.emit(compressed).await;
        }
        Ok(())
    }

    async fn mask(&mut self, upcoming: &[Part]) {
        let Some(scratch) = &self.config.context.scratch else {
            return;
        };
        let shelf = Shelf {
            scratch: &**scratch,
            session: self.config.context.session.as_deref(),
        };
        let saved = masking::mask(self.history, shelf).await;
        if saved > 0 {
            *self.filling = self.filling.less(saved);
            self.record_replacement(upcoming);
        }
    }

    fn record_replacement(&mut self, upcoming: &[Part]) {
        let mut history = self.history.clone();
        if !upcoming.is_empty() {
            history.push(Content {
                role: Role::User,
                parts: upcoming.to_vec(),
            });
        }
        self.journal.record(Entry::Replaced { history: &history });
    }
}
