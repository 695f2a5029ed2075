//! From the calls of one answer to their results: which run together, who is asked, what is called off.

mod at_sign;
mod group;
mod hooked;
mod judged;
mod read_only;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::stream::{FuturesUnordered, StreamExt};
use pollux_model::FunctionCall;
use pollux_policy::{ApprovalMode, Call, Decision, Presence, RulePlace, Verdict};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::agents::Delegate;
use crate::api::{Answer, Approval, ApprovalId, AskingRule, Event, Subject, ToolOutcome, TurnId};
use crate::mode::SharedMode;
use crate::tools::{Asks, Caller, Consent, Denial, Desk, ErrorKind, Tool, ToolError, ToolOutput};
use crate::topic::SharedTopic;
use crate::turn::{Accepts, Asked, Clerk, Events, Pending, Running};
use crate::{Given, ServerTool, SessionConfig};

pub(crate) use group::groups;
use hooked::{Hooked, Input};
pub(crate) use judged::Judged;

/// A tool that keeps asking for another one is stopped here.
const LONGEST_TAIL: usize = 8;

/// What every call of a turn shares.
#[derive(Clone, Copy)]
pub(crate) struct Scheduler<'turn> {
    pub(crate) config: &'turn SessionConfig,
    pub(crate) events: &'turn Events,
    pub(crate) pending: &'turn Pending,
    pub(crate) running: &'turn Running,
    pub(crate) mode: &'turn SharedMode,
    pub(crate) topic: &'turn SharedTopic,
    pub(crate) cancel: &'turn CancellationToken,
    pub(crate) turn: TurnId,
    pub(crate) caller: Caller,
}

/// A call that may have its effect now.
struct Scheduled<'call> {
    /// As it is carried out.
    call: Cow<'call, FunctionCall>,
    input: Input,
    tool: Arc<dyn Tool>,
    consent: Consent,
    judged: Judged,
}

/// What became of a call.
pub(crate) type Ended = Result<ToolOutput, ToolError>;

impl<'turn> Scheduler<'turn> {
    /// Runs calls that may run together. The clerk hears of each one as it ends.
    pub(crate) async fn run_group(
        self,
        calls: &[(usize, &FunctionCall)],
        clerk: &mut Clerk<'_>,
    ) -> Verdicts {
        let mut scheduled = Vec::new();
        let mut verdicts = Verdicts::Fine;
        let mut admitting: FuturesUnordered<_> = calls
            .iter()
            .map(|(place, call)| async move {
                let admitted = self.admit(call, None).await;
                (*place, *call, admitted)
            })
            .collect();
        // Nothing has an effect before everybody has been asked about everything.
        while let Some((place, call, admitted)) = admitting.next().await {
            match admitted {
                Ok(admitted) => scheduled.push((place, call, admitted)),
                Err(refused) => {
                    verdicts = verdicts.and(&refused);
                    clerk
                        .take_down(place, call, Err(refused), Duration::ZERO)
                        .await;
                }
            }
        }
        drop(admitting);
        let mut running: FuturesUnordered<_> = scheduled
            .into_iter()
            .map(|(place, call, admitted)| async move {
                let (end, took) = self.carry_out_timed(call, admitted).await;
                (place, call, end, took)
            })
            .collect();
        while let Some((place, call, end, took)) = running.next().await {
            if let Err(refused) = &end {
                verdicts = verdicts.and(refused);
            }
            clerk.take_down(place, call, end, took).await;
        }
        verdicts
    }

    /// Runs a call by itself.
    #[cfg(test)]
    pub(crate) async fn run_one(self, call: &FunctionCall) -> Ended {
        self.run_timed(call).await.0
    }

    /// Runs a call by itself, and says how long it took once it was allowed.
    pub(crate) async fn run_timed(self, call: &FunctionCall) -> (Ended, Duration) {
        let scheduled = match self.admit(call, None).await {
            Ok(scheduled) => scheduled,
            Err(refused) => return (Err(refused), Duration::ZERO),
        };
        self.carry_out_timed(call, scheduled).await
    }

    /// How long it took does not count the time in which it waited for a person.
    async fn carry_out_timed(
        self,
        call: &FunctionCall,
        scheduled: Scheduled<'_>,
    ) -> (Ended, Duration) {
        // The question whether it may run at all is answered by now.
        let _before_it_ran = self.pending.take_waited(&call.id);
        let begun = Instant::now();
        let ended = self.carry_out(call, scheduled).await;
        let waited = self.pending.take_waited(&call.id);
        (ended, begun.elapsed().saturating_sub(waited))
    }

    /// Runs a call that the person typed. It is judged, asked about and confined like a call of the model.
    pub(crate) async fn run_for_person(self, call: &FunctionCall) -> (Ended, Duration) {
        let scheduler = Self {
            caller: Caller::Person,
            ..self
        };
        let (ended, took) = scheduler.run_timed(call).await;
        let ended = ended.map_err(|error| match error.kind() {
            ErrorKind::NotRegistered => {
                error.shown_as("shell commands are not available in this session")
            }
            _ => error,
        });
        (ended, took)
    }

    /// Checks a call, asks the hooks, then the policy, and the person where one of them wants that.
    async fn admit<'call>(
        self,
        call: &'call FunctionCall,
        asked_as: Option<&str>,
    ) -> Result<Scheduled<'call>, ToolError> {
        if self.cancel.is_cancelled() {
            return Err(ToolError::cancelled());
        }
        unless_it_panics(call, self.judge(call, asked_as)).await
    }

    async fn judge<'call>(
        self,
        call: &'call FunctionCall,
        asked_as: Option<&str>,
    ) -> Result<Scheduled<'call>, ToolError> {
        // A person is told which rule denies the tool, and not that it is missing.
        let excluded = match self.caller {
            Caller::Model => self.excluded(),
            Caller::Person => BTreeSet::new(),
        };
        let mode = self.mode.get();
        let tool = self.checked(call, mode, &excluded)?;
        let Hooked {
            call,
            input,
            forced,
        } = self.before(call, asked_as).await?;
        let call = self.meant(call).await;
        if let Cow::Owned(changed) = &call {
            self.checked(changed, mode, &excluded)?;
        }
        let gate = &*self.config.gate;
        let asked = self.policy_call(&*tool, &call);
        let verdict = gate.judge(&asked, mode);
        let judged = Judged::new(&verdict, gate, &asked, mode);
        let verdict = hooked::tightened(verdict, forced);
        let verdict = read_only::tightened(verdict, &call, self.config.tools.watched());
        let consent = match verdict.decision {
            Decision::Allow if verdict.is_allowed_as_read_only() => Consent::ReadOnly,
            Decision::Allow => Consent::Given,
            Decision::Deny => return Err(denied(&verdict)),
            Decision::Ask => self.ask(&*tool, &call, &verdict).await?,
        };
        Ok(Scheduled {
            call,
            input,
            tool,
            consent,
            judged,
        })
    }

    /// The tool that a call means, when the call makes sense.
    fn checked(
        self,
        call: &FunctionCall,
        mode: ApprovalMode,
        excluded: &BTreeSet<String>,
    ) -> Result<Arc<dyn Tool>, ToolError> {
        let tool = self.config.tools.find(call, mode, excluded)?;
        tool.check(&self.desk(call, Consent::Given))?;
        Ok(tool)
    }

    /// The tools that the policy rules out.
    pub(crate) fn excluded(self) -> BTreeSet<String> {
        let names = self.config.tools.names();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        self.config.gate.excluded(&names, self.mode.get())
    }

    fn desk<'a>(self, call: &'a FunctionCall, consent: Consent) -> Desk<'a>
    where
        'turn: 'a,
    {
        Desk {
            call,
            config: self.config,
            events: self.events,
            pending: self.pending,
            running: self.running,
            mode: self.mode,
            topic: self.topic,
            cancel: self.cancel,
            turn: self.turn,
            consent,
            caller: self.caller,
            judged: None,
        }
    }

    async fn ask(
        self,
        tool: &dyn Tool,
        call: &FunctionCall,
        verdict: &Verdict,
    ) -> Result<Consent, ToolError> {
        let gate = &self.config.gate;
        if gate.presence() == Presence::Headless {
            let told = format!(
                "Tool execution for \"{}\" requires user confirmation, which is not supported in \
                 non-interactive mode.",
                call.name
            );
            return Err(ToolError::new(ErrorKind::PolicyViolation, told));
        }
        let desk = self.desk(call, Consent::InReview);
        let judged = self.policy_call(tool, call);
        let mode = self.mode.get();
        let (subject, offers) = match tool.asks(&desk).await? {
            Asks::Nobody => return Ok(Consent::Given),
            Asks::InReview => return Ok(Consent::InReview),
            Asks::PersonEachTime(subject) => (subject, Vec::new()),
            Asks::Person(
                subject
                @ (Subject::Questions(_) | Subject::Plan { .. } | Subject::EnterPlan { .. }),
            ) => (subject, Vec::new()),
            Asks::Person(subject) => (subject, gate.offers(&judged, mode)),
        };
        let approval = Approval {
            id: ApprovalId(self.pending.number()),
            call: Some(call.id.clone()),
            tool: call.name.clone(),
            title: self.config.tools.title(call),
            reason: verdict.reason.clone(),
            rule: verdict.rule.as_ref().map(asking_rule),
            offers,
            subject,
        };
        let asked = Asked {
            call: call.clone(),
            outside: tool.outside().cloned(),
            agent: self.events.delegate().map(|agent| agent.name().to_owned()),
            mode,
        };
        let answer = self.answer_to(approval, Some(asked)).await?;
        match answer {
            Answer::Deny { feedback } => Err(tool.denied(feedback.as_deref())),
            Answer::Always { offer, scope } => {
                let remembered = gate.remember(&judged, mode, offer, scope).await;
                if let Err(message) = remembered {
                    self.events.emit(Event::NotRemembered { message }).await;
                }
                Ok(Consent::Given)
            }
            Answer::AlwaysBy { rule, scope } => {
                let remembered = gate.remember_rule(&judged, mode, &rule, scope).await;
                if let Err(message) = remembered {
                    self.events.emit(Event::NotRemembered { message }).await;
                }
                Ok(Consent::Given)
            }
            answer => Ok(Consent::Answered(answer)),
        }
    }

    /// A call, as the policy wants to know it.
    fn policy_call<'a>(self, tool: &'a dyn Tool, call: &'a FunctionCall) -> Call<'a>
    where
        'turn: 'a,
    {
        let agent = self.events.delegate().map(Delegate::name);
        policy_call(tool.outside().map(|outside| &**outside), agent, call)
    }

    /// Puts a question to whoever is there, and waits for the first answer.
    pub(crate) async fn answer_to(
        self,
        approval: Approval,
        asked: Option<Asked>,
    ) -> Result<Answer, ToolError> {
        answer_to(self.pending, self.events, self.cancel, approval, asked).await
    }

    /// Runs the call and whatever it wants run in its place.
    async fn carry_out(self, asked: &FunctionCall, scheduled: Scheduled<'_>) -> Ended {
        let mut output = self.run(scheduled, None).await?;
        let mut length = 0;
        while let Some(tail) = output.tail.take() {
            length += 1;
            if length > LONGEST_TAIL {
                let told = format!("more than {LONGEST_TAIL} calls followed one from the other");
                return Err(ToolError::new(ErrorKind::ExecutionFailed, told));
            }
            let call = FunctionCall {
                id: asked.id.clone(),
                name: tail.name,
                args: tail.args,
                signature: None,
            };
            let scheduled = self.admit(&call, Some(&asked.name)).await?;
            output = self.run(scheduled, Some(&asked.name)).await?;
        }
        Ok(output)
    }

    async fn run(self, scheduled: Scheduled<'_>, asked_as: Option<&str>) -> Ended {
        let Scheduled {
            call,
            input,
            tool,
            consent,
            judged,
        } = scheduled;
        if self.cancel.is_cancelled() {
            return Err(ToolError::cancelled());
        }
        let gate = &*self.config.gate;
        judged.expect_unchanged(gate, &self.policy_call(&*tool, &call))?;
        let ended = self.stoppable(&*tool, &call, consent, judged).await;
        let ended = self.after(&call, asked_as, ended).await;
        match input {
            Input::OfTheModel => ended,
            Input::OfAHook => hooked::confessed(ended),
        }
    }

    /// Runs a call that somebody may stop by itself.
    async fn stoppable(
        self,
        tool: &dyn Tool,
        call: &FunctionCall,
        consent: Consent,
        judged: Judged,
    ) -> Ended {
        let running = self.running.begin(&call.id, self.cancel);
        let desk = Desk {
            cancel: running.cancel(),
            judged: Some(judged),
            ..self.desk(call, consent)
        };
        let ended = self.guarded(tool, &desk).await;
        let only_this = running.cancel().is_cancelled() && !self.cancel.is_cancelled();
        ended.map_err(|error| match error.kind() {
            ErrorKind::Cancelled if only_this && error.denial().is_none() => error.by_person(),
            _ => error,
        })
    }

    async fn guarded(self, tool: &dyn Tool, desk: &Desk<'_>) -> Result<ToolOutput, ToolError> {
        unless_it_panics(desk.call, async { tool.run(desk).await }).await
    }
}

/// Puts a question to whoever is there, and waits for the first answer.
pub(crate) async fn answer_to(
    pending: &Pending,
    events: &Events,
    cancel: &CancellationToken,
    approval: Approval,
    asked: Option<Asked>,
) -> Result<Answer, ToolError> {
    let id = approval.id;
    let (call, reason) = (approval.call.clone(), approval.reason.clone());
    let accepts = Accepts::to(&approval, asked);
    let answer = pending.open(id, accepts);
    let _wait = pending.begin_wait(events.waiting_calls(call.as_ref()));
    let asked = Event::ApprovalRequested(Arc::new(approval));
    events.emit(asked).await;
    let answer = tokio::select! {
        biased;
        () = cancel.cancelled() => None,
        answer = answer => answer.ok(),
    };
    pending.withdraw(id.0);
    let over = Event::ApprovalEnded {
        approval: id,
        answer: answer.clone(),
        by: pending.answered_in(id.0).filter(|_| answer.is_some()),
    };
    events.emit(over).await;
    if let (Some(answer), Some(call)) = (answer.clone(), call) {
        pending.note(call, Given { answer, reason });
    }
    answer.ok_or_else(ToolError::cancelled)
}

/// A panic in a tool ends the call, not the session.
async fn unless_it_panics<T>(
    call: &FunctionCall,
    working: impl Future<Output = Result<T, ToolError>>,
) -> Result<T, ToolError> {
    let working = AssertUnwindSafe(working).catch_unwind();
    working.await.unwrap_or_else(|_| {
        tracing::error!(tool = call.name, "a tool panicked");
        Err(ToolError::panicked())
    })
}

/// Whether what is still queued may go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdicts {
    Fine,
    /// The person said no to something, and what to do instead.
    Redirected,
    /// The person said no.
    Denied,
    /// A hook has ended the turn, for this reason.
    Stopped(String),
}

impl Verdicts {
    pub(crate) fn and(self, refused: &ToolError) -> Self {
        if let Self::Stopped(reason) = self {
            return Self::Stopped(reason);
        }
        if refused.kind() == ErrorKind::Stopped
            && let ToolOutcome::Failed { message, .. } = refused.outcome()
        {
            return Self::Stopped(message);
        }
        match (self, refused.denial()) {
            (Self::Denied, _) | (_, Some(Denial::Plain)) => Self::Denied,
            (Self::Redirected, _) | (_, Some(Denial::WithAdvice)) => Self::Redirected,
            (Self::Fine, None) => Self::Fine,
            (stopped @ Self::Stopped(_), None) => stopped,
        }
    }
}

fn denied(verdict: &Verdict) -> ToolError {
    let told = match &verdict.deny_message {
        Some(message) => format!("Tool execution denied by policy. {message}"),
        None => "Tool execution denied by policy.".to_owned(),
    };
    ToolError::new(ErrorKind::PolicyViolation, told).shown_as(verdict.reason.clone())
}

fn asking_rule(place: &RulePlace) -> AskingRule {
    let path = Path::new(&place.source);
    AskingRule {
        text: place.to_string(),
        // Everything else has a name and no path.
        file: path.is_absolute().then(|| path.to_owned()),
        line: place.line,
    }
}

pub(crate) fn policy_call<'a>(
    outside: Option<&'a ServerTool>,
    agent: Option<&'a str>,
    call: &'a FunctionCall,
) -> Call<'a> {
    Call {
        tool: &call.name,
        args: &call.args,
        server: outside.map(|outside| outside.server.as_str()),
        subagent: agent,
        annotations: outside.map(|outside| &outside.annotations),
    }
}
