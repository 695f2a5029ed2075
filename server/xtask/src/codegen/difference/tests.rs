use expect_test::expect;

use super::first;

#[test]
fn equal_texts_have_no_difference() {
    assert_eq!(first("a\nb\n", "a\nb\n"), None);
}

#[test]
fn the_first_difference_is_shown_with_what_is_before_it() {
    let found = "a\nb\nc\nd\ne\nf\ng\n";
    let wanted = "a\nb\nc\nD\ne\nf\ng\n";
    expect![[r#"
        line 4:
          b
          c
        - d
        - e
        - f
        + D
        + e
        + f"#]]
    .assert_eq(&first(found, wanted).unwrap());
}

#[test]
fn a_missing_file_differs_from_its_first_line_on() {
    expect![[r#"
        line 1:
        -
        + a
        +"#]]
    .assert_eq(&first("", "a\n").unwrap());
}
