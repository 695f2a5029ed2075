//! One prompt and what comes of it, told as it happens, until it is over or somebody stops it.

#[cfg(test)]
mod tests;

use std::io;
use std::pin::pin;
use std::time::Duration;

use pollux_agent::api::{
    CompressionStatus, Event, Op, Prompt, PromptMark, Refusal, ServedBy, ToolOutcome, TurnOutcome,
};
use pollux_workspace::OpenedSession;
use tokio::signal::ctrl_c;
use tokio::time::{Instant, sleep_until, timeout};

use super::complain;
use super::output::{Ending, Output};
use super::stats::Stats;

/// A stop that takes longer than this is worth a word.
const WORTH_A_WORD: Duration = Duration::from_millis(200);
/// And longer than this it does not take: a turn answers much sooner, and what is no turn cannot be asked to stop.
const PATIENCE: Duration = Duration::from_secs(2);

/// How a run ended, and whether its session was recorded.
#[derive(Debug)]
pub(super) struct RunEnd {
    pub(super) ending: Ending,
    /// What the disk said when the record could not be written.
    pub(super) unrecorded: Option<io::ErrorKind>,
}

/// Says the prompt and tells everything until nothing more comes of it.
pub(super) async fn tell(
    opened: OpenedSession,
    prompt: &str,
    output: &mut dyn Output,
) -> io::Result<RunEnd> {
    let session = opened.handle;
    let mut events = opened.events;
    output.begin(opened.id.as_str(), &opened.model, prompt)?;
    let said = Prompt {
        mark: Some(PromptMark("run".into())),
        ..prompt.into()
    };
    // When the session has ended already, the missing event says so.
    let _ended = session.submit(Op::Queue(said)).await;
    let mut stats = Stats::new();
    let mut told = Told::default();
    // One at a time, and always one: what is pressed while a line is printed counts as well.
    let mut interrupted = pin!(ctrl_c());
    let mut stopping: Option<Stopping> = None;
    let mut unrecorded = None;
    let ending = loop {
        let event = tokio::select! {
            biased;
            _ = &mut interrupted => {
                if stopping.is_some() {
                    break Ending::Turn(TurnOutcome::Cancelled);
                }
                interrupted.set(ctrl_c());
                stopping = Some(Stopping::now());
                // When the session has ended already, its last event is on its way.
                let _ended = session.submit(Op::CancelTurn).await;
                continue;
            }
            event = events.recv() => event,
            () = next_step(stopping.as_ref()) => {
                match stopping.take() {
                    Some(Stopping::Asked(since)) => {
                        complain("cancelling");
                        stopping = Some(Stopping::Announced(since));
                        continue;
                    }
                    _ => break Ending::Turn(TurnOutcome::Cancelled),
                }
            }
        };
        let Some(event) = event else {
            return Err(io::Error::other(
                "the session ended in the middle of its turn",
            ));
        };
        stats.count(&event);
        if let Event::RecordingStopped { error, .. } = &event {
            unrecorded = *error;
        }
        if told.is_for_end(&event) {
            continue;
        }
        match event {
            // Nothing that runs could be asked to stop: a command, or a turn that is over.
            Event::OpRefused(Refusal::NoTurnIsRunning) if stopping.is_some() => {
                break Ending::Turn(TurnOutcome::Cancelled);
            }
            Event::ToolEnded {
                outcome:
                    ToolOutcome::Failed {
                        error_type: "no_space_left" | "edit_not_recorded",
                        ref message,
                    },
                ..
            } => {
                output.event(&event)?;
                break Ending::DiskFull(message.clone());
            }
            Event::TurnEnded { outcome, .. } => break Ending::Turn(outcome),
            Event::PromptServed { by, .. } => break told.ending(by, output)?,
            event => output.event(&event)?,
        }
    };
    // The record is complete once the session has ended, and only then is known whether it could be written.
    let _ended = session.submit(Op::Close).await;
    drop(session);
    let rest = async {
        let mut stopped = None;
        while let Some(event) = events.recv().await {
            if matches!(event, Event::RecordingStopped { .. }) {
                stopped = Some(event);
            }
        }
        stopped
    };
    let stopped = timeout(PATIENCE, rest).await.ok().flatten();
    if let Some(event) = stopped {
        if let Event::RecordingStopped { error, .. } = &event {
            unrecorded = *error;
        }
        output.event(&event)?;
    }
    output.end(&ending, &stats)?;
    Ok(RunEnd { ending, unrecorded })
}

/// Somebody has asked for an end.
enum Stopping {
    Asked(Instant),
    /// And was told that it takes its time.
    Announced(Instant),
}

impl Stopping {
    fn now() -> Self {
        Self::Asked(Instant::now())
    }
}

/// Never, while nobody has asked for an end.
async fn next_step(stopping: Option<&Stopping>) {
    match stopping {
        None => std::future::pending().await,
        Some(Stopping::Asked(since)) => sleep_until(*since + WORTH_A_WORD).await,
        Some(Stopping::Announced(since)) => sleep_until(*since + PATIENCE).await,
    }
}

/// What was told outside a turn. Only the end says what it means.
#[derive(Default)]
struct Told {
    has_turn: bool,
    /// What a command has answered.
    answers: Vec<String>,
    /// Why it was not carried out, or is of no use here.
    refusal: Option<String>,
}

impl Told {
    /// Keeps what a command says.
    fn is_for_end(&mut self, event: &Event) -> bool {
        if self.has_turn {
            return false;
        }
        match event {
            Event::TurnStarted { .. } => {
                self.has_turn = true;
                return false;
            }
            Event::CommandAnswered { text, .. } => self.answers.push(text.clone()),
            Event::HistoryCompressed {
                before,
                after,
                status,
            } => self.answers.push(compressed(*before, *after, *status)),
            Event::Rewound { turn } => self
                .answers
                .push(format!("The conversation goes on from before turn {turn}.")),
            Event::ModelChosen { .. } => self.refusal = Some(lost("--model")),
            Event::ModeChanged(_) => self.refusal = Some(lost("--approval-mode")),
            Event::OpRefused(Refusal::NoTurnIsRunning) => return false,
            Event::OpRefused(refusal) => self.refusal = Some(refusal.to_string()),
            _ => return false,
        }
        true
    }

    fn ending(self, by: ServedBy, output: &mut dyn Output) -> io::Result<Ending> {
        let answer = self.answers.join("\n\n");
        if by == ServedBy::NoSuchCommand {
            return Ok(Ending::WrongInput(answer));
        }
        if let Some(refusal) = self.refusal {
            return Ok(Ending::WrongInput(refusal));
        }
        output.event(&Event::TextReceived(answer))?;
        Ok(Ending::Command)
    }
}

/// A run ends with its prompt, and so does what was chosen in it.
fn lost(flag: &str) -> String {
    format!("this command is for later prompts, and a run has only one; use {flag}")
}

fn compressed(before: u64, after: u64, status: CompressionStatus) -> String {
    match status {
        CompressionStatus::Compressed | CompressionStatus::ContentTruncated => {
            format!("The conversation has {after} tokens now; it had {before}.")
        }
        _ => format!("The conversation stays as it is ({}).", status.name()),
    }
}
