//! Editors that were asked for an edit which others have taken, and have not made it.
//!
//! The edit has happened: the review goes by those who have it. The others are asked again for as long as their text is the one
//! from before. Where somebody has typed there meanwhile, that is a person's edit like any other, made to the text as it
//! is; what the editor lacks comes after it.

use pollux_text::{Splice, merge3};
use tokio_util::sync::CancellationToken;

use super::Work;
use super::attempt::Attempt;
use super::book::Book;
use super::file::State;
use super::hands::Hands;
use super::operation::{Deed, Operation};
use super::road::{self, Asked, Road};
use crate::{DocumentKey, DoorId, EditId, EditOutcome, SyncState};

#[derive(Clone, Debug)]
pub(super) struct Behind {
    /// The text it had when it was asked.
    pub(super) without: String,
    asked: EditId,
    attempt: Attempt,
}

impl Book {
    /// An operation has arrived. Whoever was asked for it and does not have it is behind from now on.
    pub(super) fn note_behind(
        &mut self,
        hands: &Hands<'_>,
        key: &DocumentKey,
        road: &Road,
        before: &str,
    ) {
        let Road::Editor { id, doors } = road else {
            return;
        };
        let Some(file) = self.files.get_mut(key) else {
            return;
        };
        for (door, Asked { answer, .. }) in doors {
            let is_there = hands.view(key, *door).is_some();
            if !is_there || file.in_step.contains(door) {
                continue;
            }
            let behind = Behind {
                without: before.to_owned(),
                asked: *id,
                attempt: Attempt::first(),
            };
            if let Some(outcome) = answer {
                behind.remind(hands, key, *door, *outcome);
            }
            file.behind.insert(*door, behind);
        }
    }

    /// One of them has answered.
    pub(super) fn behind_answered(
        &mut self,
        hands: &Hands<'_>,
        door: DoorId,
        op: EditId,
        outcome: EditOutcome,
    ) {
        let mut files = self.files.iter();
        let found = files.find_map(|(key, file)| {
            let behind = file.behind.get(&door)?;
            (behind.asked == op).then_some((key, behind))
        });
        if let Some((key, behind)) = found {
            behind.remind(hands, key, door, outcome);
        }
    }

    /// One of them has had time enough to show the edit.
    pub(super) fn behind_overdue(
        &mut self,
        hands: &Hands<'_>,
        key: &DocumentKey,
        door: DoorId,
        op: EditId,
    ) {
        let id = EditId(self.number());
        let Some(file) = self.files.get_mut(key) else {
            return;
        };
        let Some(mut behind) = file.behind.remove(&door) else {
            return;
        };
        if behind.asked != op {
            file.behind.insert(door, behind);
            return;
        }
        let waits = match hands.view(key, door) {
            None => None,
            Some(_) if behind.attempt.is_out_of_patience() => None,
            Some(view) if view.sync == SyncState::Desynced => Some(Reminded::Later),
            Some(_) if file.under_way.is_some() => Some(Reminded::Later),
            Some(view) if view.text.is(&behind.without) => {
                let now = file.review.current().to_string();
                let splices = Splice::between(&behind.without, &now);
                road::ask(hands, view, &splices, "catch up", id);
                behind.asked = id;
                Some(Reminded::WhenAnswered)
            }
            // It has gone on, and was heard.
            Some(_) => None,
        };
        behind.attempt = behind.attempt.next();
        match waits {
            Some(Reminded::Later) => {
                behind.remind(hands, key, door, EditOutcome::Refused);
                file.behind.insert(door, behind);
            }
            Some(Reminded::WhenAnswered) => drop(file.behind.insert(door, behind)),
            None => self.advance(hands, key),
        }
    }

    /// One of them has changed its text. Says whether that was all there is to do about it.
    pub(super) fn behind_changed(
        &mut self,
        hands: &Hands<'_>,
        key: &DocumentKey,
        door: DoorId,
    ) -> CaughtUp {
        let file = self.files.get_mut(key);
        let Some((file, behind)) = file.and_then(|file| {
            let behind = file.behind.remove(&door)?;
            Some((file, behind))
        }) else {
            return CaughtUp::NotBehind;
        };
        let Some(view) = hands.view(key, door) else {
            return CaughtUp::NotBehind;
        };
        // With something else under way it is one editor of several, and the one that changed last.
        if view.sync == SyncState::Desynced || file.under_way.is_some() {
            return CaughtUp::NotBehind;
        }
        let (text, wanted) = (view.text.to_string(), file.state());
        let current = wanted.review.current().to_string();
        let merged = merge3(&behind.without, &text, &current).clean();
        if text == current || merged.is_none_or(|merged| merged == text) {
            return CaughtUp::NotBehind;
        }
        self.absorb(key, Some(&text));
        let operation = self.catching_up(behind.without, Box::new(wanted));
        if let Some(file) = self.files.get_mut(key) {
            file.look_around(hands, key);
            file.queue.push_front(operation);
        }
        self.advance(hands, key);
        CaughtUp::OnItsWay
    }
}

impl Book {
    pub(super) fn catching_up(&mut self, without: String, wanted: Box<State>) -> Operation {
        let deed = Deed::CatchUp { without, wanted };
        Operation::new(deed, "catch up".into(), self.number())
    }
}

/// What becomes of an editor that has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CaughtUp {
    /// Its text is to be taken like any other.
    NotBehind,
    OnItsWay,
}

enum Reminded {
    Later,
    WhenAnswered,
}

impl Behind {
    fn remind(&self, hands: &Hands<'_>, key: &DocumentKey, door: DoorId, outcome: EditOutcome) {
        let after = match outcome {
            EditOutcome::Accepted => road::OVERDUE,
            EditOutcome::Refused | EditOutcome::NoAnswer => self.attempt.pause(),
        };
        let work = Work::Behind {
            key: key.clone(),
            door,
            id: self.asked,
        };
        hands.remind(after, CancellationToken::new(), work);
    }
}
