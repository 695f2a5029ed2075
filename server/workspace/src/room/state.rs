//! The state of a room and how each message changes it.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;

use pollux_text::{Buffer, Edit, PositionEncoding, Range};
use tokio::sync::oneshot;
use tracing::{debug, warn};

use crate::editor::behind;
use crate::inbox::WeakInbox;
use crate::queries::Queries;
use crate::reviews::{Book, Hands, Records};
use crate::{
    CompanionAddress, CompanionWish, Configuration, ConfigurationSource, Disk, Document,
    DocumentKey, Door, DoorContext, DoorId, EditorAnswer, EditorQuery, EditorState, Input,
    Outbound, Outbox, Revision, Severity, Snapshot, SyncState, View,
};

/// Everything a room knows. Owned by its task; nobody else ever holds it.
pub struct RoomState {
    revision: Revision,
    roots: Arc<[PathBuf]>,
    documents: Arc<BTreeMap<DocumentKey, Arc<Document>>>,
    doors: BTreeMap<DoorId, DoorEntry>,
    editors: Arc<BTreeMap<DoorId, EditorState>>,
    configuration: Arc<Configuration>,
    reviews: Book,
    disk: Arc<dyn Disk>,
    reading: Reading,
    companion: Option<CompanionAddress>,
    queries: Queries,
    /// Who waits for the room to go beyond a revision.
    waiting: BTreeMap<Revision, Vec<oneshot::Sender<Arc<Snapshot>>>>,
    /// Who has asked for the reviews before they were read.
    early: Vec<oneshot::Sender<Arc<Snapshot>>>,
    source: Arc<dyn ConfigurationSource>,
    /// Weak, so that the room does not keep itself alive.
    inbox: WeakInbox,
}

/// A door that is in the room.
pub(crate) struct DoorEntry {
    context: DoorContext,
    pub(crate) encoding: PositionEncoding,
    companion: CompanionWish,
    pub(crate) outbox: Outbox,
    /// The problems this door has been told of. Each is worth one message.
    told: HashSet<String>,
}

impl DoorEntry {
    fn tell_companion(&self, companion: Option<&CompanionAddress>) {
        if self.companion == CompanionWish::Wanted {
            self.outbox.send(Outbound::Companion(companion.cloned()));
        }
    }
}

/// Settings are read by one thread at a time, and once more if anything changed meanwhile.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    Idle,
    Running,
    RunningAndStale,
}

impl RoomState {
    pub(crate) fn new(
        source: Arc<dyn ConfigurationSource>,
        disk: Arc<dyn Disk>,
        records: Option<Records>,
        inbox: WeakInbox,
    ) -> Self {
        Self {
            revision: Revision::first(),
            roots: Arc::from([]),
            documents: Arc::default(),
            doors: BTreeMap::new(),
            editors: Arc::default(),
            configuration: Arc::default(),
            reviews: Book::recording_in(records),
            disk,
            reading: Reading::Idle,
            companion: None,
            queries: Queries::default(),
            waiting: BTreeMap::new(),
            early: Vec::new(),
            source,
            inbox,
        }
    }

    pub(crate) fn handle(&mut self, input: Input) {
        match input {
            Input::DoorEntered(door) => self.door_entered(door),
            Input::DoorLeft(door) => self.door_left(door),
            Input::RootsChanged(roots) => {
                self.roots = roots;
                let roots = Arc::clone(&self.roots);
                self.review(|book, hands| book.roots_changed(hands, &roots));
                self.read_configuration();
            }
            Input::Opened {
                door,
                key,
                uri,
                language,
                version,
                text,
            } => {
                self.looked_at(door, &key, &uri, None);
                let view = View {
                    door,
                    uri: uri.into(),
                    language: language.into(),
                    version,
                    text: Buffer::from(text.as_str()),
                    sync: SyncState::Synced,
                };
                self.document(key.clone()).open(view);
                self.review(|book, hands| book.opened(hands, &key));
            }
            Input::Changed {
                door,
                key,
                version,
                edits,
            } => self.changed(door, &key, version, &edits),
            Input::Saved { door, key, text } => self.saved(door, &key, text),
            Input::Closed { door, key } => self.closed(door, &key),
            Input::EditorChanged { door, update } => {
                let asks_for_trust = update.trusted.is_some();
                if let Some(editor) = Arc::make_mut(&mut self.editors).get_mut(&door) {
                    editor.update(update);
                }
                if asks_for_trust {
                    self.read_configuration();
                }
            }
            Input::AskedAbout {
                door,
                key,
                uri,
                range,
            } => self.looked_at(door, &key, &uri, Some(range)),
            Input::MessagesLost(door) => self.messages_lost(door),
            Input::WatchedFilesChanged(door) => {
                debug!(%door, "settings changed on disk");
                return self.read_configuration();
            }
            Input::FilesChanged(paths) => {
                self.review(|book, hands| book.files_changed(hands, &paths));
            }
            Input::FilesRenamed(names) => self.review(|book, hands| {
                for (from, to) in &names {
                    book.renamed_by_person(hands, from, to);
                }
            }),
            Input::Asked(questions) => self.review(|book, _| book.asked(questions)),
            Input::TakeDecisions { session, reply } => {
                let _gone = reply.send(self.reviews.take_decisions(&session));
                return;
            }
            Input::ListenToDecisions { session, listener } => {
                self.reviews.listen(session, listener);
                return;
            }
            Input::BaseText { key, reply } => {
                let _gone = reply.send(self.reviews.base_text(&key));
                return;
            }
            Input::TurnFiles { turn, reply } => {
                let _gone = reply.send(self.reviews.turn_files(&turn));
                return;
            }
            Input::DecisionsSoFar {
                session,
                proposal,
                reply,
            } => {
                let so_far = self.reviews.decisions_so_far(&(session, proposal));
                let _gone = reply.send(so_far);
                return;
            }
            Input::CompanionMoved(companion) => return self.companion_moved(Some(companion)),
            Input::CompanionEnded { port } => {
                // Of two rooms that became one, only the other's may have ended.
                let is_ours = |companion: &CompanionAddress| companion.port == port;
                if self.companion.as_ref().is_some_and(is_ours) {
                    self.companion_moved(None);
                }
                return;
            }
            Input::AskEditor { door, query, reply } => return self.ask_editor(door, query, reply),
            Input::QueryAnswered {
                door,
                query,
                answer,
            } => return self.queries.answered(door, query, answer),
            Input::AgentEdit(edit) => self.review(|book, hands| book.agent_edits(hands, *edit)),
            Input::EditAnswered { door, op, outcome } => {
                self.review(|book, hands| book.edit_answered(hands, door, op, outcome));
            }
            Input::Review { command, reply } => {
                self.review(|book, hands| book.order(hands, command, reply));
            }
            Input::ReviewWork(work) => self.review(|book, hands| book.work_done(hands, work)),
            Input::Rest(reply) => return self.reviews.rest(Some(reply)),
            Input::FollowReviews(reply) => {
                let _gone = reply.send(self.reviews.follow());
                return;
            }
            Input::Configured(configuration) => self.configured(configuration),
            Input::Snapshot { after, reply } => return self.snapshot(after, reply),
            Input::ReviewSnapshot(reply) => {
                self.early.push(reply);
                return self.answer_early();
            }
            Input::Absorb(other) => self.absorb(*other),
            // The task takes this one itself: the state is to be moved, not changed.
            Input::MoveTo(_) => return,
        }
        self.advance();
    }

    /// Lets the reviews do something with what is around them.
    fn review<T>(&mut self, work: impl FnOnce(&mut Book, &Hands<'_>) -> T) -> T {
        let hands = Hands {
            documents: &self.documents,
            doors: &self.doors,
            inbox: &self.inbox,
            disk: &self.disk,
        };
        let done = work(&mut self.reviews, &hands);
        self.reviews.rest(None);
        self.answer_early();
        done
    }

    /// Tells whoever asked for the reviews before they were read.
    fn answer_early(&mut self) {
        if self.early.is_empty() || self.reviews.is_reading() {
            return;
        }
        let snapshot = self.freeze();
        for reply in std::mem::take(&mut self.early) {
            deliver(reply, Arc::clone(&snapshot));
        }
    }

    fn door_entered(&mut self, door: Door) {
        let editor = EditorState {
            encoding: door.encoding,
            queries: door.queries,
            ..EditorState::default()
        };
        Arc::make_mut(&mut self.editors).insert(door.id, editor);
        let entry = DoorEntry {
            context: door.context,
            encoding: door.encoding,
            companion: door.companion,
            outbox: door.outbox,
            told: HashSet::new(),
        };
        if self.companion.is_some() {
            entry.tell_companion(self.companion.as_ref());
        }
        self.doors.insert(door.id, entry);
        self.tell_problems();
        self.review(|book, hands| book.tell_notices(hands, door.id));
    }

    fn companion_moved(&mut self, companion: Option<CompanionAddress>) {
        self.companion = companion;
        for door in self.doors.values() {
            door.tell_companion(self.companion.as_ref());
        }
    }

    /// Passes a question on. Of a door that is not there nobody will answer.
    fn ask_editor(
        &mut self,
        door: DoorId,
        query: EditorQuery,
        reply: oneshot::Sender<EditorAnswer>,
    ) {
        let Some(entry) = self.doors.get(&door) else {
            return;
        };
        let Some(id) = self.queries.begin(door, reply) else {
            return;
        };
        let key = DocumentKey::File(query.file.clone());
        let views = self.documents.get(&key).map(|document| document.views());
        let own = views.and_then(|views| views.iter().find(|view| view.door == door));
        let uri = own.map(|view| view.uri.to_string());
        entry.outbox.send(Outbound::Query { id, uri, query });
    }

    fn door_left(&mut self, door: DoorId) {
        self.doors.remove(&door);
        self.queries.door_left(door);
        Arc::make_mut(&mut self.editors).remove(&door);
        let mut left = Vec::new();
        Arc::make_mut(&mut self.documents).retain(|key, document| {
            if document.views().iter().any(|view| view.door == door) {
                left.push(key.clone());
                Arc::make_mut(document).close(door);
            }
            !document.is_closed()
        });
        for key in left {
            self.review(|book, hands| book.left(hands, door, &key));
        }
        // What its editor said of trust, and its environment, went with it.
        self.read_configuration();
    }

    fn looked_at(&mut self, door: DoorId, key: &DocumentKey, uri: &str, range: Option<Range>) {
        if let Some(editor) = Arc::make_mut(&mut self.editors).get_mut(&door) {
            editor.looked_at(key, uri, range);
        }
    }

    fn document(&mut self, key: DocumentKey) -> &mut Document {
        let documents = Arc::make_mut(&mut self.documents);
        Arc::make_mut(documents.entry(key).or_default())
    }

    fn view(&mut self, door: DoorId, key: &DocumentKey) -> Option<&mut View> {
        let documents = Arc::make_mut(&mut self.documents);
        Arc::make_mut(documents.get_mut(key)?).touch(door)
    }

    fn changed(&mut self, door: DoorId, key: &DocumentKey, version: i32, edits: &[Edit]) {
        let Some(entry) = self.doors.get(&door) else {
            return;
        };
        let encoding = entry.encoding;
        let is_ours = self.reviews.is_on_its_way(key);
        let Some(view) = self.view(door, key) else {
            warn!(%door, "a change to a document that is not open");
            return;
        };
        if !is_ours {
            let uri = Arc::clone(&view.uri);
            let cursor = edits.last().and_then(|edit| behind(edit, encoding));
            let range = cursor.map(|cursor| Range {
                start: cursor,
                end: cursor,
            });
            self.looked_at(door, key, &uri, range);
        }
        let Some(view) = self.view(door, key) else {
            return;
        };
        let Err(misfit) = view.change(version, edits, encoding) else {
            return self.review(|book, hands| book.changed(hands, door, key, edits, encoding));
        };
        warn!(%door, version, %misfit, "a change does not fit");
        let uris = vec![view.uri.to_string()];
        self.send(door, Outbound::Resync { uris });
        self.review(|book, hands| book.changed(hands, door, key, edits, encoding));
    }

    fn saved(&mut self, door: DoorId, key: &DocumentKey, text: Option<String>) {
        let Some(view) = self.view(door, key) else {
            return;
        };
        let Some(text) = text else {
            return self.review(|book, hands| book.saved(hands, key));
        };
        // Editors get their own changes wrong at times: Neovim 0.7 loses the last line end of a
        // file that was emptied. What they save is what they have.
        if view.sync == SyncState::Desynced || !view.text.is(&text) {
            warn!(%door, "the saved text is not the one that was reported; taking the saved one");
        }
        // Taken in any case: a text that was just read takes less room than one that was edited.
        view.text = Buffer::from(text.as_str());
        view.sync = SyncState::Synced;
        self.review(|book, hands| book.saved(hands, key));
    }

    fn closed(&mut self, door: DoorId, key: &DocumentKey) {
        if let Some(editor) = Arc::make_mut(&mut self.editors).get_mut(&door) {
            editor.looked_away(key);
        }
        let documents = Arc::make_mut(&mut self.documents);
        let Some(document) = documents.get_mut(key) else {
            return;
        };
        let document = Arc::make_mut(document);
        document.close(door);
        if document.is_closed() {
            documents.remove(key);
        }
        self.review(|book, hands| book.closed(hands, door, key));
    }

    fn messages_lost(&mut self, door: DoorId) {
        let mut uris = Vec::new();
        for document in Arc::make_mut(&mut self.documents).values_mut() {
            if let Some(view) = Arc::make_mut(document).touch(door) {
                view.sync = SyncState::Desynced;
                uris.push(view.uri.to_string());
            }
        }
        if !uris.is_empty() {
            self.send(door, Outbound::Resync { uris });
        }
    }

    fn send(&self, door: DoorId, message: Outbound) {
        if let Some(entry) = self.doors.get(&door) {
            entry.outbox.send(message);
        }
    }

    /// Reads the settings on a thread of their own; the result comes back through the inbox.
    fn read_configuration(&mut self) {
        if self.reading != Reading::Idle {
            self.reading = Reading::RunningAndStale;
            return;
        }
        if self.doors.is_empty() {
            return;
        }
        let Some(inbox) = self.inbox.upgrade() else {
            return;
        };
        self.reading = Reading::Running;
        let source = Arc::clone(&self.source);
        let roots = Arc::clone(&self.roots);
        // The newest door is the one a person has just come through: what is wrong there is told first.
        let doors = self.doors.values().rev();
        let contexts: Vec<DoorContext> = doors.map(|entry| entry.context.clone()).collect();
        let trusted = strictest(self.editors.values().filter_map(|editor| editor.trusted));
        tokio::task::spawn_blocking(move || {
            let load = || {
                let read = contexts
                    .iter()
                    .map(|context| source.load(&roots, context, trusted));
                read.reduce(Configuration::and).unwrap_or_default()
            };
            // Whatever happens in there, the room must learn that the reading is over.
            let configuration =
                catch_unwind(AssertUnwindSafe(load)).unwrap_or_else(|_| Configuration {
                    problems: vec![
                        "the settings could not be read; the log has the details".to_owned(),
                    ],
                    ..Configuration::default()
                });
            inbox.post(Input::Configured(configuration));
        });
    }

    fn configured(&mut self, configuration: Configuration) {
        self.configuration = Arc::new(configuration);
        self.tell_problems();
        let was = std::mem::replace(&mut self.reading, Reading::Idle);
        if was == Reading::RunningAndStale {
            self.read_configuration();
        }
    }

    fn tell_problems(&mut self) {
        for entry in self.doors.values_mut() {
            // A problem that went away and comes back is news again.
            entry
                .told
                .retain(|told| self.configuration.problems.contains(told));
            for problem in &self.configuration.problems {
                if entry.told.insert(problem.clone()) {
                    entry.outbox.send(Outbound::Message {
                        severity: Severity::Warning,
                        text: problem.clone(),
                    });
                }
            }
        }
    }

    fn snapshot(&mut self, after: Option<Revision>, reply: oneshot::Sender<Arc<Snapshot>>) {
        match after {
            Some(after) if after >= self.revision => {
                // Whoever gave up waiting must not be remembered for ever.
                self.waiting.retain(|_, waiting| {
                    waiting.retain(|reply| !reply.is_closed());
                    !waiting.is_empty()
                });
                self.waiting.entry(after).or_default().push(reply);
            }
            _ => {
                let snapshot = self.freeze();
                deliver(reply, snapshot);
            }
        }
    }

    #[cfg(test)]
    pub(crate) fn book(&self) -> &Book {
        &self.reviews
    }

    #[cfg(test)]
    pub(crate) fn documents(&self) -> &BTreeMap<DocumentKey, Arc<Document>> {
        &self.documents
    }

    #[cfg(test)]
    pub(crate) fn shown(&mut self) -> Arc<crate::Reviews> {
        self.reviews.shown()
    }

    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        self.waiting.values().map(Vec::len).sum()
    }

    fn advance(&mut self) {
        self.revision.0 += 1;
        if self
            .waiting
            .first_key_value()
            .is_none_or(|(after, _)| *after >= self.revision)
        {
            return;
        }
        let still_waiting = self.waiting.split_off(&self.revision);
        let ready = std::mem::replace(&mut self.waiting, still_waiting);
        let snapshot = self.freeze();
        for reply in ready.into_values().flatten() {
            deliver(reply, Arc::clone(&snapshot));
        }
    }

    fn freeze(&mut self) -> Arc<Snapshot> {
        Arc::new(Snapshot {
            revision: self.revision,
            roots: Arc::clone(&self.roots),
            documents: Arc::clone(&self.documents),
            editors: Arc::clone(&self.editors),
            configuration: Arc::clone(&self.configuration),
            reviews: self.reviews.shown(),
        })
    }

    fn absorb(&mut self, other: RoomState) {
        self.revision = self.revision.max(other.revision);
        for door in other.doors.values() {
            door.tell_companion(self.companion.as_ref());
        }
        self.doors.extend(other.doors);
        let editors = Arc::make_mut(&mut self.editors);
        editors.extend(Arc::unwrap_or_clone(other.editors));
        let documents = Arc::make_mut(&mut self.documents);
        for (key, document) in Arc::unwrap_or_clone(other.documents) {
            Arc::make_mut(documents.entry(key).or_default()).absorb(Arc::unwrap_or_clone(document));
        }
        for (after, replies) in other.waiting {
            self.waiting.entry(after).or_default().extend(replies);
        }
        self.reviews.join(other.reviews);
        self.early.extend(other.early);
        self.queries.join(&other.queries);
        self.read_configuration();
    }
}

/// Rooms hold texts; a log gets the outline only.
impl fmt::Debug for RoomState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RoomState")
            .field("revision", &self.revision)
            .field("roots", &self.roots)
            .field("documents", &self.documents.len())
            .field("doors", &self.doors.len())
            .finish_non_exhaustive()
    }
}

/// What all editors together say of trust. One that says nothing leaves it to the others.
fn strictest(opinions: impl Iterator<Item = bool>) -> Option<bool> {
    opinions.reduce(|all, one| all && one)
}

fn deliver(reply: oneshot::Sender<Arc<Snapshot>>, snapshot: Arc<Snapshot>) {
    // The request was cancelled meanwhile; that is the requester's right.
    let _cancelled = reply.send(snapshot);
}
