use anyhow::bail;
use expect_test::expect;

use super::{Outcome, Tally};

#[test]
fn a_step_that_fails_does_not_stop_the_next_one() {
    let mut tally = Tally::of_steps(3);
    tally.check("editor", || bail!("no such package"));
    tally.check("format", || Ok(()));
    tally.suite("tests", || {
        Ok(Outcome {
            passed: 40,
            failures: vec!["FAIL text ropes::join".into()],
            failed: 1,
            unsteady: vec!["FLAKY 2/2 text ropes::split".into()],
        })
    });
    expect![[r#"
        passed at the second attempt only, to be mended:
          - FLAKY 2/2 text ropes::split
        failed:
          - editor: no such package
          - FAIL text ropes::join
        41 passed, 2 failed"#]]
    .assert_eq(&tally.closing());
}

#[test]
fn when_all_is_well_only_the_closing_line_is_printed() {
    let mut tally = Tally::of_steps(1);
    tally.check("format", || Ok(()));
    expect!["1 passed, 0 failed"].assert_eq(&tally.closing());
}
