//! One answer of the model: asked for, shown while it arrives, checked, and asked for again if it
//! is no answer.

use std::time::Duration;

use futures_util::StreamExt;
use pollux_model::{
    FinishReason, ModelError, Part, Request, RetryTrigger, StreamEvent, ToolDeclaration, Usage,
};

use super::fall_back::Onward;
use super::{Filling, Turn, calls_in};
use crate::api::Event;
use crate::loop_detection::{Loop, Verdict};
use crate::prompt::server_instructions;
use crate::validity::{self, AnswerTo, InvalidStream, Nudge};
use crate::{Entry, PromptState, history};

/// The name under which the tokens of answers without an end are counted.
const UNFINISHED: &str = "unfinished-answer";

/// Why there is no answer.
pub(super) enum NoAnswer {
    Cancelled,
    Failed(ModelError, Progress),
    Invalid(InvalidStream),
    /// The session may not ask any more.
    LimitReached(u64),
    /// The model repeats itself and is to be told.
    Recover(Loop),
    /// It was told and goes on repeating itself.
    Loop(Loop),
}

/// What came of one attempt.
#[derive(Default)]
struct Received {
    progress: Progress,
    parts: Vec<Part>,
    finish: Option<FinishReason>,
    usage: Option<Usage>,
    /// What an answer that is not finished has cost.
    used_so_far: Option<Usage>,
}

/// Whether anything of the answer has arrived; a citation is no part of it but counts.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Progress {
    #[default]
    Awaited,
    Begun,
}

impl Turn<'_> {
    /// An answer, from this model or from the next one that is there.
    pub(super) async fn ask(&mut self, to: AnswerTo, nudge: Nudge) -> Result<Vec<Part>, NoAnswer> {
        if let Some(limit) = self.spent_limit() {
            return Err(NoAnswer::LimitReached(limit));
        }
        *self.rounds += 1;
        self.look_for_loop().await?;
        self.choose_model().await?;
        loop {
            let (error, progress) = match self.ask_one(to, nudge).await {
                Ok(parts) => {
                    self.availability.mark_healthy(&self.voice_name);
                    return Ok(parts);
                }
                Err(NoAnswer::Failed(error, progress)) => (error, progress),
                Err(other) => return Err(other),
            };
            if self.fall_back(&error, progress).await? == Onward::Nobody {
                return Err(NoAnswer::Failed(error, progress));
            }
        }
    }

    /// Up to four attempts with one model: a stream that breaks off or says nothing is no answer.
    async fn ask_one(&mut self, to: AnswerTo, mut nudge: Nudge) -> Result<Vec<Part>, NoAnswer> {
        let mut attempt = 1;
        loop {
            self.loops.restart_text();
            let mut received = Received::default();
            let request = self.request(nudge, attempt);
            let ended = self.receive(request, &mut received).await;
            let (reason, otherwise) = match ended {
                Ok(()) => {
                    let answer = validity::Answer {
                        parts: &received.parts,
                        finish: received.finish.as_ref(),
                        to,
                    };
                    match validity::check(&answer) {
                        Ok(()) => return Ok(self.accept(received)),
                        Err(invalid) => {
                            nudge = match invalid.nudge() {
                                Nudge::Add => Nudge::Add,
                                Nudge::None => nudge,
                            };
                            (invalid.name().to_owned(), NoAnswer::Invalid(invalid))
                        }
                    }
                }
                // Before the first piece arrived the request has been tried often enough.
                Err(NoAnswer::Failed(error, Progress::Begun)) if error.is_retryable() => {
                    (error.to_string(), NoAnswer::Failed(error, Progress::Begun))
                }
                Err(no_answer) => return Err(no_answer),
            };
            self.loops.take_back_calls(calls_in(&received.parts).len());
            let Some(delay) = validity::delay_after(attempt) else {
                return Err(otherwise);
            };
            attempt += 1;
            self.events.emit(Event::AnswerDiscarded { reason }).await;
            self.pause(delay).await?;
        }
    }

    fn accept(&mut self, received: Received) -> Vec<Part> {
        *self.filling = match received.usage {
            Some(usage) if usage.prompt_tokens > 0 => Filling::Whole(usage.prompt_tokens),
            // Some servers do not count.
            Some(_) | None => Filling::estimate(&self.config.opening, self.history),
        };
        self.journal.record(Entry::Answer {
            model: self.voice.model.name(),
            parts: &received.parts,
            usage: received.usage,
        });
        received.parts
    }

    /// A pause that the person may end.
    async fn pause(&mut self, delay: Duration) -> Result<(), NoAnswer> {
        let trigger = RetryTrigger::default();
        let _wait = self.events.retries().begin(trigger.clone());
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(NoAnswer::Cancelled),
            () = trigger.fired() => Ok(()),
            () = tokio::time::sleep(delay) => Ok(()),
        }
    }

    /// Sends the request and takes the answer in. What is never finished has its price all the same.
    async fn receive(&mut self, request: Request, received: &mut Received) -> Result<(), NoAnswer> {
        let ended = self.receive_pieces(request, received).await;
        self.count_unfinished(received.used_so_far.take()).await;
        ended
    }

    async fn count_unfinished(&mut self, used: Option<Usage>) {
        let Some(usage) = used else {
            return;
        };
        let model = self.voice.model.name();
        let used = match self.events.delegate() {
            Some(delegate) => delegate.used(model, usage),
            None => Event::UtilityUsed {
                task: UNFINISHED.to_owned(),
                model: model.to_owned(),
                usage,
            },
        };
        self.events.emit(used).await;
        self.events.used(model, usage).await;
    }

    async fn receive_pieces(
        &mut self,
        request: Request,
        received: &mut Received,
    ) -> Result<(), NoAnswer> {
        let mut waiting = None;
        self.journal.record(Entry::Asked {
            model: self.voice.model.name(),
        });
        let mut stream = self.voice.model.stream(request, self.cancel.clone());
        loop {
            // Whatever a provider does, a stop is a stop.
            let event = tokio::select! {
                biased;
                () = self.cancel.cancelled() => return Err(NoAnswer::Cancelled),
                event = stream.next() => event,
            };
            let Some(event) = event else {
                return Ok(());
            };
            if let Ok(event) = &event
                && !matches!(
                    event,
                    StreamEvent::Retrying(_)
                        | StreamEvent::RetryStarted
                        | StreamEvent::UsedSoFar(_)
                )
            {
                received.progress = Progress::Begun;
            }
            match event {
                Ok(StreamEvent::Text(text)) => {
                    append_text(&mut received.parts, &text);
                    self.journal.record(Entry::Text(&text));
                    let verdict = self.loops.on_text(&text);
                    self.events.emit(Event::TextReceived(text)).await;
                    check(verdict)?;
                }
                Ok(StreamEvent::SignedText(signed)) => {
                    let text = signed.text.clone();
                    self.journal.record(Entry::Text(&text));
                    received.parts.push(Part::SignedText(signed));
                    let verdict = self.loops.on_text(&text);
                    if !text.is_empty() {
                        self.events.emit(Event::TextReceived(text)).await;
                    }
                    check(verdict)?;
                }
                Ok(StreamEvent::Thought(thought)) => {
                    received.parts.push(Part::Thought(thought.clone()));
                    self.journal.record(Entry::Thought(&thought));
                    self.events.emit(Event::ThoughtReceived(thought)).await;
                }
                Ok(StreamEvent::FunctionCall(call)) => {
                    let call = match self.events.delegate() {
                        None => call,
                        Some(delegate) => delegate.own(call),
                    };
                    let verdict = self.loops.on_tool_call(&call.name, &call.args);
                    received.parts.push(Part::FunctionCall(call));
                    check(verdict)?;
                }
                Ok(StreamEvent::Citation(citation)) => {
                    self.events.emit(Event::CitationReceived(citation)).await;
                }
                // Only tools of ours ask for it.
                Ok(StreamEvent::Grounding(_)) => {}
                Ok(StreamEvent::Retrying(retry)) => {
                    self.count_unfinished(received.used_so_far.take()).await;
                    waiting = Some(self.events.retrying(retry).await);
                }
                Ok(StreamEvent::RetryStarted) => {
                    self.events.retry_started(waiting.take()).await;
                }
                Ok(StreamEvent::UsedSoFar(usage)) => received.used_so_far = Some(usage),
                Ok(StreamEvent::Finished { reason, usage }) => {
                    received.finish = Some(reason.clone());
                    received.usage = Some(usage);
                    received.used_so_far = None;
                    let ended = Event::AnswerEnded {
                        reason,
                        usage,
                        context_window: self.voice.model.known_token_limit(),
                    };
                    self.events.emit(ended).await;
                    if let Some(delegate) = self.events.delegate() {
                        let used = delegate.used(self.voice.model.name(), usage);
                        self.events.emit(used).await;
                    }
                    self.events.used(self.voice.model.name(), usage).await;
                }
                Err(ModelError::Cancelled) => return Err(NoAnswer::Cancelled),
                Err(error) => return Err(NoAnswer::Failed(error, received.progress)),
            }
        }
    }

    /// As the mode and the topic are now: both may change between two requests of a turn.
    pub(super) fn instruction(&self) -> Option<String> {
        let instructions = self.config.instructions.as_ref()?;
        let mut text = instructions.text(&PromptState {
            mode: self.mode.get(),
            topic: self.topic.get().and_then(|topic| topic.title),
            model: self.voice.model.name().to_owned(),
        });
        // They change together with the tools, so no cache is lost that was not lost already.
        if let Some(servers) = self.config.tools.servers() {
            text.push_str(&server_instructions(&servers.offering()));
        }
        Some(text)
    }

    pub(super) fn declarations(&self) -> Vec<ToolDeclaration> {
        let excluded = self.scheduler().excluded();
        self.config.tools.declarations(self.mode.get(), &excluded)
    }

    fn request(&self, nudge: Nudge, attempt: u32) -> Request {
        let voices = &self.config.voices;
        let again = match attempt {
            1 => None,
            _ => voices.generation_for_retry(&self.voice_name),
        };
        let mut conversation = history::prepare(self.history.clone());
        if nudge == Nudge::Add {
            history::nudge(&mut conversation);
        }
        let mut contents = self.config.opening.clone();
        contents.extend(conversation);
        history::coalesce(&mut contents);
        Request {
            system_instruction: self.instruction(),
            contents,
            tools: self.declarations(),
            generation: again.unwrap_or_else(|| self.voice.generation.clone()),
        }
    }
}

pub(super) fn check(verdict: Verdict) -> Result<(), NoAnswer> {
    match verdict {
        Verdict::Fine => Ok(()),
        Verdict::Recover(found) => Err(NoAnswer::Recover(found)),
        Verdict::Stop(found) => Err(NoAnswer::Loop(found)),
    }
}

fn append_text(parts: &mut Vec<Part>, delta: &str) {
    match parts.last_mut() {
        Some(Part::Text(text)) => text.push_str(delta),
        _ => parts.push(Part::Text(delta.to_owned())),
    }
}
