use super::*;

#[test]
fn programs_of_tests_are_added_up() {
    let report = "running 2 tests\ntest a::b ... ok\ntest a::c ... FAILED\n\n\
                  test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s\n\
                  running 2 tests\ntest d ... ok\ntest e ... ignored, it is slow\n\n\
                  test result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 1.00s\n";
    assert_eq!(
        outcome(report).unwrap(),
        Outcome {
            passed: 2,
            failed: 2,
            failures: vec![
                "a::c ... FAILED".to_owned(),
                "e ... ignored, it is slow".to_owned(),
            ],
            ..Outcome::default()
        }
    );
}

#[test]
fn a_report_without_tests_is_an_error() {
    let report = "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";
    assert_eq!(outcome(report).unwrap_err().to_string(), "no test ran");
    assert!(outcome("").is_err());
}
