//! A session at work: one turn or another task runs, and the ops that concern it are taken meanwhile.

use std::pin::pin;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::api::{
    Answer, ApprovalId, Event, NewVoices, Op, Prompt, Refusal, ServedBy, TurnId, TurnOutcome,
};
use crate::commands::retry;
use crate::loop_detection::LoopDetector;
use crate::scheduler::policy_call;
use crate::turn::{Events, Failures, Pending, Running, Steering, Turn};
use crate::voices::first_voice;
use crate::{Fate, Gate, Voice};

use super::serving::{Task, command_in};
use super::{Heard, LoopDetection, Session, chosen, emit, emit_all, rename, set_mode};

impl Session {
    /// Runs a task, and then does what could not be done meanwhile.
    pub(super) async fn run_task(&mut self, task: Task) -> Heard {
        let heard = self.work_on(task).await;
        self.record_title();
        if let Some(voices) = self.next_voices.take() {
            self.config.voices = voices;
        }
        heard
    }

    /// Runs one turn or another task, and meanwhile takes the ops that concern it.
    async fn work_on(&mut self, task: Task) -> Heard {
        if let Task::Prompt(_) | Task::Custom(..) = task {
            self.turns += 1;
        }
        let id = TurnId(self.turns);
        let (voice_name, voice) = match (self.choose_voice(), &task) {
            (Ok(chosen), _) => chosen,
            (Err(outcome), Task::Prompt(prompt) | Task::Custom(prompt, _)) => {
                let prompt = prompt.clone();
                return self.refuse_turn(id, prompt, outcome).await;
            }
            (Err(_), Task::Compress) => {
                let refusal = Refusal::NoModel;
                return emit(&self.events, Event::OpRefused(refusal)).await;
            }
        };
        let cancel = CancellationToken::new();
        let abandoned = CancellationToken::new();
        let pending = self.pending.clone();
        let calls = Running::default();
        let steering = Steering::default();
        let events =
            Events::new(self.events.clone(), cancel.clone()).of_turn(id, self.meter.clone());
        let retries = events.retries().clone();
        let turn = Turn {
            id,
            config: &self.config,
            history: &mut self.history,
            journal: &mut *self.journal,
            memory: self.memory.as_mut(),
            availability: &mut self.availability,
            told: &mut self.told,
            untold: &mut self.untold,
            marks: &mut self.marks,
            filling: &mut self.filling,
            loops: match self.config.loop_detection {
                LoopDetection::On => LoopDetector::new(),
                LoopDetection::Off => LoopDetector::disabled(),
            },
            voice_name,
            voice,
            rounds: &mut self.rounds,
            mode: self.mode.clone(),
            topic: self.topic.clone(),
            title: self.title.clone(),
            routed: None,
            compressions: &mut self.compressions,
            failures: Failures::default(),
            fate: Fate::default(),
            events,
            pending: pending.clone(),
            running: calls.clone(),
            steering: steering.clone(),
            cancel: cancel.clone(),
            abandoned: abandoned.clone(),
        };
        let mut running = pin!(async {
            match task {
                Task::Prompt(prompt) => turn.run(prompt, None).await,
                Task::Custom(prompt, custom) => turn.run(prompt, Some(custom)).await,
                Task::Compress => turn.compress_now().await,
            }
        });
        let takes_commands = self.config.commands.is_some();
        let mut handle_is_alive = true;
        let mut late = Vec::new();
        'working: loop {
            let op = tokio::select! {
                () = &mut running => break,
                op = self.ops.recv(), if handle_is_alive => op,
            };
            let answers: Vec<Event> = match op {
                Some(Op::CancelTurn) => {
                    self.queue.hold();
                    cancel.cancel();
                    Vec::new()
                }
                Some(Op::RetryNow) => {
                    let retried = retries.retry_now();
                    retried.err().map(Event::OpRefused).into_iter().collect()
                }
                // It is no prompt for later.
                Some(Op::Queue(prompt) | Op::Steer(prompt))
                    if takes_commands && retry::is_meant(&prompt) && retries.is_waiting() =>
                {
                    self.queue.gone(prompt.kept);
                    let refused = retries.retry_now().err().map(Event::OpRefused);
                    let served = prompt.mark.map(|mark| Event::PromptServed {
                        mark,
                        by: ServedBy::Command,
                    });
                    refused.into_iter().chain(served).collect()
                }
                Some(Op::StopCall(call)) => {
                    let stopped = calls.stop(&call);
                    stopped.err().map(Event::OpRefused).into_iter().collect()
                }
                // An answer may have come a moment ago; then the turn has something to do.
                Some(Op::AbandonTurn) => {
                    if pending.is_waiting() {
                        self.queue.hold();
                        abandoned.cancel();
                        cancel.cancel();
                    }
                    Vec::new()
                }
                Some(Op::Decide {
                    proposal,
                    decisions,
                    by,
                }) => {
                    pending.heard_in(proposal.0, by);
                    let decided = pending.decide(proposal, decisions);
                    decided.err().map(Event::OpRefused).into_iter().collect()
                }
                Some(Op::Answer {
                    approval,
                    answer,
                    by,
                }) => {
                    pending.heard_in(approval.0, by);
                    let answered = fitting(&pending, &*self.config.gate, approval, &answer)
                        .and_then(|()| pending.answer(approval, answer));
                    answered.err().map(Event::OpRefused).into_iter().collect()
                }
                Some(Op::SetMode(mode)) => vec![set_mode(&self.mode, &*self.config.gate, mode)],
                Some(Op::SetModel(NewVoices(voices))) => {
                    let chosen = chosen(&*voices);
                    self.next_voices = Some(voices);
                    vec![chosen]
                }
                // It is at work.
                Some(Op::Release) => Vec::new(),
                Some(Op::Rename(title)) => vec![rename(&self.title, &title)],
                Some(Op::Queue(prompt)) => vec![self.queue.push(prompt)],
                // No model can do anything with a command.
                Some(Op::Steer(prompt)) if takes_commands && command_in(&prompt).is_some() => {
                    vec![self.queue.push(prompt)]
                }
                Some(Op::Steer(prompt)) => {
                    steering.push(prompt);
                    Vec::new()
                }
                Some(Op::Unqueue(id)) => self.queue.remove(id),
                Some(Op::TakeBack(mark)) => self.queue.take_back(&mark),
                Some(Op::StopPrompt(mark)) if self.serving.as_ref() == Some(&mark) => {
                    cancel.cancel();
                    Vec::new()
                }
                Some(Op::StopPrompt(mark)) => self.queue.take_back(&mark),
                Some(Op::EditQueued { id, text }) => vec![self.queue.edit(id, text)],
                Some(Op::MoveQueued { id, place }) => vec![self.queue.shift(id, place)],
                Some(Op::ReleaseQueue) => {
                    self.queue.release();
                    Vec::new()
                }
                Some(Op::Compress | Op::Rewind { .. }) => {
                    vec![Event::OpRefused(Refusal::TurnIsRunning)]
                }
                Some(Op::Close) | None => {
                    handle_is_alive = false;
                    cancel.cancel();
                    Vec::new()
                }
            };
            // The turn waits for the same listener; racing it keeps a slow one from stopping both.
            let mut answers = answers.into_iter();
            while let Some(answer) = answers.next() {
                tokio::select! {
                    room = self.events.reserve() => if let Ok(room) = room {
                        room.send(answer);
                    },
                    () = &mut running => {
                        late.push(answer);
                        late.extend(answers);
                        break 'working;
                    }
                }
            }
        }
        emit_all(&self.events, late).await;
        for kept in steering.heard() {
            self.queue.gone(Some(kept));
        }
        // What was said too late for this turn is a prompt of its own.
        for prompt in steering.take() {
            let queued = self.queue.push(prompt);
            emit(&self.events, queued).await;
        }
        match handle_is_alive && !self.events.is_closed() {
            true => Heard::Yes,
            false => Heard::No,
        }
    }

    /// The first model of the chain that is there.
    fn choose_voice(&mut self) -> Result<(String, Voice), TurnOutcome> {
        let voices = &*self.config.voices;
        first_voice(voices, self.mode.get(), &mut self.availability).map_err(TurnOutcome::Failed)
    }

    /// A turn that ends before it has begun.
    async fn refuse_turn(&mut self, turn: TurnId, prompt: Prompt, outcome: TurnOutcome) -> Heard {
        let started = Event::TurnStarted {
            turn,
            attachments: Arc::clone(&prompt.attachments),
            prompt: prompt.stands_for.unwrap_or(prompt.text),
            model: self.config.voices.requested().to_owned(),
        };
        if emit(&self.events, started).await == Heard::No {
            return Heard::No;
        }
        emit(&self.events, Event::TurnEnded { turn, outcome }).await
    }
}

/// A rule that cannot be used is refused while the question is still there to be answered otherwise.
fn fitting(
    pending: &Pending,
    gate: &dyn Gate,
    approval: ApprovalId,
    answer: &Answer,
) -> Result<(), Refusal> {
    let (Answer::AlwaysBy { rule, .. }, Some(asked)) = (answer, pending.asked(approval)) else {
        return Ok(());
    };
    let call = policy_call(
        asked.outside.as_deref(),
        asked.agent.as_deref(),
        &asked.call,
    );
    gate.check_rule(&call, asked.mode, rule)
        .map_err(|reason| Refusal::UnusableRule { approval, reason })
}
