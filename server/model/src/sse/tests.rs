use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;

/// Feeds the body cut at the given places, and ends it.
fn decode(body: &[u8], cuts: &[usize]) -> Result<Vec<SseEvent>, EventTooLong> {
    let mut decoder = SseDecoder::with_limit(4096);
    let mut events = VecDeque::new();
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (body.len() + 1)).collect();
    cuts.extend([0, body.len()]);
    cuts.sort_unstable();
    for pair in cuts.windows(2) {
        decoder.feed(&body[pair[0]..pair[1]], &mut events)?;
    }
    events.extend(decoder.finish());
    Ok(events.into())
}

fn check(body: impl AsRef<[u8]>, expected: Expect) {
    let every_byte: Vec<usize> = (0..body.as_ref().len()).collect();
    let whole = decode(body.as_ref(), &[]).unwrap();
    assert_eq!(decode(body.as_ref(), &every_byte).unwrap(), whole);
    let lines = whole
        .iter()
        .map(|event| format!("{:?} {:?}\n", event.event, event.data));
    expected.assert_eq(&lines.collect::<String>());
}

#[test]
fn lines_end_in_three_ways() {
    check(
        "data: a\n\ndata: b\r\n\r\ndata: c\r\rdata: d\r\n\ndata: e\n\r\n",
        expect![[r#"
            "" "a"
            "" "b"
            "" "c"
            "" "d"
            "" "e"
        "#]],
    );
}

#[test]
fn data_may_have_several_lines_and_one_blank_is_dropped() {
    check(
        "data: one\ndata:two\ndata:  three\ndata\ndata:\n\n",
        expect![[r#"
            "" "one\ntwo\n three\n\n"
        "#]],
    );
}

#[test]
fn comments_and_unknown_fields_are_dropped_and_names_kept() {
    check(
        ": hello\nid: 1\nretry: 10\nevent: error\nwhat: x\ndata: {\"a\": 1}\n\nevent: lonely\n\ndata: b\n\n",
        expect![[r#"
            "error" "{\"a\": 1}"
            "" "b"
        "#]],
    );
}

#[test]
fn a_byte_order_mark_may_stand_at_the_start_only() {
    check(
        "\u{feff}data: a\n\n\u{feff}data: b\n\n",
        expect![[r#"
            "" "a"
        "#]],
    );
}

#[test]
fn characters_may_be_split_and_broken_ones_are_replaced() {
    check(
        "data: žluťoučký 🐎\n\n",
        expect![[r#"
        "" "žluťoučký 🐎"
    "#]],
    );
    check(
        b"data: \xff\xfe!\n\n",
        expect![[r#"
            "" "��!"
        "#]],
    );
}

#[test]
fn the_last_blank_line_may_be_missing() {
    check(
        "data: a\n\ndata: b",
        expect![[r#"
        "" "a"
        "" "b"
    "#]],
    );
    check("\n\n: nothing\n", expect![""]);
}

#[test]
fn an_event_without_end_is_an_error_and_takes_no_more_memory_than_the_limit() {
    for body in ["data: 0123456789abcdef\n", "x"] {
        let mut decoder = SseDecoder::with_limit(100_000);
        let mut events = VecDeque::new();
        let mut fed = 0;
        let error = loop {
            match decoder.feed(body.as_bytes(), &mut events) {
                Ok(()) => fed += body.len(),
                Err(error) => break error,
            }
            assert!(fed < 200_000);
        };
        assert_eq!(error, EventTooLong { limit: 100_000 });
        assert!(decoder.line.capacity() + decoder.data.capacity() <= 300_000);
        assert!(events.is_empty());
    }
}

fn line_end() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("\n"), Just("\r\n"), Just("\r")]
}

/// Events as any server may write them, and what they mean.
fn valid_stream() -> impl Strategy<Value = (String, Vec<SseEvent>)> {
    let data = prop::collection::vec("[^\r\n]{0,12}", 1..4);
    let event = (data, "[a-z]{0,3}", line_end(), "(: ?[a-z]{0,5})?");
    prop::collection::vec(event, 0..6).prop_map(|events| {
        let mut body = String::new();
        let mut expected = Vec::new();
        for (lines, name, end, comment) in events {
            if !comment.is_empty() {
                body += &format!("{comment}{end}");
            }
            if !name.is_empty() {
                body += &format!("event: {name}{end}");
            }
            for line in &lines {
                body += &format!("data: {line}{end}");
            }
            body += end;
            expected.push(SseEvent {
                event: name,
                data: lines.join("\n"),
            });
        }
        (body, expected)
    })
}

proptest! {
    #[test]
    fn any_split_of_a_valid_stream_gives_the_same_events(
        (body, expected) in valid_stream(),
        cuts in prop::collection::vec(any::<usize>(), 0..20),
    ) {
        prop_assert_eq!(decode(body.as_bytes(), &cuts).unwrap(), expected);
    }

    #[test]
    fn any_split_of_any_bytes_gives_the_same_result(
        body in prop::collection::vec(prop_oneof![3 => Just(b'\n'), 3 => Just(b'\r'), 3 => Just(b':'), 10 => any::<u8>()], 0..200),
        cuts in prop::collection::vec(any::<usize>(), 0..20),
    ) {
        prop_assert_eq!(decode(&body, &cuts), decode(&body, &[]));
    }
}
