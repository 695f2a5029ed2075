//! What can happen to a reviewed file.

use std::collections::BTreeSet;
use std::sync::Arc;

use pollux_agent::{EditConflict, FileError, Standing, Written};
use pollux_ledger::{GroupId, Target, What};
use pollux_text::{BecameBase, Buffer, HunkId, Review, Splice};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::file::{Presence, State};
use super::rejected::RecordedAs;
use super::rename::{Name, Renamed};
use crate::{EditId, RejectedHunk, Side};

/// One change of one file, from the moment somebody wants it.
#[derive(Debug)]
pub(super) struct Operation {
    pub(super) deed: Deed,
    /// What it does, in words for a person: "keep a hunk of src/a.rs".
    pub(super) words: Arc<str>,
    /// What one command or one call did belongs together, whatever the number of files.
    pub(super) step: u64,
    /// Under which number it is in the record, once it has been handed to it.
    pub(super) ticket: Option<EditId>,
    pub(super) group: Option<GroupId>,
    /// The edit whose text this decision puts where a person's stood.
    pub(super) carries: Option<u64>,
    pub(super) reply: Option<oneshot::Sender<Result<Written, FileError>>>,
    /// Ends with the turn that wants it. What a person decides is never stopped.
    pub(super) cancel: CancellationToken,
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
    /// A command has changed the file.
    Shell {
        before: Option<Arc<str>>,
        after: Option<Arc<str>>,
        origin: u64,
        standing: Standing,
    },
    Keep(Selection),
    Reject(Selection),
    Settle(HunkId, Side),
    /// A hunk that was rejected comes after all.
    Reapply {
        hunk: RejectedHunk,
        texts: Option<(Buffer, Buffer)>,
        origin: u64,
        recorded: RecordedAs,
    },
    /// A command has given the file another name.
    Renamed {
        renamed: Renamed,
        origin: u64,
    },
    /// Gives the file another name, as when a turn is undone.
    Rename {
        to: Name,
        way: Way,
        target: Option<Target>,
    },
    /// An editor goes on from its own text to what the others have.
    CatchUp {
        /// What it had before it fell behind.
        without: String,
        wanted: Box<State>,
    },
    /// Takes the way from one state to another once more, or back, wherever the file is by now.
    Travel(Box<Journey>),
}

#[derive(Clone, Debug)]
pub(super) struct Journey {
    pub(super) from: State,
    pub(super) to: State,
    pub(super) travel: Travel,
    pub(super) origin: u64,
    pub(super) way: Way,
    /// What the record calls that which is taken back or done again.
    pub(super) target: Option<Target>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Back,
    Again,
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
    /// Hunks that a person had edited and the agent has gone on from.
    pub(super) became_base: Vec<BecameBase>,
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

impl Deed {
    /// Whether a command has done it already, so that nothing is left to refuse.
    pub(super) fn has_happened(&self) -> bool {
        matches!(self, Self::Shell { .. } | Self::Renamed { .. })
    }

    pub(super) fn what(&self) -> What {
        match self {
            Self::Edit { .. } => What::Edit,
            Self::Create { .. } => What::Create,
            Self::Shell { .. } => What::Shell,
            Self::Keep(_) => What::Keep,
            Self::Reject(_) => What::Reject,
            Self::Settle(..) => What::Settle,
            Self::Reapply { .. } => What::Reapply,
            // It is the edit of a person that others already have; nobody records it.
            Self::CatchUp { .. } => What::Redo,
            Self::Renamed { .. } => What::Rename,
            Self::Rename { way, .. } => way.what(),
            Self::Travel(journey) => journey.way.what(),
        }
    }

    pub(super) fn target(&self) -> Option<Target> {
        match self {
            Self::Travel(journey) => journey.target.clone(),
            Self::Rename { target, .. } => target.clone(),
            _ => None,
        }
    }

    /// The edit of the agent that a decision brings into the file after all. Where the other side of a conflict is the text of
    /// before the agent came, it is none.
    pub(super) fn brings(&self, review: &Review) -> Option<u64> {
        match self {
            Self::Settle(hunk, Side::Theirs) => {
                let hunk = review.hunk(*hunk)?;
                let is_first_text = hunk.agent_text().is_some()
                    && hunk
                        .their_text()
                        .is_some_and(|text| text == hunk.base_text());
                (!is_first_text).then_some(hunk.origin().0)
            }
            Self::Reapply { origin, .. } => Some(*origin),
            _ => None,
        }
    }

    /// Whose edit it is.
    pub(super) fn origin(&self) -> Option<u64> {
        match self {
            Self::Edit { origin, .. }
            | Self::Create { origin, .. }
            | Self::Shell { origin, .. }
            | Self::Renamed { origin, .. } => Some(*origin),
            _ => None,
        }
    }
}

impl Way {
    fn what(self) -> What {
        match self {
            Self::Back => What::Undo,
            Self::Again => What::Redo,
        }
    }
}

impl Operation {
    /// Whether nobody wants it any more. What a command has done is done, whatever became of its turn.
    pub(super) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled() && !matches!(self.deed, Deed::Shell { .. })
    }

    /// One that nobody waits for.
    pub(super) fn new(deed: Deed, words: Arc<str>, step: u64) -> Self {
        Self {
            deed,
            words,
            step,
            ticket: None,
            group: None,
            carries: None,
            reply: None,
            cancel: CancellationToken::new(),
        }
    }
}
