//! `pollux run`: a conversation without a screen.

mod clock;
mod output;
mod stats;

use std::io::{self, IsTerminal, Read};
use std::process::ExitCode;

use anyhow::Result;
use pollux_agent::api::{Decision, Event, ModelError, Op, TurnOutcome};
use pollux_model::Pace;
use pollux_settings::Environment;
use pollux_workspace::{OpenedSession, SessionRequest, SessionSource, Which};

use crate::environment;
use crate::session_source::Configured;
use clock::Clock;
use output::{Json, Output, StreamJson, Text};
use stats::Stats;

/// The twin's exit codes.
mod exit {
    pub(super) const AUTHENTICATION: u8 = 41;
    pub(super) const INPUT: u8 = 42;
    pub(super) const TURN_LIMIT: u8 = 53;
    pub(super) const CANCELLED: u8 = 130;
}

#[derive(clap::Args)]
pub(crate) struct RunArgs {
    /// What to say; what stands on standard input comes before it
    #[arg(short, long, value_name = "TEXT")]
    prompt: Option<String>,
    /// The same, without a flag
    #[arg(value_name = "TEXT", conflicts_with = "prompt")]
    query: Vec<String>,
    /// A model or an alias
    #[arg(short, long, value_name = "NAME")]
    model: Option<String>,
    #[arg(short, long, value_enum, default_value = "text")]
    output_format: OutputFormat,
    /// What may be done without asking; nobody is there to be asked
    #[arg(long, value_enum, default_value = "default")]
    approval_mode: ApprovalMode,
    /// Go on with a recorded session: its id, its number, or the latest
    #[arg(short, long, value_name = "SESSION", num_args = 0..=1, default_missing_value = "latest")]
    resume: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum OutputFormat {
    Text,
    Json,
    StreamJson,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
#[value(rename_all = "snake_case")]
enum ApprovalMode {
    Default,
    AutoEdit,
    Yolo,
    Plan,
}

pub(crate) fn run(args: &RunArgs, environment: &Environment) -> Result<ExitCode> {
    let Some(prompt) = prompt(args)? else {
        complain("there is nothing to say; use -p TEXT, or standard input");
        return Ok(ExitCode::from(exit::INPUT));
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let code = runtime.block_on(converse(args, environment, &prompt));
    runtime.shutdown_background();
    code
}

/// The prompt, with what stands on standard input before it.
fn prompt(args: &RunArgs) -> Result<Option<String>> {
    let said = match &args.prompt {
        Some(prompt) => prompt.clone(),
        None => args.query.join(" "),
    };
    let mut piped = String::new();
    if !io::stdin().is_terminal() {
        io::stdin().read_to_string(&mut piped)?;
    }
    let piped = piped.trim_end();
    let prompt = match (piped.is_empty(), said.is_empty()) {
        (true, true) => return Ok(None),
        (true, false) => said,
        (false, true) => piped.to_owned(),
        (false, false) => format!("{piped}\n\n{said}"),
    };
    Ok(Some(prompt))
}

async fn converse(args: &RunArgs, environment: &Environment, prompt: &str) -> Result<ExitCode> {
    let context = environment::door_context(environment);
    let request = SessionRequest {
        folder: context.folder.canonicalize()?,
        context,
        trusted: None,
        which: match &args.resume {
            Some(which) => Which::Recorded(which.clone()),
            None => Which::New,
        },
        model: args.model.clone(),
    };
    let stdout = io::stdout();
    let source = Configured {
        demo_pace: match stdout.is_terminal() {
            true => Configured::READABLE,
            false => Pace::Instant,
        },
    };
    let opened = match source.open(&request) {
        Ok(opened) => opened,
        Err(error) => {
            complain(&error.to_string());
            return Ok(ExitCode::from(exit::INPUT));
        }
    };
    let mut output: Box<dyn Output> = match args.output_format {
        OutputFormat::Text => Box::new(Text::new(stdout.lock(), io::stderr())),
        OutputFormat::Json => Box::new(Json::new(stdout.lock())),
        OutputFormat::StreamJson => Box::new(StreamJson::new(stdout.lock(), Clock::System)),
    };
    let decision = match args.approval_mode {
        ApprovalMode::AutoEdit | ApprovalMode::Yolo => Decision::Keep,
        ApprovalMode::Default | ApprovalMode::Plan => Decision::Reject,
    };
    match tell(opened, prompt, &mut *output, decision).await {
        Ok(outcome) => Ok(code(&outcome)),
        // Whoever read the output has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        Err(error) => Err(error.into()),
    }
}

/// Says the prompt and tells everything until the turn has ended.
async fn tell(
    opened: OpenedSession,
    prompt: &str,
    output: &mut dyn Output,
    decision: Decision,
) -> io::Result<TurnOutcome> {
    let session = opened.handle;
    let mut events = opened.events;
    output.begin(opened.id.as_str(), &opened.model, prompt)?;
    // When the session has ended already, the missing event says so.
    let _ended = session.submit(Op::Queue(prompt.into())).await;
    let mut stats = Stats::new();
    let mut stopping = false;
    loop {
        let event = tokio::select! {
            biased;
            _ = tokio::signal::ctrl_c(), if !stopping => {
                stopping = true;
                // When the session has ended already, its last event is on its way.
                let _ended = session.submit(Op::CancelTurn).await;
                continue;
            }
            event = events.recv() => event,
        };
        let Some(event) = event else {
            return Err(io::Error::other(
                "the session ended in the middle of its turn",
            ));
        };
        stats.count(&event);
        output.event(&event)?;
        match event {
            Event::EditProposed(proposal) => {
                let decide = Op::Decide {
                    proposal: proposal.id,
                    decisions: vec![decision; proposal.hunks.len()],
                };
                let _ended = session.submit(decide).await;
            }
            Event::TurnEnded { outcome, .. } => {
                output.end(&outcome, &stats)?;
                return Ok(outcome);
            }
            _ => {}
        }
    }
}

fn code(outcome: &TurnOutcome) -> ExitCode {
    match outcome {
        // The twin counts an answer that cannot be used, and a loop, as told and done.
        TurnOutcome::Completed | TurnOutcome::InvalidAnswer(_) | TurnOutcome::LoopDetected(_) => {
            ExitCode::SUCCESS
        }
        TurnOutcome::Cancelled => ExitCode::from(exit::CANCELLED),
        TurnOutcome::RoundLimitReached { .. } | TurnOutcome::SessionLimitReached { .. } => {
            ExitCode::from(exit::TURN_LIMIT)
        }
        TurnOutcome::Failed(ModelError::Unauthorized { .. } | ModelError::Configuration { .. }) => {
            ExitCode::from(exit::AUTHENTICATION)
        }
        TurnOutcome::Failed(_) | TurnOutcome::ContextOverflow { .. } => ExitCode::FAILURE,
    }
}

#[expect(clippy::print_stderr, reason = "what a person at a terminal reads")]
fn complain(text: &str) {
    eprintln!("pollux: {text}");
}
