//! What people have decided about a session's edits, until its model is told.

use std::collections::BTreeMap;
use std::path::Path;

use pollux_agent::prompt::{HunkDecision, HunkVerdict};
use pollux_text::{BecameBase, HunkKind};

use super::file::State;
use super::operation::{Deed, Way};
use super::origins::Origins;
use super::tally::Tally;
use crate::{SessionId, Side};

/// So many are remembered for a session that is not asked anything for a long time.
const MOST: usize = 500;

#[derive(Debug, Default)]
pub(super) struct Decided(BTreeMap<SessionId, Vec<HunkDecision>>);

impl Decided {
    pub(super) fn take(&mut self, session: &SessionId) -> Vec<HunkDecision> {
        self.0.remove(session).unwrap_or_default()
    }

    /// How many hunks have become base because a person had edited them.
    #[cfg(test)]
    pub(super) fn edited(&self) -> usize {
        let all = self.0.values().flatten();
        all.filter(|decision| decision.verdict == HunkVerdict::Edited)
            .count()
    }

    pub(super) fn join(&mut self, other: Self) {
        for (session, decisions) in other.0 {
            self.0.entry(session).or_default().extend(decisions);
        }
    }

    /// Compares a file before and after a decision. Says whose hunks were decided, and how.
    pub(super) fn note(
        &mut self,
        origins: &Origins,
        path: &Path,
        deed: &Deed,
        before: &State,
        after: &State,
        became_base: &[BecameBase],
    ) -> Vec<Tally> {
        let mut tallies = Vec::new();
        for hunk in became_base {
            let decision = HunkDecision {
                path: path.to_owned(),
                line: 0,
                verdict: HunkVerdict::Edited,
                removed: hunk.agent_text.clone(),
                added: hunk.text.clone(),
            };
            tallies.push(Tally::of(hunk.origin.0, decision.verdict));
            self.add(origins, hunk.origin.0, decision);
        }
        let Some((from, to, verdict)) = compared(deed, before, after) else {
            return tallies;
        };
        let gone = from
            .review
            .hunks()
            .filter(|hunk| to.review.hunk(hunk.id()).is_none());
        let decided: Vec<(u64, HunkDecision)> = gone
            .map(|hunk| {
                let (verdict, removed, added) = match (hunk.kind(), verdict) {
                    (HunkKind::Edited, HunkVerdict::Kept) => (
                        HunkVerdict::Edited,
                        hunk.agent_text().unwrap_or_default(),
                        hunk.current_text(),
                    ),
                    (HunkKind::Conflict, verdict) => (
                        verdict,
                        hunk.current_text(),
                        hunk.their_text().unwrap_or_default(),
                    ),
                    (_, verdict) => (verdict, hunk.base_text(), hunk.current_text()),
                };
                let decision = HunkDecision {
                    path: path.to_owned(),
                    line: hunk.current_lines().start + 1,
                    verdict,
                    removed,
                    added,
                };
                (hunk.origin().0, decision)
            })
            .collect();
        for (origin, decision) in decided {
            tallies.push(Tally::of(origin, decision.verdict));
            self.add(origins, origin, decision);
        }
        tallies
    }

    /// The same for an empty file that an edit made or removed. Nothing unless it is decided.
    pub(super) fn note_file(
        &mut self,
        origins: &Origins,
        path: &Path,
        maker: u64,
        deed: &Deed,
        states: (&State, &State),
    ) -> Option<Tally> {
        let (from, to, verdict) = compared(deed, states.0, states.1)?;
        if !from.is_bare() || to.is_bare() {
            return None;
        }
        let decision = HunkDecision {
            path: path.to_owned(),
            line: 0,
            verdict,
            removed: String::new(),
            added: String::new(),
        };
        self.add(origins, maker, decision);
        Some(Tally::of(maker, verdict))
    }

    fn add(&mut self, origins: &Origins, origin: u64, decision: HunkDecision) {
        let Some(origin) = origins.get(origin) else {
            return;
        };
        let list = self.0.entry(origin.session.clone()).or_default();
        list.push(decision);
        let surplus = list.len().saturating_sub(MOST);
        list.drain(..surplus);
    }
}

/// What an operation is going to decide, before it has happened.
pub(super) fn foreseen(
    deed: &Deed,
    before: &State,
    after: &State,
    became_base: &[BecameBase],
) -> Vec<Tally> {
    let edited = became_base
        .iter()
        .map(|hunk| (hunk.origin, HunkVerdict::Edited));
    let compared = compared(deed, before, after).into_iter();
    let gone = compared.flat_map(|(from, to, verdict)| {
        let hunks = from.review.hunks();
        let gone = hunks.filter(|hunk| to.review.hunk(hunk.id()).is_none());
        gone.map(move |hunk| (hunk.origin(), verdict))
    });
    edited
        .chain(gone)
        .map(|(origin, verdict)| Tally::of(origin.0, verdict))
        .collect()
}

/// Hunks of the first state that are not in the second have this verdict. Nothing for what decides nothing.
fn compared<'a>(
    deed: &Deed,
    before: &'a State,
    after: &'a State,
) -> Option<(&'a State, &'a State, HunkVerdict)> {
    Some(match deed {
        Deed::Keep(_) => (before, after, HunkVerdict::Kept),
        Deed::Reject(_) => (before, after, HunkVerdict::Rejected),
        Deed::Settle(_, Side::Mine) => (before, after, HunkVerdict::Rejected),
        Deed::Settle(_, Side::Theirs) => (before, after, HunkVerdict::Kept),
        Deed::Reapply { .. } => (after, before, HunkVerdict::Reapplied),
        Deed::Travel(journey) if journey.way == Way::Back => {
            (after, before, HunkVerdict::PendingAgain)
        }
        Deed::Edit { .. }
        | Deed::Create { .. }
        | Deed::Shell { .. }
        | Deed::CatchUp { .. }
        | Deed::Renamed { .. }
        | Deed::Rename { .. }
        | Deed::Travel(_) => return None,
    })
}
