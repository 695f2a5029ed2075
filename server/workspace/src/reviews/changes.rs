//! What editors and the disk tell of a reviewed file.

use pollux_agent::FileError;
use pollux_text::{Edit, PositionEncoding};

use super::Work;
use super::arrival::Judged;
use super::behind::CaughtUp;
use super::book::Book;
use super::file::{DiskNews, Existence, ReviewedFile, Save, State};
use super::hands::{Hands, Leader};
use super::road::Road;
use super::unsaved::TakenUp;
use crate::{DocumentKey, DoorId, EditId, View};

impl Book {
    /// An editor has opened a file. One that somebody else has open already goes by their text.
    pub(crate) fn opened(&mut self, hands: &Hands<'_>, key: &DocumentKey) {
        if self.take_up_unsaved(hands, key) == TakenUp::Yes {
            return;
        }
        let Some(file) = self.files.get_mut(key) else {
            return self.look_for_renamed(hands, key);
        };
        file.left = None;
        let road = file.under_way.as_ref().map(|under_way| &under_way.road);
        if let Leader::View(view) = hands.leader(key)
            && hands.views(key).len() == 1
        {
            let text = view.text.to_string();
            match road {
                // What they have may be from before it or from after, and they may type next. If it is from before, they are
                // asked when the disk is done.
                Some(Road::Disk { .. }) => {
                    if self.judge(hands, key, &text) == Judged::Arrived {
                        self.advance(hands, key);
                        return self.touch(key);
                    }
                }
                // Whoever was asked has closed the file before it was known what became of that.
                Some(Road::Editor { .. }) => {
                    match self.judge(hands, key, &text) {
                        Judged::Arrived => self.advance(hands, key),
                        Judged::NotYet => self.again(hands, key),
                    }
                    return self.touch(key);
                }
                Some(Road::Waiting { .. }) => {
                    self.again(hands, key);
                    return self.touch(key);
                }
                None if !file.review.is_empty() && file.review.base().is(&text) => {
                    return self.compare_opened(hands, key, text);
                }
                Some(Road::Record { .. }) | None => {
                    file.come_back();
                    file.review.absorb(&text);
                    file.presence.now = Existence::Present;
                }
            }
        }
        if let Some(file) = self.files.get_mut(key) {
            file.look_around(hands, key);
        }
        self.touch(key);
    }

    /// An editor may read a file just before the agent's edit is written, and tell of it just after. The disk says whether
    /// that is so, or whether somebody has put the file back.
    fn compare_opened(&mut self, hands: &Hands<'_>, key: &DocumentKey, without: String) {
        let Some(file) = self.files.get(key) else {
            return;
        };
        let (at, wanted) = (file.at.clone(), Box::new(file.state()));
        let broken = Work::OpenedBefore {
            key: key.clone(),
            without: without.clone(),
            wanted: wanted.clone(),
            result: Err(FileError::NotFound),
        };
        let key = key.clone();
        hands.elsewhere(
            move |disk| Work::OpenedBefore {
                result: disk.read(&at),
                key,
                without,
                wanted,
            },
            move || broken,
        );
    }

    pub(super) fn opened_before(
        &mut self,
        hands: &Hands<'_>,
        key: &DocumentKey,
        without: String,
        wanted: Box<State>,
        result: Result<Option<String>, FileError>,
    ) {
        let Some(file) = self.files.get_mut(key) else {
            return;
        };
        file.follow(hands, key);
        let is_behind = matches!(&result, Ok(Some(text)) if wanted.review.current().is(text));
        if is_behind && matches!(hands.leader(key), Leader::View(_)) {
            let operation = self.catching_up(without, wanted);
            self.queue(hands, key, operation);
        }
        self.advance(hands, key);
        self.touch(key);
    }

    /// Whether an edit of ours is on its way into a file, so that a change need not be the person's.
    pub(crate) fn is_on_its_way(&self, key: &DocumentKey) -> bool {
        self.files.get(key).is_some_and(|file| file.is_on_its_way())
    }

    /// An editor has changed its text. `edits` are what it reports; they are in the view already.
    pub(crate) fn changed(
        &mut self,
        hands: &Hands<'_>,
        door: DoorId,
        key: &DocumentKey,
        edits: &[Edit],
        encoding: PositionEncoding,
    ) {
        if self.unsaved.may_be_in(key) {
            if self.take_up_unsaved(hands, key) == TakenUp::Yes {
                return;
            }
            self.forget_unsaved(key);
        }
        if self.behind_changed(hands, key, door) == CaughtUp::OnItsWay {
            return;
        }
        let Some(file) = self.files.get_mut(key) else {
            return self.look_at_open(hands, key);
        };
        let Leader::View(view) = hands.leader(key) else {
            file.in_step.remove(&door);
            return;
        };
        if file.is_on_its_way() {
            let now = view.text.to_string();
            if self.judge(hands, key, &now) == Judged::Arrived {
                return self.advance(hands, key);
            }
        }
        let Some(file) = self.files.get_mut(key) else {
            return;
        };
        let absorbs = !file.in_step.contains(&door)
            || edits.iter().any(|edit| matches!(edit, Edit::Replace(_)));
        match (self.comments.has(key), absorbs) {
            (false, _) => {}
            (true, false) => {
                for edit in edits {
                    self.comments.edited(key, edit);
                }
            }
            (true, true) => {
                let before = file.review.current().to_string();
                self.comments.changed(key, &before, &view.text.to_string());
            }
        }
        file.take(door, view, edits, encoding);
        if hands.views(key).len() > 1 {
            file.look_around(hands, key);
        }
        let road = file.under_way.as_ref().map(|under_way| &under_way.road);
        let answered = match road {
            Some(Road::Editor { doors, .. }) => {
                doors.get(&door).is_some_and(|asked| asked.answer.is_some())
            }
            Some(Road::Waiting { .. }) => true,
            Some(Road::Record { .. } | Road::Disk { .. }) | None => false,
        };
        self.touch(key);
        // It has gone on without the edit, or is there again.
        if answered {
            self.again(hands, key);
        }
    }

    /// Proposals for a file that is not reviewed move with its text all the same.
    fn look_at_open(&mut self, hands: &Hands<'_>, key: &DocumentKey) {
        if let Leader::View(view) = hands.leader(key)
            && let Some(shown) = self.shown_files.get_mut(key)
        {
            shown.open = Some(view.text.clone());
            self.touch(key);
        }
    }

    /// An editor has written the file.
    pub(crate) fn saved(&mut self, hands: &Hands<'_>, key: &DocumentKey) {
        let Some(file) = self.files.get_mut(key) else {
            return;
        };
        file.save = Save::NotAsked;
        let Leader::View(view) = hands.leader(key) else {
            return;
        };
        if file.is_on_its_way() {
            let now = view.text.to_string();
            if self.judge(hands, key, &now) == Judged::Arrived {
                self.advance(hands, key);
            }
        } else if !file.in_step.contains(&view.door) {
            file.review.absorb(&view.text.to_string());
            file.look_around(hands, key);
            self.touch(key);
        }
    }

    /// An editor has closed the file, or has gone.
    pub(crate) fn closed(&mut self, hands: &Hands<'_>, door: DoorId, key: &DocumentKey) {
        let Some(file) = self.files.get_mut(key) else {
            return;
        };
        file.in_step.remove(&door);
        file.behind.remove(&door);
        let waits = match file.under_way.as_mut().map(|under_way| &mut under_way.road) {
            Some(Road::Editor { doors, .. }) => {
                doors.remove(&door);
                doors.is_empty()
            }
            Some(Road::Waiting { .. }) => true,
            Some(Road::Disk { .. } | Road::Record { .. }) | None => false,
        };
        match hands.leader(key) {
            // What it had and did not save is gone with it.
            Leader::Disk => self.read_disk(hands, key),
            Leader::View(view) => {
                if let Some(file) = self.files.get_mut(key) {
                    file.come_back();
                    file.review.absorb(&view.text.to_string());
                    file.look_around(hands, key);
                }
                self.touch(key);
                if waits {
                    self.again(hands, key);
                }
            }
            Leader::OutOfStep => {}
        }
    }

    /// Something outside has changed files.
    pub(crate) fn files_changed(&mut self, hands: &Hands<'_>, paths: &[std::path::PathBuf]) {
        for path in paths {
            let key = DocumentKey::File(path.clone());
            if let Some(file) = self.files.get_mut(&key) {
                file.disk = DiskNews::Unread;
                self.look_at_disk(hands, &key);
            } else {
                self.appeared(path);
            }
        }
        let gone = self.files.iter().filter(|(_, file)| file.gone.is_some());
        for key in gone.map(|(key, _)| key.clone()).collect::<Vec<_>>() {
            self.look_for_moved(hands, &key);
        }
    }

    /// Reads what has changed outside, once nothing is under way that would be mistaken for it.
    pub(super) fn look_at_disk(&mut self, hands: &Hands<'_>, key: &DocumentKey) {
        let Some(file) = self.files.get_mut(key) else {
            return;
        };
        if file.disk == DiskNews::Unread && file.under_way.is_none() {
            file.disk = DiskNews::None;
            if matches!(hands.leader(key), Leader::Disk) {
                self.read_disk(hands, key);
            }
        }
    }

    pub(super) fn read_disk(&mut self, hands: &Hands<'_>, key: &DocumentKey) {
        let id = EditId(self.number());
        let Some(file) = self.files.get_mut(key) else {
            return;
        };
        file.reading = Some(id);
        let (at, key, other) = (file.at.clone(), key.clone(), key.clone());
        hands.elsewhere(
            move |disk| Work::Read {
                result: disk.read(&at),
                key,
                id,
            },
            move || Work::Read {
                key: other,
                id,
                result: Err(FileError::NotFound),
            },
        );
    }

    /// What a closed file holds.
    pub(super) fn read(
        &mut self,
        hands: &Hands<'_>,
        key: &DocumentKey,
        id: EditId,
        result: Result<Option<String>, FileError>,
    ) {
        let Some(file) = self.files.get_mut(key) else {
            return;
        };
        if file.reading != Some(id) {
            return;
        }
        file.reading = None;
        if !matches!(hands.leader(key), Leader::Disk) {
            // Whoever is back shows what they have.
            file.left = None;
            return;
        }
        let left = file.left.take();
        let road = file.under_way.as_ref().map(|under_way| &under_way.road);
        match (result, road) {
            // Who knows what was read first. It is looked at once more when that is over.
            (_, Some(Road::Disk { .. })) => {
                file.left = left;
                file.disk = DiskNews::Unread;
                return;
            }
            (Ok(text), on_its_way) => {
                let was_asked =
                    matches!(on_its_way, Some(Road::Editor { .. } | Road::Waiting { .. }));
                let now = text.clone().unwrap_or_default();
                if was_asked && self.judge(hands, key, &now) == Judged::Arrived {
                    return self.advance(hands, key);
                }
                if let Some(left) = left {
                    self.may_be_unsaved(key, left, &now);
                }
                self.absorb(key, text.as_deref());
                self.look_for_moved(hands, key);
                if was_asked {
                    self.again(hands, key);
                }
            }
            // A file that cannot be read is found out about when it is written.
            (Err(_), Some(Road::Editor { .. } | Road::Waiting { .. })) => self.again(hands, key),
            (Err(_), Some(Road::Record { .. }) | None) => {}
        }
        self.advance(hands, key);
    }

    /// The file became this; nothing stands for no file.
    pub(super) fn absorb(&mut self, key: &DocumentKey, text: Option<&str>) {
        let Some(file) = self.files.get_mut(key) else {
            return;
        };
        if self.comments.has(key) {
            let before = file.review.current().to_string();
            self.comments
                .changed(key, &before, text.unwrap_or_default());
        }
        match text {
            Some(text) => {
                file.come_back();
                file.review.absorb(text);
                file.presence.now = Existence::Present;
            }
            None => file.vanish(),
        }
        self.touch(key);
    }
}

impl ReviewedFile {
    /// Takes in what a person did.
    fn take(&mut self, door: DoorId, view: &View, edits: &[Edit], encoding: PositionEncoding) {
        // What a person types is theirs to save.
        self.save = Save::NotAsked;
        self.saving = None;
        if !self.in_step.contains(&door) {
            self.review.absorb(&view.text.to_string());
            self.in_step = [door].into();
            return;
        }
        for edit in edits {
            let splice = match edit {
                Edit::Replace(_) => None,
                Edit::Splice { .. } => self.review.current().splice_of(edit, encoding).ok(),
            };
            let Some(splice) = splice else {
                self.review.absorb(&view.text.to_string());
                break;
            };
            self.review.splice(splice.range, &splice.text);
        }
        self.in_step.retain(|other| *other == door);
    }
}
