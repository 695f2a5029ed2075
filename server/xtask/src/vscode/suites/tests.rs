use super::*;

const REPORT: &str = "\
TAP version 13
# Subtest: one
ok 1 - one
# Subtest: two
not ok 2 - two
1..2
# tests 2
# suites 0
# pass 1
# fail 1
# cancelled 0
# skipped 0
# todo 0
# duration_ms 3.2
";

#[test]
fn a_report_is_counted_and_failures_have_names() {
    let expected = Outcome {
        passed: 1,
        failures: vec!["2 - two".to_owned()],
        failed: 1,
        ..Outcome::default()
    };
    assert_eq!(outcome(REPORT).unwrap(), expected);
}

#[test]
fn what_was_skipped_or_cut_short_has_failed() {
    let report = REPORT
        .replace("# skipped 0", "# skipped 2")
        .replace("# cancelled 0", "# cancelled 1");
    assert_eq!(outcome(&report).unwrap().failed, 4);
}

#[test]
fn a_report_without_a_summary_or_without_tests_is_an_error() {
    assert!(outcome("TAP version 13\nok 1 - one\n").is_err());
    let nothing = REPORT
        .replace("# pass 1", "# pass 0")
        .replace("# fail 1", "# fail 0");
    assert!(outcome(&nothing).is_err());
}

#[test]
fn what_fails_once_is_unsteady_and_what_fails_twice_has_failed() {
    let failed = |names: &[&str]| Outcome {
        passed: 3 - names.len(),
        failures: names.iter().map(ToString::to_string).collect(),
        failed: names.len(),
        ..Outcome::default()
    };
    let expected = Outcome {
        unsteady: vec!["1 - one".to_owned()],
        ..failed(&["2 - two"])
    };
    let first = failed(&["1 - one", "2 - two"]);
    assert_eq!(second_attempt(first, failed(&["2 - two"])), expected);
}
