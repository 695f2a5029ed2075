//! Starting other programs, with their output in view, and where the project lies on the disk.

use std::env;
use std::ffi::OsStr;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};

/// How long a pipe may stay silent after its program has ended before we stop reading it. Some
/// grandchild may hold it open for ever.
const SILENCE_AFTER_EXIT: Duration = Duration::from_millis(500);

/// The top folder of the project.
pub(crate) fn root() -> PathBuf {
    // Cargo sets the variable for `cargo run`, so a binary that was built elsewhere still finds
    // the tree it was asked to work on.
    let crate_folder = env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    let mut ancestors = crate_folder.ancestors().skip(2);
    ancestors
        .next()
        .map_or_else(|| crate_folder.clone(), Path::to_path_buf)
}

/// The cargo that started us, in the project's top folder.
pub(crate) fn cargo() -> Command {
    let mut cargo = program(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // What cargo told us about ourselves. Build scripts that look at it would run again, and all that depends on them.
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            cargo.env_remove(&name);
        }
    }
    cargo
}

/// A program, in the project's top folder.
pub(crate) fn program(name: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(name);
    command.current_dir(root());
    command
}

/// The same command once more, as far as it has been put together.
pub(crate) fn same(command: &Command) -> Command {
    let mut copy = Command::new(command.get_program());
    copy.args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => copy.env(name, value),
            None => copy.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        copy.current_dir(folder);
    }
    copy
}

/// Runs to the end with its output on our screen; anything but success is an error.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let line = announce(command);
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| missing(command))?;
    if !status.success() {
        bail!("`{line}` ended with {status}");
    }
    Ok(())
}

/// What a program prints on its standard output; its errors stay on our screen.
pub(crate) fn answer(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| missing(command))?;
    if !output.status.success() {
        bail!("`{}` ended with {}", spelled(command), output.status);
    }
    String::from_utf8(output.stdout)
        .with_context(|| format!("`{}` printed something else than text", spelled(command)))
}

/// Runs to the end with its output on our screen, and also hands back what it printed on its
/// standard error.
pub(crate) fn overhear(command: &mut Command) -> Result<(ExitStatus, String)> {
    announce(command);
    let mut child = command
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| missing(command))?;
    let pipe = child.stderr.take().context("the child has no stderr")?;
    let chunks = read_in_background(pipe);

    let mut heard = Vec::new();
    let mut ended = None;
    loop {
        match chunks.recv_timeout(SILENCE_AFTER_EXIT) {
            Ok(chunk) => {
                std::io::stderr().write_all(&chunk)?;
                heard.extend_from_slice(&chunk);
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) if ended.is_some() => break,
            Err(RecvTimeoutError::Timeout) => ended = child.try_wait()?,
        }
    }
    let status = child.wait()?;
    Ok((status, String::from_utf8_lossy(&heard).into_owned()))
}

/// Whether a program is there and answers.
pub(crate) fn answers(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn read_in_background(mut pipe: impl Read + Send + 'static) -> mpsc::Receiver<Vec<u8>> {
    let (tx, rx) = mpsc::channel();
    thread::spawn(move || {
        let mut buffer = vec![0; 8192];
        while let Ok(length @ 1..) = pipe.read(&mut buffer) {
            let chunk = buffer.get(..length).unwrap_or_default().to_vec();
            if tx.send(chunk).is_err() {
                break;
            }
        }
    });
    rx
}

fn announce(command: &Command) -> String {
    let line = spelled(command);
    println!("      $ {line}");
    line
}

fn spelled(command: &Command) -> String {
    let name = Path::new(command.get_program())
        .file_name()
        .unwrap_or(command.get_program())
        .to_string_lossy()
        .into_owned();
    command.get_args().fold(name, |line, argument| {
        format!("{line} {}", argument.to_string_lossy())
    })
}

fn missing(command: &Command) -> String {
    format!(
        "`{}` could not be started; is it installed and on the PATH?",
        command.get_program().to_string_lossy()
    )
}
