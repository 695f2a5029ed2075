//! What outlives the host.

use std::path::Path;
use std::sync::Arc;

use crate::reviews::testing::{MemoryDisk, Stage, key, turn};
use crate::{ReviewCommand, Scope};

const BEFORE: &str = "a\nb\nc\nd\ne\n";
const AFTER: &str = "a\nB\nc\nd\nE\nf\n";
const BOTH: &str =
    "Changed\n1..2 pending: \"b\\n\" -> \"B\\n\"\n4..6 pending: \"e\\n\" -> \"E\\nf\\n\"";

fn disk() -> Arc<MemoryDisk> {
    let disk = MemoryDisk::empty();
    disk.put("x", BEFORE);
    disk
}

async fn edited(disk: &Arc<MemoryDisk>, records: &Path) {
    let stage = Stage::recording(disk, records);
    stage.edit("x", BEFORE, AFTER).await.unwrap().unwrap();
    assert_eq!(stage.hunks("x").await, BOTH);
}

#[tokio::test]
async fn pending_hunks_are_there_after_a_restart() {
    let (disk, records) = (disk(), tempfile::tempdir().unwrap());
    edited(&disk, records.path()).await;
    let stage = Stage::recording(&disk, records.path());
    stage.shows("x", BOTH).await;
    let review = stage.review_of("x").await.unwrap();
    assert_eq!(review.hunks[0].origin, Some(turn(1)));
    let hunk = stage.hunk("x", 1).await;
    stage.order(ReviewCommand::Reject(hunk)).await;
    stage.disk_holds("x", Some("a\nB\nc\nd\ne\n")).await;
}

#[tokio::test]
async fn what_was_typed_while_nobody_looked_is_the_persons() {
    let (disk, records) = (disk(), tempfile::tempdir().unwrap());
    edited(&disk, records.path()).await;
    disk.put("x", &AFTER.replace("a\n", "top\na\n"));
    let stage = Stage::recording(&disk, records.path());
    stage
        .shows("x", &BOTH.replace("1..2", "2..3").replace("4..6", "5..7"))
        .await;
    stage.order(ReviewCommand::Reject(Scope::Everything)).await;
    stage.disk_holds("x", Some("top\na\nb\nc\nd\ne\n")).await;
}

#[tokio::test]
async fn decisions_and_turns_are_undone_after_a_restart() {
    let (disk, records) = (disk(), tempfile::tempdir().unwrap());
    edited(&disk, records.path()).await;
    let stage = Stage::recording(&disk, records.path());
    stage.shows("x", BOTH).await;
    stage.order(ReviewCommand::Reject(Scope::Everything)).await;
    stage.disk_holds("x", Some(BEFORE)).await;
    stage.shows("x", "nothing").await;
    drop(stage);

    let stage = Stage::recording(&disk, records.path());
    let mut moves = stage.moves().await;
    while stage.reviews().await.undo.is_none() {
        moves.changed().await.unwrap();
    }
    assert_eq!(stage.reviews().await.rejected.len(), 2);
    stage.order(ReviewCommand::Undo).await;
    stage.disk_holds("x", Some(AFTER)).await;
    stage.shows("x", BOTH).await;
    drop(stage);

    let stage = Stage::recording(&disk, records.path());
    stage.shows("x", BOTH).await;
    assert_eq!(stage.reviews().await.undo, None);
    assert_eq!(stage.reviews().await.rejected.len(), 0);
    stage.order(ReviewCommand::UndoTurn(turn(1))).await;
    stage.disk_holds("x", Some(BEFORE)).await;
    assert_eq!(stage.hunks("x").await, "nothing");
}

#[tokio::test]
async fn a_rejected_hunk_of_an_earlier_day_can_be_applied() {
    let (disk, records) = (disk(), tempfile::tempdir().unwrap());
    edited(&disk, records.path()).await;
    let stage = Stage::recording(&disk, records.path());
    stage.shows("x", BOTH).await;
    stage.order(ReviewCommand::Reject(Scope::Everything)).await;
    stage.disk_holds("x", Some(BEFORE)).await;
    stage.shows("x", "nothing").await;
    drop(stage);

    disk.put("x", "top\na\nb\nc\nd\ne\n");
    let stage = Stage::recording(&disk, records.path());
    let mut moves = stage.moves().await;
    while stage.reviews().await.rejected.is_empty() {
        moves.changed().await.unwrap();
    }
    let rejected = stage.reviews().await.rejected.clone();
    stage.order(ReviewCommand::Reapply(rejected[1].id)).await;
    stage.disk_holds("x", Some("top\na\nb\nc\nd\nE\nf\n")).await;
}

/// What the next host says is rejected.
async fn rejected_later(disk: &Arc<MemoryDisk>, records: &Path) -> Vec<String> {
    let stage = Stage::recording(disk, records);
    // The agent's edits wait until the record is read.
    stage.edit("other", "", "").await.unwrap().unwrap();
    let reviews = stage.reviews().await;
    let added = reviews.rejected.iter().map(|hunk| hunk.added.to_string());
    added.collect()
}

#[tokio::test]
async fn a_rejected_hunk_that_was_applied_after_all_is_not_rejected_after_a_restart() {
    let (disk, records) = (disk(), tempfile::tempdir().unwrap());
    edited(&disk, records.path()).await;
    let stage = Stage::recording(&disk, records.path());
    stage.shows("x", BOTH).await;
    stage.order(ReviewCommand::Reject(Scope::Everything)).await;
    stage.shows("x", "nothing").await;
    let rejected = stage.reviews().await.rejected.clone();
    stage.order(ReviewCommand::Reapply(rejected[1].id)).await;
    stage.disk_holds("x", Some("a\nb\nc\nd\nE\nf\n")).await;
    drop(stage);
    assert_eq!(rejected_later(&disk, records.path()).await, ["B\n"]);

    // One of an earlier day.
    let stage = Stage::recording(&disk, records.path());
    stage.edit("other", "", "").await.unwrap().unwrap();
    let rejected = stage.reviews().await.rejected.clone();
    stage.order(ReviewCommand::Reapply(rejected[0].id)).await;
    stage.disk_holds("x", Some(AFTER)).await;
    drop(stage);
    assert_eq!(rejected_later(&disk, records.path()).await, [""; 0]);
}

#[tokio::test]
async fn a_rejection_that_was_undone_is_undone_after_a_restart() {
    let (disk, records) = (disk(), tempfile::tempdir().unwrap());
    edited(&disk, records.path()).await;
    let stage = Stage::recording(&disk, records.path());
    stage.shows("x", BOTH).await;
    stage.order(ReviewCommand::Reject(Scope::Everything)).await;
    stage.shows("x", "nothing").await;
    stage.order(ReviewCommand::Undo).await;
    stage.shows("x", BOTH).await;
    drop(stage);
    assert_eq!(rejected_later(&disk, records.path()).await, [""; 0]);
}

#[tokio::test]
async fn a_comment_stands_beside_its_line_after_a_restart_wherever_that_has_moved() {
    let (disk, records) = (disk(), tempfile::tempdir().unwrap());
    let stage = Stage::recording(&disk, records.path());
    stage.edit("x", BEFORE, AFTER).await.unwrap().unwrap();
    let comment = ReviewCommand::AddComment {
        key: key("x"),
        line: 4,
        text: "why?".to_owned(),
    };
    stage.order(comment).await;
    // The agent moves it by one line, and somebody else by another when nobody looks.
    let longer = AFTER.replace("a\n", "a\nmore\n");
    stage.edit("x", AFTER, &longer).await.unwrap().unwrap();
    drop(stage);
    disk.put("x", &longer.replace("a\n", "top\na\n"));
    let stage = Stage::recording(&disk, records.path());
    stage.edit("other", "", "").await.unwrap().unwrap();
    let review = stage.review_of("x").await.unwrap();
    let comments = review.hunks.iter().flat_map(|hunk| &hunk.comments);
    let lines: Vec<usize> = comments.map(|comment| comment.line).collect();
    assert_eq!(lines, [6]);
}

#[tokio::test]
async fn every_hunk_knows_its_turn_after_a_restart() {
    let (disk, records) = (disk(), tempfile::tempdir().unwrap());
    let mut stage = Stage::recording(&disk, records.path());
    let first = "a\nB\nc\nd\ne\n";
    stage.edit("x", BEFORE, first).await.unwrap().unwrap();
    stage.next_turn();
    stage.edit("x", first, AFTER).await.unwrap().unwrap();
    assert_eq!(stage.hunks("x").await, BOTH);
    drop(stage);
    let stage = Stage::recording(&disk, records.path());
    stage.shows("x", BOTH).await;
    let review = stage.review_of("x").await.unwrap();
    let origins = review.hunks.iter().map(|hunk| hunk.origin.clone());
    assert_eq!(origins.collect::<Vec<_>>(), [Some(turn(1)), Some(turn(2))]);
    stage
        .order(ReviewCommand::Reject(Scope::Turn(turn(2))))
        .await;
    stage.disk_holds("x", Some(first)).await;
    // A decision that is undone after another restart has not forgotten it either.
    drop(stage);
    let stage = Stage::recording(&disk, records.path());
    stage.order(ReviewCommand::Undo).await;
    stage.shows("x", BOTH).await;
    let review = stage.review_of("x").await.unwrap();
    assert_eq!(review.hunks[1].origin, Some(turn(2)));
}

#[tokio::test(start_paused = true)]
async fn a_reject_that_is_made_again_is_listed_again() {
    let stage = Stage::new(&[("x", BEFORE)]);
    stage.edit("x", BEFORE, AFTER).await.unwrap().unwrap();
    let hunk = stage.hunk("x", 0).await;
    stage.order(ReviewCommand::Reject(hunk)).await;
    stage.disk_holds("x", Some("a\nb\nc\nd\nE\nf\n")).await;
    stage.order(ReviewCommand::Undo).await;
    stage.shows("x", BOTH).await;
    assert_eq!(stage.reviews().await.rejected.len(), 0);
    stage.order(ReviewCommand::Redo).await;
    stage.disk_holds("x", Some("a\nb\nc\nd\nE\nf\n")).await;
    let rejected = stage.reviews().await.rejected.clone();
    let listed: Vec<&str> = rejected.iter().map(|hunk| &*hunk.added).collect();
    assert_eq!(listed, ["B\n"]);
    stage.order(ReviewCommand::Reapply(rejected[0].id)).await;
    stage.disk_holds("x", Some(AFTER)).await;
}
