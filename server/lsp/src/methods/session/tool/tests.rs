use super::*;

#[test]
fn a_short_output_is_shown_whole() {
    assert_eq!(both_ends("fine\n"), "fine\n");
    assert_eq!(beginning("{}".to_owned()), "{}");
}

#[test]
fn a_long_output_keeps_both_ends_and_is_cut_between_characters() {
    let text = format!("begin{}end", "ä".repeat(100_000));
    let shown = both_ends(&text);
    assert!(shown.len() < LONGEST + 100, "{}", shown.len());
    assert!(shown.starts_with("begin") && shown.ends_with("end"));
    assert!(shown.contains("bytes left out"));
    assert!(beginning(text).len() <= LONGEST + 3);
}
