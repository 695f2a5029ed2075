//! The files of a session without an editor of its own, as `pollux run` has them.
//!
//! Each edit goes through the review of the process that has the record of the folder. That may be a host with editors,
//! which makes the edit and shows it, or nobody: then this process takes the record for as long as the edit lasts.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, join_all};
use pollux_agent::{
    Changes, EditOrigin, FileError, Files, ShellChanges, ShellOrigin, Standing, WorkspacePath,
    Written,
};
use pollux_search::UnsavedText;
use pollux_text::Buffer;
use pollux_workspace::{
    AgentChange, AgentEdit, DocumentKey, Input, Location, Origin, Rooms, SessionId,
};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::disk_files::DiskFiles;
use crate::room_view::{Held, Places, shell_edits};

/// How long an edit waits for a record that another process has and takes no edits for.
const PATIENCE: Duration = Duration::from_secs(30);
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

pub(crate) struct HeadlessView {
    rooms: Arc<Rooms>,
    session: SessionId,
    folder: PathBuf,
    /// Folders beside it. What is changed in them is reviewed too.
    beside: Vec<PathBuf>,
    disk: DiskFiles,
}

/// An edit, as often as it has to be handed over.
struct Wanted<'a> {
    /// Relative to the folder, or beside it.
    path: &'a Path,
    change: AgentChange,
    origin: &'a EditOrigin,
}

impl HeadlessView {
    pub(crate) fn new(
        rooms: Arc<Rooms>,
        session: SessionId,
        folder: PathBuf,
        places: Places,
    ) -> Self {
        let Places { own, beside } = places;
        Self {
            rooms,
            session,
            disk: DiskFiles::new(folder.clone()).and_in([vec![own], beside.clone()].concat()),
            folder,
            beside,
        }
    }

    /// The folder that a path is reviewed with.
    fn root_of(&self, path: &Path) -> &PathBuf {
        let beside = self.beside.iter().find(|place| path.starts_with(place));
        beside.unwrap_or(&self.folder)
    }

    /// What the session keeps for itself is nobody's to review.
    fn is_own(&self, path: &WorkspacePath) -> bool {
        let path = path.as_path();
        path.is_absolute() && !self.beside.iter().any(|place| path.starts_with(place))
    }

    /// Has an edit made by whoever has the record, or by this process.
    async fn edit(&self, wanted: Wanted<'_>) -> Result<Written, FileError> {
        let started = Instant::now();
        let mut pause = FIRST_PAUSE;
        let mut was_cut_off = false;
        loop {
            let written = match self.hand_over(&wanted).await {
                Handed::Answered(written) => written,
                Handed::CutOff => {
                    was_cut_off = true;
                    Err(busy())
                }
                Handed::NobodyThere => self.edit_here(&wanted).await,
            };
            let written = match (written, &wanted.change) {
                // It was made by a process that did not live to say so.
                (Err(FileError::Exists), AgentChange::Create { text })
                    if was_cut_off && self.holds(wanted.path, text).await =>
                {
                    Ok(Written::default())
                }
                (written, _) => written,
            };
            let is_busy = matches!(
                &written,
                Err(FileError::NotRecorded { source })
                    if source.kind() == io::ErrorKind::ResourceBusy
            );
            if !is_busy || started.elapsed() > PATIENCE {
                return written;
            }
            if wanted.origin.cancel.is_cancelled() {
                return Err(FileError::Stopped);
            }
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    async fn holds(&self, path: &Path, text: &str) -> bool {
        match path
            .to_str()
            .and_then(|spelled| WorkspacePath::new(&self.folder, spelled).ok())
        {
            Some(path) => self.disk.read(&path).await.is_ok_and(|found| found == text),
            None => false,
        }
    }

    #[cfg(unix)]
    async fn hand_over(&self, wanted: &Wanted<'_>) -> Handed {
        use crate::shared::foreign_edits::{Change, Edit, Request, ask};

        let root = self.root_of(wanted.path);
        let Some(socket) = self.rooms.record_holder(root) else {
            return Handed::NobodyThere;
        };
        let request = Request::Edit(Box::new(Edit {
            root: root.clone(),
            path: self.folder.join(wanted.path),
            shown: wanted.path.to_owned(),
            session: self.session.as_str().to_owned(),
            turn: wanted.origin.turn.0,
            call: wanted.origin.call.as_str().to_owned(),
            is_kept: wanted.origin.standing == Standing::Kept,
            change: Change::of(&wanted.change),
        }));
        match ask(&socket, &request, &wanted.origin.cancel).await {
            Ok(answer) => match answer.written() {
                // The word about the holder is an old one, and the process has another record.
                Err(FileError::NotRecorded { source })
                    if source.kind() == io::ErrorKind::ResourceBusy =>
                {
                    Handed::NobodyThere
                }
                written => Handed::Answered(written),
            },
            // Nobody listens any more, or it is of a version that knows no such requests.
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => Handed::NobodyThere,
            Err(_) => Handed::CutOff,
        }
    }

    #[cfg(not(unix))]
    async fn hand_over(&self, _: &Wanted<'_>) -> Handed {
        Handed::NobodyThere
    }

    /// The room, and the record with it, is held for this edit only: an editor may come any time.
    async fn edit_here(&self, wanted: &Wanted<'_>) -> Result<Written, FileError> {
        let root = self.root_of(wanted.path).clone();
        let room = self.rooms.lease(root.clone());
        let (reply, answer) = oneshot::channel();
        let path = self.folder.join(wanted.path);
        room.inbox().post(Input::AgentEdit(Box::new(AgentEdit {
            key: DocumentKey::File(path.clone()),
            at: Location { root, path },
            path: wanted.path.to_owned(),
            origin: Origin {
                session: self.session.clone(),
                turn: wanted.origin.turn,
            },
            call: wanted.origin.call.clone(),
            standing: wanted.origin.standing,
            change: wanted.change.clone(),
            reply,
            cancel: wanted.origin.cancel.clone(),
        })));
        answer.await.unwrap_or(Err(FileError::NotTaken))
    }

    /// What editors of the holder have of one file, or of all that are open.
    #[cfg(unix)]
    async fn open_texts(&self, path: Option<PathBuf>) -> Vec<(PathBuf, String)> {
        use crate::shared::foreign_edits::{Answer, Request, ask};

        let root = path
            .as_deref()
            .map_or(&self.folder, |path| self.root_of(path));
        let Some(socket) = self.rooms.record_holder(root) else {
            return Vec::new();
        };
        let request = Request::OpenTexts {
            root: root.clone(),
            path,
        };
        match ask(&socket, &request, &CancellationToken::new()).await {
            Ok(Answer::OpenTexts(texts)) => texts,
            // What cannot be asked has no editor that answers; the disk is read.
            Ok(_) | Err(_) => Vec::new(),
        }
    }

    #[cfg(not(unix))]
    async fn open_texts(&self, _: Option<PathBuf>) -> Vec<(PathBuf, String)> {
        Vec::new()
    }
}

/// What came of handing an edit over.
enum Handed {
    Answered(Result<Written, FileError>),
    /// Nobody takes edits for this folder.
    NobodyThere,
    /// The process went away meanwhile. Its record says what it has done.
    CutOff,
}

fn busy() -> FileError {
    FileError::NotRecorded {
        source: io::Error::new(
            io::ErrorKind::ResourceBusy,
            "the process that had the record has ended",
        ),
    }
}

impl Files for HeadlessView {
    fn read<'a>(&'a self, path: &'a WorkspacePath) -> BoxFuture<'a, Result<String, FileError>> {
        Box::pin(async move {
            let place = self.folder.join(path.as_path());
            match self.open_texts(Some(place)).await.pop() {
                Some((_, text)) => Ok(text),
                None => self.disk.read(path).await,
            }
        })
    }

    fn read_bytes<'a>(
        &'a self,
        path: &'a WorkspacePath,
        limit: u64,
    ) -> BoxFuture<'a, Result<Vec<u8>, FileError>> {
        self.disk.read_bytes(path, limit)
    }

    fn unsaved(&self) -> BoxFuture<'_, Vec<(PathBuf, Arc<dyn UnsavedText>)>> {
        Box::pin(async {
            let texts = self.open_texts(None).await.into_iter();
            let texts = texts.map(|(path, text)| {
                let text: Arc<dyn UnsavedText> = Arc::new(Held(Buffer::from(text.as_str())));
                (path, text)
            });
            texts.collect()
        })
    }

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
        Box::pin(self.edit(Wanted {
            path: path.as_path(),
            change: AgentChange::Edit {
                read: base.into(),
                proposed: text.into(),
            },
            origin,
        }))
    }

    fn create<'a>(
        &'a self,
        path: &'a WorkspacePath,
        text: &'a str,
        origin: &'a EditOrigin,
    ) -> BoxFuture<'a, Result<Written, FileError>> {
        if self.is_own(path) {
            return self.disk.create(path, text, origin);
        }
        Box::pin(self.edit(Wanted {
            path: path.as_path(),
            change: AgentChange::Create { text: text.into() },
            origin,
        }))
    }
}

impl ShellChanges for HeadlessView {
    fn absorb<'a>(&'a self, origin: ShellOrigin, changes: Arc<Changes>) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let origin = EditOrigin {
                turn: origin.turn,
                call: origin.call,
                standing: Standing::Pending,
                // It is done already.
                cancel: CancellationToken::new(),
            };
            let edits = shell_edits(&self.folder, &changes);
            let taken = edits.into_iter().map(|(path, change)| async {
                let wanted = Wanted {
                    path: &path,
                    change,
                    origin: &origin,
                };
                let result = self.edit(wanted).await;
                (path, result)
            });
            for (path, result) in join_all(taken).await {
                if let Err(error) = result {
                    let path = path.display();
                    crate::run::complain(&format!(
                        "what a command changed in {path} is not in the review: {error}"
                    ));
                }
            }
        })
    }
}
