use expect_test::{Expect, expect};

use super::*;
use crate::Splice;

const AGENT: Origin = Origin(7);

/// The current text, with every hunk as `[kind base>current]` and what else it remembers.
fn check(review: &Review, expected: Expect) {
    check_laws(review);
    expected.assert_eq(&shown(review));
}

fn shown(review: &Review) -> String {
    let current = review.current().to_string();
    let mut shown = String::new();
    let mut at = 0;
    let flat = |text: String| text.replace('\n', ";").replace('\r', "^");
    for hunk in review.hunks() {
        shown += &current[at..hunk.current_bytes().start];
        let (base, now) = (flat(hunk.base_text()), flat(hunk.current_text()));
        shown += &format!("[{:?} {base}>{now}", hunk.kind());
        if let Some(agent) = hunk.agent_text() {
            shown += &format!(" agent {}", flat(agent));
        }
        if let Some(theirs) = hunk.their_text() {
            shown += &format!(" theirs {}", flat(theirs));
        }
        shown += "]\n";
        at = hunk.current_bytes().end;
    }
    shown + &current[at..]
}

/// The agent changed a text that it had just read.
fn reviewed(before: &str, after: &str) -> Review {
    let mut review = Review::new(before);
    review.agent_edit(before, after, AGENT);
    review
}

/// A person replaced the only occurrence of a text.
fn typed(review: &mut Review, old: &str, new: &str) {
    let current = review.current().to_string();
    let (at, _) = current.match_indices(old).next().unwrap();
    review.splice(at..at + old.len(), new);
}

fn id(review: &Review, index: usize) -> HunkId {
    review.resolve(review.revision(), index).unwrap()
}

#[test]
fn an_edit_of_the_agent_is_pending_until_it_is_kept_or_rejected() {
    let mut review = reviewed("a\nb\nc\nd\n", "a\nB\nc\nD\n");
    check(
        &review,
        expect![[r#"
            a
            [Change b;>B;]
            c
            [Change d;>D;]
        "#]],
    );
    review.keep(id(&review, 0)).unwrap();
    let rejected = review.reject(id(&review, 0)).unwrap();
    assert_eq!(
        rejected,
        Rejected {
            splices: vec![Splice {
                range: 6..8,
                text: "d\n".to_owned()
            }],
            hunks: vec![RejectedHunk {
                id: rejected.hunks[0].id,
                origin: AGENT,
                line: 3,
                removed: "d\n".to_owned(),
                added: "D\n".to_owned(),
            }],
        }
    );
    check(
        &review,
        expect![[r#"
            a
            B
            c
            d
        "#]],
    );
    assert!(review.is_empty());
}

#[test]
fn typing_elsewhere_shifts_hunks_without_a_new_revision() {
    let mut review = reviewed("a\nb\nc\n", "a\nB\nc\n");
    let revision = review.revision();
    typed(&mut review, "a\n", "one\ntwo\n");
    typed(&mut review, "c", "see");
    assert_eq!(review.revision(), revision);
    check(
        &review,
        expect![[r#"
            one
            two
            [Change b;>B;]
            see
        "#]],
    );
    assert_eq!(review.base().to_string(), "one\ntwo\nb\nsee\n");
}

#[test]
fn a_line_put_before_or_behind_a_hunk_is_outside_of_it() {
    let mut review = reviewed("a\nc\n", "a\nb\nc\n");
    let revision = review.revision();
    typed(&mut review, "b", "before\nb");
    typed(&mut review, "c", "behind\nc");
    assert_eq!(review.revision(), revision);
    check(
        &review,
        expect![[r#"
            a
            before
            [Change >b;]
            behind
            c
        "#]],
    );
}

#[test]
fn an_edit_inside_a_hunk_is_remembered_and_survives_its_rejection() {
    let mut review = reviewed("a\nz\n", "a\n1\n2\n3\nz\n");
    typed(&mut review, "2\n", "2\nmine\n");
    check(
        &review,
        expect![[r#"
            a
            [Edited >1;2;mine;3; agent 1;2;3;]
            z
        "#]],
    );
    review.reject(id(&review, 0)).unwrap();
    check(
        &review,
        expect![[r#"
            a
            [Conflict >1;2;mine;3; agent 1;2;3; theirs ]
            z
        "#]],
    );
}

#[test]
fn what_a_person_did_not_touch_goes_back_when_an_edited_hunk_is_rejected() {
    let mut review = reviewed("a\n1\n2\n3\n4\n5\nz\n", "a\nA\nB\nC\nD\nE\nz\n");
    typed(&mut review, "C\n", "mine\n");
    review.reject(id(&review, 0)).unwrap();
    check(
        &review,
        expect![[r#"
            a
            [Conflict 1;2;3;4;5;>A;B;mine;D;E; agent A;B;C;D;E; theirs 1;2;3;4;5;]
            z
        "#]],
    );
}

#[test]
fn a_person_who_undoes_the_agents_change_has_decided() {
    let mut review = reviewed("a\nb\nc\n", "a\nB\nc\n");
    typed(&mut review, "B", "b");
    assert!(review.is_empty());
    let mut review = reviewed("a\nb\nc\n", "a\nB\nc\n");
    typed(&mut review, "B", "Bx");
    typed(&mut review, "Bx", "B");
    check(
        &review,
        expect![[r#"
            a
            [Change b;>B;]
            c
        "#]],
    );
}

#[test]
fn lines_that_both_changed_stay_and_become_a_conflict() {
    let mut review = Review::new("a\nb\nc\n");
    typed(&mut review, "b", "mine");
    let edited = review.agent_edit("a\nb\nc\n", "a\ntheirs\nC\n", AGENT);
    assert_eq!((edited.conflicts, edited.splices.len()), (1, 0));
    check(
        &review,
        expect![[r#"
            a
            [Conflict mine;c;>mine;c; theirs theirs;C;]
        "#]],
    );
    let conflict = id(&review, 0);
    assert_eq!(review.keep(conflict), Err(HunkError::Unsettled));
    let mut mine = review.clone();
    assert_eq!(mine.settle(conflict, Side::Mine), Ok(vec![]));
    assert!(mine.is_empty());
    assert_eq!(mine.current().to_string(), "a\nmine\nc\n");
    let splices = review.settle(conflict, Side::Theirs).unwrap();
    assert_eq!(Splice::apply(&splices, "a\nmine\nc\n"), "a\ntheirs\nC\n");
    assert_eq!(review.current().to_string(), "a\ntheirs\nC\n");
    assert!(review.is_empty());
}

#[test]
fn a_hunk_that_a_person_edited_becomes_base_when_the_agent_builds_upon_it() {
    let mut review = reviewed("a\nb\nc\n", "a\nB\nc\n");
    typed(&mut review, "B", "B mine");
    let read = review.current().to_string();
    let edited = review.agent_edit(&read, "a\nB mine and more\nc\n", AGENT);
    assert_eq!(edited.became_base[0].text, "B mine\n");
    assert_eq!(edited.became_base[0].agent_text, "B\n");
    check(
        &review,
        expect![[r#"
            a
            [Change B mine;>B mine and more;]
            c
        "#]],
    );
    review.reject_all();
    assert_eq!(review.current().to_string(), "a\nB mine\nc\n");
}

#[test]
fn a_formatter_that_replaces_everything_touches_only_what_it_changed() {
    let mut review = reviewed("a\nb\nc\nd\ne\n", "a\nB\nc\nd\ne\n");
    let revision = review.revision();
    let length = review.current().len_bytes();
    review.splice(0..length, "a\nB\nc\n  d\ne\n");
    assert_eq!(review.revision(), revision);
    check(
        &review,
        expect![[r#"
            a
            [Change b;>B;]
            c
              d
            e
        "#]],
    );
}

#[test]
fn two_agents_that_change_the_same_line_are_a_conflict_upon_a_change() {
    let mut review = reviewed("a\nb\nc\n", "a\none\nc\n");
    review.agent_edit("a\nb\nc\n", "a\ntwo\nc\n", Origin(8));
    check(
        &review,
        expect![[r#"
            a
            [Conflict b;>one; theirs two;]
            c
        "#]],
    );
    let mut mine = review.clone();
    mine.settle(id(&mine, 0), Side::Mine).unwrap();
    check(
        &mine,
        expect![[r#"
            a
            [Change b;>one;]
            c
        "#]],
    );
    review.reject_all();
    assert_eq!(review.current().to_string(), "a\nb\nc\n");
    assert!(review.is_empty());
}

#[test]
fn a_stale_name_is_refused() {
    let mut review = reviewed("a\nb\nc\n", "a\nB\nc\n");
    let (revision, hunk) = (review.revision(), id(&review, 0));
    review.keep(hunk).unwrap();
    assert_eq!(review.resolve(revision, 0), Err(HunkError::Stale));
    assert_eq!(review.reject(hunk), Err(HunkError::Stale));
    assert_eq!(review.settle(hunk, Side::Mine), Err(HunkError::Stale));
}

#[test]
fn an_edit_has_landed_when_the_text_has_it_whatever_else_it_has() {
    let (before, expected) = ("a\nb\nc\nd\n", "a\nB\nc\nd\n");
    assert_eq!(landed(before, expected, before), Landed::NotYet);
    assert_eq!(
        landed(before, expected, expected),
        Landed::Arrived { rest: vec![] }
    );
    assert_eq!(
        landed(before, expected, "a\nB\nc\nd typed\n"),
        Landed::Arrived {
            rest: vec![Splice {
                range: 6..8,
                text: "d typed\n".to_owned()
            }]
        }
    );
    assert_eq!(
        landed(before, expected, "a\nb\nc\nd typed\n"),
        Landed::NotYet
    );
    assert_eq!(
        landed(before, expected, "a\nb typed\nc\nd\n"),
        Landed::NotYet
    );
}

#[test]
fn a_decision_is_undone_by_other_texts_and_the_origin_stays() {
    let mut review = reviewed("a\nb\nc\n", "a\nB\nc\n");
    let (revision, before) = (review.revision(), review.texts());
    let other = Origin(9);
    let mut undone = review.clone();
    undone.reset(&before, other);
    assert!(undone.revision() > revision);
    assert_eq!(undone.hunks().next().unwrap().origin(), AGENT);
    review.keep_all();
    review.reset(&before, other);
    assert_eq!(review.hunks().next().unwrap().origin(), other);
    assert_eq!(review.texts(), before);
}

#[test]
fn a_thousand_hunks_are_shifted_and_rejected() {
    let before: String = (0..2_000).map(|line| format!("line {line}\n")).collect();
    let after: String = (0..2_000)
        .map(|line| match line % 2 {
            0 => format!("line {line}\n"),
            _ => format!("changed {line}\n"),
        })
        .collect();
    let mut review = reviewed(&before, &after);
    assert_eq!(review.len(), 1_000);
    review.splice(0..0, "typed ");
    review.reject_all();
    assert_eq!(review.current().to_string(), format!("typed {before}"));
    assert!(review.is_empty());
}
