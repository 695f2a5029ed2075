use expect_test::expect;

use super::filled;

fn known(name: &str) -> Option<String> {
    match name {
        "query" => Some("where is ${today}?".to_owned()),
        "today" => Some("a Monday".to_owned()),
        _ => None,
    }
}

#[test]
fn names_are_filled_in_once() {
    let text = filled("On ${today}: ${query} ${today}", &known).unwrap();
    expect!["On a Monday: where is ${today}? a Monday"].assert_eq(&text);
}

#[test]
fn what_is_no_name_stays() {
    let text = "$today ${} ${a-b} ${HOME:-x} ${open $${today}";
    let text = filled(text, &known).unwrap();
    expect!["$today ${} ${a-b} ${HOME:-x} ${open $a Monday"].assert_eq(&text);
}

#[test]
fn everything_that_is_missing_is_named_once() {
    let error = filled("${b} ${a} ${today} ${b}", &known).unwrap_err();
    expect!["Template validation failed: Missing required input parameters: a, b"]
        .assert_eq(&error);
}
