//! What a command is about to destroy is kept first; `pollux undo` brings it back.
//!
//! # Layout
//!
//! `scope` works out what a command can touch, `survey` finds it on disk within limits, `git` says what git would
//! lose, `store` holds the snapshots, `keeper` puts these together before a command runs, and `restore` turns them around. `turn` takes back
//! what tools edited.
//!
//! # Invariants
//!
//! - A snapshot that was not finished is never offered: it gets its name when it is whole.
//! - What stands in the way of a restored file is kept as a snapshot of its own before it is replaced.
//! - Nothing is written through a link: folders are compared with what they were called without links.

mod command;
mod git;
mod keeper;
mod manifest;
mod platform;
mod restore;
mod scope;
mod store;
mod survey;
#[cfg(test)]
#[cfg(unix)]
mod tests;
mod turn;

pub(crate) use command::{UndoArgs, run};
pub(crate) use git::Git;
pub(crate) use keeper::{DiskKeeper, store};
#[cfg(not(unix))]
pub(crate) use manifest::from_bytes;
pub(crate) use platform::open_plain;
#[cfg(unix)]
pub(crate) use turn::undo_here;
