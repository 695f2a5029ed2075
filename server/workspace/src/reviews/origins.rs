//! Where hunks come from. A review knows a number for each edit; here it is known whose edit that was.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use pollux_agent::api::CallId;
use pollux_text::Review;

use crate::Origin;

/// The call is not known of edits of earlier days.
type Known = (Origin, Option<CallId>);

#[derive(Debug, Default)]
pub(super) struct Origins(BTreeMap<u64, Known>);

impl Origins {
    /// A number for another edit.
    pub(super) fn number(&mut self, origin: &Origin, call: Option<&CallId>) -> u64 {
        let number = self.0.last_key_value().map_or(1, |(last, _)| last + 1);
        self.0.insert(number, (origin.clone(), call.cloned()));
        number
    }

    /// The number for all edits of a turn of earlier days: the record does not know their calls.
    pub(super) fn of_earlier_days(&mut self, origin: &Origin) -> u64 {
        let mut known = self.0.iter();
        let found = known.find(|(_, (known, call))| call.is_none() && known == origin);
        match found {
            Some((number, _)) => *number,
            None => self.number(origin, None),
        }
    }

    /// Whose each hunk of a review is, by its bytes in the current text.
    pub(super) fn of_each(&self, review: &Review) -> Vec<(Range<usize>, Origin)> {
        let hunks = review.hunks();
        hunks
            .filter_map(|hunk| {
                let origin = self.get(hunk.origin().0)?.clone();
                Some((hunk.current_bytes(), origin))
            })
            .collect()
    }

    /// Those of another room.
    pub(super) fn join(&mut self, other: Self) {
        for (number, known) in other.0 {
            self.0.entry(number).or_insert(known);
        }
    }

    pub(super) fn get(&self, number: u64) -> Option<&Origin> {
        self.0.get(&number).map(|(origin, _)| origin)
    }

    /// Whose the first hunk of a review is.
    pub(super) fn of(&self, review: &Review) -> Option<Origin> {
        let mut hunks = review.hunks();
        hunks.find_map(|hunk| self.get(hunk.origin().0).cloned())
    }

    /// All edits of a turn and of the turns of its session that came later.
    pub(super) fn since_turn(&self, turn: &Origin) -> BTreeSet<u64> {
        let later = |(number, (origin, _)): (&u64, &Known)| {
            let is_later = origin.session == turn.session && origin.turn >= turn.turn;
            is_later.then_some(*number)
        };
        self.0.iter().filter_map(later).collect()
    }

    /// All edits of a turn.
    pub(super) fn of_turn(&self, turn: &Origin) -> BTreeSet<u64> {
        let same = |(number, (origin, _)): (&u64, &Known)| (origin == turn).then_some(*number);
        self.0.iter().filter_map(same).collect()
    }
}
