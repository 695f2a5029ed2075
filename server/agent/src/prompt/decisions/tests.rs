use std::path::PathBuf;

use expect_test::expect;

use super::*;

fn decision(verdict: HunkVerdict, text: &str) -> HunkDecision {
    HunkDecision {
        path: PathBuf::from("src/a.rs"),
        line: 3,
        verdict,
        removed: "old\n".to_owned(),
        added: text.to_owned(),
    }
}

#[test]
fn decisions_are_told_as_data() {
    let told = tell_decisions(&[
        decision(HunkVerdict::Rejected, "new\n"),
        decision(HunkVerdict::Edited, "mine\n"),
    ]);
    expect![[r#"
        What I decided about your edits since your last answer, as JSON lines. Do not make rejected changes again, and do not undo what I edited:
        <decisions>
        {"file":"src/a.rs","line":3,"decision":"rejected","removed":"old\n","added":"new\n"}
        {"file":"src/a.rs","line":3,"decision":"edited by hand","proposed":"old\n","final":"mine\n"}
        </decisions>"#]]
    .assert_eq(&told.unwrap());
    assert_eq!(tell_decisions(&[]), None);
}

#[test]
fn however_much_was_decided_the_newest_is_told_and_the_rest_is_counted() {
    let mut all = vec![decision(HunkVerdict::Kept, &"x".repeat(100_000)); 1_000];
    all.push(decision(HunkVerdict::Kept, "newest"));
    let told = tell_decisions(&all).unwrap();
    assert!(told.len() <= MAX_DECISIONS_BYTES, "{}", told.len());
    assert!(told.contains("newest") && told.contains("older decisions are left out"));
}
