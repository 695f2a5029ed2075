//! Files that get another name while something of them is pending.

use crate::reviews::testing::{MemoryDisk, Stage, place, turn};
use crate::{Input, ReviewCommand, Scope};

const BEFORE: &str = "a\nb\nc\n";
const AFTER: &str = "a\nB\nc\n";
const HUNK: &str = "Changed\n1..2 pending: \"b\\n\" -> \"B\\n\"";

/// What `mv` does.
fn moves(disk: &MemoryDisk, from: &str, to: &str) -> String {
    let text = disk.take(from).unwrap();
    disk.put(to, &text);
    text
}

async fn pending() -> Stage {
    let stage = Stage::new(&[("x", BEFORE)]);
    stage.edit("x", BEFORE, AFTER).await.unwrap().unwrap();
    stage
}

#[tokio::test(start_paused = true)]
async fn a_review_follows_a_file_that_a_command_renames() {
    let stage = pending().await;
    let text = moves(&stage.disk, "x", "y");
    stage.moved("x", "y", &text).await.unwrap().unwrap();
    stage.shows("y", HUNK).await;
    assert_eq!(stage.hunks("x").await, "nothing");
    stage.order(ReviewCommand::Reject(Scope::Everything)).await;
    stage.disk_holds("y", Some(BEFORE)).await;
    assert_eq!(stage.disk.text("x"), None);
}

#[tokio::test(start_paused = true)]
async fn undoing_a_turn_puts_the_name_back_and_then_the_text() {
    let stage = pending().await;
    let text = moves(&stage.disk, "x", "y");
    stage.moved("x", "y", &text).await.unwrap().unwrap();
    stage.edit("y", AFTER, "a\nB\nC\n").await.unwrap().unwrap();
    let text = moves(&stage.disk, "y", "z");
    stage.moved("y", "z", &text).await.unwrap().unwrap();
    stage.order(ReviewCommand::UndoTurn(turn(1))).await;
    stage.disk_holds("x", Some(BEFORE)).await;
    assert_eq!((stage.disk.text("y"), stage.disk.text("z")), (None, None));
    stage.order(ReviewCommand::RedoTurn(turn(1))).await;
    stage.disk_holds("z", Some("a\nB\nC\n")).await;
    assert_eq!((stage.disk.text("x"), stage.disk.text("y")), (None, None));
}

#[tokio::test(start_paused = true)]
async fn a_rename_of_a_file_that_nobody_reviews_is_undone_too() {
    let stage = Stage::new(&[("x", BEFORE)]);
    let text = moves(&stage.disk, "x", "y");
    stage.moved("x", "y", &text).await.unwrap().unwrap();
    stage.order(ReviewCommand::UndoTurn(turn(1))).await;
    stage.disk_holds("x", Some(BEFORE)).await;
    assert_eq!(stage.disk.text("y"), None);
}

#[tokio::test(start_paused = true)]
async fn a_name_that_somebody_else_has_taken_meanwhile_is_not_put_back_over_it() {
    let stage = pending().await;
    let text = moves(&stage.disk, "x", "y");
    stage.moved("x", "y", &text).await.unwrap().unwrap();
    stage.disk.put("x", "somebody else\n");
    stage.order(ReviewCommand::UndoTurn(turn(1))).await;
    stage.disk_holds("y", Some(BEFORE)).await;
    assert_eq!(stage.disk.text("x").unwrap(), "somebody else\n");
}

#[tokio::test(start_paused = true)]
async fn a_review_follows_a_folder_that_a_person_renames() {
    let stage = Stage::new(&[("src/x", BEFORE)]);
    stage.edit("src/x", BEFORE, AFTER).await.unwrap().unwrap();
    moves(&stage.disk, "src/x", "lib/x");
    let names = vec![(place("src"), place("lib"))];
    stage.lease.inbox().post(Input::FilesRenamed(names));
    stage.shows("lib/x", HUNK).await;
    assert_eq!(stage.hunks("src/x").await, "nothing");
    stage.order(ReviewCommand::UndoTurn(turn(1))).await;
    stage.disk_holds("lib/x", Some(BEFORE)).await;
}

#[tokio::test(start_paused = true)]
async fn an_editor_that_closes_a_file_and_opens_it_under_another_name_takes_the_review_along() {
    for heard in ["before it is opened", "after it is opened"] {
        let stage = Stage::new(&[("x", BEFORE)]);
        let mut editor = stage.editor(1);
        editor.open("x", BEFORE);
        let edited = stage.edit("x", BEFORE, AFTER);
        editor.obeys().await;
        edited.await.unwrap().unwrap();
        stage.disk.take("x").unwrap();
        stage.disk.put("y", AFTER);
        editor.closes("x");
        if heard == "before it is opened" {
            let mut moves = stage.moves().await;
            while stage.hunks("x").await != "nothing" {
                moves.changed().await.unwrap();
            }
        }
        editor.open("y", AFTER);
        stage.shows("y", HUNK).await;
        assert_eq!(stage.hunks("x").await, "nothing");
    }
}

#[tokio::test]
async fn a_rename_is_undone_after_a_restart() {
    let records = tempfile::tempdir().unwrap();
    let disk = MemoryDisk::empty();
    disk.put("x", BEFORE);
    let stage = Stage::recording(&disk, records.path());
    stage.edit("x", BEFORE, AFTER).await.unwrap().unwrap();
    let text = moves(&disk, "x", "y");
    stage.moved("x", "y", &text).await.unwrap().unwrap();
    stage.shows("y", HUNK).await;
    drop(stage);
    let stage = Stage::recording(&disk, records.path());
    stage.shows("y", HUNK).await;
    stage.order(ReviewCommand::UndoTurn(turn(1))).await;
    stage.disk_holds("x", Some(BEFORE)).await;
    assert_eq!(disk.text("y"), None);
}
