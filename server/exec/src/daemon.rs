//! A process that outlives the one that started it.

use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// What a daemon prints, as a line, when it is ready.
const READY: &str = "ready";

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("{program} did not start")]
    Spawn {
        program: String,
        #[source]
        source: io::Error,
    },
    #[error("{program} ended before it was ready: {said}")]
    NotReady { program: String, said: String },
}

/// Starts a program that detaches itself, and waits until it says that it is ready.
///
/// It gets no environment but the one given, so that it cannot depend on who happened to start
/// it, and no folder but the root, so that it keeps none from being removed. One that says nothing in time is ended:
/// whoever waits for it has a person waiting.
pub fn start_daemon<'a>(
    program: &Path,
    arguments: &[&str],
    environment: impl IntoIterator<Item = (&'a str, &'a OsStr)>,
    patience: Duration,
) -> Result<(), StartError> {
    let name = || program.display().to_string();
    #[expect(
        clippy::disallowed_methods,
        reason = "this crate is where processes start"
    )]
    let mut command = Command::new(program);
    let mut child = command
        .arg0(name_of_this_program())
        .args(arguments)
        .env_clear()
        .envs(environment)
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|source| StartError::Spawn {
            program: name(),
            source,
        })?;
    let mut said = String::new();
    if let Some(stdout) = child.stdout.take() {
        match first_line(stdout, patience) {
            Some(line) => said = line,
            None => {
                let _ended_meanwhile = child.kill();
                said = format!("it said nothing for {patience:?}");
                drop(child.stderr.take());
            }
        }
    }
    let ready = said.trim() == READY;
    if !ready && let Some(mut stderr) = child.stderr.take() {
        // Its last words say why.
        let _unreadable = stderr.read_to_string(&mut said);
    }
    drop(child.stderr.take());
    // Whenever it ends, somebody must take note of it, or it stays in the process table.
    thread::spawn(move || child.wait());
    if ready {
        Ok(())
    } else {
        Err(StartError::NotReady {
            program: name(),
            said: said.trim().to_owned(),
        })
    }
}

/// Nothing when it takes too long. A line that cannot be read is no readiness either.
fn first_line(from: impl Read + Send + 'static, patience: Duration) -> Option<String> {
    let (line_tx, line_rx) = mpsc::channel();
    thread::spawn(move || {
        let mut line = String::new();
        let _unreadable = BufReader::new(from).read_line(&mut line);
        let _too_late = line_tx.send(line);
    });
    line_rx.recv_timeout(patience).ok()
}

/// What the process table shows; the path of a program may be a link that says nothing.
fn name_of_this_program() -> std::ffi::OsString {
    std::env::args_os()
        .next()
        .unwrap_or_else(|| "pollux".into())
}

/// Makes this process a daemon: its own session, and no file of whoever started it.
///
/// An editor's pipe that stays open in here would keep that editor waiting for its end. To be
/// called first thing, before this process opens anything itself.
pub fn detach() -> io::Result<()> {
    close_inherited_files();
    match rustix::process::setsid() {
        // Already a leader: started by hand from a shell, which is fine.
        Ok(_) | Err(rustix::io::Errno::PERM) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[expect(
    unsafe_code,
    reason = "there is no safe way to close a file one does not own"
)]
fn close_inherited_files() {
    const FIRST: libc::c_int = 3;
    // SAFETY: the caller promises that this process has not opened any file yet, so nothing in it
    // relies on one of these descriptors.
    #[cfg(target_os = "linux")]
    unsafe {
        libc::close_range(FIRST.unsigned_abs(), libc::c_uint::MAX, 0);
    }
    // SAFETY: as above.
    #[cfg(not(target_os = "linux"))]
    unsafe {
        for descriptor in FIRST..libc::getdtablesize() {
            libc::close(descriptor);
        }
    }
}

#[cfg(test)]
mod tests;
