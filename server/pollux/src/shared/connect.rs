//! How a door gets to the host: find it, or start it.

use std::ffi::OsStr;
use std::io;
use std::os::unix::net::UnixStream as StdStream;
use std::time::Duration;

use anyhow::{Context, Result};
use pollux_door::Connect;
use pollux_settings::Environment;
use pollux_workspace::DoorContext;
use tokio::io::BufReader;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::timeout;

use super::hello::{self, DoorKind, Hello};
use super::runtime::{Runtime, lock_within, this_program, user};
use crate::doctor::HostReport;
use crate::frugal;

/// A host may end between being found and being spoken to.
const TRIES: usize = 5;

/// How long a host may take to answer. One that hangs must not make every door hang with it.
const WELCOME: Duration = Duration::from_secs(5);

/// How long a host may take until it listens. It waits for one that is just ending, which takes a part of it.
const START: Duration = Duration::from_secs(10);

/// How long another door may take to start one: as long as that takes, and a moment.
const START_LOCK: Duration = Duration::from_secs(12);

/// The way to the host that all doors of this user share.
pub(crate) struct Shared {
    pub(crate) runtime: Runtime,
    pub(crate) environment: Environment,
    pub(crate) context: DoorContext,
    /// What is spoken at this door.
    pub(crate) kind: DoorKind,
}

impl Connect for Shared {
    type Reader = BufReader<OwnedReadHalf>;
    type Writer = OwnedWriteHalf;

    async fn connect(&mut self) -> io::Result<(Self::Reader, Self::Writer)> {
        let mut last = io::Error::from(io::ErrorKind::NotFound);
        for _ in 0..TRIES {
            let stream = match StdStream::connect(&self.runtime.socket) {
                Ok(stream) => stream,
                Err(_) => self
                    .start()
                    .map_err(|error| io::Error::other(format!("{error:#}")))?,
            };
            match enter(stream, self.kind, self.context.clone()).await {
                Ok((_, reader, writer)) => return Ok((reader, writer)),
                Err(error) if error.kind() == io::ErrorKind::TimedOut => return Err(error),
                Err(error) => last = error,
            }
        }
        Err(last)
    }
}

impl Shared {
    /// Starts a host, unless another door was quicker.
    fn start(&self) -> Result<StdStream> {
        let lock = self.runtime.start_lock()?;
        lock_within(&lock, START_LOCK)?;
        if let Ok(stream) = StdStream::connect(&self.runtime.socket) {
            return Ok(stream);
        }
        let program = this_program().context("this program cannot be found again")?;
        // What names the user's folders, and nothing else: settings and keys come with each door.
        let kept = self.environment.iter().filter(|(name, _)| {
            matches!(
                *name,
                "HOME"
                    | "GEMINI_CLI_HOME"
                    | "XDG_RUNTIME_DIR"
                    | "POLLUX_RUNTIME_DIR"
                    | "POLLUX_LOG"
            )
        });
        let kept = kept.map(|(name, value)| (name, OsStr::new(value)));
        let (name, value) = frugal::AT_START;
        let environment = kept.chain([(name, OsStr::new(value))]);
        pollux_exec::start_daemon(&program, &["host", "--detached"], environment, START)
            .context("the host did not start")?;
        StdStream::connect(&self.runtime.socket).context("the host started but does not answer")
    }
}

/// Says hello, and hears how the host is.
pub(crate) async fn enter(
    stream: StdStream,
    kind: DoorKind,
    context: DoorContext,
) -> io::Result<(HostReport, BufReader<OwnedReadHalf>, OwnedWriteHalf)> {
    stream.set_nonblocking(true)?;
    let stream = UnixStream::from_std(stream)?;
    if stream.peer_cred()?.uid() != user() {
        return Err(io::Error::other("the host belongs to another user"));
    }
    let process = stream.peer_cred()?.pid().unwrap_or_default();
    let (reader, mut writer) = stream.into_split();
    let mut reader = BufReader::new(reader);
    let welcome = timeout(WELCOME, async {
        hello::say(&mut writer, &Hello::new(kind, context)).await?;
        hello::hear(&mut reader).await
    });
    let Ok(welcome) = welcome.await else {
        let text = format!("the host, process {process}, does not answer; end it and try again");
        return Err(io::Error::new(io::ErrorKind::TimedOut, text));
    };
    Ok((welcome?, reader, writer))
}
