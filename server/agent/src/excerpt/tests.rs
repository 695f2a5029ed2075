use super::{Excerpt, LONGEST_LINE, LONGEST_OUTPUT, WINDOW};

#[test]
fn a_window_of_lines_is_shown_and_what_is_left_out_is_counted() {
    let long = "x".repeat(LONGEST_LINE + 1);
    let text = format!("{long}\r\n{}", "line\r\n".repeat(WINDOW));
    let excerpt = Excerpt::beginning(&text);
    assert_eq!((excerpt.first, excerpt.last), (1, WINDOW));
    assert_eq!((excerpt.total, excerpt.clipped), (WINDOW + 1, 1));
    assert!(!excerpt.has_all_lines());
    assert!(!excerpt.text.contains('\r'));

    let rest = Excerpt::between(&text, Some(WINDOW + 1), None);
    assert_eq!(
        (rest.first, rest.last, rest.clipped),
        (WINDOW + 1, WINDOW + 1, 0)
    );
    assert_eq!(rest.text, "line\n");
}

#[test]
fn a_clipped_line_is_all_of_the_lines_but_not_all_of_the_text() {
    let excerpt = Excerpt::beginning(&"é".repeat(LONGEST_LINE + 1));
    assert!(excerpt.has_all_lines());
    assert_eq!(excerpt.clipped, 1);
    assert!(excerpt.text.ends_with("é... [truncated]"));
}

#[test]
fn no_range_shows_more_than_the_hard_cap() {
    let text = format!("{}\n", "x".repeat(LONGEST_LINE)).repeat(2_000);
    let excerpt = Excerpt::between(&text, Some(1), Some(2_000));
    assert!(excerpt.text.len() <= LONGEST_OUTPUT + LONGEST_LINE + 1);
    assert!(!excerpt.has_all_lines());
}
