use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;

/// One line per hunk: the ranges, what goes, what comes, and the changed words in brackets.
fn check(base: &str, current: &str, expected: Expect) {
    let shown: Vec<String> = hunks(base, current)
        .iter()
        .map(|hunk| {
            let words = hunk.word_changes(base, current);
            format!(
                "{:?} {:?} -> {:?} {:?}\n",
                hunk.base_lines(),
                marked(base, hunk.base_bytes(), &words.removed),
                hunk.current_lines(),
                marked(current, hunk.current_bytes(), &words.added),
            )
        })
        .collect();
    expected.assert_eq(&shown.concat());
}

fn marked(text: &str, bytes: Range<usize>, words: &[Range<usize>]) -> String {
    let mut shown = String::new();
    let mut at = bytes.start;
    for word in words {
        shown += &text[at..word.start];
        shown += &format!("[{}]", &text[word.clone()]);
        at = word.end;
    }
    shown + &text[at..bytes.end]
}

#[test]
fn equal_texts_have_no_hunks() {
    check("", "", expect![""]);
    check("a\nb", "a\nb", expect![""]);
}

#[test]
fn a_hunk_replaces_inserts_or_deletes_lines() {
    check(
        "one\ntwo\nthree\nfour\n",
        "zero\none\ntwo\n3\n",
        expect![[r#"
            0..0 "" -> 0..1 "zero\n"
            2..4 "three\nfour\n" -> 3..4 "3\n"
        "#]],
    );
}

#[test]
fn an_emptied_and_a_filled_text_are_one_hunk() {
    check(
        "a\nb\n",
        "",
        expect![[r#"
            0..2 "a\nb\n" -> 0..0 ""
        "#]],
    );
    check(
        "",
        "a",
        expect![[r#"
            0..0 "" -> 0..1 "a"
        "#]],
    );
}

#[test]
fn a_missing_final_newline_is_a_difference() {
    check(
        "a\nlast line",
        "a\nlast line\n",
        expect![[r#"
            1..2 "last line" -> 1..2 "last line[\n]"
        "#]],
    );
}

#[test]
fn a_changed_line_ending_is_a_difference_of_that_line_only() {
    check(
        "a b\r\nc d\re f\n",
        "a b\r\nc d\ne f\n",
        expect![[r#"
            1..2 "c d[\r]" -> 1..2 "c d[\n]"
        "#]],
    );
}

#[test]
fn changed_words_are_marked_by_identifier_and_sign() {
    check(
        "let x = f(first, 10);\n",
        "let x = f(second, 20)?;\n",
        expect![[r#"
            0..1 "let x = f([first], [10]);\n" -> 0..1 "let x = f([second], [20])[?];\n"
        "#]],
    );
}

#[test]
fn changed_words_apart_by_blanks_are_marked_as_a_phrase() {
    check(
        "when the cat sat on a mat, it slept\n",
        "when a dog sat on a mat, it slept\n",
        expect![[r#"
            0..1 "when [the cat] sat on a mat, it slept\n" -> 0..1 "when [a dog] sat on a mat, it slept\n"
        "#]],
    );
}

#[test]
fn unlike_lines_are_not_marked_by_words() {
    check(
        "completely(different);\n",
        "nothing = \"in common\" + here\n",
        expect![[r#"
            0..1 "completely(different);\n" -> 0..1 "nothing = \"in common\" + here\n"
        "#]],
    );
}

#[test]
fn kept_hunks_are_applied_and_rejected_ones_are_not() {
    let base = "a\r\nb\nc\rd";
    let current = "A\r\nb\nC\rd\n";
    use Decision::{Keep, Reject};
    assert_eq!(
        keep_only(base, current, &[Keep, Reject, Reject]),
        "A\r\nb\nc\rd"
    );
    assert_eq!(keep_only(base, current, &[Reject, Keep]), "a\r\nb\nC\rd\n");
}

#[test]
fn a_hunk_without_a_decision_is_rejected() {
    assert_eq!(keep_only("a\nb\nc\n", "A\nb\nC\n", &[]), "a\nb\nc\n");
    assert_eq!(
        keep_only("a\nb\nc\n", "A\nb\nC\n", &[Decision::Keep]),
        "A\nb\nc\n"
    );
}

#[test]
fn a_surplus_decision_changes_nothing() {
    assert_eq!(keep_only("a\n", "b\n", &[Decision::Keep; 9]), "b\n");
}

/// A small alphabet, so that equal lines, repeated lines and every mix of line endings are common.
fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just(""),
        Just("a"),
        Just("b = f(a)"),
        Just("b = f(ä, 😀)"),
        Just("}"),
        Just("\u{feff}x"),
    ];
    let ending = prop_oneof![Just("\n"), Just("\r\n"), Just("\r"), Just("")];
    prop::collection::vec((line, ending), 0..24).prop_map(|lines| {
        lines
            .into_iter()
            .flat_map(|(line, ending)| [line, ending])
            .collect()
    })
}

/// A text and an edited copy of it: most lines survive, so that there are many hunks.
fn edited_text() -> impl Strategy<Value = (String, String)> {
    (text(), prop::collection::vec(0..8u8, 24), text()).prop_map(|(base, edits, spare)| {
        let spare = lines(&spare);
        let mut current = String::new();
        for (index, line) in lines(&base).iter().enumerate() {
            let other = spare.get(index).copied().unwrap_or("new\r\n");
            match edits.get(index) {
                Some(0) => {}
                Some(1) => current.push_str(other),
                Some(2) => current.extend([other, line]),
                _ => current.push_str(line),
            }
        }
        (base, current)
    })
}

fn pair() -> impl Strategy<Value = (String, String)> {
    prop_oneof![
        (text(), text()),
        edited_text(),
        (any::<String>(), any::<String>())
    ]
}

/// The oracle: builds the text line by line from the hunks' line ranges, without looking at byte ranges.
fn spliced_by_hand(base: &str, current: &str, decisions: &[Decision]) -> String {
    let base_lines = lines(base);
    let current_lines = lines(current);
    let mut result = String::new();
    let mut next = 0;
    for (hunk, decision) in hunks(base, current).iter().zip(decisions) {
        result += &base_lines[next..hunk.base_lines().start].concat();
        result += &match decision {
            Decision::Keep => current_lines[hunk.current_lines()].concat(),
            Decision::Reject => base_lines[hunk.base_lines()].concat(),
        };
        next = hunk.base_lines().end;
    }
    result + &base_lines[next..].concat()
}

proptest! {
    #[test]
    fn keeping_all_gives_the_current_text((base, current) in pair()) {
        let decisions = vec![Decision::Keep; hunks(&base, &current).len()];
        prop_assert_eq!(keep_only(&base, &current, &decisions), current);
    }

    #[test]
    fn rejecting_all_gives_the_base((base, current) in pair()) {
        let decisions = vec![Decision::Reject; hunks(&base, &current).len()];
        prop_assert_eq!(keep_only(&base, &current, &decisions), base);
    }

    #[test]
    fn keeping_any_subset_equals_splicing_by_hand(
        (base, current) in pair(),
        choices in prop::collection::vec(any::<bool>(), 64),
    ) {
        let decisions: Vec<Decision> = hunks(&base, &current)
            .iter()
            .zip(choices)
            .map(|(_, keep)| if keep { Decision::Keep } else { Decision::Reject })
            .collect();
        prop_assert_eq!(
            keep_only(&base, &current, &decisions),
            spliced_by_hand(&base, &current, &decisions)
        );
    }

    #[test]
    fn hunks_are_in_order_apart_and_never_empty((base, current) in pair()) {
        let found = hunks(&base, &current);
        for hunk in &found {
            prop_assert_ne!(hunk.base_text(&base), hunk.current_text(&current));
        }
        for neighbours in found.windows(2) {
            let gap = neighbours[1].base_lines().start - neighbours[0].base_lines().end;
            let same = neighbours[1].current_lines().start - neighbours[0].current_lines().end;
            prop_assert!(gap > 0);
            prop_assert_eq!(gap, same);
        }
    }

    #[test]
    fn changed_words_lie_inside_their_hunk_and_cover_every_difference((base, current) in pair()) {
        for hunk in hunks(&base, &current) {
            let words = hunk.word_changes(&base, &current);
            if words == WordChanges::default() {
                continue;
            }
            let without = |text: &str, bytes: Range<usize>, words: &[Range<usize>]| {
                let mut rest = String::new();
                let mut at = bytes.start;
                for word in words {
                    rest += &text[at..word.start];
                    at = word.end;
                }
                rest + &text[at..bytes.end]
            };
            // Blanks may be swallowed when a phrase is joined, on either side.
            let blank = |c: char| c == ' ' || c == '\t';
            prop_assert_eq!(
                without(&base, hunk.base_bytes(), &words.removed).replace(blank, ""),
                without(&current, hunk.current_bytes(), &words.added).replace(blank, "")
            );
        }
    }
}
