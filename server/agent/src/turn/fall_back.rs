//! A model has failed for good: another one goes on, where the chain or the person says so. Never unseen.

use std::time::{Duration, Instant};

use pollux_model::{Action, Failure, Fallback, ModelError, QuotaCause};
use pollux_policy::Presence;

use super::Turn;
use super::ask::{NoAnswer, Progress};
use crate::api::{
    Answer, Approval, ApprovalId, AvoidedUntil, Choice, Event, Pick, Question, QuestionKind,
    Subject,
};
use crate::voices::chain_mode;

/// How the turn goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Onward {
    /// Somebody is to be asked: another model, or the same once more.
    Asking,
    Nobody,
}

/// What becomes of the model that failed.
#[derive(Clone, Copy)]
enum Way {
    /// As the chain says.
    Replaced,
    /// Its turn comes again with the next prompt.
    ReplacedForNow,
    Again,
    Stop,
}

impl Turn<'_> {
    pub(super) async fn fall_back(
        &mut self,
        error: &ModelError,
        progress: Progress,
    ) -> Result<Onward, NoAnswer> {
        if !error.is_of_the_model() {
            return Ok(Onward::Nobody);
        }
        let now = Instant::now();
        let failure = match error {
            ModelError::QuotaExhausted {
                cause: QuotaCause::Capacity,
                ..
            } => Failure::capacity(),
            _ => Failure::new(error.failure_kind()),
        };
        let mode = chain_mode(self.mode.get());
        let chain = self.config.voices.chain(&self.voice_name, mode);
        let fallback = chain.on_failure(&self.voice_name, failure, self.availability, now);
        let Some(next) = fallback.next.clone() else {
            return Ok(Onward::Nobody);
        };
        let Ok(voice) = self.config.voices.voice(&next, fallback.attempts) else {
            return Ok(Onward::Nobody);
        };
        let way = match fallback.action {
            Action::Silent => Way::Replaced,
            Action::Prompt => self.ask_for_way(&fallback, &next, error).await?,
        };
        let avoided_until = match way {
            Way::Stop => return Ok(Onward::Nobody),
            Way::Again => {
                self.begin_anew(error, progress).await;
                return Ok(Onward::Asking);
            }
            Way::Replaced => {
                fallback.apply(self.availability, now);
                avoided_until(&fallback, now)
            }
            Way::ReplacedForNow => {
                self.availability.mark_sticky_retry(&fallback.failed, now);
                AvoidedUntil::NextTurn
            }
        };
        self.begin_anew(error, progress).await;
        self.voice = voice;
        let changed = Event::ModelChanged {
            from: std::mem::replace(&mut self.voice_name, next.clone()),
            to: next,
            reason: error.to_string(),
            avoided_until,
        };
        self.events.emit(changed).await;
        Ok(Onward::Asking)
    }

    /// What was heard so far is no part of the answer that comes.
    async fn begin_anew(&mut self, error: &ModelError, progress: Progress) {
        if progress == Progress::Begun {
            let reason = error.to_string();
            self.events.emit(Event::AnswerDiscarded { reason }).await;
        }
    }

    /// Asks the person. Where nobody is, the error is all there is to say.
    async fn ask_for_way(
        &mut self,
        fallback: &Fallback,
        next: &str,
        error: &ModelError,
    ) -> Result<Way, NoAnswer> {
        if self.config.gate.presence() == Presence::Headless {
            return Ok(Way::Stop);
        }
        let failed = &fallback.failed;
        let ways = ways(fallback, next);
        let choice = |(_, label, description): &(Way, String, String)| Choice {
            label: label.clone(),
            description: description.clone(),
        };
        let question = Question {
            text: format!("{failed} does not answer: {error}. Go on with another model?"),
            header: "Model".to_owned(),
            kind: QuestionKind::Choice {
                options: ways.iter().map(choice).collect(),
                pick: Pick::One,
            },
            placeholder: None,
            default: None,
            is_optional: false,
        };
        let approval = Approval {
            id: ApprovalId(self.pending.number()),
            call: None,
            tool: "ask_user".to_owned(),
            title: format!("Go on without {failed}"),
            reason: String::new(),
            rule: None,
            subject: Subject::Questions(vec![question]),
            offers: Vec::new(),
        };
        match self.scheduler().answer_to(approval, None).await {
            Err(_) => Err(NoAnswer::Cancelled),
            Ok(Answer::Replies(replies)) => {
                let said = replies.get(&0).map(ToString::to_string).unwrap_or_default();
                let meant = ways.iter().find(|(_, label, _)| *label == said);
                Ok(meant.map_or(Way::Stop, |(way, _, _)| *way))
            }
            Ok(_) => Ok(Way::Stop),
        }
    }
}

/// What can be chosen. Names alone must do: some clients show nothing else.
fn ways(fallback: &Fallback, next: &str) -> Vec<(Way, String, String)> {
    let failed = &fallback.failed;
    let again = (
        Way::Again,
        format!("Try {failed} again"),
        "The request is sent once more.".to_owned(),
    );
    let now = Instant::now();
    match avoided_until(fallback, now) {
        AvoidedUntil::SessionEnd => vec![
            (
                Way::Replaced,
                format!("Use {next} for this session"),
                format!("{failed} is left alone until the session ends."),
            ),
            (
                Way::ReplacedForNow,
                format!("Use {next} for this prompt"),
                format!("The next prompt goes to {failed} first."),
            ),
            again,
        ],
        AvoidedUntil::For(time) => {
            let seconds = time.saturating_add(Duration::from_millis(500)).as_secs();
            vec![
                (
                    Way::Replaced,
                    format!("Use {next} for now"),
                    format!("{failed} is left alone for {seconds} seconds."),
                ),
                again,
            ]
        }
        AvoidedUntil::NextTurn => vec![
            (
                Way::Replaced,
                format!("Use {next} for this prompt"),
                format!("The next prompt goes to {failed} first."),
            ),
            again,
        ],
    }
}

fn avoided_until(fallback: &Fallback, now: Instant) -> AvoidedUntil {
    match fallback.avoided_until {
        pollux_model::AvoidedUntil::NextTurn => AvoidedUntil::NextTurn,
        pollux_model::AvoidedUntil::Time(until) => AvoidedUntil::For(until.duration_since(now)),
        pollux_model::AvoidedUntil::SessionEnd => AvoidedUntil::SessionEnd,
    }
}
