use proptest::prelude::*;

use super::*;

/// The same edit by another road: cut the text into lines first, then cut the lines by the units
/// themselves instead of counting characters.
fn apply_by_lines(text: &str, encoding: PositionEncoding, change: &TextChange) -> String {
    let range = change.range.unwrap();
    let lines = split_lines(text);
    let head = |position: Position| {
        let line = lines[position.line as usize];
        units_before(line, encoding, position.character as usize)
    };
    let mut result = lines[..range.start.line as usize].concat();
    result.push_str(&head(range.start));
    result.push_str(&change.text);
    let kept_from = head(range.end).len();
    result.push_str(&lines[range.end.line as usize][kept_from..]);
    result.push_str(&lines[range.end.line as usize + 1..].concat());
    result
}

/// Lines with their endings; the last one is empty when the text ends with a line end.
fn split_lines(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\r', '\n']) {
        let end = at + if rest[at..].starts_with("\r\n") { 2 } else { 1 };
        lines.push(&rest[..end]);
        rest = &rest[end..];
    }
    lines.push(rest);
    lines
}

fn units_before(line: &str, encoding: PositionEncoding, count: usize) -> String {
    match encoding {
        PositionEncoding::Utf8 => String::from_utf8(line.as_bytes()[..count].to_vec()).unwrap(),
        PositionEncoding::Utf16 => {
            let units: Vec<u16> = line.encode_utf16().collect();
            String::from_utf16(&units[..count]).unwrap()
        }
        PositionEncoding::Utf32 => line.chars().take(count).collect(),
    }
}

fn encodings() -> impl Strategy<Value = PositionEncoding> {
    proptest::sample::select(PositionEncoding::ALL.to_vec())
}

proptest! {
    #[test]
    fn random_edits_agree_with_cutting_lines_by_units(seed: u64, encoding in encodings()) {
        let mut random = SplitMix64::new(seed);
        let mut buffer = MirrorBuffer::new(random.text(30), encoding);
        for _ in 0..40 {
            let change = buffer.random_edit(&mut random);
            let expected = apply_by_lines(buffer.text(), encoding, &change);
            buffer.apply(&change);
            prop_assert_eq!(buffer.text(), &expected);
        }
    }

    #[test]
    fn every_position_leads_back_to_its_offset(text: String, seed: u64, encoding in encodings()) {
        let text = text + &SplitMix64::new(seed).text(20);
        let buffer = MirrorBuffer::new(text, encoding);
        for offset in (0..=buffer.text().len()).filter(|&offset| buffer.is_position(offset)) {
            prop_assert_eq!(buffer.offset_at(buffer.position_at(offset)), offset);
        }
    }

    #[test]
    fn one_seed_gives_one_sequence_of_edits(seed: u64) {
        let run = || {
            let mut random = SplitMix64::new(seed);
            let mut buffer = MirrorBuffer::new("", PositionEncoding::Utf16);
            for _ in 0..10 {
                let change = buffer.random_edit(&mut random);
                buffer.apply(&change);
            }
            buffer
        };
        prop_assert_eq!(run(), run());
    }
}

#[test]
fn positions_count_in_the_chosen_unit() {
    let text = "x😀y\r\ne\u{301}\rz";
    let place = |encoding| {
        let buffer = MirrorBuffer::new(text, encoding);
        ["y", "\u{301}", "z"].map(|mark| {
            let position = buffer.position_at(text.find(mark).unwrap());
            (position.line, position.character)
        })
    };
    assert_eq!(place(PositionEncoding::Utf8), [(0, 5), (1, 1), (2, 0)]);
    assert_eq!(place(PositionEncoding::Utf16), [(0, 3), (1, 1), (2, 0)]);
    assert_eq!(place(PositionEncoding::Utf32), [(0, 2), (1, 1), (2, 0)]);
}

#[test]
fn a_character_past_the_line_means_its_end() {
    let buffer = MirrorBuffer::new("ab\r\ncd", PositionEncoding::Utf16);
    assert_eq!(buffer.offset_at(Position::new(0, 99)), 2);
    assert_eq!(buffer.offset_at(Position::new(1, 99)), 6);
}

#[test]
fn the_generator_reaches_every_kind_of_text() {
    let mut random = SplitMix64::new(7);
    let mut buffer = MirrorBuffer::new("", PositionEncoding::Utf16);
    let mut deletions = 0;
    let mut seen = String::new();
    for _ in 0..500 {
        let change = buffer.random_edit(&mut random);
        deletions += u32::from(change.text.is_empty());
        seen.push_str(&change.text);
        buffer.apply(&change);
    }
    assert!(deletions > 20);
    for kind in ["\r\n", "\ra", "e\u{301}", "😀", "漢"] {
        assert!(seen.contains(kind), "{kind:?} was never typed");
    }
}

#[test]
fn text_edits_refer_to_the_text_before_any_of_them() {
    let mut buffer = MirrorBuffer::new("one two", PositionEncoding::Utf16);
    let [start, end] = [Position::new(0, 0), Position::new(0, 3)];
    buffer.apply_simultaneously(&[
        TextChange::insert(end, "!"),
        TextChange::replace(Range::new(start, end), "1"),
        TextChange::insert(end, "?"),
    ]);
    assert_eq!(buffer.text(), "1!? two");
}

#[test]
fn a_position_outside_the_text_stops_the_test() {
    let stopped = std::panic::catch_unwind(|| {
        MirrorBuffer::new("one line", PositionEncoding::Utf16).offset_at(Position::new(1, 0))
    });
    let text = *stopped.unwrap_err().downcast::<String>().unwrap();
    assert_eq!(
        text,
        "1:0 is outside the text, whose last line is 0: \"one line\""
    );
}

#[test]
fn a_change_without_a_range_replaces_everything() {
    let mut buffer = MirrorBuffer::new("old", PositionEncoding::Utf8);
    buffer.apply(&TextChange::full("new"));
    assert_eq!(buffer.text(), "new");
    assert_eq!(
        serde_json::to_string(&TextChange::full("new")).unwrap(),
        r#"{"text":"new"}"#
    );
}
