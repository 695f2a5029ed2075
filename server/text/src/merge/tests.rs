use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;
use crate::lines;

/// The merged text, with conflicts shown as `<ours|ancestor|theirs>`.
fn check(ancestor: &str, ours: &str, theirs: &str, expected: Expect) {
    expected.assert_eq(&shown(ancestor, ours, theirs));
}

fn shown(ancestor: &str, ours: &str, theirs: &str) -> String {
    let merged = merge3(ancestor, ours, theirs);
    let mut text = merged.with_ours();
    for conflict in merged.conflicts().iter().rev() {
        let sides = [
            conflict.our_text,
            conflict.ancestor_text,
            conflict.their_text,
        ];
        text.replace_range(
            conflict.merged.clone(),
            &format!("<{}>\n", sides.join("|").replace('\n', ";")),
        );
    }
    text
}

#[test]
fn changes_of_different_lines_are_merged() {
    check(
        "a\nb\nc\nd\n",
        "A\nb\nc\nd\n",
        "a\nb\nc\nD\ne\n",
        expect![[r#"
            A
            b
            c
            D
            e
        "#]],
    );
}

#[test]
fn changes_of_neighbouring_lines_are_merged() {
    check(
        "a\nb\n",
        "A\nb\n",
        "a\nB\n",
        expect![[r#"
            A
            B
        "#]],
    );
    check(
        "a\nb\nc\n",
        "a\nc\n",
        "a\nb\nC\n",
        expect![[r#"
            a
            C
        "#]],
    );
    check(
        "a\nb\n",
        "a\nnew\nb\n",
        "a\nB\n",
        expect![[r#"
            a
            new
            B
        "#]],
    );
}

#[test]
fn changes_of_the_same_line_are_a_conflict() {
    check(
        "a\nb\nc\n",
        "a\nours\nc\n",
        "a\ntheirs\nc\n",
        expect![[r#"
            a
            <ours;|b;|theirs;>
            c
        "#]],
    );
    check(
        "a\nb\nc\n",
        "a\nc\n",
        "a\ntheirs\nc\n",
        expect![[r#"
            a
            <|b;|theirs;>
            c
        "#]],
    );
}

#[test]
fn insertions_at_the_same_point_are_a_conflict_unless_they_are_equal() {
    check(
        "a\nb\n",
        "a\nx\nb\n",
        "a\ny\nb\n",
        expect![[r#"
            a
            <x;||y;>
            b
        "#]],
    );
    check(
        "a\nb\n",
        "a\nx\nb\n",
        "a\nx\nb\n",
        expect![[r#"
            a
            x
            b
        "#]],
    );
}

#[test]
fn an_insertion_beside_lines_that_grew_is_a_conflict() {
    check(
        "a\nb\nc\n",
        "a\nB\nmore\nc\n",
        "a\nb\nx\nc\n",
        expect![[r#"
            a
            <B;more;|b;|b;x;>
            c
        "#]],
    );
}

#[test]
fn changes_that_overlap_in_a_chain_are_one_conflict() {
    check(
        "1\n2\n3\n4\n5\n6\n",
        "1\nA\nB\n4\nC\n6\n",
        "1\n2\nx\ny\nz\n6\n",
        expect![[r#"
            1
            <A;B;4;C;|2;3;4;5;|2;x;y;z;>
            6
        "#]],
    );
}

#[test]
fn a_line_that_lost_its_end_is_not_joined_to_what_the_other_appends() {
    check(
        "a\nb\n",
        "a\nb",
        "a\nb\nc\n",
        expect![[r#"
            a
            <b|b;|b;c;>
        "#]],
    );
}

#[test]
fn a_carriage_return_and_a_line_feed_of_two_sides_do_not_become_one_line_end() {
    let merged = merge3("a\nb\nc\n", "a\rb\nc\n", "a\n\nc\n");
    assert_eq!(merged.clean(), None);
    let merged = merge3("x\rM\nN\n", "x\rN\n", "x\rM\n\n");
    assert_eq!(merged.clean(), None);
}

/// Few different lines, so that the sides often change and add the same.
pub(crate) fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just(""),
        Just("a"),
        Just("b"),
        Just("ä😀"),
        Just("}"),
        Just("f(a)")
    ];
    let ending = prop_oneof![4 => Just("\n"), 2 => Just("\r\n"), 1 => Just("\r"), 1 => Just("")];
    prop::collection::vec((line, ending), 0..12).prop_map(|lines| {
        let joined = lines.into_iter().flat_map(|(line, end)| [line, end]);
        joined.collect()
    })
}

/// A text and two that were made from it line by line. Lines that are added are unlike all others.
fn three() -> impl Strategy<Value = (String, String, String)> {
    let edits = || prop::collection::vec(0..8_u8, 14);
    (text(), edits(), edits()).prop_map(|(ancestor, our_edits, their_edits)| {
        let ours = edited(&ancestor, &our_edits, "ours");
        let theirs = edited(&ancestor, &their_edits, "theirs");
        (ancestor, ours, theirs)
    })
}

fn edited(text: &str, edits: &[u8], name: &str) -> String {
    let mut made = String::new();
    for (index, line) in lines(text).into_iter().enumerate() {
        match edits.get(index) {
            Some(0) => {}
            Some(1) => made += &format!("{name}{index}\n"),
            Some(2) => made += &format!("{name}{index}\r\n{line}"),
            _ => made += line,
        }
    }
    match edits.last() {
        Some(0) => made + name,
        Some(1) => made + "same at the end\n",
        _ => made,
    }
}

proptest! {
    #[test]
    fn what_one_side_did_alone_is_the_result((ancestor, ours, _) in three(), other in text()) {
        for side in [ours, other] {
            prop_assert_eq!(merge3(&ancestor, &ancestor, &side).clean(), Some(side.clone()));
            prop_assert_eq!(merge3(&ancestor, &side, &ancestor).clean(), Some(side.clone()));
            prop_assert_eq!(merge3(&ancestor, &side, &side).clean(), Some(side.clone()));
        }
    }

    #[test]
    fn it_does_not_matter_who_is_ours((ancestor, ours, theirs) in three()) {
        let one = merge3(&ancestor, &ours, &theirs);
        let other = merge3(&ancestor, &theirs, &ours);
        prop_assert_eq!(one.clean(), other.clean());
        let swapped: Vec<_> = other.conflicts().iter().map(|c| (c.their_text, c.ancestor_text, c.our_text)).collect();
        let straight: Vec<_> = one.conflicts().iter().map(|c| (c.our_text, c.ancestor_text, c.their_text)).collect();
        prop_assert_eq!(straight, swapped);
    }

    #[test]
    fn every_line_that_we_added_is_in_the_result((ancestor, ours, theirs) in three()) {
        let merged = merge3(&ancestor, &ours, &theirs).with_ours();
        let merged = lines(&merged);
        for line in lines(&ours) {
            if line.contains("ours") {
                prop_assert!(merged.contains(&line), "{line:?} is not in {merged:?}");
            }
        }
    }

    #[test]
    fn every_line_that_they_added_is_in_the_result_or_in_a_conflict((ancestor, ours, theirs) in three()) {
        let merged = merge3(&ancestor, &ours, &theirs);
        let text = merged.with_ours();
        let conflicts = merged.conflicts();
        for line in lines(&theirs) {
            if line.contains("theirs") {
                let shown = text.contains(line) || conflicts.iter().any(|conflict| conflict.their_text.contains(line));
                prop_assert!(shown, "{line:?} is gone");
            }
        }
    }

    #[test]
    fn the_pieces_cover_all_texts_and_the_splices_make_the_result(
        (ancestor, ours, theirs) in prop_oneof![three(), (text(), text(), text()), (".{0,20}", ".{0,20}", ".{0,20}")],
    ) {
        let merged = merge3(&ancestor, &ours, &theirs);
        let (mut a, mut o, mut t) = (0, 0, 0);
        for piece in merged.pieces() {
            prop_assert_eq!((piece.ancestor.start, piece.ours.start, piece.theirs.start), (a, o, t));
            (a, o, t) = (piece.ancestor.end, piece.ours.end, piece.theirs.end);
            if piece.kind == PieceKind::Nobody {
                prop_assert_eq!(&ancestor[piece.ancestor.clone()], &ours[piece.ours.clone()]);
                prop_assert_eq!(&ancestor[piece.ancestor.clone()], &theirs[piece.theirs.clone()]);
            }
        }
        prop_assert_eq!((a, o, t), (ancestor.len(), ours.len(), theirs.len()));
        prop_assert_eq!(Splice::apply(&merged.splices(), &ours), merged.with_ours());
        for conflict in merged.conflicts() {
            prop_assert_eq!(&merged.with_ours()[conflict.merged], conflict.our_text);
            prop_assert_eq!(&ours[conflict.ours], conflict.our_text);
        }
    }
}
