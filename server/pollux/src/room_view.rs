//! A room as a session sees it: open files with their unsaved text, and what the person looks at.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use pollux_agent::api::HunkCounts;
use pollux_agent::prompt::{
    ActiveEditor, Cursor, EditorContext, Entry, FileHead, Found, HunkDecision, Problem, ReadError,
    Reading,
};
use pollux_agent::{
    Changes, Content, EditOrigin, FileError, FileThen, Files, Ignoring, ShellChanges, ShellOrigin,
    Standing, Surroundings, WorkspacePath, Written,
};
use pollux_search::UnsavedText;
use pollux_text::{Buffer, NotText, decode};
use pollux_workspace::{
    AgentChange, AgentEdit, Attention, Disk, DocumentKey, EditorState, Input, Lease, Location,
    Origin, Rooms, SessionId, Snapshot, SyncState,
};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::disk_files::DiskFiles;
use crate::disk_surroundings::Ignored;
use crate::prompt_files::DiskReading;

/// The room of one folder, which stays for as long as the session does.
pub(crate) struct RoomView {
    room: Lease,
    session: SessionId,
    folder: PathBuf,
    /// Folders beside it. What is changed in them is reviewed too.
    beside: Vec<PathBuf>,
    disk: DiskFiles,
    /// The disk with whoever holds files in front of it.
    attended: Arc<dyn Disk>,
    ignored: Ignored,
}

/// Folders outside the workspace that a session may use.
pub(crate) struct Places {
    /// Where it keeps what is its own, which is nobody's to review.
    pub(crate) own: PathBuf,
    /// Those that the person has added.
    pub(crate) beside: Vec<PathBuf>,
}

impl RoomView {
    /// Needs a tokio runtime.
    pub(crate) fn new(
        rooms: &Rooms,
        session: SessionId,
        folder: PathBuf,
        places: Places,
        ignored: Ignored,
    ) -> Self {
        let Places { own, beside } = places;
        Self {
            room: rooms.lease(folder.clone()),
            session,
            ignored,
            attended: rooms.disk(),
            disk: DiskFiles::new(folder.clone()).and_in([vec![own], beside.clone()].concat()),
            folder,
            beside,
        }
    }

    /// Lets the room tell what is decided about the session's edits.
    pub(crate) fn listen(&self, listener: mpsc::UnboundedSender<HunkCounts>) {
        self.room.inbox().post(Input::ListenToDecisions {
            session: self.session.clone(),
            listener,
        });
    }

    /// The editor's text of a file that is open and in step.
    async fn open_text(&self, path: &Path) -> Option<String> {
        let snapshot = self.room.snapshot().await?;
        let document = snapshot
            .documents
            .get(&DocumentKey::File(path.to_owned()))?;
        let view = document.latest()?;
        (view.sync == SyncState::Synced).then(|| view.text.to_string())
    }

    /// The text of a file that is not what the disk has: in an editor of the room, or in a client of the agent.
    async fn unsaved_text(&self, path: &Path) -> Option<String> {
        if let Some(text) = self.open_text(path).await {
            return Some(text);
        }
        let at = Location {
            root: self.disk.home_of(path),
            path: path.to_owned(),
        };
        let (disk, session) = (Arc::clone(&self.attended), self.session.clone());
        let asked = tokio::task::spawn_blocking(move || disk.unsaved(&at, &session));
        asked.await.ok().flatten()
    }

    fn edit(
        &self,
        path: &WorkspacePath,
        change: AgentChange,
        origin: &EditOrigin,
    ) -> BoxFuture<'static, Result<Written, FileError>> {
        self.post(path.as_path(), change, origin)
    }

    /// The folder beside the workspace that a path lies in.
    fn root_of(&self, path: &Path) -> Option<&PathBuf> {
        self.beside.iter().find(|place| path.starts_with(place))
    }

    /// What the session keeps for itself is nobody's to review.
    fn is_own(&self, path: &WorkspacePath) -> bool {
        path.as_path().is_absolute() && self.root_of(path.as_path()).is_none()
    }

    /// The texts that clients of the agent have not saved, as far as that is known.
    async fn held_by_clients(&self) -> Vec<(PathBuf, Arc<dyn UnsavedText>)> {
        let (disk, root) = (Arc::clone(&self.attended), self.folder.clone());
        let session = self.session.clone();
        let asked = tokio::task::spawn_blocking(move || disk.all_unsaved(&root, &session));
        let held = asked.await.unwrap_or_default().into_iter();
        let held = held.map(|(path, text)| {
            let text: Arc<dyn UnsavedText> = Arc::new(Held(Buffer::from(text.as_str())));
            (path, text)
        });
        held.collect()
    }

    /// Hands an edit to the room. `path` is relative to the folder, or lies beside it.
    fn post(
        &self,
        path: &Path,
        change: AgentChange,
        origin: &EditOrigin,
    ) -> BoxFuture<'static, Result<Written, FileError>> {
        let (reply, answer) = oneshot::channel();
        let place = self.folder.join(path);
        let edit = AgentEdit {
            key: DocumentKey::File(place.clone()),
            at: Location {
                root: self.root_of(path).unwrap_or(&self.folder).clone(),
                path: place,
            },
            path: path.to_owned(),
            origin: Origin {
                session: self.session.clone(),
                turn: origin.turn,
            },
            call: origin.call.clone(),
            standing: origin.standing,
            change,
            reply,
            cancel: origin.cancel.clone(),
        };
        self.room.inbox().post(Input::AgentEdit(Box::new(edit)));
        Box::pin(async move {
            // A room that lets go of an edit has not made it.
            answer.await.unwrap_or(Err(FileError::NotTaken))
        })
    }
}

impl Files for RoomView {
    fn read<'a>(&'a self, path: &'a WorkspacePath) -> BoxFuture<'a, Result<String, FileError>> {
        Box::pin(async move {
            match self.unsaved_text(&self.folder.join(path.to_string())).await {
                Some(text) => Ok(text),
                None => self.disk.read(path).await,
            }
        })
    }

    /// An editor holds no bytes, only text.
    fn read_bytes<'a>(
        &'a self,
        path: &'a WorkspacePath,
        limit: u64,
    ) -> BoxFuture<'a, Result<Vec<u8>, FileError>> {
        self.disk.read_bytes(path, limit)
    }

    fn unsaved(&self) -> BoxFuture<'_, Vec<(PathBuf, Arc<dyn UnsavedText>)>> {
        Box::pin(async {
            let Some(snapshot) = self.room.snapshot().await else {
                return Vec::new();
            };
            let mut all = self.held_by_clients().await;
            let texts = snapshot.documents.iter().filter_map(|(key, document)| {
                let DocumentKey::File(path) = key else {
                    return None;
                };
                let view = document.latest()?;
                let text = (view.sync == SyncState::Synced).then(|| view.text.clone())?;
                let text: Arc<dyn UnsavedText> = Arc::new(Held(text));
                Some((path.clone(), text))
            });
            // What an editor of the room has counts more.
            for (path, text) in texts {
                all.retain(|(other, _)| *other != path);
                all.push((path, text));
            }
            all
        })
    }

    /// Every edit goes through the review of its room.
    fn write<'a>(
        &'a self,
        path: &'a WorkspacePath,
        base: &'a str,
        text: &'a str,
        origin: &'a EditOrigin,
    ) -> BoxFuture<'a, Result<Written, FileError>> {
        if self.is_own(path) {
            return self.disk.write(path, base, text, origin);
        }
        let change = AgentChange::Edit {
            read: base.into(),
            proposed: text.into(),
        };
        self.edit(path, change, origin)
    }

    /// A file that an editor has open and nobody has saved yet is one all the same.
    fn create<'a>(
        &'a self,
        path: &'a WorkspacePath,
        text: &'a str,
        origin: &'a EditOrigin,
    ) -> BoxFuture<'a, Result<Written, FileError>> {
        if self.is_own(path) {
            return self.disk.create(path, text, origin);
        }
        self.edit(path, AgentChange::Create { text: text.into() }, origin)
    }
}

/// A text as a room holds it, read without being put together first.
pub(crate) struct Held(pub(crate) Buffer);

impl UnsavedText for Held {
    fn length(&self) -> u64 {
        self.0.len_bytes() as u64
    }

    fn reader(&self) -> Box<dyn Read + '_> {
        Box::new(Pieces {
            rest: self.0.pieces(),
            piece: &[],
        })
    }
}

struct Pieces<'a, Rest> {
    rest: Rest,
    piece: &'a [u8],
}

impl<'a, Rest: Iterator<Item = &'a str>> Read for Pieces<'a, Rest> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() {
            match self.rest.next() {
                Some(piece) => self.piece = piece.as_bytes(),
                None => return Ok(0),
            }
        }
        self.piece.read(buffer)
    }
}

/// What a command changed is reviewed like any other edit. Nobody was asked about it line by line, so it stays pending.
impl ShellChanges for RoomView {
    fn absorb<'a>(&'a self, origin: ShellOrigin, changes: Arc<Changes>) -> BoxFuture<'a, ()> {
        let origin = EditOrigin {
            turn: origin.turn,
            call: origin.call,
            standing: Standing::Pending,
            // It is done already.
            cancel: CancellationToken::new(),
        };
        let edits = shell_edits(&self.folder, &changes);
        let taken: Vec<_> = edits
            .into_iter()
            .map(|(path, change)| self.post(&path, change, &origin))
            .collect();
        Box::pin(async move {
            for answer in taken {
                if let Err(error) = answer.await {
                    tracing::warn!(%error, "what a command changed is not in the review");
                }
            }
        })
    }
}

/// What a command changed below a folder, as the review takes it.
pub(crate) fn shell_edits(folder: &Path, changes: &Changes) -> Vec<(PathBuf, AgentChange)> {
    let edits = changes.files.iter().filter_map(|file| {
        let path = file.path.strip_prefix(folder).ok()?;
        // What is no text cannot be shown as hunks; `pollux undo` knows of it.
        let (Ok(before), Ok(after)) = (text(file.before.as_ref()), text(file.after.as_ref()))
        else {
            return None;
        };
        let change = match (&file.moved_from, &after) {
            (Some(from), Some(text)) if from.starts_with(folder) => AgentChange::Rename {
                from: from.clone(),
                text: Arc::clone(text),
            },
            _ => AgentChange::Shell { before, after },
        };
        Some((path.to_owned(), change))
    });
    edits.collect()
}

fn text(then: Option<&FileThen>) -> Result<Option<Arc<str>>, NotText> {
    let Some(then) = then else {
        return Ok(None);
    };
    match &then.content {
        Content::Text(text) => Ok(Some(Arc::clone(text))),
        Content::Bytes(bytes) => Ok(Some(decode(bytes)?.text.into())),
        Content::Link(_) => Err(NotText),
    }
}

impl Reading for RoomView {
    fn head<'a>(
        &'a self,
        path: &'a Path,
        limit: usize,
    ) -> BoxFuture<'a, Result<FileHead, ReadError>> {
        Box::pin(async move {
            let Some(text) = self.unsaved_text(path).await else {
                return DiskReading.head(path, limit).await;
            };
            let total = text.len() as u64;
            let mut bytes = text.into_bytes();
            bytes.truncate(limit);
            Ok(FileHead { bytes, total })
        })
    }

    fn list<'a>(
        &'a self,
        folder: &'a Path,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Entry>, ReadError>> {
        DiskReading.list(folder, limit)
    }

    fn look<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Found, ReadError>> {
        DiskReading.look(path)
    }
}

impl Surroundings for RoomView {
    fn editor(&self) -> BoxFuture<'_, Option<EditorContext>> {
        Box::pin(async {
            let snapshot = self.room.snapshot().await?;
            Some(editor_context(&snapshot))
        })
    }

    /// Of the editor that a person has turned to last.
    fn problems(&self) -> BoxFuture<'_, Vec<Problem>> {
        Box::pin(async {
            let snapshot = self.room.snapshot().await;
            let told = snapshot.as_ref().and_then(|snapshot| {
                let mut editors = snapshot.editors.values().rev();
                editors.find(|editor| !editor.problems.is_empty())
            });
            told.map(|editor| editor.problems.clone())
                .unwrap_or_default()
        })
    }

    fn decisions(&self) -> BoxFuture<'_, Vec<HunkDecision>> {
        let (reply, answer) = oneshot::channel();
        self.room.inbox().post(Input::TakeDecisions {
            session: self.session.clone(),
            reply,
        });
        Box::pin(async move { answer.await.unwrap_or_default() })
    }

    fn reading(&self) -> &dyn Reading {
        self
    }

    fn ignoring(&self) -> Arc<Ignoring> {
        self.ignored.now()
    }
}

fn editor_context(snapshot: &Snapshot) -> EditorContext {
    // The newest editor that has a file in focus is the one a person has turned to last. One that says so itself is
    // believed before one that is only watched.
    let newest = |attention: Attention| {
        let mut editors = snapshot.editors.values().rev();
        editors
            .find_map(|editor| active(snapshot, editor).filter(|_| editor.attention == attention))
    };
    let active = newest(Attention::Told).or_else(|| newest(Attention::Inferred));
    let others = snapshot.open_files().into_iter().filter(|path| {
        let is_active = |active: &ActiveEditor| active.path == *path;
        !active.as_ref().is_some_and(is_active)
    });
    EditorContext {
        others: others.collect(),
        active,
    }
}

fn active(snapshot: &Snapshot, editor: &EditorState) -> Option<ActiveEditor> {
    let file = editor.active_file.as_ref()?;
    let DocumentKey::File(path) = &file.key else {
        return None;
    };
    let view = snapshot
        .documents
        .get(&file.key)
        .and_then(|document| document.latest());
    let selection = file
        .selections
        .first()
        .filter(|range| range.start != range.end);
    let selected = selection
        .zip(view)
        .and_then(|(range, view)| view.text.slice(*range, editor.encoding));
    Some(ActiveEditor {
        path: path.clone(),
        // People count from one.
        cursor: Cursor {
            line: file.cursor.line + 1,
            character: file.cursor.character + 1,
        },
        selected: selected.as_ref().and(selection.copied()),
        selected_text: selected,
    })
}
