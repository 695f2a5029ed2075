//! How much work one command line is worth.
//!
//! A short text can mean a lot of work: thousands of commands, each with a copy of one long here-document. All that
//! is done for a line is counted, however deep it is nested, so what a line can cost does not depend on the machine.

/// For a whole line. A hundred times what people write, and a few milliseconds.
pub(super) const ALL: usize = 20_000;

/// A word, or where a redirection leads.
pub(super) const WORD: usize = 1;
/// A simple command, which is looked at from many sides.
pub(super) const COMMAND: usize = 8;
/// A hundred steps of the grammar.
pub(super) const HUNDRED_STEPS: usize = 30;
/// What a text costs that is read at all.
pub(super) const TEXT: usize = 2;
/// So many bytes are copied for what a word costs.
const BYTES: usize = 256;

/// What it costs to copy something of this length so often.
pub(super) fn copies(times: usize, bytes: usize) -> usize {
    times.saturating_mul(bytes) / BYTES
}

/// What may still be done.
pub(super) struct Effort {
    left: usize,
}

/// It is not worth any more.
#[derive(Debug)]
pub(super) struct Spent;

impl Effort {
    pub(super) const REASON: &'static str = "it has too many parts";

    pub(super) fn new() -> Self {
        Self { left: ALL }
    }

    /// Called before the work is done.
    pub(super) fn spend(&mut self, units: usize) -> Result<(), Spent> {
        match self.left.checked_sub(units) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            // Once it is too much, nothing smaller is done either.
            None => {
                self.left = 0;
                Err(Spent)
            }
        }
    }

    #[cfg(test)]
    pub(super) fn spent(&self) -> usize {
        ALL - self.left
    }
}
