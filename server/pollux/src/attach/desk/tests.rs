use std::num::NonZeroU16;

use super::*;

/// What a person sees in the end.
fn screen(size: (u16, u16), draw: impl FnOnce(&mut Desk<&mut Vec<u8>>)) -> String {
    let mut bytes = Vec::new();
    let mut desk = Desk::paper(&mut bytes);
    desk.size = Some(Size {
        rows: size.0.into(),
        columns: size.1.into(),
    });
    draw(&mut desk);
    let (rows, columns) = (NonZeroU16::new(size.0), NonZeroU16::new(size.1));
    let mut parser = vt100::Parser::new(rows.unwrap(), columns.unwrap(), 0);
    // The kernel does this for programs.
    let bytes = String::from_utf8(bytes).unwrap().replace('\n', "\r\n");
    parser.process(bytes.as_bytes());
    parser.screen().contents()
}

fn foot(rows: &[&str], typed: &str) -> Foot {
    Foot {
        rows: rows.iter().map(|row| (*row).to_owned()).collect(),
        typed: Some(Shown {
            text: typed.to_owned(),
            cursor: typed.len(),
        }),
    }
}

#[test]
fn what_is_said_goes_above_what_is_typed() {
    let shown = screen((8, 20), |desk| {
        desk.say(b"one\ntw");
        desk.draw(&foot(&["tw", "keys"], "hel")).unwrap();
        desk.say(b"o\nthree\n");
        desk.draw(&foot(&["keys"], "hello")).unwrap();
    });
    assert_eq!(shown, "one\ntwo\nthree\nkeys\n❯ hello");
}

#[test]
fn rows_that_are_too_long_are_cut_and_said_lines_are_not() {
    let shown = screen((8, 10), |desk| {
        desk.draw(&foot(&["a row that is long"], "x")).unwrap();
        desk.say(b"a line that is long\n");
        desk.draw(&foot(&["a row that is long"], "xy")).unwrap();
    });
    assert_eq!(shown, "a line that is long\na row that\n❯ xy");
}

#[test]
fn a_small_terminal_shows_the_lowest_rows() {
    let shown = screen((4, 20), |desk| {
        for _ in 0..3 {
            desk.draw(&foot(&["1", "2", "3", "4", "5"], "x")).unwrap();
        }
    });
    assert_eq!(shown, "4\n5\n❯ x");
}

#[test]
fn leaving_takes_the_last_rows_away() {
    let shown = screen((6, 20), |desk| {
        desk.say(b"one\n");
        desk.draw(&foot(&["keys"], "typed")).unwrap();
        desk.say(b"left\n");
        desk.clear().unwrap();
    });
    assert_eq!(shown, "one\nleft");
}
