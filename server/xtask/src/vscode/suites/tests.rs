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
    let first = Outcome {
        passed: 7,
        failures: vec!["1 - one".to_owned(), "2 - two".to_owned()],
        failed: 3,
        ..Outcome::default()
    };
    let expected = Outcome {
        passed: 8,
        failures: vec!["2 - two".to_owned()],
        failed: 2,
        unsteady: vec!["1 - one".to_owned()],
    };
    assert_eq!(second_attempt(first, REPORT), expected);
}

#[test]
fn what_was_left_out_of_the_second_attempt_has_still_failed() {
    let report = REPORT.replace("ok 1 - one", "ok 1 - one # SKIP");
    let first = outcome(&REPORT.replace("ok 1 - one", "not ok 1 - one")).unwrap();
    assert_eq!(second_attempt(first, &report).failed, 2);
}

#[test]
fn a_test_is_had_again_by_its_whole_name() {
    let expected = r"--test-name-pattern=^it is, that's \[all\] - 1$";
    assert_eq!(only("3 - it is, that's [all] - 1"), expected);
}
