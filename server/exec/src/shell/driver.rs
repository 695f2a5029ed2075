//! The task that follows one command from its start until nobody of it is left.

use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{BufReader, Lines};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::process::Child;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::timeout;

use super::inactivity::silence;
use super::running::Order;
use super::{Ended, Exit, Live};
use crate::guard::{Said, ShellExit};
use crate::private_folder::PrivateFolder;
use crate::refused::RefusedAccess;

/// How long a guard may take to end everything. It takes a fraction of a second, unless it has
/// been stopped; giving up early would let go of whoever it is about to catch.
const PATIENCE: Duration = Duration::from_secs(10);
/// When nobody can print any more the rest is only read. On a busy machine that takes its time; who
/// has read nothing for so long will not go on.
const STUCK: Duration = Duration::from_secs(5);
/// The output of a shell that left something running has no end. It is complete when nothing
/// came for so long after the shell has ended, and at the latest after [`LAST_WORDS`].
const QUIET: Duration = Duration::from_millis(50);
const LAST_WORDS: Duration = Duration::from_secs(1);

pub(super) struct Driver {
    pub(super) shell: u32,
    pub(super) guard: Child,
    pub(super) said: Lines<BufReader<OwnedReadHalf>>,
    /// Closing it makes the guard end everything.
    pub(super) control: Option<OwnedWriteHalf>,
    pub(super) orders: mpsc::UnboundedReceiver<Order>,
    pub(super) inactivity: Option<Duration>,
    pub(super) live: Live,
    pub(super) all_read: oneshot::Receiver<()>,
    pub(super) ended: watch::Sender<Option<Arc<Ended>>>,
    /// What the command tried and was refused so far.
    pub(super) refused: Vec<RefusedAccess>,
    /// Goes when nobody of the command is left.
    pub(super) scratch: Option<PrivateFolder>,
}

/// What the guard said, or that it can say nothing more.
pub(super) async fn next_said(lines: &mut Lines<BufReader<OwnedReadHalf>>) -> Option<Said> {
    loop {
        let line = lines.next_line().await.ok()??;
        if let Ok(said) = line.parse() {
            return Some(said);
        }
    }
}

impl Driver {
    pub(super) async fn run(mut self) {
        let (exit, mut background) = self.until_the_shell_ends().await;
        self.until_the_output_ends(&mut background).await;
        if background.is_empty() {
            self.scratch = None;
        }
        self.ended.send_replace(Some(Arc::new(Ended {
            exit,
            output: self.live.captured(),
            background: background.clone(),
            group: self.shell,
            refused: std::mem::take(&mut self.refused),
        })));
        if !background.is_empty() {
            self.until_the_background_ends().await;
        }
        let _reaped = self.guard.wait().await;
    }

    async fn until_the_shell_ends(&mut self) -> (Exit, Vec<u32>) {
        let mut silent = Box::pin(silence_if(self.live.printed.clone(), self.inactivity));
        let mut exit = None;
        loop {
            let early = tokio::select! {
                said = next_said(&mut self.said) => match said {
                    Some(Said::Ended { exit: shell, background }) => {
                        exit = Some(Exit::from(shell));
                        if background.is_empty() {
                            continue;
                        }
                        return (Exit::from(shell), background);
                    }
                    Some(Said::Gone) => return (exit.unwrap_or(Exit::Lost), Vec::new()),
                    Some(Said::Refused(refused)) => {
                        self.refused.push(refused);
                        continue;
                    }
                    Some(_) => continue,
                    None => {
                        self.end_without_the_guard();
                        return (exit.unwrap_or(Exit::Lost), Vec::new());
                    }
                },
                order = self.orders.recv() => match order {
                    Some(Order::NoTimeout) => {
                        silent = Box::pin(silence_if(self.live.printed.clone(), None));
                        continue;
                    }
                    // Dropped counts as an order.
                    Some(Order::End) | None => Exit::Killed,
                },
                () = &mut silent => Exit::TimedOut,
            };
            self.end_everything().await;
            return (early, Vec::new());
        }
    }

    /// With something left running the output has no end of its own; orders count meanwhile.
    async fn until_the_output_ends(&mut self, background: &mut Vec<u32>) {
        if !background.is_empty() {
            let quiet = silence(self.live.printed.clone(), QUIET);
            tokio::select! {
                _ = &mut self.all_read => return,
                _ = timeout(LAST_WORDS, quiet) => return,
                () = ordered_to_end(&mut self.orders) => {}
            }
            self.end_everything().await;
            background.clear();
        }
        // Nobody is left who could print. Only a stream that is not read can hold this up.
        let stuck = silence(self.live.printed.clone(), STUCK);
        tokio::select! {
            _ = &mut self.all_read => {}
            () = stuck => {}
        }
    }

    async fn until_the_background_ends(&mut self) {
        loop {
            tokio::select! {
                said = next_said(&mut self.said) => match said {
                    Some(Said::Gone) => return,
                    Some(_) => {}
                    None => return self.end_without_the_guard(),
                },
                () = ordered_to_end(&mut self.orders) => return self.end_everything().await,
            }
        }
    }

    /// Returns when the guard has ended everything.
    async fn end_everything(&mut self) {
        drop(self.control.take());
        let gone = async {
            while let Some(said) = next_said(&mut self.said).await {
                match said {
                    Said::Gone => return true,
                    Said::Refused(refused) => self.refused.push(refused),
                    _ => {}
                }
            }
            false
        };
        if !matches!(timeout(PATIENCE, gone).await, Ok(true)) {
            self.end_without_the_guard();
        }
    }

    /// The guard was killed, or stopped: what it would have done is done from here, as far as
    /// that is possible.
    fn end_without_the_guard(&mut self) {
        let _gone = self.guard.start_kill();
        let group = i32::try_from(self.shell).ok().and_then(Pid::from_raw);
        if let Some(group) = group {
            let _gone = kill_process_group(group, Signal::KILL);
        }
    }
}

/// Whoever has dropped the command wants it to end, too.
async fn ordered_to_end(orders: &mut mpsc::UnboundedReceiver<Order>) {
    while orders.recv().await == Some(Order::NoTimeout) {}
}

async fn silence_if(printed: watch::Receiver<u64>, limit: Option<Duration>) {
    match limit {
        Some(limit) => silence(printed, limit).await,
        None => std::future::pending().await,
    }
}

impl From<ShellExit> for Exit {
    fn from(exit: ShellExit) -> Exit {
        match exit {
            ShellExit::Code(code) => Exit::Code(code),
            ShellExit::Signal(signal) => Exit::Signal(signal),
        }
    }
}
