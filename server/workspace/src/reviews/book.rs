//! All reviews of a room, and how an edit of the agent gets among them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use pollux_text::Buffer;
use tokio::sync::{oneshot, watch};

use super::commands::Reply;
use super::comments::Comments;
use super::decided::Decided;
use super::file::{Presence, ReviewedFile, Shown};
use super::hands::{Hands, Leader};
use super::history::History;
use super::notices::Notices;
use super::operation::{Deed, Operation};
use super::origins::Origins;
use super::proposals::Proposals;
use super::record::{NotRecorded, Recorder, Records};
use super::rejected::RejectedHunks;
use super::rename::{Name, Renamed};
use super::tally::Listeners;
use super::unsaved::Unsaved;
use super::{Location, agent_edit};
use crate::{AgentChange, AgentEdit, DocumentKey, ReviewCommand, Reviews, Revision};

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
    pub(super) listeners: Listeners,
    pub(super) stale: BTreeSet<DocumentKey>,
    /// Whether anything has moved since.
    pub(super) has_moved: bool,
    pub(super) moved: watch::Sender<u64>,
    /// Where records lie, if there are to be any.
    pub(super) records: Option<Records>,
    pub(super) recorders: BTreeMap<PathBuf, Recorder>,
    /// Folders whose record is still being read, and the edits that wait for that.
    pub(super) reading: BTreeSet<PathBuf>,
    pub(super) waiting: Vec<AgentEdit>,
    /// Folders whose record cannot be opened for now.
    pub(super) blocked: BTreeMap<PathBuf, NotRecorded>,
    /// What people are to know about records, each once.
    pub(super) notices: Notices,
    pub(super) deferred: Vec<(ReviewCommand, Reply)>,
    /// Who wants to know when nothing is under way any more.
    pub(super) resting: Vec<oneshot::Sender<()>>,
    pub(super) unsaved: Unsaved,
    /// Files that were new or have changed, and are not reviewed; the newest last.
    pub(super) appeared: VecDeque<PathBuf>,
    /// The last step of which people were told that it was not done.
    pub(super) given_up: Option<u64>,
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
            listeners: Listeners::default(),
            stale: BTreeSet::new(),
            has_moved: false,
            moved: watch::Sender::new(0),
            records: None,
            recorders: BTreeMap::new(),
            reading: BTreeSet::new(),
            waiting: Vec::new(),
            blocked: BTreeMap::new(),
            notices: Notices::default(),
            deferred: Vec::new(),
            resting: Vec::new(),
            unsaved: Unsaved::default(),
            appeared: VecDeque::new(),
            given_up: None,
            // Beyond whatever an earlier host came to: a name of then must not mean something now.
            numbers: Revision::first().0,
        }
    }
}

impl Book {
    pub(crate) fn recording_in(records: Option<Records>) -> Self {
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
        let edit = match self.blocked.get(&edit.at.root) {
            Some(why) if !edit.change.has_happened() => {
                // Whoever asked has gone; nothing was done.
                let _gone = edit.reply.send(Err(why.error()));
                return;
            }
            _ => edit,
        };
        let AgentEdit {
            key,
            at,
            path,
            origin,
            call,
            standing,
            change,
            reply,
            cancel,
        } = edit;
        let name = Name {
            key: key.clone(),
            at: at.clone(),
            path: path.clone(),
        };
        if let AgentChange::Rename { from, text } = &change {
            let from = Name::below(&at.root, from);
            self.take_up_renamed(
                hands,
                &Renamed {
                    from,
                    to: name.clone(),
                },
                text,
            );
        }
        let (assumed, presence) = match &change {
            AgentChange::Rename { text, .. } => (&**text, Presence::FILE),
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
                AgentChange::Rename { from, .. } => Deed::Renamed {
                    renamed: Renamed {
                        from: Name::below(&at.root, &from),
                        to: name,
                    },
                    origin,
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
            carries: None,
            reply: Some(reply),
            cancel,
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

    pub(super) fn recorder_of(&self, key: &DocumentKey) -> Option<&Recorder> {
        let root = self.files.get(key).map(|file| &file.at.root);
        match root {
            Some(root) => self.recorders.get(root),
            None => self.recorders.values().next(),
        }
    }

    /// Whether it is not known yet what earlier days have left.
    pub(crate) fn is_reading(&self) -> bool {
        !self.reading.is_empty()
    }

    /// Tells whoever waits for it that nothing is under way.
    pub(crate) fn rest(&mut self, waits: Option<oneshot::Sender<()>>) {
        self.resting.extend(waits);
        let is_idle = |file: &ReviewedFile| file.under_way.is_none() && file.queue.is_empty();
        if self.resting.is_empty() || !self.reading.is_empty() || !self.files.values().all(is_idle)
        {
            return;
        }
        for waiting in std::mem::take(&mut self.resting) {
            let _gone = waiting.send(());
        }
    }

    /// Two rooms have become one.
    pub(crate) fn join(&mut self, other: Self) {
        self.numbers = self.numbers.max(other.numbers);
        self.recorders.extend(other.recorders);
        self.reading.extend(other.reading);
        self.waiting.extend(other.waiting);
        self.blocked.extend(other.blocked);
        self.notices.join(other.notices);
        self.deferred.extend(other.deferred);
        self.resting.extend(other.resting);
        self.unsaved.join(other.unsaved);
        self.history.join(other.history);
        self.comments.join(other.comments);
        self.decided.join(other.decided);
        self.listeners.join(other.listeners);
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
