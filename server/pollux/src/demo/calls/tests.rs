use expect_test::{Expect, expect};

use super::*;

fn id(name: &str) -> CallId {
    CallId::new(name)
}

fn done() -> ToolOutcome {
    ToolOutcome::Succeeded {
        summary: String::new(),
    }
}

fn started(names: &[&str]) -> Calls {
    let mut calls = Calls::default();
    for name in names {
        calls.started(id(name), format!("Read {name}"));
    }
    calls
}

fn check(calls: &mut Calls, expected: Expect) {
    let mut shown = String::new();
    while let Some(next) = calls.next() {
        shown += &match next {
            Shown::Title(title) => format!("{title}\n"),
            Shown::Printed(text) => format!("- {text}\n"),
            Shown::Ended(id, _) => format!("end of {id}\n"),
        };
    }
    expected.assert_eq(&shown);
}

#[test]
fn calls_are_shown_in_their_order_however_they_end() {
    let mut calls = started(&["a", "b", "c"]);
    check(&mut calls, expect![""]);
    calls.ended(&id("c"), done());
    calls.ended(&id("b"), done());
    check(&mut calls, expect![""]);
    calls.ended(&id("a"), done());
    check(
        &mut calls,
        expect![[r#"
            Read a
            end of a
            Read b
            end of b
            Read c
            end of c
        "#]],
    );
}

#[test]
fn what_a_later_call_prints_waits_for_the_earlier_ones() {
    let mut calls = started(&["a", "b"]);
    calls.printed(&id("b"), "1 ");
    calls.printed(&id("b"), "2");
    check(&mut calls, expect![""]);
    calls.printed(&id("a"), "0");
    check(
        &mut calls,
        expect![[r#"
            Read a
            - 0
        "#]],
    );
    calls.ended(&id("a"), done());
    calls.ended(&id("b"), done());
    check(
        &mut calls,
        expect![[r#"
            end of a
            Read b
            - 1 2
            end of b
        "#]],
    );
}

#[test]
fn a_question_comes_at_once_and_the_title_again_where_its_end_stands_elsewhere() {
    let mut calls = started(&["a", "b"]);
    assert_eq!(calls.asked_about(&id("b")).as_deref(), Some("Read b"));
    assert_eq!(calls.asked_about(&id("b")), None);
    calls.ended(&id("a"), done());
    calls.ended(&id("b"), done());
    check(
        &mut calls,
        expect![[r#"
            Read a
            end of a
            Read b
            end of b
        "#]],
    );
}

#[test]
fn a_call_that_was_asked_about_goes_on_below_its_title() {
    let mut calls = started(&["a"]);
    assert_eq!(calls.asked_about(&id("a")).as_deref(), Some("Read a"));
    calls.ended(&id("a"), done());
    check(
        &mut calls,
        expect![[r#"
            end of a
        "#]],
    );
}

#[test]
fn nothing_is_known_of_a_call_that_did_not_start() {
    let mut calls = started(&[]);
    calls.printed(&id("a"), "x");
    calls.ended(&id("a"), done());
    assert_eq!(calls.asked_about(&id("a")), None);
    check(&mut calls, expect![""]);
}
