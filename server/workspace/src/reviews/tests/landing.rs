//! Whether an edit has arrived in an editor is told by the text alone.

use expect_test::expect;

use pollux_text::Edit;
use tokio::time::Instant;

use crate::reviews::attempt::PATIENCE;
use crate::reviews::testing::{Stage, typed};
use crate::{EditOutcome, Outbound, ReviewCommand, Scope};

const BEFORE: &str = "a\nb\nc\n";
const AFTER: &str = "a\nB\nc\n";

#[tokio::test(start_paused = true)]
async fn an_edit_of_an_open_file_goes_through_the_editor_and_is_saved() {
    let stage = Stage::new(&[("x", BEFORE)]);
    let mut editor = stage.editor(1);
    editor.open("x", BEFORE);
    let edited = stage.edit("x", BEFORE, AFTER);
    assert_eq!(editor.obeys().await, EditOutcome::Accepted);
    edited.await.unwrap().unwrap();
    assert_eq!(editor.text("x"), AFTER);
    assert_eq!(stage.disk.text("x").unwrap(), BEFORE);
    assert_eq!(
        editor.outbound.recv().await.unwrap(),
        Outbound::Save {
            uris: vec!["file:///w/x".to_owned()]
        }
    );
    expect![[r#"
        Changed
        1..2 pending: "b\n" -> "B\n""#]]
    .assert_eq(&stage.hunks("x").await);
    let hunk = stage.hunk("x", 0).await;
    stage.order(ReviewCommand::Reject(hunk)).await;
    editor.obeys().await;
    assert_eq!(stage.hunks("x").await, "nothing");
    assert_eq!(editor.text("x"), BEFORE);
}

#[tokio::test(start_paused = true)]
async fn an_edit_that_comes_before_the_last_one_is_saved_is_saved_too() {
    let stage = Stage::new(&[("x", BEFORE)]);
    let mut editor = stage.editor(1);
    editor.open("x", BEFORE);
    let first = stage.edit("x", BEFORE, AFTER);
    editor.obeys().await;
    first.await.unwrap().unwrap();
    let save = Outbound::Save {
        uris: vec!["file:///w/x".to_owned()],
    };
    assert_eq!(editor.outbound.recv().await.unwrap(), save);
    let second = stage.edit("x", AFTER, "a\nB\nC\n");
    let asked = editor.asked().await;
    // The disk still has the text from before both; the editor comes round to the first save only now.
    editor.saves("x");
    editor.change("x", asked.edits);
    editor.answer(asked.op, EditOutcome::Accepted);
    second.await.unwrap().unwrap();
    assert_eq!(editor.outbound.recv().await.unwrap(), save);
}

#[tokio::test(start_paused = true)]
async fn unsaved_text_is_not_saved_with_the_edit() {
    let stage = Stage::new(&[("x", BEFORE)]);
    let mut editor = stage.editor(1);
    editor.open("x", BEFORE);
    editor.types("x", 0, "mine\n");
    let edited = stage.edit("x", BEFORE, AFTER);
    editor.obeys().await;
    edited.await.unwrap().unwrap();
    assert_eq!(editor.text("x"), "mine\na\nB\nc\n");
    stage.order(ReviewCommand::Reject(Scope::Everything)).await;
    // The next message is the next edit, and not a wish to save.
    editor.obeys().await;
    assert_eq!(stage.hunks("x").await, "nothing");
    assert_eq!(editor.text("x"), "mine\na\nb\nc\n");
}

#[tokio::test(start_paused = true)]
async fn typed_before_the_edit_came_and_so_it_is_made_anew() {
    let stage = Stage::new(&[("x", BEFORE)]);
    let mut editor = stage.editor(1);
    editor.open("x", BEFORE);
    let edited = stage.edit("x", BEFORE, AFTER);
    let asked = editor.asked().await;
    editor.types("x", 0, "mine\n");
    editor.answer(asked.op, EditOutcome::Refused);
    assert_eq!(editor.obeys().await, EditOutcome::Accepted);
    edited.await.unwrap().unwrap();
    assert_eq!(editor.text("x"), "mine\na\nB\nc\n");
    expect![[r#"
        Changed
        2..3 pending: "b\n" -> "B\n""#]]
    .assert_eq(&stage.hunks("x").await);
}

#[tokio::test(start_paused = true)]
async fn typing_and_the_edit_may_come_in_one() {
    let stage = Stage::new(&[("x", BEFORE)]);
    let mut editor = stage.editor(1);
    editor.open("x", BEFORE);
    let edited = stage.edit("x", BEFORE, AFTER);
    let asked = editor.asked().await;
    let mut edits = asked.edits;
    edits.push(typed(3, "mine\n"));
    editor.change("x", edits);
    edited.await.unwrap().unwrap();
    expect![[r#"
        Changed
        1..2 pending: "b\n" -> "B\n""#]]
    .assert_eq(&stage.hunks("x").await);
    assert_eq!(editor.text("x"), "a\nB\nc\nmine\n");
}

#[tokio::test(start_paused = true)]
async fn typed_after_the_edit_is_the_persons() {
    let stage = Stage::new(&[("x", BEFORE)]);
    let mut editor = stage.editor(1);
    editor.open("x", BEFORE);
    let edited = stage.edit("x", BEFORE, AFTER);
    editor.obeys().await;
    editor.types("x", 1, "mine ");
    edited.await.unwrap().unwrap();
    expect![[r#"
        Changed
        1..2 edited: "b\n" -> "mine B\n""#]]
    .assert_eq(&stage.hunks("x").await);
}

#[tokio::test(start_paused = true)]
async fn an_editor_that_says_applied_and_has_not_is_asked_again() {
    let stage = Stage::new(&[("x", BEFORE)]);
    let mut editor = stage.editor(1);
    editor.open("x", BEFORE);
    let edited = stage.edit("x", BEFORE, AFTER);
    let asked = editor.asked().await;
    editor.answer(asked.op, EditOutcome::Accepted);
    assert_eq!(editor.obeys().await, EditOutcome::Accepted);
    edited.await.unwrap().unwrap();
    assert_eq!(editor.text("x"), AFTER);
}

#[tokio::test(start_paused = true)]
async fn an_editor_that_says_applied_and_goes_on_without_it_is_asked_again() {
    let stage = Stage::new(&[("x", BEFORE)]);
    let mut editor = stage.editor(1);
    editor.open("x", BEFORE);
    let edited = stage.edit("x", BEFORE, AFTER);
    let asked = editor.asked().await;
    editor.answer(asked.op, EditOutcome::Accepted);
    editor.types("x", 0, "mine\n");
    assert_eq!(editor.obeys().await, EditOutcome::Accepted);
    edited.await.unwrap().unwrap();
    assert_eq!(editor.text("x"), "mine\na\nB\nc\n");
}

#[tokio::test(start_paused = true)]
async fn an_editor_that_never_takes_the_edit_fails_it() {
    let stage = Stage::new(&[("x", BEFORE)]);
    let mut editor = stage.editor(1);
    editor.open("x", BEFORE);
    let started = Instant::now();
    let mut edited = stage.edit("x", BEFORE, AFTER);
    let mut times = 0;
    let error = loop {
        tokio::select! {
            asked = editor.asked() => {
                times += 1;
                editor.answer(asked.op, EditOutcome::Refused);
            }
            error = &mut edited => break error.unwrap().unwrap_err(),
        }
    };
    assert!(started.elapsed() > PATIENCE);
    assert!(times < 30, "asked {times} times");
    expect!["the editor did not take the edit, so nothing was written"]
        .assert_eq(&error.to_string());
    assert_eq!(stage.hunks("x").await, "nothing");
    assert_eq!(stage.disk.text("x").unwrap(), BEFORE);
}

#[tokio::test(start_paused = true)]
async fn a_decision_that_an_editor_never_takes_is_told_once() {
    let stage = Stage::new(&[("x", BEFORE), ("y", BEFORE)]);
    let mut editor = stage.editor(1);
    for path in ["x", "y"] {
        stage.edit(path, BEFORE, AFTER).await.unwrap().unwrap();
        editor.open(path, AFTER);
    }
    let said = stage.order(ReviewCommand::Reject(Scope::Everything)).await;
    assert_eq!(said, "Rejected 2 hunks in 2 files.");
    let started = Instant::now();
    let mut told = Vec::new();
    while started.elapsed() < PATIENCE * 2 {
        match tokio::time::timeout(PATIENCE, editor.outbound.recv()).await {
            Ok(Some(Outbound::ApplyEdit { op, .. })) => editor.answer(op, EditOutcome::Refused),
            Ok(Some(Outbound::Message { text, .. })) => told.push(text),
            Ok(other) => panic!("{other:?}"),
            Err(_) => break,
        }
    }
    // Whichever of the two is given up first.
    let told = told.join("\n").replace("y: ", "x: ");
    expect![[
        r#"Not done: reject 2 hunks of 2 files. x: the editor did not take the edit, so nothing was written."#
    ]]
    .assert_eq(&told);
    assert_eq!(editor.text("x"), AFTER);
    let pending = "Changed\n1..2 pending: \"b\\n\" -> \"B\\n\"";
    assert_eq!(stage.hunks("x").await, pending);
}

#[tokio::test(start_paused = true)]
async fn an_edit_gets_in_however_often_typing_comes_before_it() {
    let stage = Stage::new(&[("x", BEFORE)]);
    let mut editor = stage.editor(1);
    editor.open("x", BEFORE);
    let edited = stage.edit("x", BEFORE, AFTER);
    for _ in 0..40 {
        let asked = editor.asked().await;
        editor.types("x", 0, "mine\n");
        editor.answer(asked.op, EditOutcome::Refused);
    }
    assert_eq!(editor.obeys().await, EditOutcome::Accepted);
    edited.await.unwrap().unwrap();
    assert_eq!(editor.text("x"), format!("{}{AFTER}", "mine\n".repeat(40)));
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_is_stopped_does_not_wait_for_the_editor() {
    let stage = Stage::new(&[("x", BEFORE)]);
    let mut editor = stage.editor(1);
    editor.open("x", BEFORE);
    let mut edited = stage.edit("x", BEFORE, AFTER);
    let asked = editor.asked().await;
    editor.answer(asked.op, EditOutcome::Refused);
    let asked = editor.asked().await;
    editor.answer(asked.op, EditOutcome::Refused);
    assert!(edited.try_recv().is_err());
    let stopped = Instant::now();
    stage.cancel.cancel();
    let error = edited.await.unwrap().unwrap_err();
    expect!["the turn was stopped before the editor had taken the edit, so nothing was written"]
        .assert_eq(&error.to_string());
    assert_eq!(stopped.elapsed().as_millis(), 0);
    assert_eq!(stage.hunks("x").await, "nothing");
}

#[tokio::test(start_paused = true)]
async fn an_edit_waits_for_an_editor_whose_text_is_not_known() {
    let stage = Stage::new(&[("x", BEFORE)]);
    let mut editor = stage.editor(1);
    editor.open("x", BEFORE);
    // There is no such line.
    editor.report("x", 2, vec![typed(70, "mine\n")]);
    let resync = editor.outbound.recv().await.unwrap();
    assert!(matches!(resync, Outbound::Resync { .. }));
    let edited = stage.edit("x", BEFORE, AFTER);
    editor.types("x", 0, "");
    editor.change("x", vec![Edit::Replace(format!("mine\n{BEFORE}"))]);
    assert_eq!(editor.obeys().await, EditOutcome::Accepted);
    edited.await.unwrap().unwrap();
    assert_eq!(editor.text("x"), format!("mine\n{AFTER}"));
}

#[tokio::test(start_paused = true)]
async fn an_editor_that_leaves_leaves_the_edit_to_the_disk() {
    let stage = Stage::new(&[("x", BEFORE)]);
    let mut editor = stage.editor(1);
    editor.open("x", BEFORE);
    let edited = stage.edit("x", BEFORE, AFTER);
    editor.asked().await;
    stage.rooms.leave(editor.id);
    edited.await.unwrap().unwrap();
    assert_eq!(stage.disk.text("x").unwrap(), AFTER);
}

#[tokio::test(start_paused = true)]
async fn a_file_that_is_closed_unsaved_is_what_the_disk_has() {
    let stage = Stage::new(&[("x", BEFORE)]);
    let mut editor = stage.editor(1);
    editor.open("x", BEFORE);
    let edited = stage.edit("x", BEFORE, AFTER);
    editor.obeys().await;
    edited.await.unwrap().unwrap();
    let mut moves = stage.moves().await;
    editor.closes("x");
    while stage.hunks("x").await != "nothing" {
        moves.changed().await.unwrap();
    }
    assert_eq!(stage.disk.text("x").unwrap(), BEFORE);
}
