//! When to stop early.

use std::fmt;
use std::time::Instant;

/// Asked before each file and between the blocks of a long one, from several threads, so it must be cheap.
#[derive(Clone, Copy)]
pub struct Cancel<'a> {
    is_cancelled: &'a (dyn Fn() -> bool + Sync),
    deadline: Option<Instant>,
}

/// Why a search ended before it had seen everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    Cancelled,
    TimedOut,
}

impl<'a> Cancel<'a> {
    pub fn never() -> Self {
        Self::when(&|| false)
    }

    pub fn when(is_cancelled: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Self {
            is_cancelled,
            deadline: None,
        }
    }

    /// The same, and not longer than this.
    #[must_use]
    pub fn until(self, deadline: Instant) -> Self {
        Self {
            deadline: Some(deadline),
            ..self
        }
    }

    pub fn reason(&self) -> Option<Stopped> {
        if (self.is_cancelled)() {
            return Some(Stopped::Cancelled);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Some(Stopped::TimedOut),
            _ => None,
        }
    }
}

impl fmt::Debug for Cancel<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cancel")
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}
