//! All reviews of a room, and the one way in which a file of theirs changes: an operation at a time.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use pollux_agent::{FileError, Written};
use pollux_text::{Buffer, Landed};
use tokio::sync::watch;

use super::comments::Comments;
use super::decided::Decided;
use super::file::{
    Arrived, DiskNews, Existence, Presence, ReviewedFile, Save, Saving, Shown, UnderWay,
};
use super::hands::{Hands, Leader};
use super::history::History;
use super::operation::{Deed, Operation, Planned};
use super::origins::Origins;
use super::proposals::Proposals;
use super::record::{Job, Recorder};
use super::recover::{Wrote, write_down};
use super::rejected::RejectedHunks;
use super::road::{self, MOST_ATTEMPTS, Road, Saved};
use super::unsaved::Unsaved;
use super::{Location, Replaced, ReviewWork, Work, agent_edit};
use crate::{
    AgentChange, AgentEdit, DocumentKey, DoorId, EditId, EditOutcome, Outbound, Reviews, Revision,
};

/// Owned by the room's task.
#[derive(Debug)]
pub(crate) struct Book {
    pub(super) files: BTreeMap<DocumentKey, ReviewedFile>,
    pub(super) origins: Origins,
    pub(super) history: History,
    pub(super) rejected: RejectedHunks,
    /// What readers were last shown, and the files of it that have moved since.
    pub(super) shown: Arc<Reviews>,
    pub(super) shown_files: BTreeMap<DocumentKey, Shown>,
    pub(super) proposals: Proposals,
    /// How often the proposals for a file have changed.
    pub(super) proposal_moves: BTreeMap<DocumentKey, u64>,
    pub(super) comments: Comments,
    pub(super) decided: Decided,
    pub(super) stale: BTreeSet<DocumentKey>,
    /// Whether anything has moved since.
    pub(super) has_moved: bool,
    pub(super) moved: watch::Sender<u64>,
    /// Where records lie, if there are to be any.
    pub(super) records: Option<PathBuf>,
    pub(super) recorders: BTreeMap<PathBuf, Recorder>,
    /// Folders whose record is still being read, and the edits that wait for that.
    pub(super) reading: BTreeSet<PathBuf>,
    pub(super) waiting: Vec<AgentEdit>,
    pub(super) unsaved: Unsaved,
    numbers: u64,
}

impl Default for Book {
    fn default() -> Self {
        Self {
            files: BTreeMap::new(),
            origins: Origins::default(),
            history: History::default(),
            rejected: RejectedHunks::default(),
            shown: Arc::default(),
            shown_files: BTreeMap::new(),
            proposals: Proposals::default(),
            proposal_moves: BTreeMap::new(),
            comments: Comments::default(),
            decided: Decided::default(),
            stale: BTreeSet::new(),
            has_moved: false,
            moved: watch::Sender::new(0),
            records: None,
            recorders: BTreeMap::new(),
            reading: BTreeSet::new(),
            waiting: Vec::new(),
            unsaved: Unsaved::default(),
            // Beyond whatever an earlier host came to: a name of then must not mean something now.
            numbers: Revision::first().0,
        }
    }
}

impl Book {
    pub(crate) fn recording_in(records: Option<PathBuf>) -> Self {
        Self {
            records,
            ..Self::default()
        }
    }

    /// A number that nothing else in the room has.
    pub(super) fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    /// The agent wants to change a file.
    pub(crate) fn agent_edits(&mut self, hands: &Hands<'_>, edit: AgentEdit) {
        if self.reading.contains(&edit.at.root) {
            return self.waiting.push(edit);
        }
        let AgentEdit {
            key,
            at,
            path,
            origin,
            call,
            standing,
            change,
            reply,
        } = edit;
        let (assumed, presence) = match &change {
            AgentChange::Edit { read, .. } => (&**read, Presence::FILE),
            AgentChange::Create { .. } | AgentChange::Shell { before: None, .. } => {
                ("", Presence::NO_FILE)
            }
            AgentChange::Shell {
                before: Some(before),
                ..
            } => (&**before, Presence::FILE),
        };
        self.file(hands, &key, &at, &path, assumed, presence);
        let origin = self.origins.number(&origin, Some(&call));
        let operation = Operation {
            words: agent_edit::words(&change, &path),
            deed: match change {
                AgentChange::Edit { read, proposed } => Deed::Edit {
                    read,
                    proposed,
                    origin,
                    standing,
                },
                AgentChange::Create { text } => Deed::Create {
                    text,
                    origin,
                    standing,
                },
                AgentChange::Shell { before, after } => Deed::Shell {
                    before,
                    after,
                    origin,
                    standing,
                },
            },
            step: self.number(),
            ticket: None,
            group: None,
            reply: Some(reply),
        };
        self.queue(hands, &key, operation);
    }

    /// The file, which is taken up if it is not reviewed yet. What a closed file holds is found out when it is written.
    pub(super) fn file(
        &mut self,
        hands: &Hands<'_>,
        key: &DocumentKey,
        at: &Location,
        path: &std::path::Path,
        assumed: &str,
        presence: Presence,
    ) -> &mut ReviewedFile {
        self.files.entry(key.clone()).or_insert_with(|| {
            let (text, presence) = match hands.leader(key) {
                Leader::View(view) => (view.text.clone(), Presence::FILE),
                Leader::Disk | Leader::OutOfStep => (Buffer::from(assumed), presence),
            };
            let mut file = ReviewedFile::new(at.clone(), path.to_owned(), &text, presence);
            file.look_around(hands, key);
            file
        })
    }

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
                if file.is_settled() {
                    if let Some(recorder) = self.recorders.get(&file.at.root) {
                        recorder.send(Job::Settled(key.clone()));
                    }
                    self.files.remove(key);
                    self.touch(key);
                }
                return;
            };
            self.begin(hands, key, operation, 0);
        }
    }

    /// Plans the operation for the file as it is, and sets it on its way.
    pub(super) fn begin(
        &mut self,
        hands: &Hands<'_>,
        key: &DocumentKey,
        mut operation: Operation,
        attempts: u32,
    ) {
        let id = EditId(self.number());
        let Some(file) = self.files.get_mut(key) else {
            return;
        };
        file.follow(hands, key);
        let planned = match operation.deed.plan(&file.review, file.presence) {
            Ok(Some(planned)) => planned,
            Ok(None) => return self.give_up(key, operation, Ok(Written::default())),
            Err(error) => return self.give_up(key, operation, Err(error)),
        };
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
        if !touches {
            return self.commit(hands, key, operation, planned);
        }
        // The disk has what a command did to it; an editor may not have heard of it.
        let is_there = matches!(operation.deed, Deed::Shell { .. });
        if is_there && matches!(hands.leader(key), Leader::Disk) {
            self.commit(hands, key, operation, planned);
            return self.read_disk(hands, key);
        }
        let out_of_step = matches!(hands.leader(key), Leader::OutOfStep);
        if out_of_step || attempts > MOST_ATTEMPTS {
            return self.give_up(key, operation, Err(FileError::NotTaken));
        }
        let mut under_way = UnderWay {
            operation,
            before: file.review.current().to_string(),
            expected: planned.review.current().to_string(),
            planned,
            road: Road::Disk { id },
            attempts,
        };
        if wrote == Wrote::Now {
            under_way.road = Road::Record { id };
            file.under_way = Some(under_way);
            return;
        }
        let in_step = file.in_step.iter().copied();
        road::set_out(hands, key, &file.at, in_step, was, &mut under_way, id);
        file.saving = match &under_way.road {
            Road::Record { .. } | Road::Disk { .. } => None,
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
        self.begin(hands, key, under_way.operation, under_way.attempts + 1);
        self.advance(hands, key);
    }

    /// The operation has happened.
    fn commit(
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
        file.look_around(hands, key);
        let after = file.state();
        let (at, path) = (file.at.clone(), file.path.clone());
        let without = after.review.current();
        let step = operation.step;
        self.decided.note(
            &self.origins,
            &path,
            &operation.deed,
            &before,
            &after,
            &planned.became_base,
        );
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
        let refused = planned.refused;
        let refused = self.rejected.add(key, &at, &path, step, refused, &without);
        if let Some(recorder) = self.recorders.get(&at.root) {
            for hunk in refused {
                recorder.send(Job::Rejected(hunk));
            }
        }
        if let Deed::Reapply { recorded, .. } = &operation.deed {
            self.no_longer_rejected(&at, *recorded);
        }
        self.history
            .note(key, &at, &path, &operation, before, after);
        self.touch(key);
        let written = Written {
            conflicts: planned.conflicts,
        };
        answer(operation, Ok(written));
    }

    /// The operation will not happen.
    pub(super) fn give_up(
        &mut self,
        key: &DocumentKey,
        operation: Operation,
        result: Result<Written, FileError>,
    ) {
        let root = self.files.get(key).map(|file| &file.at.root);
        let recorder = root.and_then(|root| self.recorders.get(root));
        if let (Some(recorder), Some(ticket)) = (recorder, operation.ticket) {
            recorder.send(Job::Abandoned(ticket));
        }
        answer(operation, result);
    }

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
            ..
        } = under_way;
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
            road::remove_emptied(hands, &file.at, before);
        }
        file.arrived(road.id());
        self.commit(hands, key, operation, planned);
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
                    *doors.get_mut(&door)? = Some(outcome);
                    Some((key.clone(), under_way.attempts))
                }
                Road::Editor { .. } | Road::Disk { .. } | Road::Record { .. } => None,
            }
        });
        let Some((key, attempts)) = found else {
            return;
        };
        // Its text is what counts, and may be on its way. If not, the edit is made anew.
        let after = match outcome {
            EditOutcome::Accepted => road::OVERDUE,
            EditOutcome::Refused | EditOutcome::NoAnswer => road::pause(attempts),
        };
        hands.remind(after, Work::Overdue { key, id: op });
    }

    /// Something that was begun elsewhere is over.
    pub(crate) fn work_done(&mut self, hands: &Hands<'_>, ReviewWork(work): ReviewWork) {
        match work {
            Work::Replaced { key, id, result } => self.replaced(hands, &key, id, result),
            Work::Overdue { key, id } if self.waits_for(&key, id) => self.again(hands, &key),
            Work::Overdue { .. } | Work::Removed => {}
            Work::Compared { key, id, was } => {
                if let Some(file) = self.files.get_mut(&key) {
                    file.compared(id, was);
                }
                self.save(hands, &key);
                self.advance(hands, &key);
            }
            Work::Read { key, id, result } => self.read(hands, &key, id, result),
            Work::Recorded { key, id, group } => self.recorded(hands, &key, id, group),
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
                    self.give_up(key, under_way.operation, Err(error));
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
            (Ok(Replaced::Differs(Some(text))), Leader::Disk | Leader::OutOfStep) => {
                if self.judge(hands, key, &text) == Judged::NotYet {
                    self.absorb(key, Some(&text));
                    return self.again(hands, key);
                }
            }
            (Ok(Replaced::Differs(None)), Leader::Disk | Leader::OutOfStep) => {
                self.absorb(key, None);
                return self.again(hands, key);
            }
        }
        self.advance(hands, key);
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
            let view = hands.views(key).iter().find(|view| view.door == *door);
            if let Some(view) = view {
                let uris = vec![view.uri.to_string()];
                hands.send(*door, Outbound::Save { uris });
            }
        }
    }

    pub(super) fn recorder_of(&self, key: &DocumentKey) -> Option<&Recorder> {
        let root = self.files.get(key).map(|file| &file.at.root);
        match root {
            Some(root) => self.recorders.get(root),
            None => self.recorders.values().next(),
        }
    }

    /// Two rooms have become one.
    pub(crate) fn join(&mut self, other: Self) {
        self.numbers = self.numbers.max(other.numbers);
        self.recorders.extend(other.recorders);
        self.reading.extend(other.reading);
        self.waiting.extend(other.waiting);
        self.unsaved.join(other.unsaved);
        self.history.join(other.history);
        self.comments.join(other.comments);
        self.decided.join(other.decided);
        self.rejected.join(other.rejected);
        self.origins.join(other.origins);
        let keys: Vec<DocumentKey> = other.files.keys().cloned().collect();
        for (key, file) in other.files {
            self.files.entry(key).or_insert(file);
        }
        for key in keys {
            self.touch(&key);
        }
    }

    /// Readers are to look again.
    pub(super) fn touch(&mut self, key: &DocumentKey) {
        if let Some(shown) = self.shown_files.get_mut(key) {
            shown.view = None;
        }
        self.stale.insert(key.clone());
        self.wake();
    }

    /// As above, where it is about no file.
    pub(super) fn wake(&mut self) {
        self.has_moved = true;
        self.moved.send_modify(|moves| *moves += 1);
    }
}

/// Whether an operation is in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Judged {
    Arrived,
    NotYet,
}

fn answer(operation: Operation, result: Result<Written, FileError>) {
    if let Some(reply) = operation.reply {
        // Whoever asked has gone; the edit is in the review all the same.
        let _gone = reply.send(result);
    }
}
