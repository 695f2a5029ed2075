use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;

fn check(pattern: &str, expected: Expect) {
    let shown = match translate(pattern, Anchors::Text) {
        Ok(translated) => translated,
        Err(error) => format!("error: {error}"),
    };
    expected.assert_eq(&shown);
}

#[test]
fn what_javascript_writes_differently_is_translated() {
    check(
        r#"{"a":\d{2,}\w"#,
        expect![[r#"\{"a":[0-9]{2,}[0-9A-Za-z_]"#]],
    );
    check(r"[[&~\b]\/\-\0", expect![[r"[\[\&\~\x08]\/\-\x00"]]);
    check("[^]|[]", expect![[r"[\s\S]|[^\s\S]"]]);
    check(
        r"(?:a|(?<name>b))\:\é\q",
        expect![[r"(?:a|(?<name>b))\:éq"]],
    );
}

#[test]
fn what_is_not_supported_is_named() {
    check(
        "(?=a)",
        expect!["error: the pattern uses a look-ahead, which Pollux does not support"],
    );
    check(
        "(?<!a)",
        expect!["error: the pattern uses a look-behind, which Pollux does not support"],
    );
    check(
        r"(a)\1",
        expect!["error: the pattern uses a back-reference, which Pollux does not support"],
    );
    check(
        "[a",
        expect!["error: the pattern is not a regular expression: a `[` is never closed"],
    );
}

#[test]
fn a_pattern_has_a_limit() {
    assert!(Pattern::args(&"a".repeat(2048)).is_ok());
    assert_eq!(
        Pattern::args(&"a".repeat(2049)).unwrap_err(),
        BadPattern::TooLong
    );
    assert!(Pattern::args("(?:a{1000}){1000}").is_err());
}

#[test]
fn nested_repetitions_cost_nothing() {
    let pattern = Pattern::args("(a+)+b").unwrap();
    assert!(!pattern.is_match(&"a".repeat(100_000)));
}

#[test]
fn dead_borders_of_saved_patterns_come_alive() {
    for saved in [
        r#"\\0"file_path":"src/a\.rs"\\0"#,
        r#"\\0\"file_path\":\"src/a\.rs\"\\0"#,
        r#"\x00"file_path":"src/a\.rs"\x00"#,
        r#"\0"file_path":"src/a\.rs"\0"#,
    ] {
        let pattern = Pattern::args(saved).unwrap();
        assert!(
            pattern.is_match("{\0\"file_path\":\"src/a.rs\"\0}"),
            "{saved}"
        );
        assert!(
            !pattern.is_match("{\0\"file_path\":\"src/a.rsx\"\0}"),
            "{saved}"
        );
    }
    let elsewhere = Pattern::args(r"dir\\0").unwrap();
    assert!(elsewhere.is_match(r"dir\0"));
}

#[test]
fn a_command_is_matched_from_its_beginning() {
    let git = Pattern::command("^git (status|log)$").unwrap();
    assert!(git.is_match("{\0\"command\":\"git status\"\0}"));
    assert!(!git.is_match("{\0\"command\":\"git status -s\"\0}"));
    assert!(!git.is_match("{\0\"command\":\"x git status\"\0}"));
}

proptest! {
    #[test]
    fn no_pattern_panics(text in any::<String>()) {
        let bad_patterns_are_errors = (Pattern::args(&text), Pattern::command_generous(&text));
        drop(bad_patterns_are_errors);
    }

    #[test]
    fn escaped_text_matches_itself(text in "[ -~]{0,40}", other in "[ -~]{0,40}") {
        let pattern = Pattern::args(&format!("^{}$", escape(&text))).unwrap();
        prop_assert!(pattern.is_match(&text));
        prop_assert_eq!(pattern.is_match(&other), text == other);
    }
}
