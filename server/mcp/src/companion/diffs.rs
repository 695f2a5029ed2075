//! The edits that agents have proposed and nobody has decided about yet.
//!
//! Each is a question of a guest to the room, so that it is shown and decided like any proposed edit. Whoever takes an
//! edit out of the table tells the agent what became of it, and nobody else does: a decision in the editor, one in the
//! terminal and the end of the room may come at the same moment.

#[cfg(test)]
pub(super) mod testing;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pollux_agent::SessionHandle;
use pollux_agent::api::{AllEdits, Answer, CallId, Decision, Op, Proposal, ProposalId, Target};
use pollux_text::{Buffer, Hunk, hunks};
use pollux_workspace::{
    Asked, Asker, Disk, DocumentKey, OpenQuestion, SessionId, Sessions, Snapshot, SyncState,
};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::message;
use super::outcome::{Meanwhile, Outcome, Texts};
use super::place::{Place, Refused};
use super::room::Room;
use super::session::Session;
use super::turns::Turns;

/// In a room. Each may hold a large file twice.
const MOST_OPEN: usize = 16;

/// A room's edits.
pub(super) struct Diffs {
    room: Room,
    sessions: Arc<Sessions>,
    disk: Arc<dyn Disk>,
    numbers: AtomicU64,
    table: Mutex<Table>,
    turns: Turns,
}

#[derive(Default)]
struct Table {
    open: BTreeMap<ProposalId, Arc<Diff>>,
    /// Nobody is left to decide.
    is_closed: bool,
}

struct Diff {
    id: ProposalId,
    session: Arc<Session>,
    /// Names the asker in the room.
    asker: SessionId,
    /// As the agent spells it, which is how it wants to hear of it again.
    file_path: String,
    place: Place,
    target: Target,
    texts: Texts,
    hunks: Arc<[Hunk]>,
    /// What the editor showed of the file when the edit came.
    shown: Option<Buffer>,
    /// What the disk had then.
    disk: String,
    /// Cancelled when it is out of the table.
    over: CancellationToken,
}

/// What `closeDiff` finds.
pub(super) enum Closed {
    /// The text that the decisions so far come to.
    Text(String),
    /// Nobody has changed anything about it, or it is not open.
    AsProposed,
}

impl Diffs {
    pub(super) fn new(room: Room, sessions: Arc<Sessions>, disk: Arc<dyn Disk>) -> Self {
        Self {
            room,
            sessions,
            disk,
            numbers: AtomicU64::new(1),
            table: Mutex::default(),
            turns: Turns::default(),
        }
    }

    /// Shows an edit. The agent always hears what became of it, unless it takes the edit back.
    pub(super) async fn open(
        self: &Arc<Self>,
        session: &Arc<Session>,
        file_path: String,
        new_content: String,
    ) -> Result<(), Refused> {
        let opened = self.read(session, &file_path, new_content).await;
        let opened = opened.and_then(|diff| self.enter(diff));
        match opened {
            Ok(diff) if diff.hunks.is_empty() => {
                self.tell(&diff, Outcome::AsProposed);
                Ok(())
            }
            Ok(diff) => {
                tokio::spawn(Arc::clone(self).ask(diff));
                Ok(())
            }
            Err(refused) => {
                warn!(agent = session.client.shown_name(), reason = %refused, "an edit is refused");
                session.say(&message::rejected(&file_path));
                Err(refused)
            }
        }
    }

    /// Takes back what an agent has open for a file. Says how the decisions stand.
    pub(super) async fn close(&self, session: &Session, file_path: &str) -> Option<Closed> {
        let diff = {
            let table = self.lock();
            let mut open = table.open.values();
            let mine =
                |diff: &&Arc<Diff>| diff.session.id == session.id && diff.file_path == file_path;
            open.rfind(mine).cloned()
        }?;
        let so_far = self
            .room
            .decisions_so_far(diff.asker.clone(), diff.id)
            .await
            .unwrap_or_default();
        self.take(diff.id)?;
        // Who closes it has decided about the rest.
        let mut decisions: Vec<Decision> = so_far
            .iter()
            .map(|one| one.unwrap_or(Decision::Keep))
            .collect();
        decisions.resize(diff.hunks.len(), Decision::Keep);
        let (now, outcome) = self.outcome(&diff, decisions).await;
        Some(match outcome {
            Outcome::Text(text) => Closed::Text(text),
            Outcome::AsProposed => Closed::AsProposed,
            // The agent asks for a text and not for a verdict, and an empty one would be taken for the edit.
            Outcome::Rejected if now.is_empty() => Closed::AsProposed,
            Outcome::Rejected => Closed::Text(now),
        })
    }

    /// An agent has gone: nobody waits for what it has asked.
    pub(super) fn forget(&self, session: &Session) {
        let mut table = self.lock();
        session.has_gone();
        for (_, diff) in table
            .open
            .extract_if(.., |_, diff| diff.session.id == session.id)
        {
            info!(
                agent = session.client.shown_name(),
                "an agent has gone, and its edit with it"
            );
            diff.over.cancel();
        }
    }

    /// Nobody is left to decide. What is open counts as rejected, so that no agent waits for ever.
    pub(super) fn reject_all(&self) {
        let open = {
            let mut table = self.lock();
            table.is_closed = true;
            std::mem::take(&mut table.open)
        };
        for diff in open.into_values() {
            self.tell(&diff, Outcome::Rejected);
            diff.over.cancel();
        }
    }

    async fn read(
        &self,
        session: &Arc<Session>,
        file_path: &str,
        new_content: String,
    ) -> Result<Diff, Refused> {
        let snapshot = self.room.snapshot(None).await.ok_or(Refused::Closed)?;
        let id = ProposalId(self.numbers.fetch_add(1, Ordering::Relaxed));
        let (session, file_path) = (Arc::clone(session), file_path.to_owned());
        let disk = Arc::clone(&self.disk);
        let read = move || {
            let place = Place::find(&snapshot.roots, &file_path)?;
            let shown = shown_in(&snapshot, &place.key);
            drop(snapshot);
            let found = place.read(&*disk)?;
            let target = match found {
                Some(_) => Target::File,
                None => Target::NewFile,
            };
            let disk = found.unwrap_or_default();
            let texts = Texts::new(&disk, new_content);
            let hunks = hunks(&texts.base, &texts.proposed).into();
            Ok(Diff {
                id,
                asker: format!("companion-{}", session.id).as_str().into(),
                session,
                file_path,
                place,
                target,
                texts,
                hunks,
                shown,
                disk,
                over: CancellationToken::new(),
            })
        };
        tokio::task::spawn_blocking(read)
            .await
            .unwrap_or(Err(Refused::Closed))
    }

    /// Takes an edit into the table. One that changes nothing needs no place in it.
    fn enter(&self, diff: Diff) -> Result<Arc<Diff>, Refused> {
        let diff = Arc::new(diff);
        let mut table = self.lock();
        match diff.hunks.is_empty() {
            true => {}
            false if table.is_closed || diff.session.is_over() => return Err(Refused::Closed),
            false if table.open.len() >= MOST_OPEN => return Err(Refused::TooMany),
            false => {
                table.open.insert(diff.id, Arc::clone(&diff));
            }
        }
        Ok(diff)
    }

    /// Shows an edit when it is its turn, and waits for whoever decides.
    async fn ask(self: Arc<Self>, diff: Arc<Diff>) {
        let turn = tokio::select! {
            turn = self.turns.of(&diff.place.key) => turn,
            () = diff.over.cancelled() => return,
        };
        let (ops, mut decided) = mpsc::channel(4);
        let question = self.sessions.ask(diff.question(SessionHandle::of(ops)));
        let decisions = loop {
            let op = tokio::select! {
                op = decided.recv() => op,
                () = diff.over.cancelled() => return,
            };
            match op {
                Some(Op::Decide { decisions, .. }) => break decisions,
                Some(Op::Answer {
                    answer: Answer::Allow,
                    ..
                }) => {
                    break vec![Decision::Keep; diff.hunks.len()];
                }
                Some(Op::Answer { .. } | Op::AbandonTurn | Op::CancelTurn) => break Vec::new(),
                Some(_) => {}
                None => break Vec::new(),
            }
        };
        let (_, outcome) = self.outcome(&diff, decisions).await;
        if self.take(diff.id).is_some() {
            self.tell(&diff, outcome);
        }
        drop(question);
        drop(turn);
    }

    /// The file as it is now, and what comes of the decisions.
    async fn outcome(&self, diff: &Arc<Diff>, decisions: Vec<Decision>) -> (String, Outcome) {
        let snapshot = self.room.snapshot(None).await;
        let shown = snapshot.and_then(|snapshot| shown_in(&snapshot, &diff.place.key));
        let (diff, disk) = (Arc::clone(diff), Arc::clone(&self.disk));
        let decide = move || {
            // What cannot be read any more cannot be merged with.
            let disk_now = disk.read(&diff.place.at).ok().flatten();
            let then = diff.shown.as_ref();
            let shown_then = then.map_or_else(|| diff.disk.clone(), text_of);
            let meanwhile = Meanwhile {
                shown_now: shown.as_ref().map_or_else(|| shown_then.clone(), text_of),
                shown_then,
                disk_now: disk_now.unwrap_or_else(|| diff.disk.clone()),
            };
            let now = diff.texts.now(&meanwhile);
            let outcome = diff.texts.decided(&now, &decisions);
            (now, outcome)
        };
        let decided = tokio::task::spawn_blocking(decide).await;
        decided.unwrap_or_else(|_| (String::new(), Outcome::Rejected))
    }

    fn tell(&self, diff: &Diff, outcome: Outcome) {
        let file_path = &diff.file_path;
        let client = &diff.session.client;
        let said = match &outcome {
            Outcome::Rejected => message::rejected(file_path),
            Outcome::Text(text) => message::accepted(file_path, text),
            Outcome::AsProposed if client.takes_empty_for_unchanged() => {
                message::accepted(file_path, "")
            }
            Outcome::AsProposed => message::accepted(file_path, &diff.texts.proposed),
        };
        diff.session.say(&said);
    }

    /// Whoever gets it tells the agent.
    fn take(&self, id: ProposalId) -> Option<Arc<Diff>> {
        let diff = self.lock().open.remove(&id)?;
        diff.over.cancel();
        Some(diff)
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Diff {
    fn question(&self, handle: SessionHandle) -> OpenQuestion {
        let proposal = Proposal {
            id: self.id,
            call: CallId::new("openDiff"),
            path: self.place.path.clone(),
            target: self.target,
            base: self.texts.base.as_str().into(),
            proposed: self.texts.proposed.as_str().into(),
            hunks: Arc::clone(&self.hunks),
            above: 0,
            all_edits: AllEdits::NotOffered,
        };
        OpenQuestion {
            session: self.asker.clone(),
            asker: Asker::Guest(self.session.client.shown_name().into()),
            folder: self.place.at.root.clone(),
            handle,
            asked: Asked::Edit(Arc::new(proposal)),
        }
    }
}

/// What an editor shows of a file, if one has it open and its text can be relied on.
fn shown_in(snapshot: &Snapshot, key: &DocumentKey) -> Option<Buffer> {
    let view = snapshot.documents.get(key)?.latest()?;
    (view.sync == SyncState::Synced).then(|| view.text.clone())
}

/// An editor may count a byte order mark to the text.
fn text_of(buffer: &Buffer) -> String {
    let text = buffer.to_string();
    match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    }
}
