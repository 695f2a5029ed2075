use super::*;
use expect_test::expect;

fn problem(line: u32, message: &str) -> Problem {
    Problem {
        path: PathBuf::from("/w/src/a.rs"),
        line,
        severity: ProblemSeverity::Error,
        message: message.to_owned(),
    }
}

#[test]
fn each_problem_is_one_line() {
    let warning = Problem {
        severity: ProblemSeverity::Warning,
        ..problem(9, "unused")
    };
    let told = tell_problems(&[problem(3, "expected `;`\nfound `}`"), warning]).unwrap();
    expect![[r#"

        Problems that the person's editor shows:
        - /w/src/a.rs:3: error: expected `;` found `}`
        - /w/src/a.rs:9: warning: unused
    "#]]
    .assert_eq(&told);
    assert_eq!(tell_problems(&[]), None);
}

#[test]
fn ten_thousand_long_problems_stay_within_bounds() {
    let many = vec![problem(1, &"x".repeat(10_000)); 10_000];
    let told = tell_problems(&many).unwrap();
    assert!(told.len() < 40_000, "{}", told.len());
    assert!(told.ends_with("- and 9950 more\n"));
}
