use pollux_text::{Position, Range};

use super::*;

fn edit(line: u32, start: u32, end: u32, text: &str) -> Edit {
    let at = |character| Position { line, character };
    Edit::Splice {
        range: Range {
            start: at(start),
            end: at(end),
        },
        text: text.to_owned(),
    }
}

const BASE: &str = "let 😀 = add(add);\nadd\n";

#[test]
fn edits_count_in_the_text_before_whatever_their_order() {
    let edits = [
        edit(1, 0, 3, "sum"),
        edit(0, 13, 16, "sum"),
        edit(0, 9, 12, "sum"),
    ];
    let text = edited(BASE, &edits, PositionEncoding::Utf16);
    assert_eq!(text.as_deref(), Some("let 😀 = sum(sum);\nsum\n"));
}

#[test]
fn what_two_language_servers_want_is_done_once() {
    let edits = [edit(1, 0, 3, "sum"), edit(1, 0, 3, "sum")];
    let text = edited(BASE, &edits, PositionEncoding::Utf16);
    assert_eq!(text.as_deref(), Some("let 😀 = add(add);\nsum\n"));
}

#[test]
fn edits_that_overlap_or_do_not_fit_are_refused() {
    let overlapping = [edit(0, 9, 12, "sum"), edit(0, 11, 16, "x")];
    let beyond = [edit(7, 0, 1, "x")];
    let inside_a_character = [edit(0, 5, 6, "x")];
    for edits in [&overlapping[..], &beyond, &inside_a_character] {
        assert_eq!(edited(BASE, edits, PositionEncoding::Utf16), None);
    }
}

#[test]
fn a_file_that_is_named_twice_is_one() {
    let key = DocumentKey::Virtual("a".to_owned());
    let file = |edits| FileEdits {
        key: key.clone(),
        version: Some(1),
        edits,
    };
    let files = joined(vec![
        file(vec![edit(0, 9, 12, "sum")]),
        file(vec![edit(1, 0, 3, "sum")]),
        FileEdits {
            key: DocumentKey::Virtual("b".to_owned()),
            version: None,
            edits: Vec::new(),
        },
    ]);
    assert_eq!(files.len(), 1);
    assert_eq!(files[&key].edits.len(), 2);
}
