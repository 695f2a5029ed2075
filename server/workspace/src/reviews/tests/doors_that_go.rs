//! A door that ends between the agent's edit and its save, and an editor that comes back with the text it still has.

use std::sync::Arc;

use tempfile::TempDir;

use crate::reviews::testing::{FakeEditor, MemoryDisk, Stage};
use crate::{EditOutcome, ReviewCommand, Scope};

const BEFORE: &str = "a\nb\nc\nd\ne\n";
const AFTER: &str = "a\nB\nc\nd\nE\nf\n";
const BOTH: &str =
    "Changed\n1..2 pending: \"b\\n\" -> \"B\\n\"\n4..6 pending: \"e\\n\" -> \"E\\nf\\n\"";

/// How far the editor got before its door went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reached {
    /// It has not made the edit yet.
    Asked,
    /// It has made it and not said so.
    Made,
    /// It has said that it would, and its text has not come.
    Answered,
    Reported,
    /// All but saved.
    ReportedAndAnswered,
}

const ALL: [Reached; 5] = [
    Reached::Asked,
    Reached::Made,
    Reached::Answered,
    Reached::Reported,
    Reached::ReportedAndAnswered,
];

/// Who is there when the editor comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Host {
    /// The same host, before it has looked at the disk.
    SameAtOnce,
    /// The same host, which has.
    SameLater,
    /// Another one, which reads the record.
    Next,
    /// One more after that.
    NextButOne,
}

const HOSTS: [Host; 4] = [
    Host::SameAtOnce,
    Host::SameLater,
    Host::Next,
    Host::NextButOne,
];

struct Scene {
    disk: Arc<MemoryDisk>,
    records: TempDir,
    stage: Stage,
}

impl Scene {
    /// Plays until the door has gone.
    async fn until(reached: Reached) -> Self {
        let (disk, records) = (MemoryDisk::empty(), tempfile::tempdir().unwrap());
        disk.put("x", BEFORE);
        let stage = Stage::recording(&disk, records.path());
        stage.edit("other", "", "").await.unwrap().unwrap();
        let mut editor = stage.editor(1);
        editor.open("x", BEFORE);
        let edited = stage.edit("x", BEFORE, AFTER);
        let asked = editor.asked().await;
        match reached {
            Reached::Asked => {}
            Reached::Made => drop(editor.make("x", &asked.edits)),
            Reached::Answered => {
                editor.make("x", &asked.edits);
                editor.answer(asked.op, EditOutcome::Accepted);
            }
            Reached::Reported => editor.change("x", asked.edits),
            Reached::ReportedAndAnswered => {
                editor.change("x", asked.edits);
                editor.answer(asked.op, EditOutcome::Accepted);
                edited.await.unwrap().unwrap();
            }
        }
        stage.rooms.leave(editor.id);
        Self {
            disk,
            records,
            stage,
        }
    }

    /// The editor is back with this text.
    async fn back(self, host: Host, reached: Reached, text: &str) -> (Stage, FakeEditor, TempDir) {
        let Self {
            disk,
            records,
            mut stage,
        } = self;
        if host != Host::SameAtOnce {
            // Where the editor was not heard of any more, the edit was made over the disk.
            match reached {
                Reached::Asked | Reached::Made | Reached::Answered => {
                    stage.disk_holds("x", Some(AFTER)).await;
                    stage.shows("x", BOTH).await;
                }
                Reached::Reported | Reached::ReportedAndAnswered => {
                    stage.shows("x", "nothing").await;
                }
            }
        }
        let ends = match host {
            Host::SameAtOnce | Host::SameLater => 0,
            Host::Next => 1,
            Host::NextButOne => 2,
        };
        for _ in 0..ends {
            stage.ends(records.path()).await;
            stage = Stage::recording(&disk, records.path());
            stage.edit("other", "", "").await.unwrap().unwrap();
        }
        let mut editor = stage.editor(2);
        editor.open("x", text);
        (stage, editor, records)
    }
}

#[tokio::test]
async fn an_edit_is_pending_whenever_its_door_went_before_the_save() {
    for reached in ALL {
        for host in HOSTS {
            let scene = Scene::until(reached).await;
            let (stage, mut editor, _records) = scene.back(host, reached, AFTER).await;
            stage.shows("x", BOTH).await;
            // It is a review like any other.
            let kept = stage.hunk("x", 0).await;
            stage.order(ReviewCommand::Keep(kept)).await;
            stage.order(ReviewCommand::Reject(Scope::Everything)).await;
            editor.takes().await;
            assert_eq!(editor.text("x"), "a\nB\nc\nd\ne\n", "{reached:?} {host:?}");
            stage.shows("x", "nothing").await;
        }
    }
}

#[tokio::test]
async fn an_edit_that_came_over_the_disk_reaches_the_editor_that_never_made_it() {
    for host in HOSTS {
        let scene = Scene::until(Reached::Asked).await;
        let (stage, mut editor, _records) = scene.back(host, Reached::Asked, BEFORE).await;
        editor.takes().await;
        assert_eq!(editor.text("x"), AFTER, "{host:?}");
        stage.shows("x", BOTH).await;
    }
}

#[tokio::test]
async fn an_edit_that_was_thrown_away_with_its_buffer_is_not_pending() {
    for reached in [Reached::Reported, Reached::ReportedAndAnswered] {
        for host in [Host::SameLater, Host::Next, Host::NextButOne] {
            let scene = Scene::until(reached).await;
            let (stage, mut editor, _records) = scene.back(host, reached, BEFORE).await;
            assert_eq!(stage.hunks("x").await, "nothing", "{reached:?} {host:?}");
            // Nor does it come back when somebody goes on from there.
            editor.types("x", 0, "top\n");
            stage.edit("other", "", "").await.unwrap().unwrap();
            assert_eq!(stage.hunks("x").await, "nothing", "{reached:?} {host:?}");
        }
    }
}

#[tokio::test]
async fn what_was_typed_into_an_unsaved_edit_is_still_the_persons_when_the_editor_is_back() {
    for host in HOSTS {
        let (disk, records) = (MemoryDisk::empty(), tempfile::tempdir().unwrap());
        disk.put("x", BEFORE);
        let stage = Stage::recording(&disk, records.path());
        stage.edit("other", "", "").await.unwrap().unwrap();
        let mut editor = stage.editor(1);
        editor.open("x", BEFORE);
        let edited = stage.edit("x", BEFORE, AFTER);
        editor.takes().await;
        edited.await.unwrap().unwrap();
        editor.types("x", 3, "mine\n");
        let text = editor.text("x");
        stage.rooms.leave(editor.id);
        drop(editor);
        let scene = Scene {
            disk,
            records,
            stage,
        };
        let (stage, mut editor, _records) = scene.back(host, Reached::Reported, &text).await;
        let shown =
            "Changed\n1..2 pending: \"b\\n\" -> \"B\\n\"\n5..7 pending: \"e\\n\" -> \"E\\nf\\n\"";
        stage.shows("x", shown).await;
        stage.order(ReviewCommand::Reject(Scope::Everything)).await;
        editor.takes().await;
        assert_eq!(editor.text("x"), "a\nb\nc\nmine\nd\ne\n", "{host:?}");
    }
}
