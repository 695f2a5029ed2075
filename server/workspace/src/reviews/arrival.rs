//! Whether an operation has arrived in its file, told by what editors and the disk answer.

use pollux_agent::FileError;
use pollux_text::{Landed, merge3};

use super::book::Book;
use super::file::{Existence, Save, UnderWay};
use super::hands::{Hands, Leader};
use super::notices::Trouble;
use super::road::{self, Road};
use super::{Replaced, ReviewWork, Work};
use crate::{DocumentKey, DoorId, EditId, EditOutcome, Outbound};

/// Whether an operation is in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Judged {
    Arrived,
    NotYet,
}

impl Book {
    /// What an editor or the disk now has is judged by its content alone. Whether the operation under way was in it.
    pub(super) fn judge(&mut self, hands: &Hands<'_>, key: &DocumentKey, now: &str) -> Judged {
        let Some(file) = self.files.get_mut(key) else {
            return Judged::NotYet;
        };
        let Some(under_way) = &file.under_way else {
            return Judged::NotYet;
        };
        let landed = pollux_text::landed(&under_way.before, &under_way.expected, now);
        let Landed::Arrived { rest } = landed else {
            return Judged::NotYet;
        };
        let Some(under_way) = file.under_way.take() else {
            return Judged::NotYet;
        };
        let UnderWay {
            operation,
            mut planned,
            road,
            before,
            expected,
            ..
        } = under_way;
        // What the file would be without the operation. An undo goes back there, and must not take along what the person did
        // in the same breath.
        if rest.is_empty() {
            file.review.absorb(&before);
        } else if let Some(without) = merge3(&expected, &before, now).clean() {
            file.review.absorb(&without);
        }
        // What is not the operation's is the person's.
        for splice in rest.iter().rev() {
            planned.review.splice(splice.range.clone(), &splice.text);
        }
        if !rest.is_empty() {
            file.save = Save::NotAsked;
            file.saving = None;
        }
        let emptied = planned.presence.kind() != file.presence.kind()
            && planned.presence.now == Existence::Missing;
        if emptied && matches!(road, Road::Editor { .. }) {
            road::remove_emptied(hands, &file.at, before.clone());
        }
        file.arrived(road.id());
        self.commit(hands, key, operation, planned);
        self.note_behind(hands, key, &road, &before);
        self.save(hands, key);
        Judged::Arrived
    }

    /// A door's editor has answered.
    pub(crate) fn edit_answered(
        &mut self,
        hands: &Hands<'_>,
        door: DoorId,
        op: EditId,
        outcome: EditOutcome,
    ) {
        let found = self.files.iter_mut().find_map(|(key, file)| {
            let under_way = file.under_way.as_mut()?;
            match &mut under_way.road {
                Road::Editor { id, doors } if *id == op => {
                    let asked = doors.get_mut(&door)?;
                    asked.answer = Some(outcome);
                    let cancel = under_way.operation.cancel.clone();
                    Some((key.clone(), asked.version, under_way.attempt, cancel))
                }
                Road::Editor { .. }
                | Road::Disk { .. }
                | Road::Record { .. }
                | Road::Waiting { .. } => None,
            }
        });
        let Some((key, asked, attempt, cancel)) = found else {
            return self.behind_answered(hands, door, op, outcome);
        };
        let version = hands.view(&key, door).map(|view| view.version);
        // Its text is what counts, and may be on its way. If not, the edit is made anew.
        let after = match outcome {
            EditOutcome::Accepted => road::OVERDUE,
            // The text for which it refused has come already.
            EditOutcome::Refused if version != Some(asked) => return self.again(hands, &key),
            EditOutcome::Refused | EditOutcome::NoAnswer => attempt.pause(),
        };
        hands.remind(after, cancel, Work::Overdue { key, id: op });
    }

    /// Something that was begun elsewhere is over.
    pub(crate) fn work_done(&mut self, hands: &Hands<'_>, ReviewWork(work): ReviewWork) {
        match work {
            Work::Replaced { key, id, result } => self.replaced(hands, &key, id, result),
            Work::Overdue { key, id } if self.waits_for(&key, id) => self.again(hands, &key),
            Work::Overdue { .. } | Work::Removed => {}
            Work::Behind { key, door, id } => self.behind_overdue(hands, &key, door, id),
            Work::Compared { key, id, was } => {
                if let Some(file) = self.files.get_mut(&key) {
                    file.compared(id, was);
                }
                self.save(hands, &key);
                self.advance(hands, &key);
            }
            Work::Read { key, id, result } => self.read(hands, &key, id, result),
            Work::OpenedBefore {
                key,
                without,
                wanted,
                result,
            } => self.opened_before(hands, &key, without, wanted, result),
            Work::Recorded { key, id, result } => self.recorded(hands, &key, id, result),
            Work::BegunAnew(root) => self.hold_all(&root),
            Work::Blocked { root, why } => self.record_blocked(hands, root, why),
            Work::Unwritten { root, why } => match why {
                Some(why) => self.record_unwritten(hands, &root, &why),
                None => self.notices.over(&root, Trouble::Unwritten),
            },
            Work::Renamed { key, id, result } => self.rename_done(hands, &key, id, result),
            Work::Gone { from, to } => self.gone(hands, &from, &to),
            Work::Recovered(recovered) => self.recovered(hands, *recovered),
        }
    }

    pub(super) fn waits_for(&self, key: &DocumentKey, id: EditId) -> bool {
        let under_way = self.files.get(key).and_then(|file| file.under_way.as_ref());
        under_way.is_some_and(|under_way| under_way.road.id() == id)
    }

    fn replaced(
        &mut self,
        hands: &Hands<'_>,
        key: &DocumentKey,
        id: EditId,
        result: Result<Replaced, FileError>,
    ) {
        if !self.waits_for(key, id) {
            return;
        }
        match (result, hands.leader(key)) {
            (Err(error), _) => {
                let file = self.files.get_mut(key);
                if let Some(under_way) = file.and_then(|file| file.under_way.take()) {
                    self.give_up(hands, key, under_way.operation, Err(error));
                }
            }
            // Whoever has taken it may be an editor of the room too, and tell of it in its own time.
            (Ok(Replaced::Taken(_)), Leader::View(view)) => {
                let now = view.text.to_string();
                if self.judge(hands, key, &now) == Judged::NotYet {
                    return self.soon_told(hands, key, id);
                }
            }
            // Somebody has opened the file meanwhile: what they have decides.
            (Ok(_), Leader::View(view)) => {
                let now = view.text.to_string();
                if self.judge(hands, key, &now) == Judged::NotYet {
                    return self.again(hands, key);
                }
            }
            (Ok(Replaced::Done), Leader::Disk | Leader::OutOfStep) => {
                let file = self.files.get_mut(key);
                if let Some(under_way) = file.and_then(|file| file.under_way.take()) {
                    self.commit(hands, key, under_way.operation, under_way.planned);
                }
            }
            (Ok(Replaced::Taken(text)), Leader::Disk | Leader::OutOfStep) => {
                let file = self.files.get_mut(key);
                if let Some(mut under_way) = file.and_then(|file| file.under_way.take()) {
                    let origin = under_way.operation.deed.origin();
                    under_way.planned.went_on_to(&text, origin);
                    self.commit(hands, key, under_way.operation, under_way.planned);
                }
            }
            (Ok(Replaced::Differs(Some(text))), Leader::Disk | Leader::OutOfStep) => {
                if self.judge(hands, key, &text) == Judged::NotYet {
                    self.absorb(key, Some(&text));
                    return self.again_over_disk(hands, key);
                }
            }
            (Ok(Replaced::Differs(None)), Leader::Disk | Leader::OutOfStep) => {
                self.absorb(key, None);
                self.look_for_moved(hands, key);
                return self.again_over_disk(hands, key);
            }
        }
        self.advance(hands, key);
    }

    /// An edit that was taken is looked for once more if nobody tells of it.
    fn soon_told(&self, hands: &Hands<'_>, key: &DocumentKey, id: EditId) {
        let under_way = self.files.get(key).and_then(|file| file.under_way.as_ref());
        if let Some(under_way) = under_way {
            let cancel = under_way.operation.cancel.clone();
            let key = key.clone();
            hands.remind(road::OVERDUE, cancel, Work::Overdue { key, id });
        }
    }

    /// Asks for a save once the edit has arrived and the file is known to have been saved before it.
    fn save(&mut self, hands: &Hands<'_>, key: &DocumentKey) {
        let Some(file) = self.files.get_mut(key) else {
            return;
        };
        if !file.is_to_be_saved() {
            return;
        }
        for door in &file.in_step {
            if let Some(view) = hands.view(key, *door) {
                let uris = vec![view.uri.to_string()];
                hands.send(*door, Outbound::Save { uris });
            }
        }
    }
}
