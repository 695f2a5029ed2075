//! What can happen to a reviewed file.

use std::collections::BTreeSet;
use std::sync::Arc;

use pollux_agent::{EditConflict, FileError, Standing, Written};
use pollux_text::{Buffer, HunkId, Review, Splice};
use tokio::sync::oneshot;

use super::file::{Presence, State};
use crate::Side;

/// One change of one file, from the moment somebody wants it.
#[derive(Debug)]
pub(super) struct Operation {
    pub(super) deed: Deed,
    /// What it does, in words for a person: "keep a hunk of src/a.rs".
    pub(super) words: Arc<str>,
    /// What one command or one call did belongs together, whatever the number of files.
    pub(super) step: u64,
    pub(super) reply: Option<oneshot::Sender<Result<Written, FileError>>>,
}

#[derive(Clone, Debug)]
pub(super) enum Deed {
    /// The agent makes `proposed` of `read`.
    Edit {
        read: Arc<str>,
        proposed: Arc<str>,
        origin: u64,
        standing: Standing,
    },
    Create {
        text: Arc<str>,
        origin: u64,
        standing: Standing,
    },
    Keep(Selection),
    Reject(Selection),
    Settle(HunkId, Side),
    /// A hunk that was rejected comes after all.
    Reapply {
        without: Arc<str>,
        with: Arc<str>,
        origin: u64,
    },
    /// Takes the way from one state to another once more, or back, wherever the file is by now.
    Travel {
        from: State,
        to: State,
        travel: Travel,
        origin: u64,
    },
}

/// What is taken back or done again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Travel {
    /// A decision: what was pending before it is pending again.
    Decision,
    /// An edit: nothing of it is left to decide.
    Edit,
}

/// Which hunks of the file.
#[derive(Clone, Debug)]
pub(super) enum Selection {
    One(HunkId),
    Of(BTreeSet<u64>),
    All,
}

/// A file as an operation would leave it.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    pub(super) review: Review,
    pub(super) presence: Presence,
    /// What leads from the text before to the one after.
    pub(super) splices: Vec<Splice>,
    pub(super) conflicts: Vec<EditConflict>,
    pub(super) refused: Vec<Refused>,
}

/// A hunk that was turned down.
#[derive(Clone, Debug)]
pub(super) struct Refused {
    pub(super) line: usize,
    pub(super) removed: Arc<str>,
    pub(super) added: Arc<str>,
    pub(super) origin: u64,
    /// The file with it and without the others.
    pub(super) with: Buffer,
}

impl Operation {
    /// One that nobody waits for.
    pub(super) fn new(deed: Deed, words: Arc<str>, step: u64) -> Self {
        Self {
            deed,
            words,
            step,
            reply: None,
        }
    }
}
