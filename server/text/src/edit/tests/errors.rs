//! What a model is told when an edit does not fit.

use expect_test::{Expect, expect};

use super::*;

fn check(text: &str, replacement: Replacement<'_>, expected: Expect) {
    let error = replace(text, &replacement).unwrap_err();
    expected.assert_eq(&format!("{}: {error}", error.error_type()));
}

const TEXT: &str = "\
fn area(shape: &Shape) -> f64 {
    match shape {
        Shape::Circle(radius) => PI * radius * radius,
        Shape::Square(side) => side * side,
    }
}
";

#[test]
fn the_nearest_text_and_its_line_are_named() {
    check(
        TEXT,
        one(
            "    match shape {\n        Shape::Circle(r) => PI * r * r,\n        Shape::Square(side) => side * side,\n",
            "",
        ),
        expect![[r#"
            edit_no_occurrence_found: old_string does not occur in the file; the nearest text starts at line 2 and is 81 % the same:
                match shape {
                    Shape::Circle(radius) => PI * radius * radius,
                    Shape::Square(side) => side * side,
            It first differs in line 3, where the file has `        Shape::Circle(radius) => PI * radius * radius,` and old_string has `        Shape::Circle(r) => PI * r * r,`. Send old_string exactly as the file has it, blanks and indentation included"#]],
    );
}

#[test]
fn a_single_line_without_an_equal_one_is_found_by_likeness() {
    check(
        TEXT,
        one("Shape::Circle(r) => PI * r * r,", "x"),
        expect![[r#"
            edit_no_occurrence_found: old_string does not occur in the file; the nearest text starts at line 3 and is 62 % the same:
                    Shape::Circle(radius) => PI * radius * radius,
            It first differs in line 3, where the file has `        Shape::Circle(radius) => PI * radius * radius,` and old_string has `Shape::Circle(r) => PI * r * r,`. Send old_string exactly as the file has it, blanks and indentation included"#]],
    );
}

#[test]
fn nothing_is_named_when_nothing_comes_close() {
    check(
        TEXT,
        one("import numpy as np", "x"),
        expect![
            "edit_no_occurrence_found: old_string does not occur in the file, and nothing in it comes close; read it again with read_file and copy the text exactly, blanks and indentation included"
        ],
    );
    check(
        "",
        one("import numpy as np", "x"),
        expect![
            "edit_no_occurrence_found: old_string does not occur in the file, and nothing in it comes close; read it again with read_file and copy the text exactly, blanks and indentation included"
        ],
    );
}

#[test]
fn an_edit_that_was_made_before_is_told() {
    check(
        TEXT,
        one(
            "Shape::Rectangle(side) => 4 * side",
            "Shape::Square(side) => side * side",
        ),
        expect![
            "edit_no_occurrence_found: old_string does not occur in the file, but new_string does, from line 4: the edit may have been made before; read the file again"
        ],
    );
}

#[test]
fn the_lines_of_several_places_are_named() {
    check(
        TEXT,
        one("Shape::", "x"),
        expect![
            "edit_expected_occurrence_mismatch: old_string occurs 2 times, at lines 3, 4; add lines around it until it is unique, or set allow_multiple"
        ],
    );
    check(
        &"a\n".repeat(13),
        one("a", "b"),
        expect![
            "edit_expected_occurrence_mismatch: old_string occurs 13 times, at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 3 more; add lines around it until it is unique, or set allow_multiple"
        ],
    );
}

#[test]
fn no_change_and_no_old_text_are_told() {
    check(
        TEXT,
        one("f64", "f64"),
        expect![
            "edit_no_change: the file would stay as it is, because old_string and new_string come to the same text"
        ],
    );
    check(
        TEXT,
        one("", "f64"),
        expect![
            "attempt_to_create_existing_file: old_string is empty, which stands for a new file, but the file exists; send the text to replace"
        ],
    );
}

#[test]
fn long_texts_are_shortened_in_errors() {
    let text = format!("{}\n", "word and ".repeat(1000)).repeat(30);
    let old = text.replacen("word", "sword", 3).replace("and", "und");
    let error = replace(&text, &one(&old, "x")).unwrap_err().to_string();
    assert!(error.len() < 4000, "{}", error.len());
}

#[test]
fn the_nearest_text_is_found_in_a_large_file() {
    let mut text: String = (0..100_000)
        .map(|line| format!("    let value_{line} = {line};\n"))
        .collect();
    text.push_str("fn needle(in_a: Haystack) -> Found {\n    search(in_a)\n}\n");
    let error = replace(
        &text,
        &one("fn needle(on: Haystack) -> Lost {\n    find(on)\n}\n", "x"),
    );
    let Err(EditError::NoOccurrence {
        nearest: Some(nearest),
        ..
    }) = error
    else {
        panic!("{error:?}");
    };
    assert_eq!(nearest.line, 100_001);
}
