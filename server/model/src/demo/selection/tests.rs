use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;
use crate::demo::script::FILES;

fn selection(text: &str, cursor: usize) -> Selection {
    Selection {
        text: text.to_owned(),
        place: FILES[0].to_owned(),
        cursor: Some(cursor),
    }
}

/// The selection lies between `«` and `»`; the cursor stands behind it.
fn check(fixture: &str, expected: Expect) {
    let (before, rest) = fixture.split_once('«').unwrap();
    let (selected, after) = rest.split_once('»').unwrap();
    let text = format!("{before}{selected}{after}");
    let cursor = 1 + feeds(before) + feeds(selected);
    expected.assert_eq(&described(&selection(selected, cursor), Some(&text)));
}

#[test]
fn a_prompt_asks_about_the_selection_or_wants_something_done() {
    for prompt in [
        "Explain",
        "what does it do",
        "Is that right?",
        "tell me about the Selection",
        "and this",
    ] {
        assert!(is_meant(prompt), "{prompt}");
    }
    for prompt in [
        "fix this",
        "Can you repair the selected code?",
        "go on",
        "add a test",
        "thistle",
        "",
    ] {
        assert!(!is_meant(prompt), "{prompt}");
    }
}

#[test]
fn a_selection_that_touches_a_fault_is_told_the_fault() {
    let edit = &EDITS[1];
    let fixture = format!("one\n{}two\n", edit.old.replace("2_u32", "«2_u32»"));
    check(
        &fixture,
        expect![[r#"
            The selection is in line 2 of `src/retry.rs`.

            There is a fault in it: the pause doubles without end, and overflows at the 33rd attempt.

            Ask the demo to fix the program, and it proposes the edits.
        "#]],
    );
}

#[test]
fn every_fault_of_a_long_selection_is_told() {
    check(
        &format!("one\n«fn a() {{\n{}{}»", EDITS[1].old, EDITS[0].old),
        expect![[r#"
            The selection is lines 2 to 8 of `src/retry.rs`. It holds the function `a`.

            There are faults in it:

            - the attempt counter starts again after every pause, so the limit is never reached; the limit itself lets one attempt too many through.
            - the pause doubles without end, and overflows at the 33rd attempt.

            Ask the demo to fix the program, and it proposes the edits.
        "#]],
    );
}

#[test]
fn what_is_fixed_is_no_fault_any_more() {
    check(
        &format!("«{}»", EDITS[1].new),
        expect![[r#"
            The selection is lines 1 to 3 of `src/retry.rs`.

            A fault was fixed here: no pause is longer than `longest_pause`.
        "#]],
    );
}

#[test]
fn beside_the_faults_the_demo_says_how_little_it_knows() {
    check(
        &format!("«def one(a):\n»{}", EDITS[1].old),
        expect![[r#"
            The selection is in line 1 of `src/retry.rs`. It holds the function `one`.

            The demo cannot say more about it: it is a script, and knows only its own sample program by heart. None of the faults that it knows is here.
        "#]],
    );
}

#[test]
fn the_occurrence_at_the_cursor_is_meant() {
    let told = described(&selection("x\n", 6), Some("x\n1\n2\n3\nx\n"));
    assert!(told.starts_with("The selection is in line 5 of"), "{told}");
}

#[test]
fn the_occurrence_at_the_cursor_may_begin_inside_of_another() {
    let told = described(&selection("\n\n\n", 3), Some("\n\n\n\n\n"));
    assert!(told.starts_with("The selection is in line 2 of"), "{told}");
}

#[test]
fn without_its_file_a_selection_is_where_the_cursor_is() {
    for text in [None, Some("another text\n")] {
        let told = described(&selection("let a;\nlet b;\n", 12), text);
        assert!(
            told.starts_with("The selection has 2 lines, at line 12 of `src/retry.rs`.\n"),
            "{told}"
        );
    }
    let nowhere = Selection {
        cursor: None,
        ..selection("x", 1)
    };
    let told = described(&nowhere, Some("x"));
    assert!(
        told.starts_with("The selection has one line, in `src/retry.rs`.\n"),
        "{told}"
    );
}

#[test]
fn names_of_functions_are_listed_up_to_a_limit() {
    let names = |code: &str| functions(code).unwrap_or_default();
    assert_eq!(names("let fn_a = 1; // fn"), "");
    assert_eq!(
        names("pub fn run<T>() {}\nfunc b() {}"),
        "the functions `run` and `b`"
    );
    let code: String = (0..7).map(|number| format!("fn f{number}() ")).collect();
    assert_eq!(
        names(&code),
        "the functions `f0`, `f1`, `f2`, `f3`, `f4` and 2 more"
    );
}

proptest! {
    #[test]
    fn any_selection_of_a_text_is_found_where_it_is(
        before in "[ab\nä]{0,20}", selected in "[ab\nä]{1,9}", after in "[ab\nä]{0,20}",
    ) {
        let text = format!("{before}{selected}{after}");
        let first = 1 + feeds(&before);
        let found = Found::of(&selection(&selected, first), &text).unwrap();
        prop_assert_eq!(text.get(found.bytes.clone()), Some(selected.as_str()));
        prop_assert!(found.first_line <= first);
        prop_assert!(found.last_line >= found.first_line);
    }
}
