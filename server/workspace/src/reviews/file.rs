//! One reviewed file: its review, what is to happen to it, and what is happening.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use pollux_text::{Buffer, HunkKind, Review};

use super::Location;
use super::attempt::Attempt;
use super::behind::Behind;
use super::hands::{Hands, Leader};
use super::operation::{Operation, Planned, Selection};
use super::proposals::Named;
use super::road::{Road, Saved};
use crate::{DocumentKey, DoorId, EditId, FileKind, FileReview, SessionId, SyncState};

/// Everything the room knows of a file that the agent has touched.
///
/// While the file is open, the current text of the review is that of the view that changed last.
#[derive(Debug)]
pub(super) struct ReviewedFile {
    pub(super) at: Location,
    /// For people.
    pub(super) path: PathBuf,
    pub(super) review: Review,
    pub(super) presence: Presence,
    /// The editors whose text is the review's.
    pub(super) in_step: BTreeSet<DoorId>,
    /// The editors that have yet to take what others have taken.
    pub(super) behind: BTreeMap<DoorId, Behind>,
    pub(super) queue: VecDeque<Operation>,
    pub(super) under_way: Option<UnderWay>,
    /// Whether an editor has been asked to save what it has taken, and nobody has typed since.
    pub(super) save: Save,
    /// Whether the disk may hold something that nobody has looked at, because something was under way.
    pub(super) disk: DiskNews,
    /// The look at the disk that counts. What an earlier one found may be from before a change of ours.
    pub(super) reading: Option<EditId>,
    /// How it was when it went from the disk, in case it turns up under another name.
    pub(super) gone: Option<State>,
    /// How it was when the last door that had it open went, until the disk has said how much of that was saved.
    pub(super) left: Option<State>,
    /// The last edit that went to an editor, until it is known whether it is to be saved.
    pub(super) saving: Option<Saving>,
}

/// Whether there is a file, in the base and now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Presence {
    pub(super) base: Existence,
    pub(super) now: Existence,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Existence {
    Present,
    Missing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Save {
    NotAsked,
    Asked,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DiskNews {
    None,
    Unread,
}

/// A file that was saved before an edit is saved after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Saving {
    pub(super) id: EditId,
    pub(super) arrived: Arrived,
    /// What the disk had before the edit, once that is known.
    pub(super) was: Option<Saved>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrived {
    NotYet,
    Yes,
}

/// A file with its base, as an operation found or left it.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) review: Review,
    pub(super) presence: Presence,
}

/// The operation that a file waits for.
#[derive(Debug)]
pub(super) struct UnderWay {
    pub(super) operation: Operation,
    /// The session that wants it, if one does.
    pub(super) session: Option<SessionId>,
    pub(super) planned: Planned,
    /// The text it was planned for.
    pub(super) before: String,
    /// The text it is to lead to.
    pub(super) expected: String,
    pub(super) road: Road,
    pub(super) attempt: Attempt,
}

/// What readers were last shown.
#[derive(Debug, Default)]
pub(super) struct Shown {
    /// Nothing when something has moved since.
    pub(super) view: Option<Arc<FileReview>>,
    /// What the revision stands for.
    pub(super) revision: u64,
    pub(super) of: Option<(u64, u64)>,
    /// What each shown hunk is.
    pub(super) names: Vec<Named>,
    /// The text of a file that is open and not reviewed.
    pub(super) open: Option<Buffer>,
}

impl Presence {
    pub(super) const FILE: Self = Self {
        base: Existence::Present,
        now: Existence::Present,
    };
    pub(super) const NO_FILE: Self = Self {
        base: Existence::Missing,
        now: Existence::Missing,
    };

    pub(super) fn kind(self) -> FileKind {
        match (self.base, self.now) {
            (Existence::Missing, Existence::Present) => FileKind::Created,
            (Existence::Present, Existence::Missing) => FileKind::Deleted,
            _ => FileKind::Changed,
        }
    }
}

impl State {
    /// Whether the file itself is all there is to decide about: it comes or goes, and no line with it.
    pub(super) fn is_bare(&self) -> bool {
        is_bare(&self.review, self.presence)
    }
}

fn is_bare(review: &Review, presence: Presence) -> bool {
    presence.base != presence.now && review.is_empty()
}

impl ReviewedFile {
    pub(super) fn new(at: Location, path: PathBuf, text: &Buffer, presence: Presence) -> Self {
        Self {
            at,
            path,
            review: Review::new(text.clone()),
            presence,
            in_step: BTreeSet::new(),
            behind: BTreeMap::new(),
            queue: VecDeque::new(),
            under_way: None,
            save: Save::NotAsked,
            disk: DiskNews::None,
            reading: None,
            saving: None,
            gone: None,
            left: None,
        }
    }

    pub(super) fn state(&self) -> State {
        State {
            review: self.review.clone(),
            presence: self.presence,
        }
    }

    /// Whether nothing is left to decide and nothing is to happen.
    pub(super) fn is_settled(&self) -> bool {
        self.under_way.is_none()
            && self.queue.is_empty()
            && self.saving.is_none()
            && self.behind.is_empty()
            && self.presence.base == self.presence.now
            && self.review.is_empty()
            && self.gone.is_none()
    }

    /// Somebody has deleted or moved it. That is theirs: nothing is left to decide unless it comes back.
    pub(super) fn vanish(&mut self) {
        if self.presence.now == Existence::Missing {
            return;
        }
        let state = self.state();
        let is_pending = !state.review.is_empty() || state.presence.base != state.presence.now;
        self.review = Review::new(Buffer::default());
        self.review.succeed(&state.review);
        self.presence = Presence::NO_FILE;
        self.gone = is_pending.then_some(state);
    }

    /// It is there again, with what is to be decided about it. What has changed meanwhile is absorbed next.
    pub(super) fn come_back(&mut self) {
        if let Some(mut state) = self.gone.take() {
            state.review.succeed(&self.review);
            self.review = state.review;
            self.presence = state.presence;
        } else if self.presence == Presence::NO_FILE && self.review.is_empty() {
            // Whoever has made it, it was not the agent.
            self.presence = Presence::FILE;
        }
    }

    /// Whether a text that comes may have an operation in it.
    pub(super) fn is_on_its_way(&self) -> bool {
        let road = self.under_way.as_ref().map(|under_way| &under_way.road);
        matches!(road, Some(Road::Editor { .. } | Road::Disk { .. }))
    }

    /// See [`State::is_bare`].
    pub(super) fn is_bare(&self) -> bool {
        is_bare(&self.review, self.presence)
    }

    /// How many hunks a selection means.
    pub(super) fn count(&self, selection: &Selection) -> usize {
        match selection {
            Selection::One(_) => 1,
            Selection::All => self.review.len(),
            Selection::Of(origins) => {
                let hunks = self.review.hunks();
                hunks
                    .filter(|hunk| origins.contains(&hunk.origin().0))
                    .count()
            }
        }
    }

    /// How many of them are conflicts.
    pub(super) fn conflicts(&self, selection: &Selection) -> usize {
        let hunks = self.review.hunks();
        let conflicts = hunks.filter(|hunk| hunk.kind() == HunkKind::Conflict);
        let chosen = conflicts.filter(|hunk| match selection {
            Selection::One(id) => hunk.id() == *id,
            Selection::All => true,
            Selection::Of(origins) => origins.contains(&hunk.origin().0),
        });
        chosen.count()
    }

    /// Whether there is anything to decide about it.
    pub(super) fn is_pending(&self, selection: &Selection) -> bool {
        let comes_or_goes = self.presence.base != self.presence.now;
        self.count(selection) > 0 || (comes_or_goes && matches!(selection, Selection::All))
    }

    /// Goes on from an earlier state, if the file still is in it.
    pub(super) fn take_up(&mut self, state: &State) {
        if self
            .review
            .current()
            .is(&state.review.current().to_string())
        {
            self.review = state.review.clone();
            self.presence = state.presence;
        }
    }

    /// Goes by the text that counts, whoever has come or gone while something was under way.
    pub(super) fn follow(&mut self, hands: &Hands<'_>, key: &DocumentKey) {
        if let Leader::View(view) = hands.leader(key)
            && !self.in_step.contains(&view.door)
        {
            self.come_back();
            self.review.absorb(&view.text.to_string());
            self.presence.now = Existence::Present;
            self.look_around(hands, key);
        }
    }

    /// Which editors have the text of the review.
    pub(super) fn look_around(&mut self, hands: &Hands<'_>, key: &DocumentKey) {
        let views = hands.views(key);
        if views.is_empty() {
            self.behind.clear();
            return self.in_step.clear();
        }
        let text = self.review.current().to_string();
        let equal = views
            .iter()
            .filter(|view| view.sync == SyncState::Synced && view.text.is(&text));
        self.in_step = equal.map(|view| view.door).collect();
        let in_step = &self.in_step;
        self.behind.retain(|door, _| !in_step.contains(door));
    }

    /// An edit is in the text now.
    pub(super) fn arrived(&mut self, id: EditId) {
        match &mut self.saving {
            Some(saving) if saving.id == id => saving.arrived = Arrived::Yes,
            Some(_) | None => self.saving = None,
        }
    }

    /// It is known whether the disk had the text before the edit.
    pub(super) fn compared(&mut self, id: EditId, was: Saved) {
        if let Some(saving) = &mut self.saving
            && saving.id == id
        {
            saving.was.get_or_insert(was);
        }
    }

    /// Whether the moment to save has come. True once per edit.
    pub(super) fn is_to_be_saved(&mut self) -> bool {
        let Some(Saving {
            arrived: Arrived::Yes,
            was: Some(was),
            ..
        }) = self.saving
        else {
            return false;
        };
        self.saving = None;
        if was == Saved::Yes {
            self.save = Save::Asked;
        }
        was == Saved::Yes
    }
}
