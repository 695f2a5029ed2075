use expect_test::{Expect, expect};

use super::host_in;

fn check(report: &str, expected: Expect) {
    let text = match host_in(report.as_bytes()) {
        Ok(pid) => pid.to_string(),
        Err(error) => error.to_string(),
    };
    expected.assert_eq(&text);
}

#[test]
fn the_host_is_found_in_the_doctors_report() {
    check(r#"{"host": {"pid": 42, "socket": "s"}}"#, expect!["42"]);
    check(
        r#"{"host": null}"#,
        expect!["`pollux doctor --json` sees no host"],
    );
    check(
        "all is well",
        expect!["`pollux doctor --json` printed no JSON"],
    );
}
