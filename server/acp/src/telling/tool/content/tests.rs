use super::*;

#[test]
fn an_output_that_holds_fences_stays_one_output() {
    assert_eq!(fenced("", "plain\n"), "```\nplain\n```");
    assert_eq!(fenced("sh", "a ```` b"), "`````sh\na ```` b\n`````");
}

#[test]
fn of_a_long_output_both_ends_are_shown() {
    let text = format!("begin{}end", "ä".repeat(LONGEST_SHOWN));
    let shown = both_ends(&text);
    assert!(shown.starts_with("begin") && shown.ends_with("end"));
    assert!(shown.contains("bytes left out"));
    assert!(shown.len() < LONGEST_SHOWN + 100);
}

#[test]
fn of_what_a_tool_prints_the_end_is_kept_and_no_letter_is_cut() {
    let mut tail = Tail::default();
    for _ in 0..10_000 {
        tail.push("äöü\n");
    }
    tail.push("the end");
    assert!(tail.shown().ends_with("the end\n```"));
    assert!(tail.0.len() <= 2 * LONGEST_TAIL);
}
