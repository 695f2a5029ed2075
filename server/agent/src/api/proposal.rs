use std::fmt;
use std::sync::Arc;

use pollux_text::{Decision, Hunk, hunks, keep_only};

use super::CallId;
use crate::WorkspacePath;

/// Names a proposed edit within its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProposalId(pub u64);

impl fmt::Display for ProposalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What an edit is made to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    File,
    /// The file is not there yet; its base is empty.
    NewFile,
}

/// Whether "keep this and all edits of the session" may be an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllEdits {
    Offered,
    /// The folder is not trusted enough, or nobody is asked anyway.
    NotOffered,
}

/// An edit that the model wants to make to one file, and that a person decides about hunk by hunk.
///
/// The hunks are always those of the two texts, so an index names the same lines for everyone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    pub id: ProposalId,
    /// The function call that proposed it.
    pub call: CallId,
    pub path: WorkspacePath,
    pub target: Target,
    /// Lines of the file above both texts. None while it can be decided about: then they are the whole file's.
    pub above: usize,
    /// The file's text that the edit was computed from.
    pub base: Arc<str>,
    /// The text if every hunk is kept.
    pub proposed: Arc<str>,
    pub hunks: Arc<[Hunk]>,
    pub all_edits: AllEdits,
}

impl Proposal {
    pub(crate) fn new(
        id: ProposalId,
        call: CallId,
        path: WorkspacePath,
        target: Target,
        base: &str,
        proposed: &str,
        all_edits: AllEdits,
    ) -> Self {
        Self {
            id,
            call,
            path,
            target,
            above: 0,
            base: base.into(),
            proposed: proposed.into(),
            hunks: hunks(base, proposed).into(),
            all_edits,
        }
    }

    /// An edit of earlier days, of which only the lines are known that it is about.
    pub fn recalled(
        id: ProposalId,
        call: CallId,
        path: WorkspacePath,
        target: Target,
        above: usize,
        texts: (&str, &str),
    ) -> Self {
        let (base, proposed) = texts;
        let known = Self::new(id, call, path, target, base, proposed, AllEdits::NotOffered);
        Self { above, ..known }
    }

    /// The file's text after the decisions.
    pub fn decided(&self, decisions: &[Decision]) -> String {
        keep_only(&self.base, &self.proposed, decisions)
    }
}

/// An edit that a call has made, for the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeEdit {
    pub proposal: Arc<Proposal>,
    pub asked: AskedFirst,
    /// Places where the person had changed the same lines.
    pub conflicts: usize,
}

/// Whether somebody decided about an edit before it was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AskedFirst {
    No,
    /// Hunk by hunk.
    Yes(Vec<Decision>),
}
