use expect_test::{Expect, expect};
use pollux_text::hunks;

use super::*;
use crate::terminal::Colour;

/// Every hunk, one after the other.
fn check(base: &str, proposed: &str, expected: Expect) {
    let hunks = hunks(base, proposed);
    let edit = Edit {
        path: "a.txt".to_owned(),
        base,
        proposed,
        hunks: &hunks,
    };
    let mut paper = Vec::new();
    let mut screen = Screen::new(&mut paper, Colour::Off);
    for index in 0..hunks.len() {
        show(&mut screen, &edit, index).unwrap();
    }
    drop(screen);
    expected.assert_eq(&String::from_utf8(paper).unwrap());
}

#[test]
fn a_hunk_has_three_lines_around_it_and_none_of_its_neighbour() {
    check(
        "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
        "1\n2\n3\n4\nfive\n6\n7\n8\nnine\nten\n",
        expect![[r#"
            a.txt  @@ -2,7 +2,7 @@  hunk 1 of 2
             2
             3
             4
            -5
            +five
             6
             7
             8

            a.txt  @@ -6,4 +6,5 @@  hunk 2 of 2
             6
             7
             8
            -9
            +nine
            +ten
        "#]],
    );
}

#[test]
fn the_heading_counts_lines_as_unified_diffs_do() {
    check(
        "",
        "a\nb\n",
        expect![[r#"
        a.txt  @@ -0,0 +1,2 @@  hunk 1 of 1
        +a
        +b
    "#]],
    );
    check(
        "a\n",
        "",
        expect![[r#"
        a.txt  @@ -1,1 +0,0 @@  hunk 1 of 1
        -a
    "#]],
    );
}

#[test]
fn a_missing_final_newline_is_told() {
    check(
        "a\nb",
        "a\nc\n",
        expect![[r#"
        a.txt  @@ -1,2 +1,2 @@  hunk 1 of 1
         a
        -b
        \ no newline at the end of the file
        +c
    "#]],
    );
}

#[test]
fn line_endings_are_spelled_out_where_they_change() {
    check(
        "same\r\nx\r\n",
        "same\nx\r\n",
        expect![[r#"
        a.txt  @@ -1,2 +1,2 @@  hunk 1 of 1
        -same (CRLF)
        +same (LF)
         x
    "#]],
    );
    check(
        "same\r\nx\r\n",
        "other\r\nx\r\n",
        expect![[r#"
        a.txt  @@ -1,2 +1,2 @@  hunk 1 of 1
        -same
        +other
         x
    "#]],
    );
}
