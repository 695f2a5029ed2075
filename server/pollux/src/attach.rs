//! `pollux attach`: a session that runs in the host, followed and answered in a terminal.
//!
//! It is a window like any other: a client of the same door as an editor's chat, in the same words. What a turn does, what is
//! asked and what is recorded is the host's; when this window closes, the turn goes on.

mod conversation;
mod desk;
mod keys;
mod line;
mod question;
mod story;

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use pollux_lsp::door::{Client, Refusal, Told, attend, folder_uri};
use pollux_lsp::protocol::{
    SessionListParams, SessionListResult, SessionResult, SessionResumeParams, method,
};
use pollux_settings::Environment;
use tokio::sync::mpsc;

use crate::environment;
use crate::run::{self, INPUT};
use crate::shared::{DoorKind, Runtime, Shared};
use crate::terminal::{Colour, Quiet, colour};
use conversation::{Conversation, Session};
use desk::{Desk, MarkedPastes};

const KEYS: &str = "\
At the prompt:
  Enter    says it; while a turn runs it waits for its turn
  > TEXT   steers: says it into the running turn
  Ctrl+C   stops the turn; when none runs, or pressed again, leaves
  Ctrl+D   leaves; the turn goes on

Questions are answered with the letters that are shown, and Enter.
When the output is no terminal, the session is followed until it is idle.";

#[derive(Args)]
#[command(after_help = KEYS)]
pub(crate) struct AttachArgs {
    /// The session: its id, its number in the list, or `latest`
    #[arg(value_name = "SESSION", default_value = LATEST)]
    session: String,
    /// List the sessions of the folder
    #[arg(long)]
    list: bool,
    /// The folder that the session works in, if it is another than this one
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Show so many lines of what was said before
    #[arg(long, value_name = "N", default_value_t = 200)]
    lines: usize,
}

const LATEST: &str = "latest";

pub(crate) fn run(arguments: &AttachArgs, environment: &Environment) -> Result<ExitCode> {
    let mut context = environment::door_context(environment);
    if let Some(folder) = &arguments.folder {
        context.folder = context.folder.join(folder);
    }
    let folder = context.folder.canonicalize();
    let folder = folder.with_context(|| format!("cannot open {}", context.folder.display()))?;
    if arguments.list {
        return run::list_sessions(&context, &folder);
    }
    context.folder.clone_from(&folder);
    let shared = Shared {
        runtime: Runtime::open(environment)?,
        environment: environment.clone(),
        context,
        kind: DoorKind::Lsp,
    };
    let window = Window {
        folder: folder_uri(&folder),
        session: arguments.session.clone(),
        lines: arguments.lines,
        colour: match io::stdout().is_terminal() {
            true => colour(environment),
            false => Colour::Off,
        },
        reader: Reader::of_this_process(environment),
    };
    let threads = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let done = threads.block_on(attend(shared, "pollux attach", |client, told| {
        window.open(client, told)
    }));
    // Standard input may be open still, and a thread waits for it that cannot be stopped.
    threads.shutdown_background();
    done?
}

/// Who reads what is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    /// Somebody who can answer.
    Person,
    /// A file, a pager, a program, or a terminal that cannot do more than print.
    Paper,
}

impl Reader {
    fn of_this_process(environment: &Environment) -> Self {
        let terminals = io::stdin().is_terminal() && io::stdout().is_terminal();
        match terminals && environment.get("TERM") != Some("dumb") {
            true => Self::Person,
            false => Self::Paper,
        }
    }
}

/// What was asked for on the command line.
struct Window {
    folder: String,
    session: String,
    lines: usize,
    colour: Colour,
    reader: Reader,
}

impl Window {
    async fn open(self, client: Client, told: mpsc::Receiver<Told>) -> Result<ExitCode> {
        let wanted = SessionResumeParams {
            session: self.session.clone(),
            folder: Some(self.folder.clone()),
        };
        let opened = client.ask(method::SESSION_RESUME, &wanted);
        let session = match opened.answer::<SessionResult>().await {
            Ok(opened) => opened.session,
            Err(Refusal::NotThere(_)) if !self.is_listed(&client).await? => {
                run::complain(&self.not_there());
                return Ok(ExitCode::from(INPUT));
            }
            Err(refusal) => return Err(refusal.into()),
        };
        let session = Session {
            id: session,
            folder: self.folder,
        };
        // In one piece: the standard library would write what stands behind the last line feed by itself.
        let stdout = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        // The terminal is as it was once this is gone.
        let (_quiet, typed, desk) = match self.reader {
            Reader::Person => (
                Some((Quiet::start()?, MarkedPastes::start()?)),
                Some(typed()),
                Desk::terminal(stdout),
            ),
            Reader::Paper => (None, None, Desk::paper(stdout)),
        };
        let conversation = Conversation::new(client, session, desk, self.colour, self.lines);
        match conversation.run(told, typed).await {
            Ok(()) => Ok(ExitCode::SUCCESS),
            // Whoever read the output, a pager or `head`, has seen enough.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
            Err(error) => Err(error.into()),
        }
    }

    /// A session that is there may be one that cannot be opened, and its refusal says why.
    async fn is_listed(&self, client: &Client) -> Result<bool, Refusal> {
        let folder = Some(self.folder.clone());
        let listed = client.ask(method::SESSION_LIST, &SessionListParams { folder });
        let sessions = listed.answer::<SessionListResult>().await?.sessions;
        Ok(match self.session.parse::<usize>() {
            Ok(number) => (1..=sessions.len()).contains(&number),
            Err(_) if self.session == LATEST => !sessions.is_empty(),
            Err(_) => sessions.iter().any(|line| line.session == self.session),
        })
    }

    fn not_there(&self) -> String {
        match self.session.as_str() {
            LATEST => "there is no session in this folder yet; begin one in an editor, or with \
                       pollux run"
                .to_owned(),
            other => format!(
                "there is no session {other:?} in this folder; pollux attach --list names them"
            ),
        }
    }
}

/// Bytes as they are typed. Read on a thread of its own, which ends with the process: a read cannot be called off.
fn typed() -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel(16);
    std::thread::spawn(move || {
        let mut chunk = [0; 1024];
        let mut stdin = io::stdin().lock();
        while let Ok(length @ 1..) = stdin.read(&mut chunk) {
            let bytes = chunk.get(..length).unwrap_or_default().to_vec();
            if sender.blocking_send(bytes).is_err() {
                break;
            }
        }
    });
    receiver
}
