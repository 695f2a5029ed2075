//! A host that is killed at a step of an edit, and what the next one finds.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use pollux_agent::FileError;
use pollux_text::Edit;
use tempfile::TempDir;

use crate::reviews::testing::{FakeEditor, MemoryDisk, Stage, turn};
use crate::{Disk, EditOutcome, Location, Replaced, ReviewCommand, Scope};

const BEFORE: &str = "a\nb\nc\nd\ne\n";
const AFTER: &str = "a\nB\nc\nd\nE\nf\n";
const FIRST: &str = "a\nB\nc\nd\ne\n";
const BOTH: &str =
    "Changed\n1..2 pending: \"b\\n\" -> \"B\\n\"\n4..6 pending: \"e\\n\" -> \"E\\nf\\n\"";
const SECOND: &str = "Changed\n4..6 pending: \"e\\n\" -> \"E\\nf\\n\"";

/// What a kill at some moment leaves behind.
struct Remains {
    moment: String,
    records: TempDir,
    text: String,
}

/// A disk that takes a picture of everything before and after each write.
struct PhotographedDisk {
    disk: Arc<MemoryDisk>,
    records: PathBuf,
    taken: Mutex<Vec<Remains>>,
}

impl PhotographedDisk {
    fn photograph(&self, moment: &str) {
        let records = tempfile::tempdir().unwrap();
        copy(&self.records, records.path());
        self.taken.lock().unwrap().push(Remains {
            moment: moment.to_owned(),
            records,
            text: self.disk.text("x").unwrap(),
        });
    }
}

impl Disk for PhotographedDisk {
    fn read(&self, at: &Location) -> Result<Option<String>, FileError> {
        self.disk.read(at)
    }

    fn replace(
        &self,
        at: &Location,
        before: Option<&str>,
        after: Option<&str>,
    ) -> Result<Replaced, FileError> {
        self.photograph("written down, not done");
        let replaced = self.disk.replace(at, before, after);
        self.photograph("done, not written down");
        replaced
    }

    fn rename(&self, from: &Location, to: &Location) -> Result<(), FileError> {
        self.disk.rename(from, to)
    }
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir(&target).unwrap();
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Cuts the last line of the log in two, as a kill in the middle of a write would.
fn tear(records: &Path) {
    let folder = fs::read_dir(records).unwrap().next().unwrap().unwrap();
    let files = fs::read_dir(folder.path()).unwrap();
    let log = files
        .map(|file| file.unwrap().path())
        .find(|path| {
            path.extension()
                .is_some_and(|extension| extension == "jsonl")
        })
        .unwrap();
    let text = fs::read_to_string(&log).unwrap();
    let last = text.trim_end().rfind('\n').map_or(0, |end| end + 1);
    let half = last + (text.len() - last) / 2;
    fs::write(&log, &text[..half]).unwrap();
}

/// Waits until the record has been read, and everything before this has happened.
async fn settled(stage: &Stage) {
    stage.edit("other", "", "").await.unwrap().unwrap();
}

/// An edit, decisions about it, and their undoing, photographed at every step.
async fn photographs() -> Vec<Remains> {
    let memory = MemoryDisk::empty();
    memory.put("x", BEFORE);
    let records = tempfile::tempdir().unwrap();
    let disk = Arc::new(PhotographedDisk {
        disk: Arc::clone(&memory),
        records: records.path().to_owned(),
        taken: Mutex::default(),
    });
    let stage = Stage::recording_through(Arc::clone(&disk) as _, &memory, records.path());
    settled(&stage).await;
    disk.photograph("nothing yet");
    stage.edit("x", BEFORE, AFTER).await.unwrap().unwrap();
    stage.shows("x", BOTH).await;
    let hunk = stage.hunk("x", 0).await;
    stage.order(ReviewCommand::Keep(hunk)).await;
    stage.shows("x", SECOND).await;
    let hunk = stage.hunk("x", 0).await;
    stage.order(ReviewCommand::Reject(hunk)).await;
    stage.shows("x", "nothing").await;
    stage.order(ReviewCommand::Undo).await;
    stage.shows("x", SECOND).await;
    stage.order(ReviewCommand::UndoTurn(turn(1))).await;
    stage.shows("x", "nothing").await;
    drop(stage);
    std::mem::take(&mut *disk.taken.lock().unwrap())
}

/// What the next host shows, and what is in the file once everything is rejected.
async fn next_host(remains: &Remains) -> (String, String) {
    let disk = MemoryDisk::empty();
    disk.put("x", &remains.text);
    let stage = Stage::recording(&disk, remains.records.path());
    settled(&stage).await;
    let hunks = stage.hunks("x").await;
    // The file itself is nobody's to touch before somebody decides.
    assert_eq!(disk.text("x").as_ref(), Some(&remains.text));
    stage.order(ReviewCommand::Reject(Scope::Everything)).await;
    stage.edit("x", "", "").await.unwrap().unwrap();
    (hunks, disk.text("x").unwrap())
}

#[tokio::test]
async fn whatever_step_a_host_is_killed_at_the_review_is_whole_or_the_file_untouched() {
    let photographs = photographs().await;
    // Four of the operations write the file.
    let moments: Vec<(&str, &str)> = photographs
        .iter()
        .map(|remains| (remains.moment.as_str(), remains.text.as_str()))
        .collect();
    let (down, done) = ("written down, not done", "done, not written down");
    assert_eq!(
        moments,
        [
            ("nothing yet", BEFORE),
            (down, BEFORE),
            (done, AFTER),
            (down, AFTER),
            (done, FIRST),
            (down, FIRST),
            (done, AFTER),
            (down, AFTER),
            (done, BEFORE),
        ]
    );
    let found = [
        ("nothing", BEFORE),
        ("nothing", BEFORE),
        (BOTH, BEFORE),
        (SECOND, FIRST),
        ("nothing", FIRST),
        ("nothing", FIRST),
        (SECOND, FIRST),
        (SECOND, FIRST),
        ("nothing", BEFORE),
    ];
    for (number, (remains, found)) in photographs.iter().zip(found).enumerate() {
        let next = next_host(remains).await;
        assert_eq!((&*next.0, &*next.1), found, "{number}: {}", remains.moment);
    }
}

#[tokio::test]
async fn a_line_that_was_cut_off_in_the_middle_takes_nothing_else_with_it() {
    for remains in photographs().await {
        // What is torn off is written before the file is touched.
        if remains.moment == "done, not written down" {
            continue;
        }
        tear(remains.records.path());
        let (hunks, rejected) = next_host(&remains).await;
        let expected = match remains.text.as_str() {
            BEFORE => [("nothing", BEFORE)],
            AFTER => [(SECOND, FIRST)],
            _ => [("nothing", FIRST)],
        };
        assert_eq!([(&*hunks, &*rejected)], expected);
    }
}

/// A host dies while an editor has an edit in its buffer that nobody has saved.
struct Unsaved {
    disk: Arc<MemoryDisk>,
    records: TempDir,
}

/// How far the first host got.
#[derive(Clone, Copy, Debug)]
enum Reached {
    /// The editor has made the edit, and the host has not heard of it.
    Made,
    Reported,
}

/// Whether the editor is back before the record is read.
#[derive(Clone, Copy, Debug)]
enum Back {
    Sooner,
    Later,
}

impl Unsaved {
    async fn after(reached: Reached) -> Self {
        let (disk, records) = (MemoryDisk::empty(), tempfile::tempdir().unwrap());
        disk.put("x", BEFORE);
        let stage = Stage::recording(&disk, records.path());
        settled(&stage).await;
        let mut editor = stage.editor(1);
        editor.open("x", BEFORE);
        let edit = stage.edit("x", BEFORE, AFTER);
        match reached {
            Reached::Made => {
                editor.asked().await;
            }
            Reached::Reported => {
                editor.obeys().await;
                edit.await.unwrap().unwrap();
                assert_eq!(stage.hunks("x").await, BOTH);
            }
        }
        // The record as it is now; what the room goes on to do in its end is none of the test's business.
        let left = tempfile::tempdir().unwrap();
        copy(records.path(), left.path());
        Self {
            disk,
            records: left,
        }
    }

    async fn next(&self, back: Back, text: &str) -> (Stage, FakeEditor) {
        let stage = Stage::recording(&self.disk, self.records.path());
        if let Back::Later = back {
            settled(&stage).await;
        }
        let mut editor = stage.editor(1);
        editor.open("x", text);
        settled(&stage).await;
        (stage, editor)
    }
}

#[tokio::test]
async fn an_edit_that_only_an_editor_has_is_pending_again_whoever_comes_first() {
    for reached in [Reached::Made, Reached::Reported] {
        for back in [Back::Sooner, Back::Later] {
            let left = Unsaved::after(reached).await;
            let (stage, mut editor) = left.next(back, AFTER).await;
            assert_eq!(stage.hunks("x").await, BOTH, "{reached:?} {back:?}");
            stage.order(ReviewCommand::Reject(Scope::Everything)).await;
            assert_eq!(editor.obeys().await, EditOutcome::Accepted);
            assert_eq!(editor.text("x"), BEFORE);
        }
    }
}

#[tokio::test]
async fn an_edit_that_an_editor_makes_for_a_dead_host_is_pending() {
    for back in [Back::Sooner, Back::Later] {
        let left = Unsaved::after(Reached::Made).await;
        let (stage, mut editor) = left.next(back, BEFORE).await;
        assert_eq!(stage.hunks("x").await, "nothing");
        editor.change("x", vec![Edit::Replace(AFTER.to_owned())]);
        assert_eq!(stage.hunks("x").await, BOTH, "{back:?}");
        // It is a review like any other.
        editor.types("x", 0, "top\n");
        stage.order(ReviewCommand::Reject(Scope::Everything)).await;
        assert_eq!(editor.obeys().await, EditOutcome::Accepted);
        assert_eq!(editor.text("x"), format!("top\n{BEFORE}"));
    }
}

#[tokio::test]
async fn an_edit_that_nobody_has_any_more_is_not_pending() {
    for reached in [Reached::Made, Reached::Reported] {
        for back in [Back::Sooner, Back::Later] {
            let left = Unsaved::after(reached).await;
            let (stage, editor) = left.next(back, BEFORE).await;
            assert_eq!(stage.hunks("x").await, "nothing", "{reached:?} {back:?}");
            assert_eq!(editor.text("x"), BEFORE);
        }
    }
}
