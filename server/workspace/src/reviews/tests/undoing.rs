//! What a turn did is taken back as a whole, and whatever a person had written comes back with it.

use std::sync::Arc;

use crate::reviews::testing::{MemoryDisk, Stage, key, turn};
use crate::{HunkName, ReviewCommand, Scope, Side};

const BEFORE: &str = "a\nb\nc\n";
const MINE: &str = "a\nmine\nc\n";
const THEIRS: &str = "a\nB\nc\n";

/// A person and the agent have changed the same line, and the person has taken the agent's.
async fn theirs_was_taken(stage: &Stage) {
    let written = stage.edit("x", BEFORE, THEIRS).await.unwrap().unwrap();
    assert_eq!(written.conflicts.len(), 1);
    let revision = stage.review_of("x").await.unwrap().revision;
    let settle = ReviewCommand::Settle {
        key: key("x"),
        name: HunkName { revision, index: 0 },
        side: Side::Theirs,
    };
    stage.order(settle).await;
    stage.disk_holds("x", Some(THEIRS)).await;
    stage.shows("x", "nothing").await;
}

#[tokio::test]
async fn a_line_that_was_given_up_for_the_agents_comes_back_with_the_turn() {
    let stage = Stage::new(&[("x", MINE)]);
    theirs_was_taken(&stage).await;
    stage.order(ReviewCommand::UndoTurn(turn(1))).await;
    stage.disk_holds("x", Some(MINE)).await;
    stage.shows("x", "nothing").await;
    assert_eq!(
        stage.order(ReviewCommand::Redo).await,
        "there is nothing to redo",
        "the decision went with the turn"
    );
    stage.order(ReviewCommand::RedoTurn(turn(1))).await;
    stage.disk_holds("x", Some(THEIRS)).await;
    stage.order(ReviewCommand::Undo).await;
    stage.disk_holds("x", Some(MINE)).await;
}

#[tokio::test]
async fn a_line_that_was_given_up_comes_back_when_the_chat_goes_back() {
    let mut stage = Stage::new(&[("x", MINE)]);
    theirs_was_taken(&stage).await;
    stage.next_turn();
    let later = "a\nB2\nc\n";
    stage.edit("x", THEIRS, later).await.unwrap().unwrap();
    stage.order(ReviewCommand::RewindTo(turn(1))).await;
    stage.disk_holds("x", Some(MINE)).await;
    stage.shows("x", "nothing").await;
}

#[tokio::test]
async fn a_line_that_was_given_up_and_built_upon_since_is_a_conflict() {
    let mut stage = Stage::new(&[("x", MINE)]);
    theirs_was_taken(&stage).await;
    stage.next_turn();
    let later = "a\nB2\nc\n";
    stage.edit("x", THEIRS, later).await.unwrap().unwrap();
    stage.order(ReviewCommand::Keep(Scope::Everything)).await;
    stage.order(ReviewCommand::UndoTurn(turn(1))).await;
    stage
        .shows("x", "Changed\n1..2 conflict: \"B2\\n\" -> \"mine\\n\"")
        .await;
    assert_eq!(stage.disk.text("x").unwrap(), later);
}

#[tokio::test]
async fn a_line_that_was_given_up_comes_back_after_a_restart() {
    let records = tempfile::tempdir().unwrap();
    let disk = MemoryDisk::empty();
    disk.put("x", MINE);
    let stage = Stage::recording(&disk, records.path());
    theirs_was_taken(&stage).await;
    drop(stage);
    let stage = Stage::recording(&disk, records.path());
    stage.order(ReviewCommand::UndoTurn(turn(1))).await;
    stage.disk_holds("x", Some(MINE)).await;
    drop(stage);
    let stage = Stage::recording(&disk, records.path());
    assert_eq!(
        stage.order(ReviewCommand::Undo).await,
        "there is nothing to undo"
    );
    stage.order(ReviewCommand::RedoTurn(turn(1))).await;
    stage.disk_holds("x", Some(THEIRS)).await;
}

#[tokio::test]
async fn a_wish_that_was_turned_down_and_applied_after_all_goes_with_the_turn() {
    let stage = Stage::new(&[("x", MINE)]);
    stage.edit("x", BEFORE, THEIRS).await.unwrap().unwrap();
    stage.order(ReviewCommand::Reject(Scope::Everything)).await;
    stage.shows("x", "nothing").await;
    let rejected = Arc::clone(&stage.reviews().await.rejected);
    stage.order(ReviewCommand::Reapply(rejected[0].id)).await;
    stage
        .shows("x", "Changed\n1..2 pending: \"mine\\n\" -> \"B\\n\"")
        .await;
    stage.order(ReviewCommand::UndoTurn(turn(1))).await;
    stage.disk_holds("x", Some(MINE)).await;
}

#[tokio::test]
async fn what_a_person_gave_up_for_the_first_text_stays_given_up() {
    let stage = Stage::new(&[("x", BEFORE)]);
    stage.edit("x", BEFORE, THEIRS).await.unwrap().unwrap();
    stage.disk.put("x", "a\nB, and mine\nc\n");
    stage.files_changed("x");
    stage
        .shows("x", "Changed\n1..2 edited: \"b\\n\" -> \"B, and mine\\n\"")
        .await;
    let hunk = stage.hunk("x", 0).await;
    stage.order(ReviewCommand::Reject(hunk)).await;
    stage
        .shows(
            "x",
            "Changed\n1..2 conflict: \"B, and mine\\n\" -> \"b\\n\"",
        )
        .await;
    let revision = stage.review_of("x").await.unwrap().revision;
    let settle = ReviewCommand::Settle {
        key: key("x"),
        name: HunkName { revision, index: 0 },
        side: Side::Theirs,
    };
    stage.order(settle).await;
    stage.disk_holds("x", Some(BEFORE)).await;
    stage.order(ReviewCommand::UndoTurn(turn(1))).await;
    stage.shows("x", "nothing").await;
    assert_eq!(stage.disk.text("x").unwrap(), BEFORE);
}

#[tokio::test]
async fn a_turn_over_more_than_a_thousand_files_is_undone_after_all_are_kept() {
    const MANY: usize = 1_100;
    let records = tempfile::tempdir().unwrap();
    let disk = MemoryDisk::empty();
    let names: Vec<String> = (0..MANY).map(|number| format!("f{number}")).collect();
    for name in &names {
        disk.put(name, BEFORE);
    }
    let stage = Stage::recording(&disk, records.path());
    let edits: Vec<_> = names
        .iter()
        .map(|name| stage.edit(name, BEFORE, THEIRS))
        .collect();
    for edit in edits {
        edit.await.unwrap().unwrap();
    }
    stage.order(ReviewCommand::Keep(Scope::Everything)).await;
    stage.is_at_rest().await;
    assert_eq!(stage.reviews().await.files.len(), 0);
    let undone = "The turn is undone in 1100 files.";
    let undo = ReviewCommand::UndoTurn(turn(1));
    let is_back = |name: &&String| disk.text(name).as_deref() == Some(BEFORE);
    assert_eq!(stage.order(undo.clone()).await, undone);
    stage.is_at_rest().await;
    assert_eq!(names.iter().filter(is_back).count(), MANY);
    stage.order(ReviewCommand::RedoTurn(turn(1))).await;
    stage.is_at_rest().await;
    assert_eq!(names.iter().filter(is_back).count(), 0);
    stage.ends(records.path()).await;

    // Read from the record it is all there, too.
    let stage = Stage::recording(&disk, records.path());
    assert_eq!(stage.order(undo).await, undone);
    stage.is_at_rest().await;
    assert_eq!(names.iter().filter(is_back).count(), MANY);
}
