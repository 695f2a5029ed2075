//! A disk in memory, an editor that does as it is told, and a room between them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use pollux_agent::api::{CallId, TurnId};
use pollux_agent::{FileError, Standing, Written};
use pollux_text::{Buffer, Edit, Position, PositionEncoding, Range};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::{AgentChange, AgentEdit, Disk, Location, Replaced};
use crate::{
    CommandDone, CompanionWish, Configuration, ConfigurationSource, DocumentKey, Door, DoorContext,
    DoorId, EditId, EditOutcome, FileReview, HunkName, HunkState, Inbox, Input, Lease, Origin,
    Outbound, Outbox, ReviewCommand, ReviewError, Reviews, Rooms, Scope, SessionId, Snapshot,
};

/// Files that live in memory.
#[derive(Default)]
pub(crate) struct MemoryDisk(Mutex<BTreeMap<PathBuf, String>>);

impl MemoryDisk {
    pub(crate) fn empty() -> Arc<Self> {
        Arc::default()
    }

    pub(crate) fn put(&self, path: &str, text: &str) {
        let path = place(path);
        self.0.lock().unwrap().insert(path, text.to_owned());
    }

    pub(super) fn take(&self, path: &str) -> Option<String> {
        self.0.lock().unwrap().remove(&place(path))
    }

    pub(crate) fn text(&self, path: &str) -> Option<String> {
        self.0.lock().unwrap().get(&place(path)).cloned()
    }
}

impl Disk for MemoryDisk {
    fn read(&self, at: &Location) -> Result<Option<String>, FileError> {
        Ok(self.0.lock().unwrap().get(&at.path).cloned())
    }

    fn replace(
        &self,
        at: &Location,
        before: Option<&str>,
        after: Option<&str>,
    ) -> Result<Replaced, FileError> {
        let mut files = self.0.lock().unwrap();
        let found = files.get(&at.path).cloned();
        if found.as_deref() != before {
            return Ok(Replaced::Differs(found));
        }
        match after {
            Some(text) => files.insert(at.path.clone(), text.to_owned()),
            None => files.remove(&at.path),
        };
        Ok(Replaced::Done)
    }

    fn rename(&self, from: &Location, to: &Location) -> Result<(), FileError> {
        let mut files = self.0.lock().unwrap();
        if files.contains_key(&to.path) {
            return Err(FileError::Exists);
        }
        let text = files.remove(&from.path).ok_or(FileError::NotFound)?;
        files.insert(to.path.clone(), text);
        Ok(())
    }
}

pub(super) struct NoSettings;

impl ConfigurationSource for NoSettings {
    fn load(&self, _: &[PathBuf], _: &DoorContext, _: Option<bool>) -> Configuration {
        Configuration::default()
    }
}

pub(super) const ROOT: &str = "/w";

pub(super) fn place(path: &str) -> PathBuf {
    Path::new(ROOT).join(path)
}

pub(super) fn key(path: &str) -> DocumentKey {
    DocumentKey::File(place(path))
}

pub(super) fn turn(number: u64) -> Origin {
    Origin {
        session: SessionId::from("s"),
        turn: TurnId(number),
    }
}

/// A room with a session in it.
pub(super) struct Stage {
    pub(super) rooms: Rooms,
    pub(super) disk: Arc<MemoryDisk>,
    pub(super) lease: Lease,
    turn: u64,
    /// Of the turn.
    pub(super) cancel: CancellationToken,
}

/// What a tool waits for.
pub(super) type Edited = oneshot::Receiver<Result<Written, FileError>>;

impl Stage {
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        let disk = MemoryDisk::empty();
        for (path, text) in files {
            disk.put(path, text);
        }
        let rooms = Rooms::new(Arc::new(NoSettings), Arc::clone(&disk) as Arc<dyn Disk>);
        let lease = rooms.lease(PathBuf::from(ROOT));
        Self {
            rooms,
            disk,
            lease,
            turn: 1,
            cancel: CancellationToken::new(),
        }
    }

    /// A room that keeps its reviews in a folder, on a disk that is there already.
    pub(super) fn recording(disk: &Arc<MemoryDisk>, records: &Path) -> Self {
        Self::recording_through(Arc::clone(disk) as Arc<dyn Disk>, disk, records)
    }

    /// The same, with something between the room and the disk.
    pub(super) fn recording_through(
        way: Arc<dyn Disk>,
        disk: &Arc<MemoryDisk>,
        records: &Path,
    ) -> Self {
        let rooms = Rooms::new(Arc::new(NoSettings), way).recording_in(records.to_owned());
        let lease = rooms.lease(PathBuf::from(ROOT));
        Self {
            rooms,
            disk: Arc::clone(disk),
            lease,
            turn: 1,
            cancel: CancellationToken::new(),
        }
    }

    /// Waits until something is pending in a file, or nothing any more.
    pub(super) async fn shows(&self, path: &str, hunks: &str) {
        let mut moves = self.moves().await;
        while self.hunks(path).await != hunks {
            moves.changed().await.unwrap();
        }
    }

    pub(super) fn next_turn(&mut self) {
        self.turn += 1;
    }

    pub(super) fn editor(&self, number: u64) -> FakeEditor {
        let (outbox, outbound) = Outbox::new(64, CancellationToken::new());
        let id = DoorId::new(number);
        let door = Door {
            id,
            context: DoorContext::default(),
            editor: None,
            companion: CompanionWish::default(),
            queries: std::collections::BTreeSet::default(),
            encoding: PositionEncoding::Utf16,
            outbox,
        };
        FakeEditor {
            id,
            inbox: self.rooms.enter(door, vec![PathBuf::from(ROOT)]),
            outbound,
            files: BTreeMap::new(),
        }
    }

    fn post(&self, path: &str, change: AgentChange, standing: Standing) -> Edited {
        let (reply, answer) = oneshot::channel();
        let edit = AgentEdit {
            key: key(path),
            at: Location {
                root: PathBuf::from(ROOT),
                path: place(path),
            },
            path: PathBuf::from(path),
            origin: turn(self.turn),
            call: CallId::new("call"),
            standing,
            change,
            reply,
            cancel: self.cancel.clone(),
        };
        self.lease.inbox().post(Input::AgentEdit(Box::new(edit)));
        answer
    }

    /// The agent edits a file; the edit stays pending.
    pub(super) fn edit(&self, path: &str, read: &str, proposed: &str) -> Edited {
        self.edit_as(path, read, proposed, Standing::Pending)
    }

    pub(super) fn edit_as(
        &self,
        path: &str,
        read: &str,
        proposed: &str,
        standing: Standing,
    ) -> Edited {
        let change = AgentChange::Edit {
            read: read.into(),
            proposed: proposed.into(),
        };
        self.post(path, change, standing)
    }

    pub(super) fn create(&self, path: &str, text: &str) -> Edited {
        self.post(
            path,
            AgentChange::Create { text: text.into() },
            Standing::Pending,
        )
    }

    /// A command has changed a file.
    pub(super) fn shell(&self, path: &str, before: Option<&str>, after: Option<&str>) -> Edited {
        let change = AgentChange::Shell {
            before: before.map(Into::into),
            after: after.map(Into::into),
        };
        self.post(path, change, Standing::Pending)
    }

    /// A command has renamed a file.
    pub(super) fn moved(&self, from: &str, to: &str, text: &str) -> Edited {
        let change = AgentChange::Rename {
            from: place(from),
            text: text.into(),
        };
        self.post(to, change, Standing::Pending)
    }

    /// Something outside has written a file.
    pub(super) fn files_changed(&self, path: &str) {
        let changed = Input::FilesChanged(vec![place(path)]);
        self.lease.inbox().post(changed);
    }

    pub(super) async fn snapshot(&self) -> Arc<Snapshot> {
        self.lease.snapshot().await.unwrap()
    }

    pub(super) async fn reviews(&self) -> Arc<Reviews> {
        Arc::clone(&self.snapshot().await.reviews)
    }

    pub(super) async fn review_of(&self, path: &str) -> Option<Arc<FileReview>> {
        self.reviews().await.files.get(&key(path)).cloned()
    }

    /// The hunks of a file, a line each: where, what kind, what went and what came.
    pub(super) async fn hunks(&self, path: &str) -> String {
        let Some(review) = self.review_of(path).await else {
            return "nothing".to_owned();
        };
        let mut shown = format!("{:?}", review.kind);
        for hunk in &review.hunks {
            let state = match hunk.state {
                HunkState::Pending => "pending",
                HunkState::Edited => "edited",
                HunkState::Proposed => "proposed",
                HunkState::Conflict => "conflict",
            };
            shown.push_str(&format!(
                "\n{}..{} {state}: {:?} -> {:?}",
                hunk.lines.start, hunk.lines.end, hunk.removed, hunk.added
            ));
        }
        shown
    }

    pub(super) async fn command(&self, command: ReviewCommand) -> Result<CommandDone, ReviewError> {
        let (reply, answer) = oneshot::channel();
        self.lease.inbox().post(Input::Review { command, reply });
        answer.await.unwrap()
    }

    /// Carries a command out, and waits until files that nobody has open have it.
    pub(super) async fn order(&self, command: ReviewCommand) -> String {
        match self.command(command).await {
            Ok(done) => done.message,
            Err(error) => error.to_string(),
        }
    }

    pub(super) async fn hunk(&self, path: &str, index: usize) -> Scope {
        let review = self.review_of(path).await.unwrap();
        Scope::Hunk {
            key: key(path),
            name: HunkName {
                revision: review.revision,
                index,
            },
        }
    }

    /// Waits until the disk holds this.
    pub(super) async fn disk_holds(&self, path: &str, text: Option<&str>) {
        let mut moves = self.moves().await;
        while self.disk.text(path).as_deref() != text {
            moves.changed().await.unwrap();
        }
    }

    /// What the session's model would be told about decisions.
    pub(super) async fn decisions(&self) -> String {
        let (reply, answer) = oneshot::channel();
        self.lease.inbox().post(Input::TakeDecisions {
            session: turn(1).session,
            reply,
        });
        let told = answer.await.unwrap().into_iter().map(|decision| {
            format!(
                "{}:{} {:?} {:?} -> {:?}\n",
                decision.path.display(),
                decision.line,
                decision.verdict,
                decision.removed,
                decision.added
            )
        });
        told.collect()
    }

    /// Waits until nothing is under way.
    pub(super) async fn is_at_rest(&self) {
        let (reply, answer) = oneshot::channel();
        self.lease.inbox().post(Input::Rest(reply));
        answer.await.unwrap();
    }

    /// Goes, and waits until the last line of the record is written.
    pub(super) async fn ends(self, records: &Path) {
        drop(self);
        let is_written = || {
            let limits = pollux_ledger::Limits::default();
            let opened = pollux_ledger::Ledger::open(
                records,
                Path::new(ROOT),
                limits,
                pollux_ledger::Durability::Process,
            );
            opened.is_ok()
        };
        while !is_written() {
            tokio::task::yield_now().await;
        }
    }

    pub(super) async fn moves(&self) -> tokio::sync::watch::Receiver<u64> {
        let (reply, answer) = oneshot::channel();
        self.lease.inbox().post(Input::FollowReviews(reply));
        answer.await.unwrap()
    }
}

/// An editor, as far as a room sees it.
pub(super) struct FakeEditor {
    pub(super) id: DoorId,
    pub(super) inbox: Inbox,
    pub(super) outbound: mpsc::Receiver<Outbound>,
    files: BTreeMap<String, (i32, Buffer)>,
}

/// What the editor was asked to do.
pub(super) struct Asked {
    pub(super) op: EditId,
    pub(super) path: String,
    pub(super) version: i32,
    pub(super) edits: Vec<Edit>,
}

impl FakeEditor {
    pub(super) fn open(&mut self, path: &str, text: &str) {
        self.files.insert(path.to_owned(), (1, Buffer::from(text)));
        self.inbox.post(Input::Opened {
            door: self.id,
            key: key(path),
            uri: format!("file://{ROOT}/{path}"),
            language: "text".to_owned(),
            version: 1,
            text: text.to_owned(),
        });
    }

    pub(super) fn text(&self, path: &str) -> String {
        self.files[path].1.to_string()
    }

    /// Changes the text here, and says so later.
    pub(super) fn make(&mut self, path: &str, edits: &[Edit]) -> i32 {
        let (version, text) = self.files.get_mut(path).unwrap();
        *version += 1;
        text.apply(edits, PositionEncoding::Utf16).unwrap();
        *version
    }

    pub(super) fn report(&self, path: &str, version: i32, edits: Vec<Edit>) {
        self.inbox.post(Input::Changed {
            door: self.id,
            key: key(path),
            version,
            edits,
        });
    }

    pub(super) fn change(&mut self, path: &str, edits: Vec<Edit>) {
        let version = self.make(path, &edits);
        self.report(path, version, edits);
    }

    /// The person types at the start of a line.
    pub(super) fn types(&mut self, path: &str, line: u32, text: &str) {
        self.change(path, vec![typed(line, text)]);
    }

    pub(super) async fn asked(&mut self) -> Asked {
        match self.hears().await {
            Some(asked) => asked,
            None => panic!("not an edit"),
        }
    }

    /// The next message, if it is an edit.
    pub(super) async fn hears(&mut self) -> Option<Asked> {
        match self.outbound.recv().await.unwrap() {
            Outbound::ApplyEdit {
                op,
                uri,
                version,
                edits,
                ..
            } => Some(Asked {
                op,
                path: uri.strip_prefix("file:///w/").unwrap().to_owned(),
                version,
                edits,
            }),
            _ => None,
        }
    }

    /// Takes the next edit that fits, whatever else it is told before.
    pub(super) async fn takes(&mut self) {
        loop {
            if let Some(asked) = self.hears().await
                && self.takes_up(asked) == EditOutcome::Accepted
            {
                return;
            }
        }
    }

    pub(super) fn answer(&self, op: EditId, outcome: EditOutcome) {
        self.inbox.post(Input::EditAnswered {
            door: self.id,
            op,
            outcome,
        });
    }

    /// Does what it is asked to if the version fits, as editors do.
    pub(super) async fn obeys(&mut self) -> EditOutcome {
        let asked = self.asked().await;
        self.takes_up(asked)
    }

    fn takes_up(&mut self, asked: Asked) -> EditOutcome {
        if self.files[&asked.path].0 != asked.version {
            self.answer(asked.op, EditOutcome::Refused);
            return EditOutcome::Refused;
        }
        self.change(&asked.path, asked.edits);
        self.answer(asked.op, EditOutcome::Accepted);
        EditOutcome::Accepted
    }

    /// Says that it has written the file.
    pub(super) fn saves(&self, path: &str) {
        self.inbox.post(Input::Saved {
            door: self.id,
            key: key(path),
            text: Some(self.text(path)),
        });
    }

    pub(super) fn closes(&mut self, path: &str) {
        self.files.remove(path);
        self.inbox.post(Input::Closed {
            door: self.id,
            key: key(path),
        });
    }
}

/// Text at the start of a line.
pub(super) fn typed(line: u32, text: &str) -> Edit {
    let at = Position { line, character: 0 };
    Edit::Splice {
        range: Range { start: at, end: at },
        text: text.to_owned(),
    }
}
