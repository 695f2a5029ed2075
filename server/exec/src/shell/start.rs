//! Starting a command behind its guard.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::thread;

use bytes::Bytes;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::sync::{mpsc, oneshot, watch};

use super::driver::{Driver, next_said};
use super::running::lock;
use super::terminal::{self, Sides};
use super::{
    CommandAccess, Guard, Live, OutputStream, Running, ShellCommand, ShellError, Terminal,
};
use crate::capture::Capture;
use crate::guard::{self, Around, Order, Said, Teletype};
use crate::private_folder::PrivateFolder;
use crate::sandbox::{ReadOnlySupport, read_only_support};

/// As much as is read at once.
const PIECE: usize = 64 * 1024;
/// Pieces of a stream that may wait to be read.
const PIECES: usize = 16;

/// Starts a command.
pub async fn start(guard: &Guard, command: ShellCommand) -> Result<Running, ShellError> {
    start_with(guard, command, None).await
}

/// Starts a command whose output is also wanted byte by byte.
pub async fn start_streaming(
    guard: &Guard,
    command: ShellCommand,
) -> Result<(Running, OutputStream), ShellError> {
    let (sender, pieces) = mpsc::channel(PIECES);
    let running = start_with(guard, command, Some(sender)).await?;
    Ok((running, OutputStream { pieces }))
}

async fn start_with(
    guard: &Guard,
    command: ShellCommand,
    stream: Option<mpsc::Sender<Bytes>>,
) -> Result<Running, ShellError> {
    if !command.folder.is_dir() {
        return Err(ShellError::NoFolder {
            folder: command.folder,
        });
    }
    let sides = terminal::open(command.terminal, command.input).map_err(ShellError::Terminal)?;
    let Sides {
        output,
        input,
        screen,
        theirs,
    } = sides;
    let mut command = command;
    let scratch = scratch_of(&mut command)?;
    let order = Order {
        teletype: match command.terminal {
            Terminal::Emulated(_) => Teletype::Controlling,
            Terminal::Pipes => Teletype::None,
        },
        sandbox: match scratch {
            Some(_) => None,
            None => command.sandbox.clone(),
        },
        read_only: scratch.as_ref().map(|scratch| scratch.path().to_owned()),
        script: command.script(),
    };
    let around = Around {
        environment: &command.environment,
        folder: &command.folder,
        output: Stdio::from(theirs.output),
        input: theirs.input,
    };
    let (control, child) = guard::start(guard, &order, around).map_err(ShellError::Guard)?;
    let (reader, writer) = control.into_split();
    let mut lines = BufReader::new(reader).lines();
    let (shell, sandbox) = match next_said(&mut lines).await {
        Some(Said::Started { shell, sandbox }) => (shell, sandbox),
        Some(Said::NoShell(why)) => return Err(ShellError::Shell { why }),
        Some(Said::NoSandbox(why)) => return Err(ShellError::Sandbox { why }),
        Some(Said::Ended { .. } | Said::Refused(_) | Said::Gone) | None => {
            return Err(ShellError::GuardEnded);
        }
    };

    let capture = Capture::new(command.limits, command.spool);
    let capture = Arc::new(Mutex::new(capture));
    let (count, printed) = watch::channel(0);
    let (read_all, all_read) = oneshot::channel();
    let shared = Arc::clone(&capture);
    thread::spawn(move || {
        read(output, &shared, &count, stream);
        let _nobody_waits = read_all.send(());
    });

    let live = Live { capture, printed };
    let (orders, inbox) = mpsc::unbounded_channel();
    let (publish, ended) = watch::channel(None);
    let driver = Driver {
        shell,
        guard: child,
        said: lines,
        control: Some(writer),
        orders: inbox,
        inactivity: command.inactivity,
        live: live.clone(),
        all_read,
        ended: publish,
        refused: Vec::new(),
        scratch,
    };
    tokio::spawn(driver.run());
    Ok(Running {
        shell,
        sandbox,
        orders,
        ended,
        live,
        input: Arc::new(tokio::sync::Mutex::new(input)),
        screen,
    })
}

/// A folder for a command that can only read, made known to it. `None` for other commands and
/// where the kernel cannot confine it.
fn scratch_of(command: &mut ShellCommand) -> Result<Option<PrivateFolder>, ShellError> {
    let confined = matches!(read_only_support(), ReadOnlySupport::Confined { .. });
    if command.access == CommandAccess::Write || !confined {
        return Ok(None);
    }
    let scratch = PrivateFolder::new().map_err(|error| ShellError::Sandbox {
        why: format!("there is no place for a scratch folder: {error}"),
    })?;
    // Git would refresh its index in passing.
    let variables: [(&str, &OsStr); 2] = [
        ("TMPDIR", scratch.path().as_os_str()),
        ("GIT_OPTIONAL_LOCKS", OsStr::new("0")),
    ];
    for (name, value) in variables {
        command.environment.retain(|(known, _)| known != name);
        command.environment.push((name.into(), value.to_owned()));
    }
    Ok(Some(scratch))
}

/// Reads to the end, in a thread of its own: keeping the output may mean writing files.
fn read(
    mut output: File,
    capture: &Mutex<Capture>,
    printed: &watch::Sender<u64>,
    mut stream: Option<mpsc::Sender<Bytes>>,
) {
    let mut buffer = vec![0; PIECE];
    loop {
        let piece = match output.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => buffer.get(..count).unwrap_or_default(),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            // A terminal that everybody has left reports an error instead of an end.
            Err(_) => break,
        };
        let total = {
            let mut capture = lock(capture);
            capture.feed(piece);
            capture.total()
        };
        printed.send_replace(total);
        if let Some(sender) = &stream
            && sender.blocking_send(Bytes::copy_from_slice(piece)).is_err()
        {
            stream = None;
        }
    }
    lock(capture).finish();
}
