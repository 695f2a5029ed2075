use proptest::prelude::*;
use tokio::io::BufReader;

use super::*;

/// The lines of a text that arrives in pieces of this size.
fn read(text: &[u8], limit: usize, piece: usize) -> Vec<Line> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut lines = Lines::new(BufReader::with_capacity(piece, text), limit);
        let mut found = Vec::new();
        while let Some(line) = lines.next().await {
            found.push(line);
        }
        found
    })
}

fn whole(text: &str) -> Line {
    Line::Whole(text.as_bytes().to_vec())
}

#[test]
fn lines_come_one_by_one_also_the_last_without_an_end() {
    let found = read(b"one\n\ntwo\r\nthree", 100, 4);
    assert_eq!(
        found,
        [whole("one"), whole(""), whole("two\r"), whole("three")]
    );
    assert_eq!(read(b"", 100, 4), []);
}

#[test]
fn a_line_that_is_too_long_is_skipped_and_the_next_is_read() {
    let found = read(b"12345\n1234567\n12345\n123456", 5, 3);
    assert_eq!(
        found,
        [whole("12345"), Line::TooLong, whole("12345"), Line::TooLong]
    );
}

proptest! {
    #[test]
    fn the_pieces_in_which_a_text_arrives_make_no_difference(
        text in proptest::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 0..200),
        limit in 1_usize..40,
        piece in 1_usize..50,
    ) {
        let ends = text.split(|byte| *byte == b'\n');
        let mut expected: Vec<Line> = ends
            .map(|line| match line.len() > limit {
                true => Line::TooLong,
                false => Line::Whole(line.to_vec()),
            })
            .collect();
        // What is behind the last end is a line only if it is something.
        if expected.last() == Some(&Line::Whole(Vec::new())) {
            expected.pop();
        }
        prop_assert_eq!(read(&text, limit, piece), expected);
    }
}
