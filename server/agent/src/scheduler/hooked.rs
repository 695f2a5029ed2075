//! What hooks have to say about a call: before the policy is asked, and once the call is over.

use std::borrow::Cow;

use pollux_model::FunctionCall;
use pollux_policy::{Decision, Verdict};
use serde_json::Value;

use super::{Ended, Scheduler};
use crate::api::Event;
use crate::hooks::{AfterTool, BeforeTool, Ruling};
use crate::tools::{ErrorKind, ToolError, ToolOutput};

const CHANGED: &str = "[System] Tool input parameters were modified by a hook before execution.";

/// A call as the hooks leave it.
pub(super) struct Hooked<'call> {
    pub(super) call: Cow<'call, FunctionCall>,
    pub(super) input: Input,
    /// Why somebody is to be asked, whatever the policy says.
    pub(super) forced: Option<String>,
}

/// Who wrote the arguments of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    OfTheModel,
    OfAHook,
}

/// A hook can have somebody asked about what the policy allows; it cannot allow anything.
pub(super) fn tightened(mut verdict: Verdict, forced: Option<String>) -> Verdict {
    let Some(reason) = forced else {
        return verdict;
    };
    match verdict.decision {
        Decision::Deny => {}
        Decision::Allow => {
            verdict.decision = Decision::Ask;
            verdict.reason = reason;
        }
        Decision::Ask => verdict.reason = format!("{reason}; {}", verdict.reason),
    }
    verdict
}

impl Scheduler<'_> {
    /// Asks the hooks about a call that makes sense and has not been judged.
    pub(super) async fn before<'call>(
        self,
        call: &'call FunctionCall,
        asked_as: Option<&str>,
    ) -> Result<Hooked<'call>, ToolError> {
        let asking = self.config.hooks.before_tool(call, asked_as);
        let BeforeTool {
            ruling,
            args,
            notices,
        } = self.or_cancelled(asking).await?;
        self.tell(notices).await;
        let forced = match ruling {
            Ruling::GoOn => None,
            Ruling::Ask { message } => Some(match message {
                Some(message) => format!("a hook wants you to be asked: {message}"),
                None => "a hook wants you to be asked".to_owned(),
            }),
            Ruling::Deny { reason } => {
                let told = format!("Tool execution blocked: {reason}");
                return Err(ToolError::new(ErrorKind::PolicyViolation, told));
            }
            Ruling::Stop { reason } => return Err(stopped(&reason)),
        };
        Ok(match args {
            None => Hooked {
                call: Cow::Borrowed(call),
                input: Input::OfTheModel,
                forced,
            },
            Some(args) => Hooked {
                call: Cow::Owned(FunctionCall {
                    args,
                    ..call.clone()
                }),
                input: Input::OfAHook,
                forced,
            },
        })
    }

    /// Asks the hooks about a call that is over. A call that was stopped is nobody's business any more.
    pub(super) async fn after(
        self,
        call: &FunctionCall,
        asked_as: Option<&str>,
        ended: Ended,
    ) -> Ended {
        let is_cancelled = |error: &ToolError| error.kind() == ErrorKind::Cancelled;
        if ended.as_ref().is_err_and(is_cancelled) {
            return ended;
        }
        let hooks = &self.config.hooks;
        let asking = hooks.after_tool(call, asked_as, ended.as_ref());
        let AfterTool {
            ruling,
            context,
            tail,
            notices,
        } = match self.or_cancelled(asking).await {
            Ok(after) => after,
            // The call has had its effect, and the model is to know.
            Err(_cancelled) => return ended,
        };
        self.tell(notices).await;
        match ruling {
            Ruling::Stop { reason } => return Err(stopped(&reason)),
            Ruling::Deny { reason } => {
                let told = format!("Tool result blocked: {reason}");
                return Err(ToolError::new(ErrorKind::ExecutionFailed, told));
            }
            Ruling::Ask { .. } | Ruling::GoOn => {}
        }
        let mut ended = match context {
            Some(context) => with_note(ended, &context),
            None => ended,
        };
        if let Some(tail) = tail {
            ended = Ok(ToolOutput::tail(tail));
        }
        ended
    }

    async fn tell(self, notices: Vec<String>) {
        for message in notices {
            self.events.emit(Event::HookSaid { message }).await;
        }
    }

    async fn or_cancelled<T>(self, waiting: impl Future<Output = T>) -> Result<T, ToolError> {
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(ToolError::cancelled()),
            done = waiting => Ok(done),
        }
    }
}

/// What a model is told whose call was not made as it wrote it.
pub(super) fn confessed(ended: Ended) -> Ended {
    with_note(ended, CHANGED)
}

fn with_note(ended: Ended, note: &str) -> Ended {
    match ended {
        Ok(mut output) => {
            match output.response.get_mut("output") {
                Some(Value::String(text)) => {
                    text.push_str("\n\n");
                    text.push_str(note);
                }
                _ => {
                    output.response.insert("note".to_owned(), note.into());
                }
            }
            Ok(output)
        }
        Err(error) => Err(error.with_note(note)),
    }
}

fn stopped(reason: &str) -> ToolError {
    let told = format!("Agent execution stopped by hook: {reason}");
    ToolError::new(ErrorKind::Stopped, told).shown_as(reason)
}
