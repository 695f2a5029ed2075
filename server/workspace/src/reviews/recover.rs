//! The reviews and their record: what is written down when, and what is found again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use pollux_ledger::GroupId;
use pollux_text::{Buffer, Origin as HunkOrigin, Review};

use super::Location;
use super::book::Book;
use super::decided;
use super::file::{ReviewedFile, State};
use super::hands::{Hands, Leader};
use super::history::{self, Done, Stands, What};
use super::notices::Trouble;
use super::operation::{Deed, Operation, Planned};
use super::origins::Origins;
use super::record::{
    Held, Intent, Job, NotRecorded, Recorded, Recorder, Recovered, RecoveredState,
};
use super::rejected::RecordedAs;
use super::rename::{Name, Renamed};
use super::road::Road;
use super::tally::{self, Tally};
use super::unsaved::Candidate;
use crate::{CommentId, DocumentKey, EditId};

/// Whether an operation was handed to the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wrote {
    Now,
    Before,
    /// There is none.
    Nowhere,
}

/// Hands an operation to the record, before it touches anything.
pub(super) fn write_down(
    recorders: &BTreeMap<PathBuf, Recorder>,
    origins: &Origins,
    key: &DocumentKey,
    file: &ReviewedFile,
    operation: &mut Operation,
    planned: &Planned,
    id: EditId,
) -> Wrote {
    let Some(recorder) = recorders.get(&file.at.root) else {
        return Wrote::Nowhere;
    };
    // Nothing new comes of it. How the file is left is recorded when it has arrived.
    if matches!(operation.deed, Deed::CatchUp { .. }) {
        return Wrote::Nowhere;
    }
    let origin = operation.deed.origin().or(operation.carries);
    let (before, after) = (
        file.state(),
        State {
            review: planned.review.clone(),
            presence: planned.presence,
        },
    );
    let tallies = decided::foreseen(&operation.deed, &before, &after, &planned.became_base);
    let intent = Intent {
        id,
        key: key.clone(),
        path: file.path.clone(),
        what: operation.deed.what(),
        origin: origin.and_then(|origin| origins.get(origin).cloned()),
        target: operation.deed.target(),
        step: operation.step,
        words: operation.words.clone(),
        renamed_from: match &operation.deed {
            Deed::Renamed { renamed, .. } => Some(renamed.from.at.path.clone()),
            _ => None,
        },
        whose_before: origins.of_each(&file.review),
        whose_after: origins.of_each(&planned.review),
        decides: tally::by_turn(origins, &tallies),
        before,
        after,
    };
    if !recorder.send(Job::Intend(Box::new(intent))) {
        return Wrote::Nowhere;
    }
    operation.ticket = Some(id);
    Wrote::Now
}

impl Recorder {
    /// The operation has happened, and has left the file like this.
    pub(super) fn committed(
        &self,
        key: &DocumentKey,
        path: &Path,
        operation: &Operation,
        after: &State,
        origins: &Origins,
    ) {
        let Some(id) = operation.ticket else {
            return;
        };
        let now = (!after.review.is_empty()).then(|| Held {
            key: key.clone(),
            path: path.to_owned(),
            origin: origins.of(&after.review),
            whose: origins.of_each(&after.review),
            state: after.clone(),
        });
        self.send(Job::Done { id, now });
    }
}

impl Book {
    /// Takes up the records of folders that are new.
    pub(crate) fn roots_changed(&mut self, hands: &Hands<'_>, roots: &[PathBuf]) {
        let Some(records) = self.records.clone() else {
            return;
        };
        for root in roots {
            if !self.recorders.contains_key(root) {
                let recorder = Recorder::start(hands, &records, root);
                self.recorders.insert(root.clone(), recorder);
                self.reading.insert(root.clone());
            }
        }
    }

    /// An operation is written down and may have its effect, or must not have it.
    pub(super) fn recorded(
        &mut self,
        hands: &Hands<'_>,
        key: &DocumentKey,
        id: EditId,
        result: Result<GroupId, NotRecorded>,
    ) {
        let file = self.files.get_mut(key);
        let waits = file.filter(|file| {
            let road = file.under_way.as_ref().map(|under_way| &under_way.road);
            matches!(road, Some(Road::Record { id: waiting }) if *waiting == id)
        });
        let Some(under_way) = waits.and_then(|file| file.under_way.take()) else {
            return match result {
                Ok(group) => self.history.named(id, Some(group)),
                Err(why) => self.committed_unrecorded(hands, key, &why),
            };
        };
        let mut operation = under_way.operation;
        match result {
            Ok(group) => operation.group = Some(group),
            Err(why) if operation.deed.has_happened() => {
                self.report_unrecorded(hands, key, &why);
                if let Some(reply) = operation.reply.take() {
                    // Whoever asked has gone; the window knows.
                    let _gone = reply.send(Err(why.error()));
                }
            }
            Err(why) => {
                self.report_unrecorded(hands, key, &why);
                self.give_up(hands, key, operation, Err(why.error()));
                return self.advance(hands, key);
            }
        }
        self.begin(hands, key, operation, under_way.attempt);
        self.advance(hands, key);
    }

    /// A record cannot be opened for now. Until it can, nothing of its folder is edited.
    pub(super) fn record_blocked(&mut self, hands: &Hands<'_>, root: PathBuf, why: NotRecorded) {
        let text = format!(
            "Pollux cannot edit files in {}, because changes cannot be recorded for review: {}.",
            root.display(),
            why.reason()
        );
        self.notice(hands, &root, Trouble::Blocked, text);
        self.reading.remove(&root);
        self.blocked.insert(root, why);
        self.go_on_after_reading(hands);
    }

    /// What was put off until records were read.
    fn go_on_after_reading(&mut self, hands: &Hands<'_>) {
        for edit in std::mem::take(&mut self.waiting) {
            self.agent_edits(hands, edit);
        }
        for (command, reply) in std::mem::take(&mut self.deferred) {
            self.order(hands, command, reply);
        }
        self.wake();
    }

    /// Something is in the review that the record does not have. It is written down as soon as that is possible.
    fn committed_unrecorded(&mut self, hands: &Hands<'_>, key: &DocumentKey, why: &NotRecorded) {
        self.report_unrecorded(hands, key, why);
        match self.files.contains_key(key) {
            true => self.hold(key),
            false => {
                if let Some(recorder) = self.recorder_of(key) {
                    recorder.send(Job::Settled(key.clone()));
                }
            }
        }
    }

    fn report_unrecorded(&mut self, hands: &Hands<'_>, key: &DocumentKey, why: &NotRecorded) {
        let root = self.files.get(key).map(|file| file.at.root.clone());
        let root = root.or_else(|| self.recorders.keys().next().cloned());
        self.record_unwritten(hands, &root.unwrap_or_default(), why);
    }

    /// That it cannot be opened says as much.
    pub(super) fn record_unwritten(&mut self, hands: &Hands<'_>, root: &Path, why: &NotRecorded) {
        if self.blocked.contains_key(root) {
            return;
        }
        let text = format!("Changes cannot be recorded for review: {}.", why.reason());
        self.notice(hands, root, Trouble::Unwritten, text);
    }

    /// Has all files of a folder recorded as they are now.
    pub(super) fn hold_all(&self, root: &Path) {
        let pending = self
            .files
            .iter()
            .filter(|(_, file)| file.at.root == root && !file.review.is_empty());
        pending.for_each(|(key, _)| self.hold(key));
    }

    /// Has a file recorded as it is now.
    pub(super) fn hold(&self, key: &DocumentKey) {
        let Some(file) = self.files.get(key) else {
            return;
        };
        if let Some(recorder) = self.recorders.get(&file.at.root) {
            recorder.send(Job::Held(Box::new(Held {
                key: key.clone(),
                path: file.path.clone(),
                origin: self.origins.of(&file.review),
                whose: self.origins.of_each(&file.review),
                state: file.state(),
            })));
        }
    }

    /// A hunk that was turned down is in its file after all, or waits for a decision again.
    pub(super) fn no_longer_rejected(&self, at: &Location, recorded: RecordedAs) {
        if let Some(recorder) = self.recorders.get(&at.root) {
            recorder.send(Job::RejectedGone(recorded));
        }
    }

    /// A state as it was recorded. What is not known to be of a turn is of this origin.
    fn restored(&mut self, found: &RecoveredState, origin: u64) -> State {
        let known: Vec<_> = found
            .whose
            .iter()
            .map(|(range, origin)| {
                let number = self.origins.of_earlier_days(origin);
                (range.clone(), HunkOrigin(number))
            })
            .collect();
        State {
            review: Review::restore_with(&found.texts, HunkOrigin(origin), &known),
            presence: found.presence,
        }
    }

    /// The record of a folder has been read.
    pub(super) fn recovered(&mut self, hands: &Hands<'_>, recovered: Recovered) {
        let root = recovered.root;
        for text in recovered.untold {
            self.notice(hands, &root, Trouble::Damaged, text);
        }
        let mut may_be_open = BTreeSet::new();
        // First of all, since they stand in the texts of the record and move with what has become of these.
        for (recorded, comment) in recovered.comments {
            let mut files = recovered.files.iter();
            let file = files.find(|file| file.key == comment.key);
            let path = file.map(|file| file.path.clone());
            let path = path.or_else(|| self.path_of(&comment.key));
            let id = CommentId(recorded.0);
            self.comments.found(id, path.unwrap_or_default(), comment);
        }
        // Before the files, which are settled where only an editor may have what is pending.
        for found in recovered.unsaved {
            let origin = found.origin.as_ref();
            let number = origin.map_or(0, |origin| self.origins.of_earlier_days(origin));
            let candidate = Candidate {
                at: location(&root, &found.key),
                path: found.path,
                without: found.now.unwrap_or_default(),
                state: self.restored(&found.state, number),
            };
            self.unsaved.add(found.key.clone(), candidate);
            may_be_open.insert(found.key);
        }
        for found in recovered.files {
            if self.files.contains_key(&found.key) {
                continue;
            }
            let origin = found.origin.as_ref();
            let number = origin.map_or(0, |origin| self.origins.of_earlier_days(origin));
            let at = location(&root, &found.key);
            let state = self.restored(&found.state, number);
            let mut file = ReviewedFile::new(at, found.path, &Buffer::default(), state.presence);
            file.review = state.review;
            self.files.insert(found.key.clone(), file);
            match hands.leader(&found.key) {
                Leader::View(view) => self.absorb(&found.key, Some(&view.text.to_string())),
                Leader::Disk | Leader::OutOfStep => {
                    self.absorb(&found.key, found.now.as_deref());
                }
            }
            self.look_for_moved(hands, &found.key);
            if let Some(file) = self.files.get_mut(&found.key) {
                file.look_around(hands, &found.key);
            }
            self.advance(hands, &found.key);
        }
        for key in may_be_open {
            self.take_up_unsaved(hands, &key);
        }
        let mut steps: Vec<Done> = Vec::new();
        for found in recovered.steps {
            let origin = found.origin.as_ref();
            let number = origin.map_or(0, |origin| self.origins.of_earlier_days(origin));
            let to = Name {
                at: location(&root, &found.key),
                key: found.key,
                path: found.path,
            };
            let from = found.renamed_from.map(|from| Name::below(&root, &from));
            if let Some(from) = &from
                && found.standing == Stands::Yes
            {
                history::rename(&mut steps, from, &to);
            }
            let tallies = found.decided.iter().map(|(turn, kept, rejected)| {
                let number = self.origins.of_earlier_days(turn);
                Tally::recorded(number, *kept, *rejected)
            });
            let tallies = tallies.collect();
            steps.push(Done {
                renamed: from.map(|from| Renamed {
                    from,
                    to: to.clone(),
                }),
                at: to.at,
                key: to.key,
                path: to.path,
                step: found.step,
                words: found.words.into(),
                what: match found.what {
                    Recorded::Decision => What::Decision,
                    Recorded::Edit => What::Edit { origin: number },
                },
                standing: found.standing,
                turn: match found.what {
                    Recorded::Decision => None,
                    Recorded::Edit => found.origin.clone(),
                },
                carries: match found.what {
                    Recorded::Decision => origin.map(|_| number),
                    Recorded::Edit => None,
                },
                ticket: None,
                group: Some(found.group),
                before: self.restored(&found.before, number),
                after: self.restored(&found.after, number),
                tallies,
            });
        }
        self.history.begin_with(steps, recovered.forgotten);
        for hunk in recovered.rejected {
            let at = location(&root, &hunk.key);
            self.rejected.found(hunk, at);
        }
        self.reading.remove(&root);
        if self.reading.is_empty() {
            self.tell_recovered_counts();
        }
        if self.blocked.remove(&root).is_some() {
            self.notices.over(&root, Trouble::Blocked);
            self.hold_all(&root);
        }
        self.go_on_after_reading(hands);
    }
}

fn location(root: &Path, key: &DocumentKey) -> Location {
    let path = match key {
        DocumentKey::File(path) => path.clone(),
        DocumentKey::Virtual(_) => PathBuf::new(),
    };
    Location {
        root: root.to_owned(),
        path,
    }
}
