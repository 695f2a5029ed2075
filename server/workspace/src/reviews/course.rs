//! The course of an operation: it waits in its file's queue, is planned, set on its way, and has happened or is given up.

use pollux_agent::{FileError, Written};

use super::attempt::{Attempt, Retry};
use super::book::Book;
use super::file::{Arrived, DiskNews, Existence, ReviewedFile, Save, Saving, UnderWay};
use super::hands::{Hands, Leader};
use super::history::Step;
use super::operation::{Deed, Operation, Planned};
use super::record::Job;
use super::recover::{Wrote, write_down};
use super::rename::Name;
use super::road::{self, Road, Saved};
use super::tally::Pending;
use super::work::Work;
use crate::{DocumentKey, DoorId, EditId, Outbound, Severity};

impl Book {
    pub(super) fn queue(&mut self, hands: &Hands<'_>, key: &DocumentKey, operation: Operation) {
        if let Some(file) = self.files.get_mut(key) {
            file.queue.push_back(operation);
        }
        self.advance(hands, key);
    }

    /// Begins whatever can be begun.
    pub(super) fn advance(&mut self, hands: &Hands<'_>, key: &DocumentKey) {
        self.look_at_disk(hands, key);
        while let Some(file) = self.files.get_mut(key) {
            if file.under_way.is_some() {
                return;
            }
            let Some(operation) = file.queue.pop_front() else {
                // What is written beside its lines moves with them until it is sent.
                if file.is_settled() && !self.comments.wait_in(key) {
                    // What an editor may come back with is to be found by the next host too.
                    let recorder = self.recorders.get(&file.at.root);
                    if let Some(recorder) = recorder.filter(|_| !self.unsaved.may_be_in(key)) {
                        recorder.send(Job::Settled(key.clone()));
                    }
                    self.files.remove(key);
                    self.touch(key);
                }
                return;
            };
            self.begin(hands, key, operation, Attempt::first());
        }
    }

    /// Plans the operation for the file as it is, and sets it on its way.
    pub(super) fn begin(
        &mut self,
        hands: &Hands<'_>,
        key: &DocumentKey,
        mut operation: Operation,
        attempt: Attempt,
    ) {
        let id = EditId(self.number());
        let Some(file) = self.files.get_mut(key) else {
            return;
        };
        file.follow(hands, key);
        if let Deed::Shell {
            before: Some(before),
            ..
        } = &operation.deed
            && file
                .gone
                .as_ref()
                .is_some_and(|gone| gone.review.current().is(before))
        {
            // It was the command that has deleted it, and somebody has told of that first.
            file.come_back();
        }
        let planned = match operation.deed.plan(&file.review, file.presence) {
            Ok(Some(planned)) => planned,
            Ok(None) => return self.give_up(hands, key, operation, Ok(Written::default())),
            Err(error) => return self.give_up(hands, key, operation, Err(error)),
        };
        let brings = operation.deed.brings(&file.review);
        operation.carries = brings.filter(|origin| self.history.stands(*origin, key));
        let was = file.presence.now;
        let touches = !planned.splices.is_empty() || planned.presence.now != was;
        let wrote = match operation.ticket {
            Some(_) => Wrote::Before,
            None => write_down(
                &self.recorders,
                &self.origins,
                key,
                file,
                &mut operation,
                &planned,
                id,
            ),
        };
        if matches!(operation.deed, Deed::Rename { .. }) && wrote != Wrote::Now {
            return self.set_out_renaming(hands, key, operation, planned, attempt, id);
        }
        if !touches && !matches!(operation.deed, Deed::Rename { .. }) {
            return self.commit(hands, key, operation, planned);
        }
        // The disk has what a command did to it; an editor may not have heard of it.
        let is_there = matches!(operation.deed, Deed::Shell { .. });
        let is_bare = planned.splices.is_empty();
        if is_there && (is_bare || matches!(hands.leader(key), Leader::Disk)) {
            self.commit(hands, key, operation, planned);
            return self.read_disk(hands, key);
        }
        if !attempt.is_first() && operation.is_cancelled() {
            return self.give_up(hands, key, operation, Err(FileError::Stopped));
        }
        if attempt.is_out_of_patience() {
            return self.give_up(hands, key, operation, Err(FileError::NotTaken));
        }
        let origin = operation.deed.origin();
        let origin = origin.and_then(|origin| self.origins.get(origin));
        let mut under_way = UnderWay {
            session: origin.map(|origin| origin.session.clone()),
            operation,
            before: file.review.current().to_string(),
            expected: planned.review.current().to_string(),
            planned,
            road: Road::Disk { id },
            attempt,
        };
        if wrote == Wrote::Now {
            under_way.road = Road::Record { id };
            file.under_way = Some(under_way);
            return;
        }
        // Its text is on its way, and there is nothing to be made of the one that is known.
        if matches!(hands.leader(key), Leader::OutOfStep) {
            return wait(hands, key, file, under_way, id);
        }
        let in_step = file.in_step.iter().copied();
        road::set_out(hands, key, &file.at, in_step, was, &mut under_way, id);
        file.saving = match &under_way.road {
            Road::Record { .. } | Road::Waiting { .. } | Road::Disk { .. } => None,
            Road::Editor { id, .. } => Some(Saving {
                id: *id,
                arrived: Arrived::NotYet,
                // The editor may not have come round to an earlier save yet: as good as saved.
                was: (file.save == Save::Asked).then_some(Saved::Yes),
            }),
        };
        // What is being read may be from before this, or from after.
        if file.reading.take().is_some() {
            file.disk = DiskNews::Unread;
        }
        file.under_way = Some(under_way);
    }

    /// The way was barred: once more, from what is there now.
    pub(super) fn again(&mut self, hands: &Hands<'_>, key: &DocumentKey) {
        let Some(file) = self.files.get_mut(key) else {
            return;
        };
        let Some(under_way) = file.under_way.take() else {
            return;
        };
        let attempt = under_way.attempt.next();
        self.begin(hands, key, under_way.operation, attempt);
        self.advance(hands, key);
    }

    /// The same for a closed file. One that another process writes all the time is given a rest.
    pub(super) fn again_over_disk(&mut self, hands: &Hands<'_>, key: &DocumentKey) {
        let id = EditId(self.number());
        let Some(file) = self.files.get_mut(key) else {
            return;
        };
        match file.under_way.take() {
            Some(under_way) if under_way.attempt.retry() == Retry::Later => {
                wait(hands, key, file, under_way, id);
            }
            under_way => {
                file.under_way = under_way;
                self.again(hands, key);
            }
        }
    }

    /// The operation has happened.
    pub(super) fn commit(
        &mut self,
        hands: &Hands<'_>,
        key: &DocumentKey,
        operation: Operation,
        planned: Planned,
    ) {
        let Some(file) = self.files.get_mut(key) else {
            return;
        };
        let before = file.state();
        file.review = planned.review;
        file.presence = planned.presence;
        if file.presence.now == Existence::Present {
            file.gone = None;
        }
        file.look_around(hands, key);
        let after = file.state();
        let (at, path) = (file.at.clone(), file.path.clone());
        let without = after.review.current();
        let step = operation.step;
        let mut tallies = self.decided.note(
            &self.origins,
            &path,
            &operation.deed,
            &before,
            &after,
            &planned.became_base,
        );
        let maker = self.history.maker(key);
        if let Some(maker) = maker {
            let states = (&before, &after);
            let deed = &operation.deed;
            let noted = self
                .decided
                .note_file(&self.origins, &path, maker, deed, states);
            tallies.extend(noted);
        }
        if self.comments.has(key) {
            let (old, new) = (before.review.current().to_string(), without.to_string());
            let origin = operation.deed.origin();
            if let Some(origin) = origin.and_then(|origin| self.origins.get(origin).cloned()) {
                let gone = self.comments.answer(key, &old, &new, &origin);
                if let Some(recorder) = self.recorders.get(&at.root) {
                    recorder.send(Job::CommentsGone(gone));
                }
            }
            self.comments.changed(key, &old, &new);
            if let Some(recorder) = self.recorders.get(&at.root) {
                let lines = self.comments.of(key);
                let lines = lines.map(|comment| (comment.id, comment.line)).collect();
                recorder.send(Job::CommentsMoved(lines));
            }
        }
        if let Some(recorder) = self.recorders.get(&at.root) {
            recorder.committed(key, &path, &operation, &after, &self.origins);
        }
        if operation.deed.what().is_decision() {
            self.rejected.decided();
        }
        let refused = planned.refused;
        let refused = self.rejected.add(key, &at, &path, step, refused, &without);
        if let Some(recorder) = self.recorders.get(&at.root) {
            for hunk in refused {
                recorder.send(Job::Rejected(hunk));
            }
        }
        if matches!(operation.deed, Deed::CatchUp { .. }) {
            self.hold(key);
        }
        if let Deed::Reapply { recorded, .. } = &operation.deed {
            self.no_longer_rejected(&at, *recorded);
        }
        let pending = Pending::between(&operation.deed, &before, &after, maker);
        let step = Step {
            before,
            after,
            tallies,
        };
        let name = Name {
            key: key.clone(),
            at,
            path: path.clone(),
        };
        let turn = operation.deed.origin();
        let turn = turn.and_then(|origin| self.origins.get(origin).cloned());
        self.history.note(name, &operation, turn, step);
        self.tell_counts(key, &path, pending);
        self.touch(key);
        let written = Written {
            conflicts: planned.conflicts,
        };
        answer(operation, Ok(written));
    }

    /// The operation will not happen.
    pub(super) fn give_up(
        &mut self,
        hands: &Hands<'_>,
        key: &DocumentKey,
        operation: Operation,
        result: Result<Written, FileError>,
    ) {
        let root = self.files.get(key).map(|file| &file.at.root);
        let recorder = root.and_then(|root| self.recorders.get(root));
        if let (Some(recorder), Some(ticket)) = (recorder, operation.ticket) {
            recorder.send(Job::Abandoned(ticket));
        }
        self.tell_given_up(hands, key, &operation, &result);
        answer(operation, result);
    }

    /// What a person has asked for was called done when it was set on its way, and so they are told. Once, however many files it
    /// is about.
    fn tell_given_up(
        &mut self,
        hands: &Hands<'_>,
        key: &DocumentKey,
        operation: &Operation,
        result: &Result<Written, FileError>,
    ) {
        let is_a_persons =
            operation.reply.is_none() && !matches!(operation.deed, Deed::CatchUp { .. });
        if !is_a_persons || self.given_up.replace(operation.step) == Some(operation.step) {
            return;
        }
        let reason = match result {
            Ok(_) => "what it was about is no longer there".to_owned(),
            Err(error) => error.to_string(),
        };
        let path = self.files.get(key).map(|file| file.path.display());
        let path = path.map_or(String::new(), |path| format!("{path}: "));
        let message = Outbound::Message {
            severity: Severity::Warning,
            text: format!("Not done: {}. {path}{reason}.", operation.words),
        };
        let views = hands.views(key);
        let has_it =
            |door: &DoorId| views.is_empty() || views.iter().any(|view| view.door == *door);
        for door in hands.doors.keys().filter(|door| has_it(door)) {
            hands.send(*door, message.clone());
        }
    }
}

/// Leaves an operation until something moves, and not longer than its turn lasts.
fn wait(
    hands: &Hands<'_>,
    key: &DocumentKey,
    file: &mut ReviewedFile,
    mut under_way: UnderWay,
    id: EditId,
) {
    under_way.road = Road::Waiting { id };
    let cancel = under_way.operation.cancel.clone();
    let overdue = Work::Overdue {
        key: key.clone(),
        id,
    };
    hands.remind(under_way.attempt.pause(), cancel, overdue);
    file.under_way = Some(under_way);
}

fn answer(operation: Operation, result: Result<Written, FileError>) {
    if let Some(reply) = operation.reply {
        // Whoever asked has gone; the edit is in the review all the same.
        let _gone = reply.send(result);
    }
}
