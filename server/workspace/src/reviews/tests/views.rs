//! Several editors, a file that is opened in the middle, and what happens outside of all of them.

use crate::reviews::testing::{Stage, place};
use crate::{EditOutcome, Input, Outbound, ReviewCommand, Scope};

const BEFORE: &str = "a\nb\nc\n";
const AFTER: &str = "a\nB\nc\n";
const HUNK: &str = "Changed\n1..2 pending: \"b\\n\" -> \"B\\n\"";

#[tokio::test(start_paused = true)]
async fn every_editor_that_is_in_step_gets_the_edit() {
    let stage = Stage::new(&[("x", BEFORE)]);
    let (mut one, mut two) = (stage.editor(1), stage.editor(2));
    one.open("x", BEFORE);
    two.open("x", BEFORE);
    let edited = stage.edit("x", BEFORE, AFTER);
    one.obeys().await;
    two.obeys().await;
    edited.await.unwrap().unwrap();
    assert_eq!(stage.hunks("x").await, HUNK);
    assert_eq!((one.text("x"), two.text("x")), (AFTER.into(), AFTER.into()));
}

#[tokio::test(start_paused = true)]
async fn an_editor_that_refuses_what_another_took_is_asked_until_it_has_it() {
    let stage = Stage::new(&[("x", BEFORE)]);
    let (mut one, mut two) = (stage.editor(1), stage.editor(2));
    one.open("x", BEFORE);
    two.open("x", BEFORE);
    let edited = stage.edit("x", BEFORE, AFTER);
    one.obeys().await;
    edited.await.unwrap().unwrap();
    for _ in 0..10 {
        let asked = two.asked().await;
        two.answer(asked.op, EditOutcome::Refused);
    }
    // What comes meanwhile is brought along.
    one.types("x", 3, "mine\n");
    let asked = two.asked().await;
    two.answer(asked.op, EditOutcome::Refused);
    assert_eq!(two.obeys().await, EditOutcome::Accepted);
    assert_eq!(two.text("x"), "a\nB\nc\nmine\n");
    assert_eq!(stage.hunks("x").await, HUNK);
    stage.order(ReviewCommand::Reject(Scope::Everything)).await;
    one.takes().await;
    two.takes().await;
    assert_eq!(one.text("x"), "a\nb\nc\nmine\n");
    assert_eq!(two.text("x"), one.text("x"));
}

#[tokio::test(start_paused = true)]
async fn what_is_typed_where_an_edit_was_refused_is_kept_and_the_edit_comes_after_it() {
    let stage = Stage::new(&[("x", BEFORE)]);
    let (mut one, mut two) = (stage.editor(1), stage.editor(2));
    one.open("x", BEFORE);
    two.open("x", BEFORE);
    let edited = stage.edit("x", BEFORE, AFTER);
    one.obeys().await;
    edited.await.unwrap().unwrap();
    let asked = two.asked().await;
    two.types("x", 0, "mine\n");
    two.answer(asked.op, EditOutcome::Refused);
    assert_eq!(two.obeys().await, EditOutcome::Accepted);
    assert_eq!(two.text("x"), format!("mine\n{AFTER}"));
    assert_eq!(stage.hunks("x").await, HUNK.replace("1..2", "2..3"));
}

#[tokio::test(start_paused = true)]
async fn a_rejected_hunk_does_not_stay_in_the_editor_that_was_slow() {
    let stage = Stage::new(&[("x", BEFORE)]);
    let (mut one, mut two) = (stage.editor(1), stage.editor(2));
    one.open("x", BEFORE);
    two.open("x", BEFORE);
    let edited = stage.edit("x", BEFORE, AFTER);
    one.obeys().await;
    two.obeys().await;
    edited.await.unwrap().unwrap();
    assert_eq!(stage.hunks("x").await, HUNK);
    stage.order(ReviewCommand::Reject(Scope::Everything)).await;
    one.takes().await;
    assert_eq!(stage.hunks("x").await, "nothing");
    let asked = loop {
        if let Some(asked) = two.hears().await {
            break asked;
        }
    };
    two.answer(asked.op, EditOutcome::Refused);
    two.takes().await;
    assert_eq!(two.text("x"), BEFORE);
}

#[tokio::test(start_paused = true)]
async fn an_editor_with_other_text_is_left_alone_until_it_is_in_step_again() {
    let stage = Stage::new(&[("x", BEFORE)]);
    let (mut one, mut two) = (stage.editor(1), stage.editor(2));
    one.open("x", BEFORE);
    two.open("x", "something else\n");
    let edited = stage.edit("x", BEFORE, AFTER);
    one.obeys().await;
    edited.await.unwrap().unwrap();
    assert_eq!(stage.hunks("x").await, HUNK);
    two.change("x", vec![pollux_text::Edit::Replace(AFTER.to_owned())]);
    assert_eq!(stage.hunks("x").await, HUNK);
    let hunk = stage.hunk("x", 0).await;
    stage.order(ReviewCommand::Reject(hunk)).await;
    assert!(matches!(
        two.outbound.recv().await,
        Some(Outbound::ApplyEdit { .. })
    ));
}

#[tokio::test(start_paused = true)]
async fn a_file_that_is_opened_while_it_is_written_has_the_edit_in_the_end() {
    let stage = Stage::new(&[("x", BEFORE)]);
    let mut editor = stage.editor(1);
    let mut edited = stage.edit("x", BEFORE, AFTER);
    editor.open("x", BEFORE);
    let answer = loop {
        tokio::select! {
            _ = editor.obeys() => {}
            answer = &mut edited => break answer,
        }
    };
    answer.unwrap().unwrap();
    stage.shows("x", HUNK).await;
    assert!(stage.disk.text("x").unwrap() == AFTER || editor.text("x") == AFTER);
}

#[tokio::test(start_paused = true)]
async fn what_something_else_did_to_a_closed_file_is_taken_in() {
    let stage = Stage::new(&[("x", BEFORE)]);
    stage.edit("x", BEFORE, AFTER).await.unwrap().unwrap();
    stage.disk.put("x", "top\na\nB\nc\n");
    let changed = Input::FilesChanged(vec![place("x")]);
    stage.lease.inbox().post(changed);
    stage.shows("x", &HUNK.replace("1..2", "2..3")).await;
}

#[tokio::test(start_paused = true)]
async fn a_room_lives_as_long_as_its_lease() {
    let stage = Stage::new(&[("x", BEFORE)]);
    let editor = stage.editor(1);
    stage.edit("x", BEFORE, AFTER).await.unwrap().unwrap();
    stage.rooms.leave(editor.id);
    assert_eq!(stage.hunks("x").await, HUNK);
    let Stage { rooms, lease, .. } = stage;
    drop(lease);
    assert_eq!(rooms.report(), []);
}

#[tokio::test(start_paused = true)]
async fn what_a_command_did_is_pending_and_can_be_rejected() {
    let stage = Stage::new(&[("x", AFTER), ("n", "new\n")]);
    stage
        .shell("x", Some(BEFORE), Some(AFTER))
        .await
        .unwrap()
        .unwrap();
    stage
        .shell("n", None, Some("new\n"))
        .await
        .unwrap()
        .unwrap();
    stage
        .shell("gone", Some("old\n"), None)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(stage.hunks("x").await, HUNK);
    assert_eq!(
        stage.hunks("gone").await,
        "Deleted\n0..0 pending: \"old\\n\" -> \"\""
    );
    let reject = ReviewCommand::Reject(Scope::Everything);
    stage.order(reject).await;
    stage.disk_holds("x", Some(BEFORE)).await;
    stage.disk_holds("n", None).await;
    stage.disk_holds("gone", Some("old\n")).await;
}

#[tokio::test(start_paused = true)]
async fn what_a_command_did_to_an_open_file_gets_into_the_editor() {
    let stage = Stage::new(&[("x", BEFORE)]);
    let mut editor = stage.editor(1);
    editor.open("x", BEFORE);
    stage.disk.put("x", AFTER);
    let taken = stage.shell("x", Some(BEFORE), Some(AFTER));
    editor.obeys().await;
    taken.await.unwrap().unwrap();
    assert_eq!(editor.text("x"), AFTER);
    assert_eq!(stage.hunks("x").await, HUNK);
}

#[tokio::test]
async fn an_empty_file_that_is_open_is_gone_when_it_is_rejected_and_back_when_that_is_undone() {
    let stage = Stage::new(&[]);
    stage.create("n", "").await.unwrap().unwrap();
    let mut editor = stage.editor(1);
    editor.open("n", "");
    let hunk = stage.hunk("n", 0).await;
    stage.order(ReviewCommand::Reject(hunk)).await;
    stage.disk_holds("n", None).await;
    stage.shows("n", "nothing").await;
    stage.order(ReviewCommand::Undo).await;
    stage.disk_holds("n", Some("")).await;
    stage
        .shows("n", "Created\n0..0 pending: \"\" -> \"\"")
        .await;
}
