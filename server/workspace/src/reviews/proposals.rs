//! Edits that wait for a decision. Nothing of them is in a file yet; they are shown as hunks all the same.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use pollux_agent::SessionHandle;
use pollux_agent::api::{Decision, Op, Proposal, ProposalId};
use pollux_text::{HunkId, Splice};

use super::book::Book;
use crate::{Asked, DocumentKey, HunkState, OpenQuestion, SessionId, ShownHunk};

/// Names a proposal in the host.
pub(crate) type Question = (SessionId, ProposalId);

/// What a shown hunk is.
#[derive(Clone, Debug)]
pub(super) enum Named {
    Hunk(HunkId),
    /// An empty file that comes or goes: there is no line of it to decide about.
    File,
    Proposed {
        question: Question,
        hunk: usize,
    },
}

/// All proposals of the room's sessions.
#[derive(Debug, Default)]
pub(super) struct Proposals(BTreeMap<Question, Waiting>);

struct Waiting {
    key: DocumentKey,
    path: PathBuf,
    proposal: Arc<Proposal>,
    decisions: Vec<Option<Decision>>,
    handle: SessionHandle,
}

impl std::fmt::Debug for Waiting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Waiting")
            .field("path", &self.path)
            .field("decisions", &self.decisions)
            .finish_non_exhaustive()
    }
}

impl Book {
    /// These are the open questions of the room's sessions now.
    pub(crate) fn asked(&mut self, questions: Vec<OpenQuestion>) {
        let mut waiting = BTreeMap::new();
        let mut before = std::mem::take(&mut self.proposals.0);
        let mut moved = Vec::new();
        for question in questions {
            let Asked::Edit(proposal) = question.asked else {
                continue;
            };
            let name = (question.session, proposal.id);
            let known = before.remove(&name);
            let fresh = known.unwrap_or_else(|| {
                let key = DocumentKey::File(question.folder.join(proposal.path.as_path()));
                moved.push(key.clone());
                Waiting {
                    key,
                    path: proposal.path.as_path().to_owned(),
                    decisions: vec![None; proposal.hunks.len()],
                    proposal,
                    handle: question.handle,
                }
            });
            waiting.insert(name, fresh);
        }
        moved.extend(before.into_values().map(|gone| gone.key));
        self.proposals.0 = waiting;
        for key in moved {
            self.proposals_moved(&key);
        }
    }

    /// What has been decided about a proposal that is open.
    pub(crate) fn decisions_so_far(&self, question: &Question) -> Option<Vec<Option<Decision>>> {
        let waiting = self.proposals.0.get(question)?;
        Some(waiting.decisions.clone())
    }

    pub(super) fn proposals_moved(&mut self, key: &DocumentKey) {
        *self.proposal_moves.entry(key.clone()).or_default() += 1;
        self.touch(key);
    }

    pub(super) fn decide_proposed(&mut self, question: &Question, hunk: usize, decision: Decision) {
        let Some(waiting) = self.proposals.0.get_mut(question) else {
            return;
        };
        if let Some(slot) = waiting.decisions.get_mut(hunk) {
            *slot = Some(decision);
        }
        waiting.submit(question.1);
        let key = waiting.key.clone();
        self.proposals_moved(&key);
    }

    /// Decides whatever is undecided. Says how many hunks that were.
    pub(super) fn decide_all_proposed(
        &mut self,
        key: Option<&DocumentKey>,
        decision: Decision,
    ) -> usize {
        let mut count = 0;
        let mut moved = Vec::new();
        for (question, waiting) in &mut self.proposals.0 {
            if key.is_some_and(|key| *key != waiting.key) {
                continue;
            }
            let open = waiting.decisions.iter_mut().filter(|slot| slot.is_none());
            let before = count;
            for slot in open {
                *slot = Some(decision);
                count += 1;
            }
            if count > before {
                waiting.submit(question.1);
                moved.push(waiting.key.clone());
            }
        }
        for key in moved {
            self.proposals_moved(&key);
        }
        count
    }
}

impl Waiting {
    /// Tells the session once every hunk is decided.
    fn submit(&self, proposal: ProposalId) {
        let decisions: Option<Vec<Decision>> = self.decisions.iter().copied().collect();
        let Some(decisions) = decisions else {
            return;
        };
        let handle = self.handle.clone();
        tokio::spawn(async move {
            let decide = Op::Decide {
                proposal,
                decisions,
                by: None,
            };
            // A session that has ended waits for nothing.
            let _ended = handle.submit(decide).await;
        });
    }
}

impl Proposals {
    pub(super) fn path_of(&self, key: &DocumentKey) -> Option<PathBuf> {
        let here = self.0.values().find(|waiting| waiting.key == *key)?;
        Some(here.path.clone())
    }

    /// The undecided hunks for a file, where its text is `now`.
    pub(super) fn shown(&self, key: &DocumentKey, now: Option<&str>) -> Vec<(Named, ShownHunk)> {
        let mut shown = Vec::new();
        for (question, waiting) in self.0.iter().filter(|(_, waiting)| waiting.key == *key) {
            let proposal = &waiting.proposal;
            let since = match now {
                Some(now) if *now != *proposal.base => Splice::between(&proposal.base, now),
                Some(_) | None => Vec::new(),
            };
            let place = Place {
                base: &proposal.base,
                now: now.unwrap_or(&proposal.base),
                since: &since,
            };
            let undecided = waiting.decisions.iter().enumerate();
            for (index, _) in undecided.filter(|(_, decision)| decision.is_none()) {
                let Some(hunk) = proposal.hunks.get(index) else {
                    continue;
                };
                let name = Named::Proposed {
                    question: question.clone(),
                    hunk: index,
                };
                let hunk = ShownHunk {
                    state: HunkState::Proposed,
                    lines: place.lines(hunk.base_bytes(), hunk.base_lines()),
                    removed: hunk.base_text(&proposal.base).into(),
                    added: hunk.current_text(&proposal.proposed).into(),
                    origin: None,
                    comments: Vec::new(),
                };
                shown.push((name, hunk));
            }
        }
        shown
    }
}

/// Where lines of a proposal's base are by now.
struct Place<'a> {
    base: &'a str,
    now: &'a str,
    since: &'a [Splice],
}

impl Place<'_> {
    fn lines(&self, bytes: Range<usize>, lines: Range<usize>) -> Range<usize> {
        if self.since.is_empty() {
            return lines;
        }
        let count =
            |text: &str, to: usize| pollux_text::lines(text.get(..to).unwrap_or_default()).len();
        let start = count(self.now, self.moved(bytes.start));
        let end = count(self.now, self.moved(bytes.end));
        debug_assert!(self.base.len() >= bytes.end, "a hunk lies in its base");
        start..end.max(start)
    }

    fn moved(&self, offset: usize) -> usize {
        let mut moved = offset;
        for splice in self.since {
            if splice.range.end <= offset {
                moved = moved + splice.text.len() - splice.range.len();
            }
        }
        moved.min(self.now.len())
    }
}
