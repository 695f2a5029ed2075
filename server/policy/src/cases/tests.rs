use expect_test::expect;

use super::*;
use crate::engine::tests::World;

#[test]
fn cases_run_against_a_policy() {
    let cases = parse_cases(
        r#"
        [[case]]
        tool = "run_shell_command"
        args = { command = "ls" }
        expect = "allow"

        [[case]]
        name = "edits are asked for"
        tool = "write_file"
        args.file_path = "a"
        mode = "auto_edit"
        expect = "ask_user"

        [[case]]
        tool = "write_file"
        args = { file_path = "a" }
        interactive = false
        expect = "deny"

        [[case]]
        tool = "mcp_s_t"
        server = "s"
        annotations = { readOnlyHint = true }
        mode = "plan"
        expect = "ask_user"

        [[case]]
        tool = "run_shell_command"
        args = { command = "git status" }
        trusted = false
        expect = "ask"
        "#,
    )
    .unwrap();
    let world = World::shipped();
    let results: Vec<CaseResult> = world.in_context(|context| {
        let run = |case: &Case| case.run(&world.policy, context);
        cases.iter().map(run).collect()
    });
    let passed: Vec<bool> = results.iter().map(|result| result.passed).collect();
    assert_eq!(passed, [true, false, true, true, true]);
    assert_eq!(results[1].line, Some(7));
    assert_eq!(results[1].verdict.decision, Decision::Allow);
    let json = serde_json::to_string_pretty(&results[1]).unwrap();
    expect![[r#"
        {
          "line": 7,
          "name": "edits are asked for",
          "tool": "write_file",
          "passed": false,
          "expected": "ask_user",
          "verdict": {
            "decision": "allow",
            "reason": "the built-in rule for changes and commands allows it (write.toml, line 17)",
            "denyMessage": null,
            "rule": {
              "source": "default: write.toml",
              "line": 17
            },
            "parts": [],
            "onlyReads": false
          }
        }"#]]
    .assert_eq(&json);
}

#[test]
fn a_bad_case_is_named_with_its_line() {
    let bad = |text: &str| {
        let error = parse_cases(text).unwrap_err();
        format!("{}: {error}", error.line.unwrap())
    };
    expect!["1: the cases cannot be read: `expect` is missing"]
        .assert_eq(&bad("[[case]]\ntool = \"a\"\n"));
    expect![[r#"3: the cases cannot be read: `expect` must be "allow", "ask_user" or "deny""#]]
        .assert_eq(&bad("[[case]]\ntool = \"a\"\nexpect = \"yes\"\n"));
    assert!(parse_cases("[[case").is_err());
    assert!(parse_cases("case = 1").is_err());
}
