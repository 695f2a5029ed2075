//! The turn of a sub-agent: one job, worked on until it is handed in, or time or turns are over.

use std::pin::pin;
use std::time::Duration;

use pollux_model::{Part, Role, TokenEstimate};
use tokio_util::sync::CancellationToken;

use super::ask::NoAnswer;
use super::calls::Results;
use super::{Standing, Turn, calls_in, ended};
use crate::agents::{Delegate, HandedIn};
use crate::api::{Added, TurnOutcome};
use crate::validity::{AnswerTo, Nudge};
use crate::{Entry, Said};

/// How long somebody who is out of time or turns may take to hand in what there is.
const GRACE: Duration = Duration::from_secs(60);

/// What a sub-agent is to do, and how long it may take.
pub(crate) struct Job<'a> {
    pub(crate) text: &'a str,
    pub(crate) delegate: &'a Delegate,
    pub(crate) handed_in: &'a HandedIn,
    /// Of whoever wants it done.
    pub(crate) cancel: &'a CancellationToken,
    pub(crate) max_turns: u32,
    pub(crate) max_time: Duration,
}

/// How the work on a job has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum JobEnd {
    /// With this result.
    HandedIn(String),
    OutOfTime,
    OutOfTurns,
    /// It had nothing more to call, and has handed in nothing.
    FellSilent,
    Stopped,
    Failed(String),
}

impl Turn<'_> {
    /// Works on a job. Whoever has to stop gets one chance to hand in what there is.
    pub(crate) async fn work(&mut self, job: &Job<'_>) -> JobEnd {
        let turn = self.id;
        self.journal.record(Entry::TurnStarted { turn });
        self.be_told(job.text);
        let mut at = Standing::at(0);
        let time = job.delegate.run_out(job.max_time);
        let cancel = self.cancel.clone();
        let end = within(time, &cancel, self.rounds_of(job, &mut at)).await;
        let end = match job.cancel.is_cancelled() {
            true => JobEnd::Stopped,
            false => self.last_chance(job, &mut at, end).await,
        };
        self.journal.record(Entry::TurnEnded {
            turn,
            outcome: &outcome(&end),
            prompt: self.fate,
        });
        end
    }

    async fn rounds_of(&mut self, job: &Job<'_>, at: &mut Standing) -> JobEnd {
        for _ in 0..job.max_turns {
            if let Some(end) = self.round(job, at).await {
                return end;
            }
        }
        JobEnd::OutOfTurns
    }

    async fn last_chance(&mut self, job: &Job<'_>, at: &mut Standing, end: JobEnd) -> JobEnd {
        let why = match &end {
            JobEnd::OutOfTime => "Your time is over.",
            JobEnd::OutOfTurns => "You have no turns left.",
            JobEnd::FellSilent => "You stopped without handing in your work.",
            JobEnd::HandedIn(_) | JobEnd::Stopped | JobEnd::Failed(_) => return end,
        };
        self.cancel = job.cancel.child_token();
        self.be_told(&format!(
            "{why} Call `complete_task` now, and nothing else: hand in what you have found out, and say what is \
             missing. This is the last time that you are asked."
        ));
        (at.to, at.nudge) = (AnswerTo::Person, Nudge::None);
        let cancel = self.cancel.clone();
        let grace = tokio::time::sleep(GRACE);
        let last = within(grace, &cancel, async {
            self.round(job, at).await.unwrap_or(JobEnd::FellSilent)
        });
        match last.await {
            JobEnd::HandedIn(result) => JobEnd::HandedIn(result),
            _ if job.cancel.is_cancelled() => JobEnd::Stopped,
            _ => end,
        }
    }

    /// Asks the model once and runs what it calls for. Says how the work has ended, if it has.
    async fn round(&mut self, job: &Job<'_>, at: &mut Standing) -> Option<JobEnd> {
        let begins = job.delegate.next_turn();
        self.events.emit(begins).await;
        let answer = match self.ask(at.to, at.nudge).await {
            Ok(answer) => answer,
            Err(NoAnswer::Recover(found)) => {
                self.warn(&found, at).await;
                return None;
            }
            Err(NoAnswer::Cancelled) => return Some(JobEnd::Stopped),
            Err(no_answer) => return Some(JobEnd::Failed(ended(no_answer).message())),
        };
        let calls = calls_in(&answer);
        self.remember(Role::Model, answer);
        if calls.is_empty() {
            return Some(JobEnd::FellSilent);
        }
        let Results { parts, end } = self.run_calls(&calls).await;
        if let Some(result) = job.handed_in.take() {
            self.journal.record(Entry::Results { parts: &parts });
            return Some(JobEnd::HandedIn(result));
        }
        let end = match end {
            // What a person does not want done is no reason to give up the rest: it is told, and may find another way.
            None | Some(TurnOutcome::Declined) => None,
            Some(TurnOutcome::Cancelled) => Some(JobEnd::Stopped),
            Some(outcome) => Some(JobEnd::Failed(outcome.message())),
        };
        if end.is_none() && self.make_room(&mut at.before_prompt, &parts).await.is_err() {
            return Some(JobEnd::Stopped);
        }
        let nothing = TokenEstimate::default();
        if let Some(overflow) = self.overflow(&parts, nothing, Added::Results).await {
            return Some(JobEnd::Failed(overflow.message()));
        }
        (at.to, at.nudge) = (AnswerTo::FunctionResponse, Nudge::None);
        at.before_message = self.history.len();
        self.journal.record(Entry::Results { parts: &parts });
        self.remember(Role::User, parts);
        end
    }

    /// Something is said to the model that no person has typed.
    fn be_told(&mut self, text: &str) {
        let parts = vec![Part::Text(text.to_owned())];
        let how = match self.history.is_empty() {
            true => Said::Asked {
                turn: self.id,
                items: &[],
                editor: None,
            },
            false => Said::Told,
        };
        self.journal.record(Entry::Prompt {
            typed: text,
            parts: &parts,
            how,
            kept: None,
        });
        crate::history::mark_interruption(self.history);
        self.remember(Role::User, parts);
    }
}

/// Stops the work when its time is over. What is handed in at that moment still counts.
async fn within(
    time: impl Future<Output = ()>,
    cancel: &CancellationToken,
    working: impl Future<Output = JobEnd>,
) -> JobEnd {
    let mut working = pin!(working);
    tokio::select! {
        biased;
        end = &mut working => return end,
        () = time => cancel.cancel(),
    }
    match working.await {
        JobEnd::Stopped => JobEnd::OutOfTime,
        end => end,
    }
}

/// For the record.
fn outcome(end: &JobEnd) -> TurnOutcome {
    match end {
        JobEnd::Stopped => TurnOutcome::Cancelled,
        _ => TurnOutcome::Completed,
    }
}
