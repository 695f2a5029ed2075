//! What a keystroke costs must not grow with the file.

use std::time::Instant;

use crate::reviews::testing::Stage;

/// Generous: debug builds on a busy machine. Anything that looks at the whole file takes longer by far.
const MOST_MICROSECONDS: u128 = 5_000;

#[tokio::test]
async fn a_keystroke_in_a_large_reviewed_file_costs_no_look_at_all_of_it() {
    let before: String = (0..100_000).map(|line| format!("line {line}\n")).collect();
    let after = before.replace("line 50000\n", "changed\n");
    let stage = Stage::new(&[("x", &before)]);
    let mut editor = stage.editor(1);
    editor.open("x", &before);
    let edited = stage.edit("x", &before, &after);
    editor.obeys().await;
    edited.await.unwrap().unwrap();
    stage.snapshot().await;
    let keys = 500;
    let started = Instant::now();
    for key in 0..keys {
        editor.types("x", key * 150, "k");
    }
    stage.snapshot().await;
    let each = started.elapsed().as_micros() / u128::from(keys);
    assert!(each < MOST_MICROSECONDS, "{each} microseconds per key");
}
