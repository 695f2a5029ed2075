use expect_test::{Expect, expect};

use super::{outcome, without_colours};

fn check(output: &str, expected: Expect) {
    let text = match outcome(output) {
        None => "no summary".to_owned(),
        Some(outcome) => {
            let mut text = format!("{} passed, {} failed", outcome.passed, outcome.failed);
            for failure in outcome.failures {
                text.push_str(&format!("; {failure}"));
            }
            for unsteady in outcome.unsteady {
                text.push_str(&format!("; unsteady: {unsteady}"));
            }
            text
        }
    };
    expected.assert_eq(&text);
}

#[test]
fn the_summary_counts_in_all_its_forms() {
    check(
        "     Summary [   0.010s] 1 test run: 1 passed, 0 skipped\n",
        expect!["1 passed, 0 failed"],
    );
    check(
        "     Summary [   1.2s] 7 tests run: 7 passed (2 slow, 1 leaky), 0 skipped",
        expect!["7 passed, 0 failed"],
    );
    check(
        "Summary [ 2.0s] 9 tests run: 4 passed (1 flaky), 2 failed (1 due to being leaky), \
         1 exec failed, 2 timed out, 0 skipped",
        expect!["4 passed, 5 failed"],
    );
}

#[test]
fn a_skipped_test_is_a_failed_one() {
    check(
        "Summary [ 2.0s] 2 tests run: 2 passed, 3 skipped",
        expect!["2 passed, 3 failed; 3 tests were skipped; a test that does not run has failed"],
    );
}

#[test]
fn tests_that_were_never_started_count_as_failed() {
    check(
        "Summary [ 2.0s] 4/6 tests run: 4 passed, 0 skipped",
        expect!["4 passed, 2 failed; 2 tests were not started"],
    );
}

#[test]
fn a_test_that_passed_and_prints_figures_is_no_failure() {
    check(
        "Summary [ 2.0s] 1 test run: 1 passed, 0 skipped\n\
         \x20       PASS [   0.3s] (1/1) nx figures\n\
         \x20 stdout ───\n",
        expect!["1 passed, 0 failed"],
    );
}

#[test]
fn the_names_after_the_summary_are_the_failures() {
    check(
        "        FAIL [   0.1s] (3/4) nx bad\n\
         \x20    Summary [   2.0s] 4 tests run: 1 passed, 2 failed, 1 timed out, 0 skipped\n\
         \x20    SIGABRT [   0.008s] (1/4) nx ab\n\
         \x20       FAIL [   0.153s] (3/4) nx bad\n\
         \x20    TIMEOUT [   2.004s] (4/4) nx slow\n\
         error: test run failed\n",
        expect![
            "1 passed, 3 failed; SIGABRT [   0.008s] (1/4) nx ab; \
             FAIL [   0.153s] (3/4) nx bad; TIMEOUT [   2.004s] (4/4) nx slow"
        ],
    );
}

#[test]
fn a_build_that_breaks_has_no_summary() {
    check("error: could not compile `pollux`\n", expect!["no summary"]);
}

#[test]
fn colours_do_not_hide_the_numbers() {
    let coloured = "\u{1b}[31;1m     Summary\u{1b}[0m [   2.0s] \u{1b}[1m2\u{1b}[0m tests run: \
                    \u{1b}[1m1\u{1b}[0m \u{1b}[32;1mpassed\u{1b}[0m, \u{1b}[1m1\u{1b}[0m \
                    \u{1b}[31;1mfailed\u{1b}[0m, 0 skipped";
    check(coloured, expect!["1 passed, 1 failed"]);
    expect!["     Summary [   2.0s] 2 tests run: 1 passed, 1 failed, 0 skipped"]
        .assert_eq(&without_colours(coloured));
}

#[test]
fn what_needed_a_second_attempt_has_passed_and_is_named() {
    check(
        "     Summary [   2.0s] 4 tests run: 4 passed (1 flaky), 0 skipped\n\
         \x20  FLAKY 2/2 [   0.153s] (3/4) nx moody\n",
        expect!["4 passed, 0 failed; unsteady: FLAKY 2/2 [   0.153s] (3/4) nx moody"],
    );
}
