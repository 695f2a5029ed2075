//! A room over a real folder, and an editor that makes and saves whatever it is asked to.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use pollux_agent::Standing;
use pollux_agent::api::{CallId, TurnId};
use pollux_testkit::byte_corpus::FileKind;
use pollux_testkit::mirror_buffer::{MirrorBuffer, Position, PositionEncoding, Range, TextChange};
use pollux_text::{Edit, decode};
use pollux_workspace::{
    AgentChange, AgentEdit, CompanionWish, Configuration, ConfigurationSource, DocumentKey, Door,
    DoorContext, DoorId, EditOutcome, FileReview, Inbox, Input, Lease, Location, Origin, Outbound,
    Outbox, ReviewCommand, Reviews, Rooms,
};
use tempfile::TempDir;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use crate::disk_files::ReviewedDisk;

/// How an edit gets to its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Road {
    Open,
    Closed,
}

struct NoSettings;

impl ConfigurationSource for NoSettings {
    fn load(&self, _: &[PathBuf], _: &DoorContext, _: Option<bool>) -> Configuration {
        Configuration::default()
    }
}

pub(super) struct Stage {
    _folder: TempDir,
    root: PathBuf,
    lease: Lease,
    editor: Option<Editor>,
    files: Vec<Placed>,
    _rooms: Rooms,
}

/// A file in the workspace.
struct Placed {
    name: String,
    text: String,
    path: PathBuf,
    mode: u32,
    leads_to: Option<PathBuf>,
}

impl Stage {
    pub(super) fn new(road: Road) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir(root.join("real")).unwrap();
        let rooms = Rooms::new(Arc::new(NoSettings), Arc::new(ReviewedDisk));
        let lease = rooms.lease(root.clone());
        let editor = match road {
            Road::Open => Some(Editor::start(&rooms, &root)),
            Road::Closed => None,
        };
        Self {
            _folder: folder,
            root,
            lease,
            editor,
            files: Vec::new(),
            _rooms: rooms,
        }
    }

    /// Puts a file there, every third behind a link, with a mode of its own, and opens it if there is an editor.
    pub(super) fn place(&mut self, kind: FileKind, bytes: &[u8]) -> usize {
        let number = self.files.len();
        let name = format!("{number}.txt");
        let mode = [0o644, 0o600, 0o755, 0o664][number % 4];
        let path = self.root.join(&name);
        let leads_to = number
            .is_multiple_of(3)
            .then(|| self.root.join("real").join(&name));
        let real = leads_to.as_ref().unwrap_or(&path);
        fs::write(real, bytes).unwrap();
        fs::set_permissions(real, fs::Permissions::from_mode(mode)).unwrap();
        if let Some(real) = &leads_to {
            symlink(real, &path).unwrap();
        }
        let text = decode(bytes).unwrap().text;
        if let Some(editor) = &self.editor {
            editor.open(&path, kind, &text);
        }
        self.files.push(Placed {
            name,
            text,
            path,
            mode,
            leads_to,
        });
        number
    }

    fn edit_in(
        &self,
        number: usize,
        turn: u64,
        read: &str,
        proposed: &str,
    ) -> oneshot::Receiver<()> {
        let file = &self.files[number];
        let (reply, answer) = oneshot::channel();
        let edit = AgentEdit {
            key: DocumentKey::File(file.path.clone()),
            at: Location {
                root: self.root.clone(),
                path: file.path.clone(),
            },
            path: PathBuf::from(&file.name),
            origin: turn_of(turn),
            call: CallId::new("call"),
            standing: Standing::Pending,
            change: AgentChange::Edit {
                read: read.into(),
                proposed: proposed.into(),
            },
            reply,
            cancel: CancellationToken::new(),
        };
        self.lease.inbox().post(Input::AgentEdit(Box::new(edit)));
        let (done, over) = oneshot::channel();
        let name = file.name.clone();
        tokio::spawn(async move {
            let written = answer.await.unwrap();
            assert!(written.is_ok(), "{name}: {written:?}");
            done.send(()).unwrap();
        });
        over
    }

    /// The agent edits a file in its first turn.
    pub(super) async fn edit(&self, number: usize, proposed: &str) {
        let read = &self.files[number].text;
        self.edit_in(number, 1, read, proposed).await.unwrap();
    }

    /// Waits until everything that was asked of these files has happened: an edit that changes nothing waits its turn.
    pub(super) async fn rest(&self, numbers: impl IntoIterator<Item = usize>) {
        let edits: Vec<_> = numbers
            .into_iter()
            .map(|number| self.edit_in(number, 2, "", ""))
            .collect();
        for edit in edits {
            edit.await.unwrap();
        }
    }

    pub(super) async fn order(&self, command: ReviewCommand) {
        let (reply, answer) = oneshot::channel();
        self.lease.inbox().post(Input::Review { command, reply });
        answer.await.unwrap().unwrap();
    }

    pub(super) async fn reviews(&self) -> Arc<Reviews> {
        Arc::clone(&self.lease.snapshot().await.unwrap().reviews)
    }

    pub(super) fn key(&self, number: usize) -> DocumentKey {
        DocumentKey::File(self.files[number].path.clone())
    }

    pub(super) async fn review(&self, number: usize) -> Option<Arc<FileReview>> {
        self.reviews().await.files.get(&self.key(number)).cloned()
    }

    /// Waits until the editor has saved so many times since the start. Closed files are written by then.
    pub(super) async fn saved(&self, times: usize) {
        if let Some(editor) = &self.editor {
            let mut saves = editor.saves.clone();
            saves.wait_for(|saves| *saves >= times).await.unwrap();
        }
    }

    /// What is wrong with a file that should hold these bytes and be otherwise as it was.
    pub(super) fn fault(&self, number: usize, expected: &[u8]) -> Option<String> {
        let file = &self.files[number];
        let bytes = fs::read(&file.path).unwrap();
        if bytes != expected {
            let text = |bytes: &[u8]| decode(bytes).map(|decoded| decoded.text);
            return Some(format!("{:?}, not {:?}", text(&bytes), text(expected)));
        }
        let mode = fs::metadata(&file.path).unwrap().permissions().mode() & 0o7777;
        if mode != file.mode {
            return Some(format!("mode {mode:o}, not {:o}", file.mode));
        }
        let leads_to = fs::read_link(&file.path).ok();
        (leads_to != file.leads_to).then(|| format!("leads to {leads_to:?}"))
    }
}

pub(super) fn turn_of(number: u64) -> Origin {
    Origin {
        session: "s".into(),
        turn: TurnId(number),
    }
}

/// Holds decoded text, and encodes it as the file was when it saves.
struct Editor {
    inbox: Inbox,
    open: Arc<Mutex<BTreeMap<String, Open>>>,
    saves: watch::Receiver<usize>,
}

struct Open {
    path: PathBuf,
    kind: FileKind,
    version: i32,
    buffer: MirrorBuffer,
}

fn door() -> DoorId {
    DoorId::new(1)
}

impl Editor {
    fn start(rooms: &Rooms, root: &Path) -> Self {
        let (outbox, outbound) = Outbox::new(10_000, CancellationToken::new());
        let entering = Door {
            id: door(),
            context: DoorContext::default(),
            editor: None,
            companion: CompanionWish::default(),
            queries: std::collections::BTreeSet::default(),
            encoding: pollux_text::PositionEncoding::Utf16,
            outbox,
        };
        let inbox = rooms.enter(entering, vec![root.to_owned()]);
        let open = Arc::default();
        let (count, saves) = watch::channel(0);
        tokio::spawn(obey(inbox.clone(), outbound, Arc::clone(&open), count));
        Self { inbox, open, saves }
    }

    fn open(&self, path: &Path, kind: FileKind, text: &str) {
        let uri = format!("file://{}", path.display());
        let open = Open {
            path: path.to_owned(),
            kind,
            version: 1,
            buffer: MirrorBuffer::new(text, PositionEncoding::Utf16),
        };
        self.open.lock().unwrap().insert(uri.clone(), open);
        self.inbox.post(Input::Opened {
            door: door(),
            key: DocumentKey::File(path.to_owned()),
            uri,
            language: "text".to_owned(),
            version: 1,
            text: text.to_owned(),
        });
    }
}

async fn obey(
    inbox: Inbox,
    mut outbound: mpsc::Receiver<Outbound>,
    open: Arc<Mutex<BTreeMap<String, Open>>>,
    saves: watch::Sender<usize>,
) {
    while let Some(asked) = outbound.recv().await {
        match asked {
            Outbound::ApplyEdit {
                op,
                uri,
                version,
                edits,
                ..
            } => {
                let mut open = open.lock().unwrap();
                let file = open.get_mut(&uri).unwrap();
                assert_eq!(file.version, version, "{uri}");
                let changes: Vec<TextChange> = edits.iter().map(change).collect();
                file.buffer.apply_simultaneously(&changes);
                file.version += 1;
                inbox.post(Input::Changed {
                    door: door(),
                    key: DocumentKey::File(file.path.clone()),
                    version: file.version,
                    edits,
                });
                inbox.post(Input::EditAnswered {
                    door: door(),
                    op,
                    outcome: EditOutcome::Accepted,
                });
            }
            Outbound::Save { uris } => {
                for uri in uris {
                    let open = open.lock().unwrap();
                    let file = &open[&uri];
                    let text = (file.kind.encode)(file.buffer.text()).unwrap();
                    fs::write(&file.path, [file.kind.mark, &text].concat()).unwrap();
                    inbox.post(Input::Saved {
                        door: door(),
                        key: DocumentKey::File(file.path.clone()),
                        text: None,
                    });
                    saves.send_modify(|saves| *saves += 1);
                }
            }
            other => panic!("unexpected: {other:?}"),
        }
    }
}

fn change(edit: &Edit) -> TextChange {
    let Edit::Splice { range, text } = edit else {
        panic!("an edit of an open file says where: {edit:?}");
    };
    let position = |position: pollux_text::Position| Position {
        line: position.line,
        character: position.character,
    };
    let range = Range::new(position(range.start), position(range.end));
    TextChange::replace(range, text)
}
