use expect_test::expect;
use pollux_agent::Standing;

use crate::reviews::testing::{Stage, key, turn};
use crate::{FileKind, ReviewCommand, Scope};

const BEFORE: &str = "a\nb\nc\nd\ne\n";
const AFTER: &str = "a\nB\nc\nd\nE\nf\n";

#[tokio::test]
async fn an_edit_of_a_closed_file_is_written_and_pending() {
    let stage = Stage::new(&[("x", BEFORE)]);
    let written = stage.edit("x", BEFORE, AFTER).await.unwrap().unwrap();
    assert_eq!(written.conflicts, []);
    assert_eq!(stage.disk.text("x").unwrap(), AFTER);
    expect![[r#"
        Changed
        1..2 pending: "b\n" -> "B\n"
        4..6 pending: "e\n" -> "E\nf\n""#]]
    .assert_eq(&stage.hunks("x").await);
    let review = stage.review_of("x").await.unwrap();
    assert_eq!(review.hunks[0].origin, Some(turn(1)));
}

#[tokio::test]
async fn hunks_are_kept_and_rejected_one_by_one() {
    let stage = Stage::new(&[("x", BEFORE)]);
    stage.edit("x", BEFORE, AFTER).await.unwrap().unwrap();
    let first = stage.hunk("x", 0).await;
    assert_eq!(
        stage.order(ReviewCommand::Keep(first.clone())).await,
        "Kept a hunk in a file."
    );
    assert_eq!(stage.disk.text("x").unwrap(), AFTER);
    assert_eq!(
        stage.order(ReviewCommand::Keep(first)).await,
        "the hunks have changed meanwhile; look at them again"
    );
    let second = stage.hunk("x", 0).await;
    stage.order(ReviewCommand::Reject(second)).await;
    stage.disk_holds("x", Some("a\nB\nc\nd\ne\n")).await;
    stage.shows("x", "nothing").await;
    let rejected = stage.reviews().await.rejected.clone();
    assert_eq!(rejected.len(), 1);
    assert_eq!(&*rejected[0].added, "E\nf\n");
    stage.order(ReviewCommand::Reapply(rejected[0].id)).await;
    stage.disk_holds("x", Some(AFTER)).await;
    stage
        .shows("x", "Changed\n4..6 pending: \"e\\n\" -> \"E\\nf\\n\"")
        .await;
}

#[tokio::test]
async fn what_somebody_else_wrote_meanwhile_stays() {
    let stage = Stage::new(&[("x", "a\nb\nc\nd\nmine\n")]);
    let written = stage.edit("x", BEFORE, AFTER).await.unwrap().unwrap();
    assert_eq!(stage.disk.text("x").unwrap(), "a\nB\nc\nd\nmine\n");
    assert_eq!(written.conflicts.len(), 1);
    assert_eq!(written.conflicts[0].line, 5);
    expect![[r#"
        Changed
        1..2 pending: "b\n" -> "B\n"
        4..5 conflict: "mine\n" -> "E\nf\n""#]]
    .assert_eq(&stage.hunks("x").await);
}

#[tokio::test]
async fn keeping_a_conflict_is_refused_and_keeping_all_says_that_it_is_left() {
    let stage = Stage::new(&[("x", "a\nb\nc\nd\nmine\n")]);
    stage.edit("x", BEFORE, AFTER).await.unwrap().unwrap();
    let conflict = stage.hunk("x", 1).await;
    let refused = "you and the agent changed the same lines: keep yours, or take the agent's";
    assert_eq!(stage.order(ReviewCommand::Keep(conflict)).await, refused);
    assert_eq!(
        stage.order(ReviewCommand::Keep(Scope::Everything)).await,
        "Kept a hunk in a file. A conflict is left: keep yours, or take the agent's."
    );
    let left = "Changed\n4..5 conflict: \"mine\\n\" -> \"E\\nf\\n\"";
    stage.shows("x", left).await;
    let all = ReviewCommand::Keep(Scope::File(key("x")));
    assert_eq!(stage.order(all).await, refused);
    // Undo means what was decided, not what was refused.
    stage.order(ReviewCommand::Undo).await;
    let both = format!(
        "Changed\n1..2 pending: \"b\\n\" -> \"B\\n\"\n{}",
        &left[8..]
    );
    stage.shows("x", &both).await;
    stage
        .order(ReviewCommand::Reject(stage.hunk("x", 1).await))
        .await;
    stage.disk_holds("x", Some("a\nB\nc\nd\nmine\n")).await;
}

#[tokio::test]
async fn a_new_file_is_gone_when_it_is_rejected_and_back_when_that_is_undone() {
    let stage = Stage::new(&[]);
    stage.create("n", "one\n").await.unwrap().unwrap();
    let review = stage.review_of("n").await.unwrap();
    assert_eq!(review.kind, FileKind::Created);
    stage.order(ReviewCommand::Reject(Scope::Everything)).await;
    stage.disk_holds("n", None).await;
    stage.shows("n", "nothing").await;
    stage.order(ReviewCommand::Undo).await;
    stage.disk_holds("n", Some("one\n")).await;
    assert_eq!(
        stage.hunks("n").await,
        "Created\n0..1 pending: \"\" -> \"one\\n\""
    );
}

#[tokio::test]
async fn what_was_decided_beforehand_is_not_pending() {
    let stage = Stage::new(&[("x", BEFORE)]);
    let edited = stage.edit_as("x", BEFORE, AFTER, Standing::Kept);
    edited.await.unwrap().unwrap();
    assert_eq!(stage.disk.text("x").unwrap(), AFTER);
    assert_eq!(stage.hunks("x").await, "nothing");
    stage.order(ReviewCommand::UndoTurn(turn(1))).await;
    stage.disk_holds("x", Some(BEFORE)).await;
    stage.shows("x", "nothing").await;
}

#[tokio::test]
async fn decisions_are_undone_and_made_again() {
    let stage = Stage::new(&[("x", BEFORE), ("y", BEFORE)]);
    stage.edit("x", BEFORE, AFTER).await.unwrap().unwrap();
    stage.edit("y", BEFORE, AFTER).await.unwrap().unwrap();
    assert_eq!(
        stage.order(ReviewCommand::Undo).await,
        "there is nothing to undo"
    );
    stage.order(ReviewCommand::Keep(Scope::Everything)).await;
    assert_eq!(stage.reviews().await.files.len(), 0);
    assert_eq!(
        stage.reviews().await.undo.as_deref(),
        Some("keep 4 hunks of 2 files")
    );
    stage.order(ReviewCommand::Undo).await;
    assert_eq!(stage.reviews().await.files.len(), 2);
    stage.order(ReviewCommand::Redo).await;
    assert_eq!(stage.reviews().await.files.len(), 0);
    stage.order(ReviewCommand::Undo).await;
    stage
        .order(ReviewCommand::Reject(Scope::File(key("x"))))
        .await;
    stage.disk_holds("x", Some(BEFORE)).await;
    assert_eq!(stage.disk.text("y").unwrap(), AFTER);
    assert_eq!(
        stage.order(ReviewCommand::Redo).await,
        "there is nothing to redo"
    );
}

#[tokio::test]
async fn a_turn_is_undone_after_later_edits_of_a_person() {
    let mut stage = Stage::new(&[("x", BEFORE)]);
    stage.edit("x", BEFORE, AFTER).await.unwrap().unwrap();
    stage.next_turn();
    let later = AFTER.replace('c', "C");
    stage.edit("x", AFTER, &later).await.unwrap().unwrap();
    stage.disk.put("x", &format!("top\n{later}"));
    stage.order(ReviewCommand::UndoTurn(turn(1))).await;
    stage.disk_holds("x", Some("top\na\nb\nC\nd\ne\n")).await;
    stage
        .shows("x", "Changed\n2..4 edited: \"b\\nc\\n\" -> \"b\\nC\\n\"")
        .await;
    stage.order(ReviewCommand::RedoTurn(turn(1))).await;
    stage.disk_holds("x", Some("top\na\nB\nC\nd\nE\nf\n")).await;
    stage.order(ReviewCommand::RewindTo(turn(1))).await;
    stage.disk_holds("x", Some("top\na\nb\nc\nd\ne\n")).await;
    stage.shows("x", "nothing").await;
}

#[tokio::test]
async fn whoever_opens_a_file_as_it_was_before_the_edit_is_brought_along() {
    let stage = Stage::new(&[("x", BEFORE)]);
    stage.edit("x", BEFORE, AFTER).await.unwrap().unwrap();
    let pending = stage.hunks("x").await;
    let mut editor = stage.editor(1);
    // It read the file before the edit was written, and says so afterwards.
    editor.open("x", BEFORE);
    editor.takes().await;
    assert_eq!(editor.text("x"), AFTER);
    stage.shows("x", &pending).await;
}

#[tokio::test]
async fn a_file_that_was_put_back_before_it_was_opened_has_nothing_pending() {
    let stage = Stage::new(&[("x", BEFORE)]);
    stage.edit("x", BEFORE, AFTER).await.unwrap().unwrap();
    stage.disk.put("x", BEFORE);
    let mut editor = stage.editor(1);
    editor.open("x", BEFORE);
    stage.shows("x", "nothing").await;
    assert_eq!(editor.text("x"), BEFORE);
}

#[tokio::test]
async fn an_empty_file_is_a_hunk_without_lines_and_is_kept_or_rejected_like_any() {
    let stage = Stage::new(&[]);
    for name in ["kept", "rejected", "gone"] {
        stage.create(name, "").await.unwrap().unwrap();
        stage
            .shows(name, "Created\n0..0 pending: \"\" -> \"\"")
            .await;
    }
    let kept = stage.hunk("kept", 0).await;
    assert_eq!(stage.order(ReviewCommand::Keep(kept)).await, "Kept a file.");
    let rejected = stage.hunk("rejected", 0).await;
    assert_eq!(
        stage.order(ReviewCommand::Reject(rejected)).await,
        "Rejected a file."
    );
    let of_turn = Scope::Turn(crate::reviews::testing::turn(1));
    stage.order(ReviewCommand::Reject(of_turn)).await;
    stage.disk_holds("kept", Some("")).await;
    stage.disk_holds("rejected", None).await;
    stage.disk_holds("gone", None).await;
    stage.order(ReviewCommand::Undo).await;
    stage.disk_holds("gone", Some("")).await;
    stage
        .shows("gone", "Created\n0..0 pending: \"\" -> \"\"")
        .await;
    expect![[r#"
        kept:0 Kept "" -> ""
        rejected:0 Rejected "" -> ""
        gone:0 Rejected "" -> ""
        gone:0 PendingAgain "" -> ""
    "#]]
    .assert_eq(&stage.decisions().await);
}
