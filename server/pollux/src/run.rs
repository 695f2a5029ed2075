//! `pollux run`: a conversation without a screen.

mod clock;
mod list;
mod output;
mod stats;

use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use pollux_agent::api::{Event, ModelError, Op, TurnOutcome};
use pollux_agent::prompt::Audience;
use pollux_model::{Content, Pace};
use pollux_settings::{EditorTrust, Environment};
use pollux_workspace::{
    DoorContext, OpenedSession, SessionError, SessionRequest, SessionSource, Which,
};

use crate::environment;
use crate::mcp_servers::McpServers;
use crate::policy::{Loading, PolicyFiles};
use crate::services;
use crate::session_source::Configured;
use clock::Clock;
pub(crate) use exit::INPUT;
pub(crate) use list::list as list_sessions;
use output::{Json, Output, StreamJson, Text};
use stats::Stats;

/// The twin's exit codes.
mod exit {
    pub(super) const AUTHENTICATION: u8 = 41;
    pub(crate) const INPUT: u8 = 42;
    pub(super) const CONFIGURATION: u8 = 52;
    pub(super) const TURN_LIMIT: u8 = 53;
    pub(super) const UNTRUSTED: u8 = 55;
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
    #[arg(long, value_enum)]
    approval_mode: Option<ApprovalMode>,
    /// Allow everything that no rule forbids; the same as --approval-mode yolo
    #[arg(short, long, conflicts_with = "approval_mode")]
    yolo: bool,
    /// Rule files instead of the user's own
    #[arg(long, value_name = "PATH")]
    policy: Vec<PathBuf>,
    /// Tools that may run without asking, such as `run_shell_command(git)`
    #[arg(long, value_name = "TOOL", value_delimiter = ',')]
    allowed_tools: Vec<String>,
    /// The only MCP servers that may be connected, instead of those that the settings allow
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    allowed_mcp_server_names: Vec<String>,
    /// Go on with a recorded session: its id, its number, or the latest
    #[arg(short, long, value_name = "SESSION", num_args = 0..=1, default_missing_value = "latest")]
    resume: Option<String>,
    /// Trust this folder for this run
    #[arg(long)]
    skip_trust: bool,
    /// List the recorded sessions of this folder
    #[arg(long)]
    list_sessions: bool,
    /// Remove a recorded session
    #[arg(long, value_name = "SESSION")]
    delete_session: Option<String>,
    /// Print what would be sent, and send nothing
    #[arg(long)]
    show_prompt: bool,
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

impl RunArgs {
    fn mode(&self) -> Option<pollux_policy::ApprovalMode> {
        if self.yolo {
            return Some(pollux_policy::ApprovalMode::Yolo);
        }
        self.approval_mode.map(|mode| match mode {
            ApprovalMode::Default => pollux_policy::ApprovalMode::Default,
            ApprovalMode::AutoEdit => pollux_policy::ApprovalMode::AutoEdit,
            ApprovalMode::Yolo => pollux_policy::ApprovalMode::Yolo,
            ApprovalMode::Plan => pollux_policy::ApprovalMode::Plan,
        })
    }
}

pub(crate) fn run(args: &RunArgs, environment: &Environment) -> Result<ExitCode> {
    let mut environment = environment.clone();
    if args.skip_trust {
        let trusted = ("GEMINI_CLI_TRUST_WORKSPACE", "true");
        environment = environment.iter().chain([trusted]).collect();
    }
    let context = environment::door_context(&environment);
    let folder = context.folder.canonicalize()?;
    if args.list_sessions {
        return list::list(&context, &folder);
    }
    if let Some(which) = &args.delete_session {
        return list::delete(&context, &folder, which);
    }
    if let Some(refusal) = refusal(args, &environment, &folder) {
        return Ok(refusal);
    }
    let Some(prompt) = prompt(args)? else {
        complain("there is nothing to say; use -p TEXT, or standard input");
        return Ok(ExitCode::from(exit::INPUT));
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let code = runtime.block_on(converse(args, context, folder, &prompt));
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

async fn converse(
    args: &RunArgs,
    context: DoorContext,
    folder: PathBuf,
    prompt: &str,
) -> Result<ExitCode> {
    let request = SessionRequest {
        folder,
        context,
        trusted: None,
        which: match &args.resume {
            Some(which) => Which::Recorded(which.clone()),
            None => Which::New,
        },
        model: args.model.clone(),
        wishes: Default::default(),
    };
    let stdout = io::stdout();
    let source = Configured {
        demo_pace: match stdout.is_terminal() {
            true => Configured::READABLE,
            false => Pace::Instant,
        },
        audience: Audience::Headless,
        mode: args.mode(),
        policy_paths: args.policy.clone(),
        allowed_tools: args.allowed_tools.clone(),
        // So that what it edits can be undone, and is reviewed when an editor comes to the folder.
        rooms: Some(Arc::new(services::rooms(&environment::of_door(
            &request.context,
        )))),
        mentions: crate::mentions::Mentions::default(),
        servers: McpServers::allowing(args.allowed_mcp_server_names.clone()),
    };
    let show_prompt = args.show_prompt;
    let opened = tokio::task::spawn_blocking(move || match show_prompt {
        true => source.shown_prompt(&request).map(Err),
        false => source.open(&request).map(Ok),
    });
    let opened = match opened.await? {
        Ok(Ok(opened)) => opened,
        Ok(Err(mut request)) => {
            request.contents.push(Content::prompt(prompt));
            let text = pollux_agent::prompt::render(&request);
            io::Write::write_all(&mut stdout.lock(), text.as_bytes())?;
            return Ok(ExitCode::SUCCESS);
        }
        Err(error) => {
            complain(&error.to_string());
            return Ok(match error {
                SessionError::NotFound(_) => ExitCode::from(exit::INPUT),
                SessionError::NotPossible(_) | SessionError::KeyMissing(_) => {
                    ExitCode::from(exit::AUTHENTICATION)
                }
                SessionError::Misconfigured(_) => ExitCode::from(exit::CONFIGURATION),
            });
        }
    };
    let mut output: Box<dyn Output> = match args.output_format {
        OutputFormat::Text => Box::new(Text::new(stdout.lock(), io::stderr())),
        OutputFormat::Json => Box::new(Json::new(stdout.lock())),
        OutputFormat::StreamJson => Box::new(StreamJson::new(stdout.lock(), Clock::System)),
    };
    match tell(opened, prompt, &mut *output).await {
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
        if let Event::TurnEnded { outcome, .. } = event {
            output.end(&outcome, &stats)?;
            return Ok(outcome);
        }
    }
}

/// Says what is wrong, and why nothing is done in this folder, if so.
fn refusal(args: &RunArgs, environment: &Environment, folder: &Path) -> Option<ExitCode> {
    let loaded = pollux_settings::load(environment, folder, EditorTrust::Unsaid);
    for problem in &loaded.problems {
        complain(&problem.to_string());
    }
    if loaded.has_errors() {
        return Some(ExitCode::from(exit::CONFIGURATION));
    }
    if !loaded.trust.is_trusted() {
        complain(&format!(
            "{} is not trusted; use --skip-trust, or trust it in an editor first",
            folder.display()
        ));
        return Some(ExitCode::from(exit::UNTRUSTED));
    }
    let forbids = loaded.merged.get("security.disableYoloMode");
    let forbids = forbids.and_then(|forbids| forbids.as_bool()) == Some(true);
    if forbids && args.mode() == Some(pollux_policy::ApprovalMode::Yolo) {
        complain("the settings rule out yolo (security.disableYoloMode)");
        return Some(ExitCode::from(exit::CONFIGURATION));
    }
    // A rule that does not hold is said here: nobody will be asked later.
    let rules = PolicyFiles::load(&Loading {
        loaded: &loaded,
        folder,
        instead: &args.policy,
        allowed: &args.allowed_tools,
    });
    for problem in &rules.problems {
        complain(&problem.to_string());
    }
    None
}

fn code(outcome: &TurnOutcome) -> ExitCode {
    match outcome {
        // The twin counts an answer that cannot be used, a loop and a hook's stop as told and done.
        TurnOutcome::Completed
        | TurnOutcome::StoppedByHook { .. }
        | TurnOutcome::InvalidAnswer(_)
        | TurnOutcome::LoopDetected(_) => ExitCode::SUCCESS,
        TurnOutcome::Cancelled
        | TurnOutcome::Interrupted
        | TurnOutcome::Unattended
        | TurnOutcome::Declined => ExitCode::from(exit::CANCELLED),
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
pub(crate) fn complain(text: &str) {
    eprintln!("pollux: {text}");
}
