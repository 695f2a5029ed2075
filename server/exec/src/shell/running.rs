//! A command that has been started.

use std::fs::File;
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{mpsc, watch};

use super::{ShellError, Size};
use crate::capture::{Capture, Captured};
use crate::refused::RefusedAccess;
use crate::sandbox::InForce;

/// A command and every process that came out of it. Dropping it ends them all.
pub struct Running {
    pub(super) shell: u32,
    pub(super) sandbox: InForce,
    pub(super) orders: mpsc::UnboundedSender<Order>,
    pub(super) ended: watch::Receiver<Option<Arc<Ended>>>,
    pub(super) live: Live,
    pub(super) input: Arc<tokio::sync::Mutex<Option<File>>>,
    pub(super) screen: Option<File>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    End,
    /// It may be silent from now on.
    NoTimeout,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    pub exit: Exit,
    pub output: Captured,
    /// Processes the command left running. They end with their [`Running`].
    pub background: Vec<u32>,
    /// The process group of the command.
    pub group: u32,
    /// What a read-only command tried to do otherwise, each once. It may be one of its programs
    /// that did, and the command may have gone on without.
    pub refused: Vec<RefusedAccess>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Code(i32),
    Signal(i32),
    /// It was silent for too long and was ended.
    TimedOut,
    /// It was ended on our order.
    Killed,
    /// Its guard was killed by somebody else. Its process group was killed; whoever had left
    /// that group may still run.
    Lost,
}

impl Running {
    /// The id of the shell, and of its process group.
    pub fn id(&self) -> u32 {
        self.shell
    }

    pub fn sandbox(&self) -> InForce {
        self.sandbox
    }

    /// The output as it comes.
    pub fn live(&self) -> Live {
        self.live.clone()
    }

    /// Waits until the shell has ended and its output is complete. Processes it left in the
    /// background are not waited for. May be given up and called again.
    pub async fn wait(&self) -> Arc<Ended> {
        let mut ended = self.ended.clone();
        let value = match ended.wait_for(Option::is_some).await {
            Ok(value) => value.clone(),
            Err(_) => None,
        };
        // The task that knows is gone only if the whole runtime goes.
        value.unwrap_or_else(|| Arc::new(self.lost()))
    }

    /// As [`Running::wait`], for somebody who does not own the command.
    pub fn end(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut ended = self.ended.clone();
        async move {
            // If the task that knows is gone, so is the command.
            let _gone_either_way = ended.wait_for(Option::is_some).await;
        }
    }

    /// As [`Running::wait`], but not for longer than this.
    pub async fn wait_up_to(&self, limit: Duration) -> Option<Arc<Ended>> {
        tokio::time::timeout(limit, self.wait()).await.ok()
    }

    /// How it ended, if it has.
    pub fn ended(&self) -> Option<Arc<Ended>> {
        self.ended.borrow().clone()
    }

    /// Ends the command and everything that came out of it, and waits until all of it is gone.
    pub async fn kill(self) -> Arc<Ended> {
        let _already_gone = self.orders.send(Order::End);
        // The task ends when nobody is left, and closes this with it.
        self.orders.closed().await;
        self.wait().await
    }

    /// Lets the command be silent from now on, as one in the background often is.
    pub fn expect_silence(&self) {
        let _already_gone = self.orders.send(Order::NoTimeout);
    }

    /// Types on the terminal, or writes to the pipe.
    pub async fn write(&self, text: impl Into<Vec<u8>>) -> Result<(), ShellError> {
        let text = text.into();
        let mut input = Arc::clone(&self.input).lock_owned().await;
        // A command that does not read its input makes this wait, until it reads or ends.
        let written =
            tokio::task::spawn_blocking(move || input.as_mut().map(|input| input.write_all(&text)));
        match written.await {
            Ok(Some(written)) => written.map_err(ShellError::Input),
            Ok(None) => Err(ShellError::NoInput),
            Err(error) => Err(ShellError::Input(error.into())),
        }
    }

    /// Ends the input: the command reads an end of file.
    pub async fn end_input(&self) -> Result<(), ShellError> {
        const END_OF_FILE: &[u8] = &[4];
        if self.has_screen() {
            return self.write(END_OF_FILE).await;
        }
        drop(self.input.lock().await.take());
        Ok(())
    }

    /// Tells the command that its terminal has another size. A pipe has none.
    pub fn resize(&self, size: Size) -> Result<(), ShellError> {
        #[cfg(unix)]
        if let Some(screen) = &self.screen {
            return super::terminal::resize(screen, size).map_err(ShellError::Terminal);
        }
        let _pipes_have_none = size;
        Ok(())
    }

    fn has_screen(&self) -> bool {
        self.screen.is_some()
    }

    fn lost(&self) -> Ended {
        Ended {
            exit: Exit::Lost,
            output: self.live.captured(),
            background: Vec::new(),
            group: self.shell,
            refused: Vec::new(),
        }
    }
}

/// A look at the output while it comes.
#[derive(Clone)]
pub struct Live {
    pub(super) capture: Arc<Mutex<Capture>>,
    pub(super) printed: watch::Receiver<u64>,
}

impl Live {
    /// Waits for more output. `None` when there will be no more. Otherwise how many bytes there
    /// are by now.
    pub async fn more(&mut self) -> Option<u64> {
        match self.printed.changed().await {
            Ok(()) => Some(*self.printed.borrow_and_update()),
            Err(_) => None,
        }
    }

    /// The end of the text so far, at most this many bytes of it.
    pub fn tail(&self, longest: usize) -> String {
        lock(&self.capture).tail(longest)
    }

    /// The lines that ended since a position, at most this many bytes of their end, and the position to ask from
    /// next. The first position is zero.
    pub fn lines_since(&self, position: u64, longest: usize) -> (String, u64) {
        lock(&self.capture).lines_since(position, longest)
    }

    /// The line that is being written.
    pub fn unfinished(&self) -> String {
        lock(&self.capture).unfinished()
    }

    pub fn captured(&self) -> Captured {
        lock(&self.capture).captured()
    }
}

/// A capture is consistent between any two calls, also if one of them panicked.
pub(super) fn lock(capture: &Mutex<Capture>) -> MutexGuard<'_, Capture> {
    capture.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Every byte a command prints, for somebody who shows them as they are.
///
/// It holds a few pieces only: a command whose stream is not read waits. Read it to its end, or
/// drop it.
pub struct OutputStream {
    pub(super) pieces: mpsc::Receiver<Bytes>,
}

impl OutputStream {
    /// `None` when nothing more can come.
    pub async fn next(&mut self) -> Option<Bytes> {
        self.pieces.recv().await
    }
}
