use super::*;

/// However the bytes are cut, the keys are the same.
fn check(bytes: &[u8], expected: &[Key]) {
    for cut in 0..=bytes.len() {
        let (one, two) = bytes.split_at(cut);
        let mut keys = Keys::default();
        let mut read = keys.feed(one);
        read.extend(keys.feed(two));
        assert_eq!(read, expected, "cut at {cut}");
    }
}

fn text(text: &str) -> Key {
    Key::Text(text.to_owned())
}

#[test]
fn letters_of_any_length_and_keys_that_move() {
    check(
        "aä€😀\r".as_bytes(),
        &[text("a"), text("ä"), text("€"), text("😀"), Key::Enter],
    );
    check(
        b"\x1b[A\x1bOB\x1b[1;5C\x1b[3~\x7f\x03\x04",
        &[
            Key::Up,
            Key::Down,
            Key::Delete,
            Key::Backspace,
            Key::Stop,
            Key::Leave,
        ],
    );
}

#[test]
fn a_paste_is_one_text_and_sends_nothing() {
    check(
        b"\x1b[200~one\r\ntwo\x1b]0;x\x07\x1b[201~!",
        &[text("one\ntwo]0;x"), text("!")],
    );
}

#[test]
fn alt_and_enter_make_a_line_and_escape_swallows_nothing() {
    check(b"a\x1b\rb", &[text("a"), text("\n"), text("b")]);
    check(b"\x1by", &[text("y")]);
}

#[test]
fn what_is_no_text_is_passed_over() {
    check(b"\xff\x1aok", &[text("o"), text("k")]);
}
