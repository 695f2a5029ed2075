//! The host: one process per user, serving every door.

use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener as StdListener, UnixStream as StdStream};
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use pollux_mcp::serve::HttpDoor;
use pollux_settings::Environment;
use pollux_workspace::DoorId;
use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::time::timeout;
use tracing::{info, warn};

use super::hello::{self, DoorKind, Hello, Port};
use super::patience::{PATIENCE, give_up_on_answers};
use super::runtime::{Runtime, user};
use crate::doctor::HostReport;
use crate::lsp::WORKERS;
use crate::services::Services;

/// How long a host stays when its last door has closed. Short: an editor that was closed expects
/// no process of it to be left.
pub(crate) const GRACE: Duration = Duration::from_secs(2);

/// How long a door may take to say who it is.
const HELLO: Duration = Duration::from_secs(10);

/// So many descriptors are enough; what the host starts inherits the limit.
const MOST_DESCRIPTORS: u64 = 4096;

/// How long a new host waits for one that is just ending.
const HANDOVER: Duration = Duration::from_secs(5);

pub(crate) fn run(environment: &Environment, grace: Duration) -> Result<()> {
    crate::frugal::allocate_little();
    raise_descriptor_limit();
    let runtime = Runtime::open(environment)?;
    let Some(_owner) = become_owner(&runtime)? else {
        return Ok(());
    };
    let listener = listen(&runtime)?;
    crate::logging::start(environment, "host.log");
    let workers = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(WORKERS)
        .enable_all()
        .build()?;
    let socket = runtime.socket.clone();
    workers.block_on(async {
        let listener = UnixListener::from_std(listener)?;
        say_ready();
        info!(pid = std::process::id(), "listening");
        let services = Services::new(Some(socket));
        let served = serve(listener, &services, grace).await;
        services.companions.hide();
        served
    })?;
    // Doors that come from now on find no socket and start another host, which waits for the lock.
    let _already_gone = fs::remove_file(&runtime.socket);
    info!("ended");
    Ok(())
}

/// The host serves all windows of a person; many systems let a process have few descriptors unless it asks for more.
fn raise_descriptor_limit() {
    let mut limit = getrlimit(Resource::Nofile);
    let most = limit
        .maximum
        .unwrap_or(MOST_DESCRIPTORS)
        .min(MOST_DESCRIPTORS);
    if limit.current.is_some_and(|current| current < most) {
        limit.current = Some(most);
        // With fewer it works too.
        let _refused = setrlimit(Resource::Nofile, limit);
    }
}

/// Waits for the lock that only one host can hold. Nothing when another host is well.
fn become_owner(runtime: &Runtime) -> Result<Option<File>> {
    let lock = runtime.host_lock()?;
    let started = Instant::now();
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(Some(lock)),
            Err(TryLockError::Error(error)) => {
                return Err(error).context("the lock is not to be had");
            }
            Err(TryLockError::WouldBlock) => {}
        }
        if StdStream::connect(&runtime.socket).is_ok() {
            say_ready();
            return Ok(None);
        }
        if started.elapsed() > HANDOVER {
            bail!("another host holds the lock but does not answer; end it and try again");
        }
        std::thread::park_timeout(Duration::from_millis(5));
    }
}

fn listen(runtime: &Runtime) -> Result<StdListener> {
    // Whoever holds the lock owns the socket, so one that is there was left by a host that died.
    let _not_there = fs::remove_file(&runtime.socket);
    let listener = StdListener::bind(&runtime.socket)
        .with_context(|| format!("{} cannot be opened", runtime.socket.display()))?;
    fs::set_permissions(&runtime.socket, fs::Permissions::from_mode(0o600))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Tells whoever started this host, if anybody listens.
fn say_ready() {
    let mut stdout = std::io::stdout().lock();
    let _nobody_listens = stdout.write_all(b"ready\n").and_then(|()| stdout.flush());
}

async fn serve(listener: UnixListener, services: &Services, grace: Duration) -> Result<()> {
    let doors = watch::Sender::new(0_usize);
    // Of these, those that somebody can answer a question in.
    let windows = watch::Sender::new(0_usize);
    let numbers = AtomicU64::new(1);
    let mut terminate = signal(SignalKind::terminate())?;
    let mut patience = pin!(give_up_on_answers(
        windows.subscribe(),
        services.sessions.questions(),
        PATIENCE,
    ));
    loop {
        tokio::select! {
            stream = listener.accept() => match stream {
                Ok((stream, _)) => {
                    let door = Present::new(&doors);
                    let id = DoorId::new(numbers.fetch_add(1, Ordering::Relaxed));
                    let (services, windows) = (services.clone(), windows.clone());
                    tokio::spawn(async move {
                        if let Err(error) = admit(stream, services, id, &windows).await {
                            warn!(door = %id, %error, "turned away");
                        }
                        drop(door);
                    });
                }
                // Out of files, most likely: what is open goes on working.
                Err(error) => {
                    warn!(%error, "a door could not be opened");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            },
            () = left_alone(doors.subscribe(), services.sessions.running(), grace) => {
                return Ok(());
            }
            () = &mut patience => return Ok(()),
            _ = terminate.recv() => return Ok(()),
        }
    }
}

/// Resolves when for the whole grace time no door was open and no turn ran.
async fn left_alone(
    mut doors: watch::Receiver<usize>,
    mut turns: watch::Receiver<usize>,
    grace: Duration,
) {
    loop {
        let quiet = async {
            doors.wait_for(|count| *count == 0).await?;
            turns.wait_for(|count| *count == 0).await
        };
        if quiet.await.is_err() {
            return;
        }
        // A door that came while the turn was waited for is seen here.
        tokio::select! {
            biased;
            _ = doors.wait_for(|count| *count > 0) => {}
            _ = turns.wait_for(|count| *count > 0) => {}
            () = tokio::time::sleep(grace) => return,
        }
    }
}

/// Counts a door for as long as it is open, however it ends.
struct Present {
    doors: watch::Sender<usize>,
}

impl Present {
    fn new(doors: &watch::Sender<usize>) -> Self {
        doors.send_modify(|count| *count += 1);
        Self {
            doors: doors.clone(),
        }
    }
}

impl Drop for Present {
    fn drop(&mut self) {
        self.doors.send_modify(|count| *count -= 1);
    }
}

async fn admit(
    stream: UnixStream,
    services: Services,
    id: DoorId,
    windows: &watch::Sender<usize>,
) -> Result<()> {
    if stream.peer_cred()?.uid() != user() {
        bail!("it belongs to another user");
    }
    let (reader, mut writer) = stream.into_split();
    let mut reader = BufReader::new(reader);
    let hello: Hello = timeout(HELLO, hello::hear(&mut reader)).await??;
    hello::say(&mut writer, &HostReport::of_this_process(&services.rooms)).await?;
    match hello.kind {
        DoorKind::Doctor => writer.shutdown().await?,
        DoorKind::Lsp => {
            info!(door = %id, "opened");
            let _window = Present::new(windows);
            pollux_lsp::serve(reader, writer, services.lsp(), id, hello.into_context()).await;
        }
        DoorKind::Mcp => {
            info!(door = %id, "opened for a client of the editor");
            let front = services.front(hello.into_context());
            pollux_mcp::serve::over_pipe(reader, writer, front).await;
        }
        DoorKind::Acp => {
            info!(door = %id, "opened for a client of the agent");
            let _window = Present::new(windows);
            pollux_acp::serve(reader, writer, services.acp(), id, hello.into_context()).await;
        }
        DoorKind::ForeignEdits => {
            super::foreign_edits::serve(reader, writer, &services.rooms).await?;
        }
        DoorKind::McpHttp => {
            let port = HttpDoor::open(services.front(hello.into_context())).await?;
            info!(door = %id, url = port.url(), "opened for clients of the editor");
            hello::say(&mut writer, &Port::of(&port)).await?;
            // It says nothing more; what can be read is its end.
            let _gone = reader.read(&mut [0]).await;
        }
    }
    Ok(())
}
