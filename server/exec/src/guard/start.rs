//! Starting the shell: its group, its terminal, its sandbox.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use rustix::process::{getpgrp, ioctl_tiocsctty};
use rustix::stdio;
use rustix::termios::tcsetpgrp;

use super::{Order, Teletype};
use crate::sandbox::{Confinement, InForce, NotifierSource, ReadOnly, Writable};

/// The three descriptors a guard is started with, under their real names.
pub(super) struct Files {
    pub(super) control: UnixStream,
    pub(super) output: OwnedFd,
    pub(super) input: OwnedFd,
}

impl Files {
    /// Takes them out of the standard places, which the command must not inherit.
    pub(super) fn take() -> io::Result<Files> {
        let files = Files {
            control: stdio::stdin().try_clone_to_owned()?.into(),
            output: stdio::stdout().try_clone_to_owned()?,
            input: stdio::stderr().try_clone_to_owned()?,
        };
        let nothing = File::options().read(true).write(true).open("/dev/null")?;
        stdio::dup2_stdin(&nothing)?;
        stdio::dup2_stdout(&nothing)?;
        stdio::dup2_stderr(&nothing)?;
        Ok(files)
    }
}

pub(super) struct Started {
    pub(super) shell: u32,
    pub(super) sandbox: InForce,
    pub(super) notifier: Option<NotifierSource>,
}

pub(crate) enum Refusal {
    Shell(String),
    Sandbox(String),
}

pub(super) fn start(order: &Order, output: OwnedFd, input: OwnedFd) -> Result<Started, Refusal> {
    let shell = |error: io::Error| Refusal::Shell(error.to_string());
    ignore_polite_signals().map_err(shell)?;
    adopt_orphans().map_err(shell)?;
    if order.teletype == Teletype::Controlling {
        // The guard leads the session of this terminal, and not the shell: when a leader ends,
        // the kernel hangs up on whatever the command left running in the background.
        ioctl_tiocsctty(&output).map_err(|error| shell(error.into()))?;
    }
    let (mut confinement, sandbox, notifier) = prepare(order, &output)?;
    #[expect(
        clippy::disallowed_methods,
        reason = "this crate is where processes start"
    )]
    let mut command = Command::new("bash");
    command
        .arg("-c")
        .arg(&order.script)
        .process_group(0)
        .stdin(input)
        .stderr(output.try_clone().map_err(shell)?)
        .stdout(output);
    let teletype = order.teletype;
    before_exec(&mut command, move || {
        heed_all_signals()?;
        die_with_the_guard()?;
        if teletype == Teletype::Controlling {
            come_to_the_foreground()?;
        }
        match confinement.take() {
            Some(Prepared::Sandbox(confinement)) => confinement.enter(),
            Some(Prepared::ReadOnly(confinement)) => confinement.enter(),
            None => Ok(()),
        }
    });
    let child = command.spawn().map_err(|error| match sandbox {
        InForce::Nothing => Refusal::Shell(error.to_string()),
        _ => Refusal::Sandbox(error.to_string()),
    })?;
    Ok(Started {
        shell: child.id(),
        sandbox,
        notifier,
    })
}

enum Prepared {
    Sandbox(Confinement),
    ReadOnly(ReadOnly),
}

type Preparation = (Option<Prepared>, InForce, Option<NotifierSource>);

fn prepare(order: &Order, output: &OwnedFd) -> Result<Preparation, Refusal> {
    if let Some(scratch) = &order.read_only {
        let writable = Writable {
            scratch: scratch.clone(),
            terminal: match order.teletype {
                Teletype::Controlling => terminal_of(output),
                Teletype::None => None,
            },
        };
        let (confinement, source) = ReadOnly::prepare(writable).map_err(Refusal::Sandbox)?;
        let in_force = source.in_force();
        return Ok((
            Some(Prepared::ReadOnly(confinement)),
            in_force,
            Some(source),
        ));
    }
    let Some(profile) = &order.sandbox else {
        return Ok((None, InForce::Nothing, None));
    };
    let confinement = Confinement::prepare(profile).map_err(Refusal::Sandbox)?;
    let in_force = confinement.in_force();
    Ok((Some(Prepared::Sandbox(confinement)), in_force, None))
}

fn terminal_of(output: &OwnedFd) -> Option<PathBuf> {
    let name = rustix::termios::ttyname(output, Vec::new()).ok()?;
    Some(OsString::from_vec(name.into_bytes()).into())
}

/// Processes whose parent has ended become children of the guard, and not of somebody who would
/// not know what to do with them.
fn adopt_orphans() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    Ok(())
}

/// The guard itself can be killed too. The shell goes down with it, and the owner, who notices,
/// ends the rest of its group.
fn die_with_the_guard() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        let kill = rustix::process::Signal::KILL;
        rustix::process::set_parent_process_death_signal(Some(kill))?;
    }
    Ok(())
}

/// Only the foreground group may read from the terminal. It moves there itself: if the guard did
/// it, the shell might already have been stopped for reading.
fn come_to_the_foreground() -> io::Result<()> {
    let stopping = [libc::SIGTTOU];
    mask(libc::SIG_BLOCK, &stopping)?;
    let moved = tcsetpgrp(stdio::stdout().as_fd(), getpgrp());
    mask(libc::SIG_UNBLOCK, &stopping)?;
    Ok(moved?)
}

/// The shell inherits neither what the guard blocks nor what its owner may have blocked.
fn heed_all_signals() -> io::Result<()> {
    mask(libc::SIG_SETMASK, &[])
}

/// A guard ends when its owner does and not a moment earlier.
fn ignore_polite_signals() -> io::Result<()> {
    let polite = [
        libc::SIGHUP,
        libc::SIGINT,
        libc::SIGQUIT,
        libc::SIGTERM,
        libc::SIGTSTP,
        libc::SIGTTIN,
        libc::SIGTTOU,
    ];
    mask(libc::SIG_BLOCK, &polite)
}

#[expect(
    unsafe_code,
    reason = "no crate we use has a safe way to set the signal mask"
)]
fn mask(how: libc::c_int, signals: &[libc::c_int]) -> io::Result<()> {
    let mut set = std::mem::MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: the set is made by `sigemptyset` before anything reads it, lives on this stack, and
    // both calls may be made between fork and exec.
    let failed = unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for signal in signals {
            libc::sigaddset(set.as_mut_ptr(), *signal);
        }
        libc::pthread_sigmask(how, set.as_ptr(), std::ptr::null_mut())
    };
    match failed {
        0 => Ok(()),
        error => Err(io::Error::from_raw_os_error(error)),
    }
}

#[expect(
    unsafe_code,
    reason = "a sandbox must be entered after the fork and before the exec"
)]
fn before_exec(
    command: &mut Command,
    steps: impl FnMut() -> io::Result<()> + Send + Sync + 'static,
) {
    // SAFETY: the guard has a single thread until its shell has started (see `guard_main`; the
    // threads that try out a sandbox are joined), so no lock can be held by a thread that the
    // fork left behind, and the steps may even allocate.
    unsafe {
        command.pre_exec(steps);
    }
}
