//! The process between a command and its owner.
//!
//! The owner may be killed at any moment and can then clean up nothing. The guard outlives it just
//! long enough: when the socket to its owner closes, for whatever reason, it ends every process
//! that came out of the command, and then itself. On Linux it also adopts the ones whose parents
//! are gone, so that a daemon cannot slip away by forking twice or by leaving the session.
//!
//! The guard is started with the command's environment and folder and hands on both. Its standard
//! input is the socket to its owner, its standard output becomes the command's output, and its
//! standard error becomes the command's *input*: three descriptors that survive an exec without
//! further ado.

mod end;
mod order;
mod owner;
mod said;
mod start;
mod tree;

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use rustix::process::{self, Pid, WaitId, WaitIdOptions, WaitOptions, WaitStatus};

pub(crate) use self::order::{Order, Teletype};
pub(crate) use self::owner::{Around, start};
pub(crate) use self::said::{Said, ShellExit};
use self::tree::Tree;
use crate::refused::RefusedAccess;
use crate::sandbox::NotifierSource;

/// Runs the guard with the arguments that the owner appended to its own.
///
/// To be called first thing in `main`, by a process that was started for nothing else: it closes
/// every file but the three, and must not have a second thread.
pub fn guard_main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    match guard(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        // The owner reads it from the socket that closes.
        Err(_) => ExitCode::FAILURE,
    }
}

fn guard(arguments: impl IntoIterator<Item = OsString>) -> io::Result<()> {
    crate::daemon::detach()?;
    let files = start::Files::take()?;
    let owner = Owner::new(files.control.try_clone()?);
    let started = Order::from_arguments(arguments)
        .ok_or_else(|| start::Refusal::Shell("the guard was not told what to run".to_owned()))
        .and_then(|order| start::start(&order, files.output, files.input));
    let started = match started {
        Ok(started) => started,
        Err(refusal) => {
            owner.hear(&Said::from(refusal));
            return Ok(());
        }
    };
    owner.hear(&Said::Started {
        shell: started.shell,
        sandbox: started.sandbox,
    });
    if let Some(notifier) = started.notifier.and_then(NotifierSource::take) {
        let listening = owner.clone();
        let mut reports = Reports::default();
        thread::spawn(move || {
            notifier.run(|refused| {
                if reports.is_news(&refused) {
                    listening.hear(&Said::Refused(refused));
                }
            });
        });
    }
    let Some(shell) = pid(started.shell) else {
        return Ok(());
    };
    let (events, inbox) = mpsc::channel();
    let (seen, next) = mpsc::channel();
    let ends = events.clone();
    thread::spawn(move || watch_children(&ends, &next));
    let gone = events.clone();
    thread::spawn(move || watch_owner(files.control, &gone));
    let mut watch = Watch {
        shell,
        owner,
        inbox,
        ended: None,
        tree: Tree::of(shell),
    };
    watch.run(&seen);
    drop(events);
    Ok(())
}

enum Event {
    /// Some child can be reaped; [`Watch`] does it, so that no id is reused behind its back.
    ChildEnded,
    NoChildren,
    OwnerGone,
}

struct Watch {
    shell: Pid,
    owner: Owner,
    inbox: Receiver<Event>,
    ended: Option<ShellExit>,
    tree: Tree,
}

#[derive(PartialEq, Eq)]
enum Left {
    Somebody,
    Nobody,
}

impl Watch {
    fn run(&mut self, seen: &Sender<()>) {
        loop {
            match self.next_event() {
                Event::ChildEnded => {
                    self.reap();
                    if seen.send(()).is_err() {
                        break;
                    }
                }
                Event::NoChildren if self.tree.is_empty() => break,
                Event::NoChildren => {}
                Event::OwnerGone => {
                    end::everything(self);
                    break;
                }
            }
        }
        self.owner.hear(&Said::Gone);
    }

    fn next_event(&self) -> Event {
        if self.ended.is_some() && !tree::KNOWS_ALL_CHILDREN {
            // Where orphans are not handed to us, their end is not either.
            let often = std::time::Duration::from_millis(200);
            return self.inbox.recv_timeout(often).unwrap_or(Event::NoChildren);
        }
        self.inbox.recv().unwrap_or(Event::OwnerGone)
    }

    /// Takes note of every child that has ended.
    fn reap(&mut self) -> Left {
        loop {
            match process::wait(WaitOptions::NOHANG) {
                Ok(Some((child, status))) if child == self.shell => self.shell_ended(status),
                Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
                Ok(None) => return Left::Somebody,
                Err(_) if self.tree.is_empty() => return Left::Nobody,
                Err(_) => return Left::Somebody,
            }
        }
    }

    fn shell_ended(&mut self, status: WaitStatus) {
        let exit = match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => ShellExit::Code(code),
            (None, Some(signal)) => ShellExit::Signal(signal),
            (None, None) => return,
        };
        self.ended = Some(exit);
        let background = self.tree.members().into_iter().map(|member| member.id);
        let background = background.filter_map(|id| u32::try_from(id).ok()).collect();
        self.owner.hear(&Said::Ended { exit, background });
    }
}

/// The owner's end of the socket; it may be gone, and then nobody needs to hear anything.
#[derive(Clone)]
struct Owner(Arc<Mutex<UnixStream>>);

impl Owner {
    fn new(control: UnixStream) -> Owner {
        Owner(Arc::new(Mutex::new(control)))
    }

    fn hear(&self, said: &Said) {
        let mut control = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _nobody_listens = control.write_all(format!("{said}\n").as_bytes());
    }
}

/// What was reported. A command that tries again and again is not reported again and again: the
/// guard would wait for an owner who reads more slowly.
#[derive(Default)]
struct Reports(Vec<RefusedAccess>);

impl Reports {
    const MOST: usize = 32;

    fn is_news(&mut self, refused: &RefusedAccess) -> bool {
        if self.0.len() >= Self::MOST || self.0.contains(refused) {
            return false;
        }
        self.0.push(refused.clone());
        true
    }
}

fn watch_children(events: &Sender<Event>, next: &Receiver<()>) {
    loop {
        match process::waitid(WaitId::All, WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
            Ok(_) => {
                if events.send(Event::ChildEnded).is_err() || next.recv().is_err() {
                    return;
                }
            }
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => {
                let _main_has_ended = events.send(Event::NoChildren);
                return;
            }
        }
    }
}

/// The owner says nothing; it closes its end, or is gone and the kernel closes it.
fn watch_owner(mut control: UnixStream, events: &Sender<Event>) {
    let mut nothing = [0; 64];
    while matches!(control.read(&mut nothing), Ok(count) if count > 0) {}
    let _main_has_ended = events.send(Event::OwnerGone);
}

fn pid(id: u32) -> Option<Pid> {
    i32::try_from(id).ok().and_then(Pid::from_raw)
}
