//! Comments, and decisions as the model hears of them.

use expect_test::expect;

use crate::reviews::testing::{Stage, key, turn};
use crate::{CommentSent, ReviewCommand, Scope};

const BEFORE: &str = "a\nb\nc\nd\n";
const AFTER: &str = "a\nB\nc\nD\n";

fn comment(line: usize, text: &str) -> ReviewCommand {
    ReviewCommand::AddComment {
        key: key("x"),
        line,
        text: text.to_owned(),
    }
}

async fn lines(stage: &Stage) -> Vec<(usize, String)> {
    let Some(review) = stage.review_of("x").await else {
        return Vec::new();
    };
    let comments = review.hunks.iter().flat_map(|hunk| &hunk.comments);
    comments
        .chain(&review.comments)
        .map(|comment| (comment.line, comment.text.to_string()))
        .collect()
}

#[tokio::test(start_paused = true)]
async fn a_comment_moves_with_its_line_and_goes_when_it_is_answered() {
    let mut stage = Stage::new(&[("x", BEFORE)]);
    let mut editor = stage.editor(1);
    editor.open("x", BEFORE);
    assert_eq!(
        stage.order(comment(1, "why?")).await,
        "nothing is pending there"
    );
    let edited = stage.edit("x", BEFORE, AFTER);
    editor.obeys().await;
    edited.await.unwrap().unwrap();
    // Asked for before anybody types: what a person types is theirs to save.
    let save = editor.outbound.recv().await;
    assert!(
        matches!(save, Some(crate::Outbound::Save { .. })),
        "{save:?}"
    );
    stage.order(comment(1, "why?")).await;
    stage.order(comment(3, "shorter")).await;
    editor.types("x", 0, "top\n");
    assert_eq!(
        lines(&stage).await,
        [(2, "why?".to_owned()), (4, "shorter".to_owned())]
    );
    let taken = stage.command(ReviewCommand::TakeComments).await.unwrap();
    expect![[r#"
        The person commented on these lines:

        <comment path="x" line="3">
        > B
        why?
        </comment>

        <comment path="x" line="5">
        > D
        shorter
        </comment>
    "#]]
    .assert_eq(&taken.comments.unwrap());
    let review = stage.review_of("x").await.unwrap();
    let comments = review.hunks.iter().flat_map(|hunk| &hunk.comments);
    let sent: Vec<CommentSent> = comments.map(|comment| comment.sent).collect();
    assert_eq!(sent, [CommentSent::Yes, CommentSent::Yes]);
    assert_eq!(
        stage.order(ReviewCommand::TakeComments).await,
        "there are no comments to send"
    );
    stage.next_turn();
    let now = "top\na\nB\nc\nD\n";
    let edited = stage.edit("x", now, "top\na\nBB\nc\nD\n");
    editor.obeys().await;
    edited.await.unwrap().unwrap();
    assert_eq!(lines(&stage).await, [(4, "shorter".to_owned())]);
    let answered = stage.reviews().await.answered.clone();
    assert_eq!(answered.len(), 1);
    assert_eq!(answered[0].by, turn(2));
}

#[tokio::test(start_paused = true)]
async fn the_model_hears_what_was_kept_rejected_and_edited_once() {
    let stage = Stage::new(&[("x", BEFORE)]);
    let mut editor = stage.editor(1);
    editor.open("x", BEFORE);
    let edited = stage.edit("x", BEFORE, AFTER);
    editor.obeys().await;
    edited.await.unwrap().unwrap();
    editor.types("x", 1, "my ");
    let first = stage.hunk("x", 0).await;
    stage.order(ReviewCommand::Keep(first)).await;
    stage.order(ReviewCommand::Reject(Scope::Everything)).await;
    while stage.hunks("x").await != "nothing" {
        if let Some(crate::Outbound::ApplyEdit { op, edits, .. }) = editor.outbound.recv().await {
            editor.change("x", edits);
            editor.answer(op, crate::EditOutcome::Accepted);
        }
    }
    expect![[r#"
        x:2 Edited "B\n" -> "my B\n"
        x:4 Rejected "d\n" -> "D\n"
    "#]]
    .assert_eq(&stage.decisions().await);
    assert_eq!(stage.decisions().await, "");
}

#[tokio::test(start_paused = true)]
async fn a_comment_that_was_not_sent_outlives_the_last_hunk_of_its_file() {
    let stage = Stage::new(&[("x", BEFORE)]);
    let mut editor = stage.editor(1);
    editor.open("x", BEFORE);
    let edited = stage.edit("x", BEFORE, AFTER);
    editor.obeys().await;
    edited.await.unwrap().unwrap();
    let _save = editor.outbound.recv().await;
    stage.order(comment(1, "why?")).await;
    stage.order(ReviewCommand::Keep(Scope::Everything)).await;
    assert_eq!(stage.review_of("x").await.unwrap().hunks, []);
    assert_eq!(lines(&stage).await, [(1, "why?".to_owned())]);
    // It still moves with its line, and is sent with it.
    editor.types("x", 0, "top\n");
    assert_eq!(lines(&stage).await, [(2, "why?".to_owned())]);
    let taken = stage.command(ReviewCommand::TakeComments).await.unwrap();
    let message = taken.comments.unwrap();
    assert!(message.contains("line=\"3\">\n> B\nwhy?"), "{message}");
    stage.shows("x", "nothing").await;
}

#[tokio::test]
async fn a_comment_that_was_not_sent_and_is_removed_leaves_nothing_behind() {
    let stage = Stage::new(&[("x", BEFORE)]);
    stage.edit("x", BEFORE, AFTER).await.unwrap().unwrap();
    stage.order(comment(1, "why?")).await;
    stage.order(ReviewCommand::Reject(Scope::Everything)).await;
    stage.disk_holds("x", Some(BEFORE)).await;
    let review = stage.review_of("x").await.unwrap();
    let id = review.comments[0].id;
    stage.order(ReviewCommand::RemoveComment(id)).await;
    stage.shows("x", "nothing").await;
}
