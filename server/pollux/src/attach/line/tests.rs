use super::*;
use crate::attach::keys::Keys;

fn typed(bytes: &str) -> Line {
    let mut line = Line::default();
    press(&mut line, bytes);
    line
}

fn press(line: &mut Line, bytes: &str) {
    for key in Keys::default().feed(bytes.as_bytes()) {
        line.press(&key);
    }
}

#[test]
fn a_line_can_be_corrected_anywhere() {
    assert_eq!(typed("häuslr\x7f\x7fer").text(), "häuser");
    assert_eq!(typed("äus\x1b[H h\x1b[3~").text(), " hus");
    assert_eq!(typed("one two  \x17three").text(), "one three");
    assert_eq!(typed("wrong\x15right").text(), "right");
    assert_eq!(typed("bc\x01a\x05d").text(), "abcd");
}

#[test]
fn what_was_typed_before_comes_back() {
    let mut line = typed("one");
    line.take();
    press(&mut line, "two");
    line.take();
    press(&mut line, "\x1b[A\x1b[A");
    assert_eq!(line.text(), "one");
    press(&mut line, "\x1b[A\x1b[B");
    assert_eq!(line.text(), "two");
    press(&mut line, "\x1b[B");
    assert_eq!(line.text(), "");
}

#[test]
fn a_long_line_is_shown_around_the_cursor_and_on_one_row() {
    let shown = |line: &Line, columns| {
        let Shown { text, cursor } = line.shown(columns);
        (text, cursor)
    };
    let mut line = typed("abcdefgh");
    assert_eq!(shown(&line, 20), ("abcdefgh".to_owned(), 8));
    assert_eq!(shown(&line, 5), ("efgh".to_owned(), 4));
    press(&mut line, "\x01");
    assert_eq!(shown(&line, 5), ("abcde".to_owned(), 0));
    // Wide letters take two columns, and half of one is not shown.
    assert_eq!(shown(&typed("日本語"), 5), ("本語".to_owned(), 4));
    assert_eq!(shown(&typed("one\x1b\rtwo"), 20), ("one⏎two".to_owned(), 7));
}
