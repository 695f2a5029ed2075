use proptest::prelude::*;

use super::*;

fn splice(start: (u32, u32), end: (u32, u32), text: &str) -> Edit {
    let position = |(line, character)| Position { line, character };
    Edit::Splice {
        range: Range {
            start: position(start),
            end: position(end),
        },
        text: text.to_owned(),
    }
}

fn edited(text: &str, encoding: PositionEncoding, edit: Edit) -> Result<String, Misfit> {
    let mut buffer = Buffer::from(text);
    buffer.apply(&[edit], encoding)?;
    Ok(buffer.to_string())
}

#[test]
fn columns_count_in_the_agreed_unit() {
    // The woman technologist is one cluster of three characters: 4 + 3 + 4 bytes, 2 + 1 + 2 units.
    let text = "a👩\u{200d}💻b\n";
    for (encoding, column) in [
        (PositionEncoding::Utf8, 12),
        (PositionEncoding::Utf16, 6),
        (PositionEncoding::Utf32, 4),
    ] {
        let edit = splice((0, column), (0, column + 1), "c");
        assert_eq!(edited(text, encoding, edit).unwrap(), "a👩\u{200d}💻c\n");
    }
}

#[test]
fn a_column_beyond_its_line_means_the_end_of_the_line() {
    for (text, expected) in [
        ("one\r\ntwo", "one!\r\ntwo"),
        ("one\rtwo", "one!\rtwo"),
        ("one\ntwo", "one!\ntwo"),
        ("one", "one!"),
    ] {
        let edit = splice((0, 99), (0, 99), "!");
        assert_eq!(
            edited(text, PositionEncoding::Utf16, edit).unwrap(),
            expected
        );
    }
}

#[test]
fn the_line_after_the_last_means_the_end_of_the_text() {
    let edit = splice((0, 0), (2, 0), "x");
    assert_eq!(edited("a\nb", PositionEncoding::Utf16, edit).unwrap(), "x");
}

#[test]
fn unicode_separators_do_not_end_a_line() {
    let edit = splice((0, 2), (0, 2), "!");
    assert_eq!(
        edited(
            "a\u{2028}b\u{85}c\u{0b}d\u{0c}e",
            PositionEncoding::Utf16,
            edit
        )
        .unwrap(),
        "a\u{2028}!b\u{85}c\u{0b}d\u{0c}e"
    );
}

#[test]
fn an_edit_that_does_not_fit_changes_nothing() {
    let cases = [
        (
            splice((3, 0), (3, 0), "x"),
            Misfit::NoSuchLine { line: 3, last: 1 },
        ),
        (
            splice((0, 1), (0, 1), "x"),
            Misfit::InsideCharacter {
                line: 0,
                character: 1,
            },
        ),
        (splice((1, 1), (1, 0), "x"), Misfit::Backwards),
    ];
    for (edit, misfit) in cases {
        let mut buffer = Buffer::from("😀\nab");
        let good = splice((1, 0), (1, 0), "kept?");
        assert_eq!(
            buffer.apply(&[good, edit], PositionEncoding::Utf16),
            Err(misfit)
        );
        assert_eq!(buffer.to_string(), "😀\nab");
    }
}

#[test]
fn a_range_gives_its_text_and_one_that_does_not_fit_gives_none() {
    let range = |start: (u32, u32), end: (u32, u32)| match splice(start, end, "") {
        Edit::Splice { range, .. } => range,
        Edit::Replace(_) => panic!("not a splice"),
    };
    let buffer = Buffer::from("a😀b\r\nsecond\r\n");
    let utf16 = PositionEncoding::Utf16;
    assert_eq!(
        buffer.slice(range((0, 1), (1, 3)), utf16).unwrap(),
        "😀b\r\nsec"
    );
    assert_eq!(buffer.slice(range((1, 2), (0, 0)), utf16), None);
    assert_eq!(buffer.slice(range((0, 2), (0, 3)), utf16), None);
}

#[test]
fn debug_output_does_not_show_the_text() {
    assert_eq!(
        format!("{:?}", Buffer::from("secret")),
        "Buffer { bytes: 6, .. }"
    );
}

proptest! {
    #[test]
    fn no_edit_panics_and_a_refused_one_leaves_the_text_alone(
        text in "[ab\r\n😀\u{301}\u{2028}]{0,12}",
        edits in prop::collection::vec(((0u32..6, 0u32..8), (0u32..6, 0u32..8), "[x\r\n😀]{0,3}"), 1..6),
        unit in 0..3,
    ) {
        let encoding = [PositionEncoding::Utf8, PositionEncoding::Utf16, PositionEncoding::Utf32][unit as usize];
        let mut buffer = Buffer::from(text.as_str());
        for (start, end, inserted) in edits {
            let before = buffer.to_string();
            let result = buffer.apply(&[splice(start, end, &inserted)], encoding);
            if result.is_err() {
                prop_assert_eq!(buffer.to_string(), before);
            } else {
                prop_assert!(buffer.to_string().contains(&inserted));
            }
        }
    }
}

#[test]
fn splices_become_edits_that_count_in_the_text_before_all_of_them() {
    let text = "a😀b\r\nsecond\r\nlast";
    let buffer = Buffer::from(text);
    let splices = [
        Splice {
            range: 5..6,
            text: "new\nlines".to_owned(),
        },
        Splice {
            range: 16..20,
            text: String::new(),
        },
    ];
    for encoding in [
        PositionEncoding::Utf8,
        PositionEncoding::Utf16,
        PositionEncoding::Utf32,
    ] {
        let edits = buffer.edits_of(&splices, encoding);
        let mut edited = buffer.clone();
        edited.apply(&edits, encoding).unwrap();
        assert_eq!(edited.to_string(), Splice::apply(&splices, text));
        let back: Vec<Splice> = edits
            .iter()
            .rev()
            .map(|edit| buffer.splice_of(edit, encoding).unwrap())
            .collect();
        assert_eq!(back, splices);
    }
}

proptest! {
    #[test]
    fn a_splice_does_what_its_edit_does(
        text in "[ab\r\n😀]{0,12}",
        start in (0u32..6, 0u32..8),
        end in (0u32..6, 0u32..8),
        inserted in "[x\r\n]{0,3}",
    ) {
        let edit = splice(start, end, &inserted);
        let buffer = Buffer::from(text.as_str());
        let expected = edited(&text, PositionEncoding::Utf16, edit.clone());
        let made = buffer.splice_of(&edit, PositionEncoding::Utf16);
        prop_assert_eq!(made.map(|splice| Splice::apply(&[splice], &text)), expected);
    }
}
