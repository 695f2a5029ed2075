use super::*;

const REPORT: &str = "\
TAP version 13
# Subtest: one
ok 1 - one
# Subtest: two
not ok 2 - two
1..2
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
fn what_was_left_out_or_cut_short_has_failed() {
    let report = REPORT
        .replace("ok 1 - one", "ok 1 - one # SKIP")
        .replace("1..2", "1..5");
    let outcome = outcome(&report).unwrap();
    assert_eq!((outcome.passed, outcome.failed), (0, 5));
    assert_eq!(outcome.failures, ["2 - two", "1 - one # SKIP"]);
}

#[test]
fn a_report_without_a_plan_or_without_tests_is_an_error() {
    assert!(outcome("TAP version 13\nok 1 - one\n").is_err());
    assert!(outcome("TAP version 13\n1..0\n").is_err());
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
