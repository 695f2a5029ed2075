use super::*;

#[test]
fn an_event_ends_with_an_empty_line() {
    let fits = |largest: usize, text: &str| {
        let mut length = Length::default();
        // However it is cut.
        text.bytes()
            .all(|byte| length.stays_below(largest, &[byte]))
    };
    assert!(fits(7, "data: a\n\ndata: b\n\n"));
    assert!(fits(7, "data: a\r\n\r\ndata: b\r\n\r\n"));
    assert!(fits(7, "data: a\r\rdata: b\r\r"));
    assert!(!fits(7, "data: a\ndata: b\n\n"));
    assert!(fits(7, ": alive\n: alive\ndata: a\n"));
    assert!(!fits(7, "data: ab"));
    assert!(!fits(7, ": a comment without an end"));
}
