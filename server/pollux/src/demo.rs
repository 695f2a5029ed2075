//! `pollux demo`: one turn with the offline demo model, played in the terminal.
//!
//! A thin front end over a real session: it shows what the session says, asks about each hunk, and sends the
//! decisions back. Only what is kept gets written.

mod calls;
mod diff_view;
mod front_end;
mod input;
mod sample;

#[cfg(test)]
mod tests;

use std::fs;
use std::io::{self, BufReader, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use pollux_agent::api::ApprovalMode;
use pollux_agent::{
    Baggage, ContextOptions, Equipment, LoopDetection, OneVoice, Session, SessionConfig, ToolSet,
    Unwatched,
};
use pollux_model::{Demo, Model, Pace};
use pollux_settings::{EditorTrust, Environment};
use tokio_util::sync::CancellationToken;

use crate::disk_files::DiskFiles;
use crate::policy::PolicyGate;
use crate::session_source::Configured;
use crate::terminal::{Colour, Screen, colour};
use crate::{equipment, undo};
use front_end::FrontEnd;
use input::Input;

#[derive(clap::Args)]
pub(crate) struct DemoArgs {
    /// Work in this folder instead of a fresh copy of the sample.
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
}

pub(crate) fn run(args: &DemoArgs, environment: &Environment) -> anyhow::Result<ExitCode> {
    let workspace = Workspace::open(args)?;
    let root = workspace.root.clone();
    let kind = workspace.kind;
    let equipment = with_shell(environment, &root);
    let gate = PolicyGate::shipped(root.clone(), environment.iter().collect());
    let stdout = io::stdout();
    let (colour, pace) = if stdout.is_terminal() {
        (colour(environment), Configured::READABLE)
    } else {
        (Colour::Off, Pace::Instant)
    };
    let input = if io::stdin().is_terminal() {
        Input::from_reader(BufReader::new(io::stdin()))
    } else {
        Input::none()
    };
    let screen = Screen::new(stdout.lock(), colour);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let played = runtime.block_on(async {
        let interrupt = CancellationToken::new();
        tokio::spawn(cancel_on_ctrl_c(interrupt.clone()));
        play(workspace, equipment, gate, pace, input, screen, interrupt).await
    });
    if played.is_err() && kind == WorkspaceKind::Sample {
        // Nobody is told of the folder any more; one that somebody has worked in stays all the same.
        sample::remove_untouched(&root);
    }
    match played {
        // Whoever read the output, a pager or `head`, has seen enough.
        Err(error) if is_broken_pipe(&error) => Ok(ExitCode::SUCCESS),
        other => other,
    }
}

/// A shell for the one command of the demo. The rest of what sessions have is of no use to it.
fn with_shell(environment: &Environment, root: &Path) -> Equipment {
    let loaded = pollux_settings::load(environment, root, EditorTrust::Unsaid);
    let kept = undo::store(&loaded.locations, "demo");
    Equipment {
        shell: equipment::shell(&loaded, root, kept, Arc::new(Unwatched)).map(Arc::new),
        ..Equipment::default()
    }
}

/// Plays the turn: the whole demo except for the process around it.
async fn play(
    workspace: Workspace,
    equipment: Equipment,
    gate: PolicyGate,
    pace: Pace,
    input: Input,
    screen: Screen<impl Write>,
    interrupt: CancellationToken,
) -> anyhow::Result<ExitCode> {
    let (session, events) = Session::start(
        SessionConfig {
            voices: OneVoice::shared(Model::Demo(Demo::new(pace))),
            files: Arc::new(DiskFiles::new(workspace.root.clone())),
            root: workspace.root.clone(),
            places: Vec::new(),
            surroundings: None,
            instructions: None,
            opening: Vec::new(),
            turn_limit: None,
            loop_detection: LoopDetection::On,
            continuation_limit: SessionConfig::CONTINUATION_LIMIT,
            tools: ToolSet::built_in(&equipment),
            hooks: pollux_agent::Hooks::default(),
            gate: Arc::new(gate),
            mode: ApprovalMode::Default,
            context: ContextOptions::default(),
            commands: None,
        },
        Baggage::default(),
    );
    FrontEnd::new(screen, input, session, interrupt)
        .play(events, &workspace)
        .await
}

async fn cancel_on_ctrl_c(interrupt: CancellationToken) {
    // Without a handler Ctrl+C ends the process, which leaves nothing half-written either.
    if tokio::signal::ctrl_c().await.is_ok() {
        interrupt.cancel();
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let source = error.downcast_ref::<io::Error>();
    source.is_some_and(|source| source.kind() == io::ErrorKind::BrokenPipe)
}

/// The folder that the demo works in.
struct Workspace {
    /// Absolute and without links.
    root: PathBuf,
    kind: WorkspaceKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WorkspaceKind {
    /// A fresh copy of the sample. With something changed in it, it stays for the person to look at.
    Sample,
    /// The person's own folder.
    Given,
}

impl Workspace {
    fn open(args: &DemoArgs) -> anyhow::Result<Self> {
        let (folder, kind) = match &args.workspace {
            Some(folder) => (folder.clone(), WorkspaceKind::Given),
            None => (sample::unpack()?, WorkspaceKind::Sample),
        };
        let root = fs::canonicalize(&folder)
            .with_context(|| format!("cannot open the workspace {}", folder.display()))?;
        anyhow::ensure!(root.is_dir(), "{} is not a folder", root.display());
        Ok(Self { root, kind })
    }
}
