use std::path::PathBuf;

use proptest::prelude::*;

use super::*;

fn capture(pieces: &[&[u8]], limits: Limits) -> Captured {
    let mut capture = Capture::new(limits, Spool::Nowhere);
    pieces.iter().for_each(|piece| capture.feed(piece));
    capture.finish();
    capture.captured()
}

fn text(bytes: &str) -> String {
    capture(&[bytes.as_bytes()], Limits::default())
        .whole()
        .unwrap()
}

#[test]
fn colours_and_titles_are_not_text() {
    assert_eq!(text("\x1b[1;31mred\x1b[0m\r\n"), "red\n");
    assert_eq!(text("\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b"), "ab");
    assert_eq!(text("bell\x07 \x1b(Bset"), "bell set");
}

#[test]
fn a_progress_bar_leaves_its_last_state() {
    assert_eq!(text(" 10%\r 50%\r100%\n"), "100%\n");
    assert_eq!(text("downloading\r\x1b[Kdone\n"), "done\n");
    assert_eq!(text("downloading\x1b[2K\rdone\n"), "done\n");
    assert_eq!(text("abc\x08\x08X\n"), "aXc\n");
    assert_eq!(text("12345\x1b[3D__\n"), "12__5\n");
    assert_eq!(text("12345\x1b[2Gx\x1b[8Gy\n"), "1x345  y\n");
}

#[test]
fn a_line_that_was_wiped_leaves_an_empty_one() {
    assert_eq!(text("wait\x1b[2K\nnext"), "\nnext");
}

#[test]
fn the_line_being_written_is_part_of_the_text() {
    assert_eq!(text("one\ntwo"), "one\ntwo");
}

#[test]
fn what_is_not_text_is_marked() {
    assert_eq!(text("a\u{fffd}b"), "a\u{fffd}b");
    let captured = capture(&[b"a\xffb"], Limits::default());
    assert_eq!(captured.whole().unwrap(), "a\u{fffd}b");
}

#[test]
fn a_zero_byte_makes_it_binary() {
    assert_eq!(kind_of(b"\x7fELF\x02\x01\x01\x00"), OutputKind::Binary);
    assert_eq!(kind_of("\x1b[1mschön\x1b[0m".as_bytes()), OutputKind::Text);
    assert_eq!(kind_of(b""), OutputKind::Text);
}

const SMALL: Limits = Limits {
    head: 10,
    tail: 10,
    file: 40,
};

#[test]
fn the_beginning_and_the_end_are_kept() {
    let captured = capture(&[b"0123\n5678\nabcd\nefgh\nijkl\nmn"], SMALL);
    assert_eq!(captured.head, "0123\n5678\n");
    assert_eq!(captured.left_out, 5);
    assert_eq!(captured.tail, "efgh\nijkl\nmn");
    assert_eq!(captured.total_bytes, 27);
    assert_eq!(captured.whole(), None);
}

#[test]
fn beyond_the_limit_of_the_file_the_end_is_still_the_end() {
    let lines: String = (10..99).map(|number| format!("{number}\n")).collect();
    let captured = capture(&[lines.as_bytes()], SMALL);
    assert_eq!(captured.head, "10\n11\n12\n1");
    assert_eq!(captured.tail, "96\n97\n98\n");
}

#[test]
fn the_file_has_everything_up_to_its_limit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("spool");
    let mut capture = Capture::new(SMALL, Spool::WhenLarge(path.clone()));
    capture.feed(b"small\n");
    assert_eq!(capture.captured().file, None);
    assert!(!path.exists());
    capture.feed("more\n".repeat(20).as_bytes());
    capture.finish();
    let file = capture.captured().file.unwrap();
    assert_eq!(file.cut, Some(Cut::AtTheLimit));
    let written = std::fs::read_to_string(&path).unwrap();
    assert_eq!(written, "small\nmore\nmore\nmore\nmore\nmore\nmore\n");
}

#[test]
fn a_log_is_there_from_the_first_line_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let mut capture = Capture::new(Limits::default(), Spool::Always(path.clone()));
    capture.feed(b"one\ntw");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\n");
    capture.feed(b"o");
    capture.finish();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\ntwo");
}

#[cfg(unix)]
#[test]
fn a_link_in_the_place_of_the_file_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("precious");
    std::fs::write(&target, "text").unwrap();
    let path: PathBuf = folder.path().join("log");
    std::os::unix::fs::symlink(&target, &path).unwrap();
    let mut capture = Capture::new(Limits::default(), Spool::Always(path));
    capture.feed(b"one\n");
    assert!(matches!(
        capture.captured().file.unwrap().cut,
        Some(Cut::Failed(_))
    ));
    assert_eq!(std::fs::read_to_string(target).unwrap(), "text");
}

#[test]
fn a_tail_is_cut_between_characters() {
    let mut capture = Capture::new(Limits::default(), Spool::Nowhere);
    capture.feed("aäöü".as_bytes());
    assert_eq!(capture.tail(5), "öü");
    assert_eq!(capture.tail(100), "aäöü");
    assert_eq!(capture.tail(0), "");
}

/// Bytes in which the interesting ones are frequent.
fn output() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"\x1b[".to_vec()),
        Just(b"\x1b]0;t\x07".to_vec()),
        Just(b"\x1bP".to_vec()),
        Just(b"\x1b\\".to_vec()),
        Just(b"2K".to_vec()),
        Just(b"\r".to_vec()),
        Just(b"\n".to_vec()),
        Just(b"\x08\x08".to_vec()),
        Just("ä€🦀".as_bytes().to_vec()),
        Just(b"\xf0\x9f".to_vec()),
        Just(b"\x80".to_vec()),
        "[ -~]{0,20}".prop_map(String::into_bytes),
        prop::collection::vec(any::<u8>(), 0..8),
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn any_way_of_cutting_gives_the_same(
        bytes in output(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        places.extend([0, bytes.len()]);
        places.sort_unstable();
        let pieces: Vec<&[u8]> = places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        for limits in [SMALL, Limits::default()] {
            prop_assert_eq!(capture(&pieces, limits), capture(&[&bytes], limits));
        }
    }

    #[test]
    fn plain_text_is_left_as_it_is(text in "[ -~äöü€🦀]{0,40}(\n[ -~äöü€🦀]{0,40}){0,9}") {
        let captured = capture(&[text.as_bytes()], Limits::default());
        prop_assert_eq!(captured.whole().unwrap(), text);
    }
}
