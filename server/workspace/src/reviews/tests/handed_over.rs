//! Edits that somebody else writes, and goes on from.

use std::sync::{Arc, Mutex, mpsc};

use expect_test::expect;
use pollux_agent::{FileError, Standing};
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::reviews::road::OVERDUE;
use crate::reviews::testing::{MemoryDisk, Stage};
use crate::reviews::{Delivery, Disk, Location, Replaced};
use crate::{ReviewCommand, Scope};

/// Whoever holds the files has a formatter: every line ends with a semicolon.
struct Formatting(Arc<MemoryDisk>);

fn formatted(text: &str) -> String {
    let lines = text.lines().map(|line| line.trim_end_matches(';'));
    lines.map(|line| format!("{line};\n")).collect()
}

impl Disk for Formatting {
    fn read(&self, at: &Location) -> Result<Option<String>, FileError> {
        self.0.read(at)
    }

    fn replace(
        &self,
        at: &Location,
        before: Option<&str>,
        after: Option<&str>,
    ) -> Result<Replaced, FileError> {
        self.0.replace(at, before, after)
    }

    fn rename(&self, from: &Location, to: &Location) -> Result<(), FileError> {
        self.0.rename(from, to)
    }

    fn hand_over(
        &self,
        at: &Location,
        before: Option<&str>,
        after: Option<&str>,
        delivery: &Delivery,
    ) -> Result<Replaced, FileError> {
        assert_eq!(
            delivery.session.as_ref().map(|session| session.as_str()),
            Some("s")
        );
        let after = after.map(formatted);
        Ok(match self.0.replace(at, before, after.as_deref())? {
            Replaced::Done => Replaced::Taken(after.unwrap_or_default()),
            other => other,
        })
    }
}

fn stage(files: &[(&str, &str)], records: &std::path::Path) -> Stage {
    let disk = MemoryDisk::empty();
    for (path, text) in files {
        disk.put(path, text);
    }
    let way = Arc::new(Formatting(Arc::clone(&disk)));
    Stage::recording_through(way, &disk, records)
}

#[tokio::test]
async fn what_a_formatter_does_to_an_edit_belongs_to_the_edit() {
    let records = tempfile::tempdir().unwrap();
    let stage = stage(&[("x", "a;\nb;\nc;\nd\n")], records.path());
    let (before, after) = ("a;\nb;\nc;\nd\n", "a;\nB\nc;\nd\n");
    stage.edit("x", before, after).await.unwrap().unwrap();
    assert_eq!(stage.disk.text("x").unwrap(), "a;\nB;\nc;\nd;\n");
    // What it did elsewhere is the person's, and nothing to decide about.
    expect![[r#"
        Changed
        1..2 pending: "b;\n" -> "B;\n""#]]
    .assert_eq(&stage.hunks("x").await);
}

#[tokio::test]
async fn a_new_file_is_the_agents_as_it_was_formatted() {
    let records = tempfile::tempdir().unwrap();
    let stage = stage(&[], records.path());
    stage.create("x", "one\ntwo\n").await.unwrap().unwrap();
    expect![[r#"
        Created
        0..2 pending: "" -> "one;\ntwo;\n""#]]
    .assert_eq(&stage.hunks("x").await);
}

#[tokio::test]
async fn an_edit_that_is_kept_already_leaves_nothing_to_decide() {
    let records = tempfile::tempdir().unwrap();
    let stage = stage(&[("x", "a;\n")], records.path());
    let kept = stage.edit_as("x", "a;\n", "a;\nb\n", Standing::Kept);
    kept.await.unwrap().unwrap();
    assert_eq!(stage.hunks("x").await, "nothing");
    assert_eq!(stage.disk.text("x").unwrap(), "a;\nb;\n");
}

#[tokio::test]
async fn the_next_edit_goes_on_from_what_the_formatter_left() {
    let records = tempfile::tempdir().unwrap();
    let mut stage = stage(&[("x", "a;\n")], records.path());
    stage.edit("x", "a;\n", "a;\nb\n").await.unwrap().unwrap();
    stage.next_turn();
    let written = stage.edit("x", "a;\nb;\n", "a;\nb;\nc\n").await;
    assert_eq!(written.unwrap().unwrap().conflicts, []);
    assert_eq!(stage.disk.text("x").unwrap(), "a;\nb;\nc;\n");
}

#[tokio::test]
async fn what_was_typed_where_the_file_is_held_is_merged_with_the_edit() {
    let records = tempfile::tempdir().unwrap();
    let stage = stage(&[("x", "a;\nb;\ntyped;\n")], records.path());
    let written = stage.edit("x", "a;\nb;\n", "A;\nb;\n").await;
    assert_eq!(written.unwrap().unwrap().conflicts, []);
    assert_eq!(stage.disk.text("x").unwrap(), "A;\nb;\ntyped;\n");
    let keep = ReviewCommand::Keep(Scope::Everything);
    stage.order(keep).await;
    assert_eq!(stage.hunks("x").await, "nothing");
}

/// Whoever holds the files takes an edit when the test says so.
struct Slow {
    disk: Arc<MemoryDisk>,
    begun: Mutex<Option<oneshot::Sender<()>>>,
    go: Mutex<mpsc::Receiver<()>>,
}

impl Disk for Slow {
    fn read(&self, at: &Location) -> Result<Option<String>, FileError> {
        self.disk.read(at)
    }

    fn replace(
        &self,
        at: &Location,
        before: Option<&str>,
        after: Option<&str>,
    ) -> Result<Replaced, FileError> {
        self.disk.replace(at, before, after)
    }

    fn rename(&self, from: &Location, to: &Location) -> Result<(), FileError> {
        self.disk.rename(from, to)
    }

    fn hand_over(
        &self,
        at: &Location,
        before: Option<&str>,
        after: Option<&str>,
        _: &Delivery,
    ) -> Result<Replaced, FileError> {
        if let Some(begun) = self.begun.lock().unwrap().take() {
            begun.send(()).unwrap();
        }
        self.go.lock().unwrap().recv().unwrap();
        self.disk.replace(at, before, after)?;
        Ok(Replaced::Taken(after.unwrap_or_default().to_owned()))
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_has_taken_an_edit_may_tell_of_it_as_an_editor_in_its_own_time() {
    let records = tempfile::tempdir().unwrap();
    let disk = MemoryDisk::empty();
    disk.put("x", "a\n");
    let (begun, has_begun) = oneshot::channel();
    let (going, go) = mpsc::channel();
    let way = Slow {
        disk: Arc::clone(&disk),
        begun: Mutex::new(Some(begun)),
        go: Mutex::new(go),
    };
    let stage = Stage::recording_through(Arc::new(way), &disk, records.path());
    let edited = stage.edit("x", "a\n", "b\n");
    has_begun.await.unwrap();
    // The same program opens the file as it was, and has yet to say that it is another now.
    let mut editor = stage.editor(1);
    editor.open("x", "a\n");
    stage.snapshot().await;
    let since = Instant::now();
    going.send(()).unwrap();
    editor.takes().await;
    assert!(
        since.elapsed() >= OVERDUE,
        "asked at once, it would do it twice"
    );
    edited.await.unwrap().unwrap();
    assert_eq!(editor.text("x"), "b\n");
}
