//! Edits that another process hands over, because this one has the record of their folder.
//!
//! `pollux run` beside an editor is such a process, also if it is of another version. It connects, says hello, sends one
//! request, and gets one answer. When it goes before that, the edit is stopped like one of a turn that was stopped.

mod error;
mod texts;

use std::io;
use std::os::unix::net::UnixStream as StdStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use pollux_agent::api::{CallId, TurnId};
use pollux_agent::{EditConflict, FileError, MAX_FILE_BYTES, Standing, Written};
use pollux_workspace::{
    AgentChange, AgentEdit, DocumentKey, DoorContext, Input, Location, Origin, ReviewError, Rooms,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader,
};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::oneshot;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::hello::{self, DoorKind, Hello};
use super::runtime::user;
use crate::undo;
use error::WireError;

/// Two texts of the largest size, each byte as JSON may spell it, and what names them.
const LONGEST: u64 = 2 * 6 * MAX_FILE_BYTES + 64 * 1024;

/// How long a host may take to say hello.
const WELCOME: Duration = Duration::from_secs(5);
/// How long an edit that is stopped may take to say so.
const STOPPED: Duration = Duration::from_secs(5);

/// What is asked. Fields that a version does not know are left out of account.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Request {
    Edit(Box<Edit>),
    /// The texts of open files that may differ from the disk; of one file, or of all.
    OpenTexts {
        root: PathBuf,
        path: Option<PathBuf>,
    },
    UndoLastTurn {
        root: PathBuf,
    },
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Edit {
    pub(crate) root: PathBuf,
    /// Absolute.
    pub(crate) path: PathBuf,
    /// For people.
    pub(crate) shown: PathBuf,
    pub(crate) session: String,
    pub(crate) turn: u64,
    pub(crate) call: String,
    /// Whether nothing of it is left to decide.
    pub(crate) is_kept: bool,
    pub(crate) change: Change,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Change {
    Edit {
        read: String,
        proposed: String,
    },
    Create {
        text: String,
    },
    Rename {
        from: PathBuf,
        text: String,
    },
    Shell {
        before: Option<String>,
        after: Option<String>,
    },
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Answer {
    Written {
        conflicts: Vec<Conflict>,
    },
    OpenTexts(Vec<(PathBuf, String)>),
    /// `None` if no turn was left to undo.
    Undone(Option<String>),
    Failed(WireError),
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Conflict {
    line: usize,
    mine: String,
    theirs: String,
}

impl Answer {
    /// What became of an edit.
    pub(crate) fn written(self) -> Result<Written, FileError> {
        match self {
            Self::Written { conflicts } => Ok(Written {
                conflicts: conflicts
                    .into_iter()
                    .map(|Conflict { line, mine, theirs }| EditConflict { line, mine, theirs })
                    .collect(),
            }),
            Self::Failed(error) => Err(error.into()),
            Self::OpenTexts(_) | Self::Undone(_) => Err(FileError::NotTaken),
        }
    }
}

impl From<Result<Written, FileError>> for Answer {
    fn from(result: Result<Written, FileError>) -> Self {
        match result {
            Ok(written) => Self::Written {
                conflicts: written
                    .conflicts
                    .into_iter()
                    .map(|EditConflict { line, mine, theirs }| Conflict { line, mine, theirs })
                    .collect(),
            },
            Err(error) => Self::Failed(error.into()),
        }
    }
}

impl Change {
    pub(crate) fn of(change: &AgentChange) -> Self {
        let text = |text: &Option<Arc<str>>| text.as_deref().map(str::to_owned);
        match change {
            AgentChange::Edit { read, proposed } => Self::Edit {
                read: read.to_string(),
                proposed: proposed.to_string(),
            },
            AgentChange::Create { text } => Self::Create {
                text: text.to_string(),
            },
            AgentChange::Rename { from, text } => Self::Rename {
                from: from.clone(),
                text: text.to_string(),
            },
            AgentChange::Shell { before, after } => Self::Shell {
                before: text(before),
                after: text(after),
            },
        }
    }

    fn into_change(self) -> AgentChange {
        match self {
            Self::Edit { read, proposed } => AgentChange::Edit {
                read: read.into(),
                proposed: proposed.into(),
            },
            Self::Create { text } => AgentChange::Create { text: text.into() },
            Self::Rename { from, text } => AgentChange::Rename {
                from,
                text: text.into(),
            },
            Self::Shell { before, after } => AgentChange::Shell {
                before: before.map(Into::into),
                after: after.map(Into::into),
            },
        }
    }
}

/// Answers the one request of a connection.
pub(super) async fn serve(
    mut reader: impl AsyncBufRead + Unpin,
    mut writer: impl AsyncWrite + Unpin,
    rooms: &Rooms,
) -> io::Result<()> {
    let request: Request = read_line(&mut reader).await?;
    let answer = match request {
        Request::Edit(edit) => Answer::from(make(*edit, &mut reader, rooms).await),
        Request::OpenTexts { root, path } => {
            Answer::OpenTexts(texts::open_texts(rooms, &root, path.as_deref()).await)
        }
        Request::UndoLastTurn { root } => match undo::undo_here(rooms, &root).await {
            Ok(done) => Answer::Undone(done),
            Err(error) => Answer::Failed(of_review(&error)),
        },
    };
    hello::say(&mut writer, &answer).await
}

fn of_review(error: &ReviewError) -> WireError {
    let kind = match error {
        ReviewError::NotRecorded { busy: true, .. } => io::ErrorKind::ResourceBusy,
        _ => io::ErrorKind::Other,
    };
    FileError::NotRecorded {
        source: io::Error::new(kind, error.to_string()),
    }
    .into()
}

async fn make(
    edit: Edit,
    reader: &mut (impl AsyncBufRead + Unpin),
    rooms: &Rooms,
) -> Result<Written, FileError> {
    let room = rooms.lease(edit.root.clone());
    let cancel = CancellationToken::new();
    let (reply, mut answer) = oneshot::channel();
    room.inbox().post(Input::AgentEdit(Box::new(AgentEdit {
        key: DocumentKey::File(edit.path.clone()),
        at: Location {
            root: edit.root,
            path: edit.path,
        },
        path: edit.shown,
        origin: Origin {
            session: edit.session.as_str().into(),
            turn: TurnId(edit.turn),
        },
        call: CallId::new(edit.call),
        standing: match edit.is_kept {
            true => Standing::Kept,
            false => Standing::Pending,
        },
        change: edit.change.into_change(),
        reply,
        cancel: cancel.clone(),
    })));
    let mut byte = [0];
    let answered = tokio::select! {
        answered = &mut answer => answered,
        // Nothing more is said by it; what can be read is its end.
        _ = reader.read(&mut byte) => {
            cancel.cancel();
            answer.await
        }
    };
    answered.unwrap_or(Err(FileError::NotTaken))
}

/// Asks the process at a socket. If it refuses the connection nothing was asked; after any other error it is not known what
/// became of the request.
pub(crate) async fn ask(
    socket: &Path,
    request: &Request,
    stopped: &CancellationToken,
) -> io::Result<Answer> {
    let entered = timeout(WELCOME, enter(socket)).await;
    // Nothing was asked yet.
    let (mut reader, mut writer) = entered
        .map_err(io::Error::from)
        .flatten()
        .map_err(|error| io::Error::new(io::ErrorKind::ConnectionRefused, error))?;
    let mut line = serde_json::to_vec(request)?;
    line.push(b'\n');
    writer.write_all(&line).await?;
    let answer = read_line(&mut reader);
    tokio::pin!(answer);
    tokio::select! {
        answer = &mut answer => answer,
        () = stopped.cancelled() => {
            writer.shutdown().await?;
            timeout(STOPPED, answer).await?
        }
    }
}

async fn enter(socket: &Path) -> io::Result<(BufReader<OwnedReadHalf>, OwnedWriteHalf)> {
    let stream = StdStream::connect(socket)?;
    stream.set_nonblocking(true)?;
    let stream = UnixStream::from_std(stream)?;
    if stream.peer_cred()?.uid() != user() {
        return Err(io::Error::other("the host belongs to another user"));
    }
    let (reader, mut writer) = stream.into_split();
    let mut reader = BufReader::new(reader);
    let hello = Hello::new(DoorKind::ForeignEdits, DoorContext::default());
    hello::say(&mut writer, &hello).await?;
    // What it says of itself differs between versions.
    let _welcome: serde_json::Value = hello::hear(&mut reader).await?;
    Ok((reader, writer))
}

async fn read_line<T: DeserializeOwned>(reader: &mut (impl AsyncBufRead + Unpin)) -> io::Result<T> {
    let mut line = Vec::new();
    reader.take(LONGEST).read_until(b'\n', &mut line).await?;
    if line.last() != Some(&b'\n') {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(serde_json::from_slice(&line)?)
}
