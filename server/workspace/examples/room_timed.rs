//! Decides about a thousand files at once in a real room and says how long it took: one half of `cargo xtask bench review`.
//!
//! `room_timed <folder>` prints lines of a name and a number of nanoseconds. The files lie in the folder, closed, and are
//! replaced as safely as the server replaces them; the record of the reviews lies beside them.

#![expect(
    clippy::print_stdout,
    reason = "the answers are read by the bench from the standard output"
)]

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{env, fs, io};

use pollux_agent::api::{CallId, TurnId};
use pollux_agent::{FileError, Standing, Written};
use pollux_workspace::{
    AgentChange, AgentEdit, Configuration, ConfigurationSource, Disk, DocumentKey, DoorContext,
    Input, Lease, Location, Origin, Replaced, ReviewCommand, Rooms, Scope, SessionId,
};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

const FILES: usize = 1_000;
const HUNKS: usize = 10;
/// Lines between two hunks, and the one that changes.
const LINES: usize = 10;

type Failure = Box<dyn std::error::Error>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let folder = env::args_os().nth(1).ok_or("room_timed <folder>")?;
    let folder = PathBuf::from(folder);
    for (name, decision) in [
        ("keep", ReviewCommand::Keep(Scope::Everything)),
        ("reject", ReviewCommand::Reject(Scope::Everything)),
    ] {
        let bench = Bench::new(folder.join(name))?;
        let begin = Instant::now();
        bench.edit_all().await?;
        println!("{name}_edit {}", begin.elapsed().as_nanos());
        let decided = bench.decide(decision).await?;
        println!("{name}_shown {}", decided.shown.as_nanos());
        println!("{name} {}", decided.safe.as_nanos());
        bench.check(match name {
            "keep" => "after",
            _ => "before",
        })?;
    }
    Ok(())
}

/// A room with files in it.
struct Bench {
    root: PathBuf,
    lease: Lease,
}

struct Decided {
    /// Until nothing is pending any more.
    shown: Duration,
    /// Until files and record are on the disk, and the room is free for the next edit.
    safe: Duration,
}

impl Bench {
    fn new(folder: PathBuf) -> io::Result<Self> {
        let root = folder.join("files");
        fs::create_dir_all(&root)?;
        for number in 0..FILES {
            fs::write(root.join(name(number)), text(number, "before"))?;
        }
        fs::write(root.join("last"), "before\n")?;
        let rooms = Rooms::new(Arc::new(NoSettings), Arc::new(Folder));
        let rooms = rooms.recording_in(folder.join("record"));
        let lease = rooms.lease(root.clone());
        Ok(Self { root, lease })
    }

    async fn edit_all(&self) -> Result<(), Failure> {
        let edits: Vec<_> = (0..FILES)
            .map(|number| {
                self.edit(
                    &name(number),
                    &text(number, "before"),
                    &text(number, "after"),
                )
            })
            .collect();
        for edit in edits {
            edit.await??;
        }
        Ok(())
    }

    fn edit(
        &self,
        name: &str,
        read: &str,
        proposed: &str,
    ) -> oneshot::Receiver<Result<Written, FileError>> {
        let (reply, answer) = oneshot::channel();
        let path = self.root.join(name);
        let edit = AgentEdit {
            key: DocumentKey::File(path.clone()),
            at: Location {
                root: self.root.clone(),
                path,
            },
            path: PathBuf::from(name),
            origin: Origin {
                session: SessionId::from("bench"),
                turn: TurnId(1),
            },
            call: CallId::new("call"),
            cancel: CancellationToken::new(),
            standing: Standing::Pending,
            change: AgentChange::Edit {
                read: read.into(),
                proposed: proposed.into(),
            },
            reply,
        };
        self.lease.inbox().post(Input::AgentEdit(Box::new(edit)));
        answer
    }

    async fn decide(&self, command: ReviewCommand) -> Result<Decided, Failure> {
        let (reply, moves) = oneshot::channel();
        self.lease.inbox().post(Input::FollowReviews(reply));
        let mut moves = moves.await?;
        let begin = Instant::now();
        let (reply, answer) = oneshot::channel();
        self.lease.inbox().post(Input::Review { command, reply });
        answer.await??;
        while self.pending().await? > 0 {
            moves.changed().await?;
        }
        let shown = begin.elapsed();
        // Written down behind everything before it.
        self.edit("last", "before\n", "after\n").await??;
        Ok(Decided {
            shown,
            safe: begin.elapsed(),
        })
    }

    async fn pending(&self) -> Result<usize, Failure> {
        let snapshot = self.lease.snapshot().await.ok_or("the room has ended")?;
        Ok(snapshot.reviews.files.len())
    }

    fn check(&self, word: &str) -> Result<(), Failure> {
        for number in 0..FILES {
            if fs::read_to_string(self.root.join(name(number)))? != text(number, word) {
                return Err(format!("{} holds something else", name(number)).into());
            }
        }
        Ok(())
    }
}

fn name(number: usize) -> String {
    format!("file-{number}.txt")
}

/// Every tenth line has the word. No two files are alike, nor two lines that change.
fn text(number: usize, word: &str) -> String {
    let line = |line: usize| match line % LINES {
        0 => format!("line {line} of file {number} is one that changes: {word}\n"),
        _ => format!("line {line} stays as it is\n"),
    };
    (0..HUNKS * LINES).map(line).collect()
}

struct NoSettings;

impl ConfigurationSource for NoSettings {
    fn load(&self, _: &[PathBuf], _: &DoorContext, _: Option<bool>) -> Configuration {
        Configuration::default()
    }
}

/// Plain files, without the server's care for charsets and links.
struct Folder;

impl Disk for Folder {
    fn read(&self, at: &Location) -> Result<Option<String>, FileError> {
        match fs::read_to_string(&at.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            read => Ok(Some(
                read.map_err(|source| FileError::Unreadable { source })?,
            )),
        }
    }

    fn replace(
        &self,
        at: &Location,
        before: Option<&str>,
        after: Option<&str>,
    ) -> Result<Replaced, FileError> {
        let found = self.read(at)?;
        if found.as_deref() != before {
            return Ok(Replaced::Differs(found));
        }
        let written = match after {
            Some(text) => write(&at.root, &at.path, text),
            None => fs::remove_file(&at.path),
        };
        written.map_err(|source| FileError::Unwritable { source })?;
        Ok(Replaced::Done)
    }
}

fn write(folder: &Path, path: &Path, text: &str) -> io::Result<()> {
    let unfinished = path.with_extension("unfinished");
    let mut file = File::create(&unfinished)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&unfinished, path)?;
    File::open(folder)?.sync_all()
}
