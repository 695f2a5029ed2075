//! `pollux run`: a conversation without a screen.

mod clock;
mod exit;
mod input;
mod list;
mod output;
mod showing;
mod stats;
mod telling;

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use pollux_agent::prompt::Audience;
use pollux_model::Pace;
use pollux_settings::{EditorTrust, Environment, Loaded};
use pollux_workspace::{
    DoorContext, SessionRequest, SessionSource, SessionWishes, Which, WithoutKey,
};

use crate::environment;
use crate::mcp_servers::McpServers;
use crate::policy::{Loading, PolicyFiles};
use crate::services;
use crate::session_source::Configured;
use crate::terminal::{self, PlainOutput};
use clock::Clock;
use exit::Refused;
pub(crate) use exit::{CONFIGURATION, INPUT};
pub(crate) use list::list as list_sessions;
use output::{Json, Output, StreamJson, Text};

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
    /// How it is told; else as the settings say (output.format)
    #[arg(short, long, value_enum)]
    output_format: Option<OutputFormat>,
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
    #[arg(short, long, value_name = "SESSION", num_args = 0..=1, default_missing_value = LATEST)]
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

/// The session that `--resume` means when it says nothing else.
const LATEST: &str = "latest";

impl RunArgs {
    /// Without what may stand on standard input.
    fn said(&self) -> String {
        match &self.prompt {
            Some(prompt) => prompt.clone(),
            None => self.query.join(" "),
        }
    }

    /// As the twin has it, only a flag can ask for a stream.
    fn format(&self, loaded: &Loaded) -> OutputFormat {
        let configured = loaded.merged.get("output.format");
        let configured = match configured.and_then(|format| format.as_str()) {
            Some("json") => OutputFormat::Json,
            _ => OutputFormat::Text,
        };
        self.output_format.unwrap_or(configured)
    }

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
    let loaded = pollux_settings::load(&environment, &folder, EditorTrust::Unsaid);
    let format = args.format(&loaded);
    if let Err(refused) = check(args, &loaded, &folder) {
        return refuse(&refused, format);
    }
    let Some(prompt) = input::prompt(args.said())? else {
        let nothing = "there is no prompt; use -p TEXT, or standard input";
        return refuse(&Refused::new(exit::INPUT, nothing), format);
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let code = runtime.block_on(converse(args, context, folder, &prompt, format));
    runtime.shutdown_background();
    code
}

async fn converse(
    args: &RunArgs,
    context: DoorContext,
    folder: PathBuf,
    prompt: &str,
    format: OutputFormat,
) -> Result<ExitCode> {
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
        rooms: Some(Arc::new(services::rooms(&environment::of_door(&context)))),
        mentions: crate::mentions::Mentions::default(),
        servers: McpServers::allowing(args.allowed_mcp_server_names.clone()),
        local_models: Default::default(),
        index: Default::default(),
        expiry: Default::default(),
    };
    let request = SessionRequest {
        which: which(args, &source, &context, &folder),
        folder,
        context,
        trusted: None,
        model: args.model.clone(),
        wishes: SessionWishes {
            // What is only shown needs no key.
            without_key: match args.show_prompt {
                true => WithoutKey::DemoAnswers,
                false => WithoutKey::Refused,
            },
            ..SessionWishes::default()
        },
    };
    if args.show_prompt {
        return show(source, request, prompt, format).await;
    }
    let opened = match tokio::task::spawn_blocking(move || source.open(&request)).await? {
        Ok(opened) => opened,
        Err(error) => return refuse(&error.into(), format),
    };
    let mut output: Box<dyn Output> = match format {
        OutputFormat::Text => Box::new(Text::new(stdout.lock(), terminal::stderr())),
        OutputFormat::Json => Box::new(Json::new(PlainOutput::json(stdout.lock()))),
        OutputFormat::StreamJson => Box::new(StreamJson::new(
            PlainOutput::json(stdout.lock()),
            Clock::System,
        )),
    };
    match telling::tell(opened, prompt, &mut *output).await {
        Ok(end) => Ok(exit::of_run(&end, format)),
        // Whoever read the output has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        Err(error) => Err(error.into()),
    }
}

async fn show(
    source: Configured,
    request: SessionRequest,
    prompt: &str,
    format: OutputFormat,
) -> Result<ExitCode> {
    let shown = tokio::task::spawn_blocking(move || source.show(&request));
    let shown = match shown.await? {
        Ok(shown) => shown,
        Err(error) => return refuse(&error.into(), format),
    };
    match showing::show(shown, prompt).await? {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(ending) => {
            let nothing = "nothing would be sent";
            let message = match output::failure(&ending) {
                Some(failure) => format!("{nothing}: {}", failure.message),
                None => format!("{nothing}: a command answers"),
            };
            refuse(&Refused::new(exit::INPUT, message), format)
        }
    }
}

/// A folder without sessions has no latest one to go on with, and a new one will do; whoever names one means that one.
fn which(args: &RunArgs, source: &Configured, context: &DoorContext, folder: &Path) -> Which {
    let Some(wanted) = &args.resume else {
        return Which::New;
    };
    if wanted == LATEST && source.find(context, folder, wanted).is_none() {
        complain("there is no session to go on with; a new one begins");
        return Which::New;
    }
    Which::Recorded(wanted.clone())
}

/// Says what is wrong, and refuses where nothing may be done in this folder.
fn check(args: &RunArgs, loaded: &Loaded, folder: &Path) -> Result<(), Refused> {
    let problems = loaded.problems.iter().map(ToString::to_string);
    if loaded.has_errors() {
        let problems: Vec<String> = problems.collect();
        return Err(Refused::new(exit::CONFIGURATION, problems.join("\n")));
    }
    problems.for_each(|problem| complain(&problem));
    if !loaded.trust.is_trusted() {
        let untrusted = format!(
            "{} is not trusted; use --skip-trust, or trust it in an editor first",
            folder.display()
        );
        return Err(Refused::new(exit::UNTRUSTED, untrusted));
    }
    if let Some(unsupported) = crate::equipment::sandbox::unsupported(loaded) {
        return Err(Refused::new(exit::SANDBOX, unsupported));
    }
    let forbids = loaded.merged.get("security.disableYoloMode");
    let forbids = forbids.and_then(|forbids| forbids.as_bool()) == Some(true);
    if forbids && args.mode() == Some(pollux_policy::ApprovalMode::Yolo) {
        let forbidden = "the settings rule out yolo (security.disableYoloMode)";
        return Err(Refused::new(exit::CONFIGURATION, forbidden));
    }
    // A rule that does not hold is said here: nobody will be asked later.
    let rules = PolicyFiles::load(&Loading {
        loaded,
        folder,
        instead: &args.policy,
        allowed: &args.allowed_tools,
    });
    for problem in &rules.problems {
        complain(&problem.to_string());
    }
    Ok(())
}

/// Tells why nothing is done, in the format that was asked for.
fn refuse(refused: &Refused, format: OutputFormat) -> Result<ExitCode> {
    match format {
        OutputFormat::Text => complain(&refused.message),
        OutputFormat::Json => {
            output::refuse_json(&mut PlainOutput::json(io::stderr().lock()), refused)?
        }
        OutputFormat::StreamJson => {
            let out = PlainOutput::json(io::stdout().lock());
            StreamJson::new(out, Clock::System).refuse(refused)?;
        }
    }
    Ok(ExitCode::from(refused.code))
}

pub(crate) use crate::terminal::complain;
