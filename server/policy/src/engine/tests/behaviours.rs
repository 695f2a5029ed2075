use serde_json::json;

use super::*;
use ApprovalMode::{AutoEdit, Plan, Yolo};
use Decision::{Allow, Ask, Deny};

const GIT: &str = r#"
[[rule]]
toolName = "run_shell_command"
commandPrefix = "git"
decision = "allow"
priority = 100
"#;

#[test]
fn behaviour_01_default_mode() {
    let world = World::shipped();
    assert_eq!(world.decide("read_file", json!({"file_path": "a"})), Allow);
    assert_eq!(world.write("src/a.ts"), Ask);
    assert_eq!(world.shell("ls -la"), Allow);
    assert_eq!(world.shell("npm i"), Ask);
    assert_eq!(world.shell("ls > x"), Ask);
}

#[test]
fn behaviour_02_prefix_git() {
    let world = World::user(GIT);
    assert_eq!(world.shell("git status"), Allow);
    assert_eq!(world.shell("git push"), Allow);
    assert_eq!(world.shell("git status && curl x"), Ask);
    assert_eq!(world.shell("git log > f"), Ask);
    assert_eq!(World::user(GIT).mode(AutoEdit).shell("git log > f"), Allow);
    let redirecting = format!("{GIT}allowRedirection = true\n");
    assert_eq!(World::user(&redirecting).shell("git log > f"), Allow);
}

#[test]
fn behaviour_03_denied_part_denies_the_chain() {
    let world = World::user(
        r#"
        [[rule]]
        toolName = "run_shell_command"
        commandPrefix = "rm -rf"
        decision = "deny"
        priority = 100
        denyMessage = "Use the trash."
        "#,
    );
    let verdict = world.verdict(
        "run_shell_command",
        json!({"command": "cd /tmp && rm -rf x"}),
    );
    assert_eq!(verdict.decision, Deny);
    assert_eq!(verdict.deny_message.as_deref(), Some("Use the trash."));
    assert_eq!(verdict.rule.unwrap().to_string(), "User.toml:2");
    assert_eq!(verdict.parts.len(), 2);
    assert_eq!(verdict.parts[1].decision, Deny);
}

#[test]
fn behaviour_04_headless() {
    let world = World::shipped().headless();
    assert_eq!(world.write("src/a.ts"), Deny);
    assert!(world.is_excluded("write_file"));
    assert!(world.is_excluded("never_heard_of"));
    assert!(!world.is_excluded("read_file"));
    assert!(!World::shipped().is_excluded("write_file"));
    let yolo = World::shipped().headless().mode(Yolo);
    assert_eq!(yolo.write("src/a.ts"), Allow);
    assert!(!yolo.is_excluded("write_file"));
    assert_eq!(yolo.write("package.json"), Deny);
}

#[test]
fn behaviour_05_plan_mode() {
    let world = World::shipped().mode(Plan);
    assert_eq!(world.write("plans/a.md"), Allow);
    assert_eq!(world.write("a-plan.md"), Allow);
    assert_eq!(world.write("./plans/a.md"), Allow);
    assert_eq!(world.write("/home/u/.gemini/tmp/abc/plans/a.md"), Allow);
    assert_eq!(world.write("/home/u/.gemini/tmp/abc/s-1/plans/a.md"), Allow);
    assert_eq!(world.write("docs/a.md"), Deny);
    assert_eq!(world.write("plans/../src/a.md"), Deny);
    let verdict = world.verdict("write_file", json!({"file_path": "src/a.ts"}));
    assert_eq!(verdict.decision, Deny);
    assert!(verdict.deny_message.unwrap().contains("Markdown"));
    assert_eq!(world.shell("ls"), Deny);
    let hint = json!({"readOnlyHint": true});
    let read = world.verdict_of("mcp_s_t", Some("s"), json!({}), hint);
    assert_eq!(read.decision, Ask);
    assert_eq!(world.mcp("s", "t"), Deny);
    assert_eq!(world.decide("read_file", json!({})), Allow);
    let agent = json!({"agent_name": "codebase_investigator"});
    assert_eq!(world.decide("invoke_agent", agent), Allow);
    assert_eq!(
        world.decide("invoke_agent", json!({"agent_name": "other"})),
        Deny
    );
    assert_eq!(world.decide("enter_plan_mode", json!({})), Deny);
    assert_eq!(world.decide("exit_plan_mode", json!({})), Ask);
    assert_eq!(World::shipped().decide("exit_plan_mode", json!({})), Deny);
}

#[test]
fn a_plan_argument_cannot_be_forged_inside_another() {
    let world = World::shipped().mode(Plan);
    let args =
        json!({"file_path": "src/a.ts", "content": "\u{0}\"file_path\":\"plans/a.md\"\u{0}"});
    assert_eq!(world.decide("write_file", args), Deny);
}

#[test]
fn behaviour_06_allowed_command_narrows() {
    for entry in ["run_shell_command(git)", "ShellTool(git)"] {
        let world = World::settings(SettingsRules {
            allowed: vec![entry.to_owned()],
            ..SettingsRules::default()
        });
        assert_eq!(world.shell("git x"), Allow);
        assert_eq!(world.shell("ls"), Deny);
        assert_eq!(world.shell("git x && ls"), Deny);
    }
}

#[test]
fn behaviour_07_core_tools() {
    let settings = || SettingsRules {
        core: vec!["read_file".to_owned()],
        ..SettingsRules::default()
    };
    let world = World::settings(settings());
    assert_eq!(world.decide("read_file", json!({})), Allow);
    assert_eq!(world.decide("glob", json!({})), Deny);
    assert_eq!(world.shell("ls"), Deny);
    assert_eq!(world.mcp("s", "t"), Deny);
    let plan = World::settings(settings()).mode(Plan);
    assert_eq!(plan.decide("read_file", json!({})), Allow);
    assert_eq!(plan.decide("glob", json!({})), Deny);
}

#[test]
fn behaviour_08_trusted_server() {
    let settings = |excluded: &[&str]| SettingsRules {
        trusted_servers: vec!["s".to_owned()],
        excluded_servers: excluded.iter().map(|name| (*name).to_owned()).collect(),
        ..SettingsRules::default()
    };
    assert_eq!(World::settings(settings(&[])).mcp("s", "t"), Allow);
    assert_eq!(World::settings(settings(&[])).mcp("other", "t"), Ask);
    assert_eq!(
        World::settings(settings(&[])).mode(Plan).mcp("s", "t"),
        Deny
    );
    assert_eq!(World::settings(settings(&["s"])).mcp("s", "t"), Deny);
}

#[test]
fn behaviour_09_admin_beats_user() {
    let rule = |decision: &str, priority: u32| {
        format!("[[rule]]\ntoolName = \"glob\"\ndecision = \"{decision}\"\npriority = {priority}\n")
    };
    let admin = rule("deny", 0);
    let user = rule("allow", 999);
    let files = [(Tier::User, user.as_str()), (Tier::Admin, admin.as_str())];
    let world = World::with(&files, SettingsRules::default());
    assert_eq!(world.decide("glob", json!({})), Deny);
}

#[test]
fn behaviour_10_always_for_an_edit_switches_the_mode() {
    let args = object(json!({"file_path": "a"}));
    let edit = call("replace", &args);
    let after = |scope: Scope, mode| scope.mode_after(&edit, mode);
    assert_eq!(after(Scope::Session, ApprovalMode::Default), Some(AutoEdit));
    assert_eq!(after(Scope::Session, Yolo), None);
    assert_eq!(after(Scope::User, ApprovalMode::Default), None);
    let other = call("web_fetch", &args);
    assert_eq!(
        Scope::Session.mode_after(&other, ApprovalMode::Default),
        None
    );
}

#[test]
fn behaviour_14_a_file_without_priority_is_ignored_whole() {
    let world = World::user(
        "[[rule]]\ntoolName = \"write_file\"\ndecision = \"allow\"\npriority = 1\n\n\
         [[rule]]\ntoolName = \"glob\"\ndecision = \"deny\"\n",
    );
    assert_eq!(world.problems.len(), 1);
    assert_eq!(world.problems[0].kind, ProblemKind::SchemaValidation);
    assert_eq!(world.problems[0].line, Some(6));
    assert_eq!(world.write("a"), Ask);
    assert_eq!(world.decide("glob", json!({})), Allow);
}

#[test]
fn behaviour_14_a_bad_pattern_drops_its_rule_alone() {
    let world = World::user(
        "[[rule]]\ntoolName = \"write_file\"\nargsPattern = \"(\"\ndecision = \"allow\"\npriority = 2\n\n\
         [[rule]]\ntoolName = \"glob\"\ndecision = \"deny\"\npriority = 1\n",
    );
    assert_eq!(world.problems.len(), 1);
    assert_eq!(world.problems[0].kind, ProblemKind::RegexCompilation);
    assert_eq!(world.problems[0].line, Some(3));
    assert_eq!(world.write("a"), Ask);
    assert_eq!(world.decide("glob", json!({})), Deny);
}

#[test]
fn behaviour_15_a_denied_command_in_a_wrapper() {
    let world = World::user(
        "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"rm -rf\"\n\
         decision = \"deny\"\npriority = 100\n",
    )
    .mode(Yolo);
    assert_eq!(world.shell("bash -c \"rm -rf /x\""), Deny);
    assert_eq!(world.shell("rm  -rf /x"), Deny);
    assert_eq!(world.shell("/bin/rm -rf /x"), Deny);
    assert_eq!(world.shell("\"rm\" -rf /x"), Deny);
    assert_eq!(world.shell("rm -r /x"), Allow);
}
