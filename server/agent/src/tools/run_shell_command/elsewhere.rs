//! A command in a terminal of a client: started, watched and read there, and ended with its turn.
//!
//! The client may refuse, die or say nothing at any point. None of that makes the turn wait for long.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use pollux_exec::{Ended, Exit, Spool, captured};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::super::{Desk, ErrorKind, ToolError};
use super::{SHOWN_AT_ONCE, ShellSetup};
use crate::Completeness;
use crate::api::Event;
use crate::terminals::{
    ClientTerminal, Offering, TerminalEnd, TerminalFailure, TerminalOrder, TerminalOutput,
};

const OPENED_WITHIN: Duration = Duration::from_secs(5);
const ANSWERED_WITHIN: Duration = Duration::from_secs(5);
const KILLED_WITHIN: Duration = Duration::from_secs(2);
/// How often the output is looked at while the command runs.
const LOOKED_EVERY: Duration = Duration::from_secs(1);
/// A client that leaves so many looks in a row unanswered is not there any more.
const MOST_UNANSWERED: u32 = 3;
/// Bytes of output that the client keeps for us.
const LONGEST_OUTPUT: u64 = 1024 * 1024;

const CUT: &str = "[the beginning is left out: the terminal keeps the end]\n";

/// Of our own variables those that change how a program behaves; the rest is the client's.
const VARIABLES: [&str; 3] = ["GEMINI_CLI", "PAGER", "GIT_PAGER"];

/// A command that runs at the client.
pub(super) struct There {
    terminal: Arc<dyn ClientTerminal>,
    gone: CancellationToken,
}

/// Nothing where no client offers a terminal or it refuses to open one: then the command runs here.
pub(super) async fn begin(
    desk: &Desk<'_>,
    setup: &ShellSetup,
    command: &str,
    folder: &Path,
) -> Result<Option<There>, ToolError> {
    let offered = setup
        .terminals
        .as_ref()
        .and_then(|terminals| terminals.offered());
    let Some(Offering { client, gone }) = offered else {
        return Ok(None);
    };
    let variable = |(name, value): &(std::ffi::OsString, std::ffi::OsString)| {
        let (name, value) = (name.to_str()?, value.to_str()?);
        VARIABLES
            .contains(&name)
            .then(|| (name.to_owned(), value.to_owned()))
    };
    let opening = client.create(TerminalOrder {
        program: "bash".to_owned(),
        arguments: vec!["-c".to_owned(), command.to_owned()],
        variables: setup.environment.iter().filter_map(variable).collect(),
        folder: folder.to_owned(),
        longest_output: LONGEST_OUTPUT,
    });
    let opened = tokio::select! {
        biased;
        () = desk.cancel.cancelled() => return Err(ToolError::cancelled()),
        () = gone.cancelled() => Err(TerminalFailure::NoAnswer),
        opened = timeout(OPENED_WITHIN, opening) => {
            opened.unwrap_or(Err(TerminalFailure::NoAnswer))
        }
    };
    match opened {
        Ok(terminal) => {
            let shown = Event::ToolTerminal {
                call: desk.call.id.clone(),
                terminal: terminal.name(),
            };
            desk.events.emit(shown).await;
            Ok(Some(There { terminal, gone }))
        }
        Err(TerminalFailure::Refused(reason)) => {
            tracing::debug!(reason, "the client opens no terminal");
            Ok(None)
        }
        // It may run there by now, so it must not be run a second time.
        Err(TerminalFailure::NoAnswer) => Err(lost(
            "a terminal was asked for, and the client does not answer; whether the command ran is not known",
        )),
    }
}

impl There {
    /// Watches the command to its end. The terminal is released with this.
    pub(super) async fn watch(
        self,
        desk: &Desk<'_>,
        inactivity: Option<Duration>,
        spool: Spool,
    ) -> Result<Ended, ToolError> {
        let mut seen = String::new();
        let followed = tokio::select! {
            biased;
            () = desk.cancel.cancelled() => Ok(Exit::Killed),
            () = self.gone.cancelled() => Err(TerminalFailure::NoAnswer),
            followed = self.follow(desk, inactivity, &mut seen) => followed,
        };
        let exit = followed.map_err(|failure| match failure {
            TerminalFailure::Refused(reason) => lost(&reason),
            TerminalFailure::NoAnswer => {
                lost("the client in whose terminal the command ran does not answer any more")
            }
        })?;
        if matches!(exit, Exit::Killed | Exit::TimedOut) {
            let _released_in_any_case = timeout(KILLED_WITHIN, self.terminal.kill()).await;
        }
        // What is not answered now was shown as far as it is known.
        if let Some(output) = self.look().await {
            show(desk, &mut seen, output).await;
        }
        Ok(Ended {
            exit,
            output: captured(seen.as_bytes(), spool),
            background: Vec::new(),
            group: 0,
            refused: Vec::new(),
        })
    }

    /// Shows what is new now and then, until the command has ended.
    async fn follow(
        &self,
        desk: &Desk<'_>,
        inactivity: Option<Duration>,
        seen: &mut String,
    ) -> Result<Exit, TerminalFailure> {
        let mut end = self.terminal.end();
        let mut unanswered = 0;
        let mut changed = Instant::now();
        loop {
            tokio::select! {
                biased;
                end = &mut end => return end.map(|end| exit(&end)),
                () = sleep(LOOKED_EVERY) => {}
            }
            let looked = tokio::select! {
                biased;
                end = &mut end => return end.map(|end| exit(&end)),
                looked = self.look() => looked,
            };
            match looked {
                Some(output) => {
                    unanswered = 0;
                    if show(desk, seen, output).await == Shown::Something {
                        changed = Instant::now();
                    }
                }
                None => unanswered += 1,
            }
            if unanswered == MOST_UNANSWERED {
                return Err(TerminalFailure::NoAnswer);
            }
            if inactivity.is_some_and(|longest| changed.elapsed() > longest) {
                return Ok(Exit::TimedOut);
            }
        }
    }

    async fn look(&self) -> Option<TerminalOutput> {
        tokio::select! {
            biased;
            () = self.gone.cancelled() => None,
            output = timeout(ANSWERED_WITHIN, self.terminal.output()) => output.ok()?.ok(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Something,
    Nothing,
}

/// Shows what is new to whoever does not have the terminal.
async fn show(desk: &Desk<'_>, seen: &mut String, output: TerminalOutput) -> Shown {
    let text = match output.completeness {
        Completeness::Whole => output.text,
        Completeness::Cut => format!("{CUT}{}", output.text),
    };
    if text == *seen {
        return Shown::Nothing;
    }
    // Where the beginning has moved away, all of it is new.
    let fresh = text.strip_prefix(seen.as_str()).unwrap_or(&text);
    let start = fresh.ceil_char_boundary(fresh.len().saturating_sub(SHOWN_AT_ONCE));
    let fresh = fresh.get(start..).unwrap_or_default();
    let plain = captured(fresh.as_bytes(), Spool::Nowhere);
    let plain = plain.whole().unwrap_or_default();
    *seen = text;
    if !plain.is_empty() {
        desk.print(plain).await;
    }
    Shown::Something
}

fn exit(end: &TerminalEnd) -> Exit {
    const NAMES: [(&str, i32); 8] = [
        ("SIGHUP", 1),
        ("SIGINT", 2),
        ("SIGQUIT", 3),
        ("SIGABRT", 6),
        ("SIGKILL", 9),
        ("SIGSEGV", 11),
        ("SIGPIPE", 13),
        ("SIGTERM", 15),
    ];
    let signal = end.signal.as_deref().and_then(|signal| {
        let named = NAMES.iter().find(|(name, _)| *name == signal);
        named.map(|(_, number)| *number).or(signal.parse().ok())
    });
    match (end.code, signal) {
        (_, Some(signal)) => Exit::Signal(signal),
        (Some(code), None) => Exit::Code(code),
        (None, None) => Exit::Lost,
    }
}

fn lost(reason: &str) -> ToolError {
    ToolError::new(ErrorKind::Shell, reason)
}

#[cfg(test)]
mod tests;
