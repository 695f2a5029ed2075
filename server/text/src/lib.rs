//! pollux-text.

mod diff;

pub use diff::{Decision, Hunk, WordChanges, hunks, keep_only, lines};
