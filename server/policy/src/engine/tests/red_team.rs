//! The red team's table through the whole policy: what a person is asked, and what nobody is asked about.

use serde_json::json;

use super::call;
use crate::shell::tests::table::{cases, with_place};
use crate::*;

fn decide(policy: &Policy, mode: ApprovalMode, presence: Presence, command: &str) -> Decision {
    let args = super::object(json!({ "command": command }));
    with_place(|place| {
        let context = Context {
            mode,
            presence,
            trust: Trust::Trusted,
            cwd: place.cwd,
            roots: place.roots,
            view: place.view,
        };
        let call = call("run_shell_command", &args);
        policy.decide(&call, &context).decision
    })
}

/// The shell itself opens it for writing.
fn opens_a_file(command: &str) -> bool {
    let script = shell::parse(command).unwrap();
    let targets = script
        .redirections
        .iter()
        .filter(|one| one.direction == shell::Direction::Out)
        .filter_map(|one| one.target.as_ref());
    targets
        .filter_map(shell::Word::literal)
        .any(|path| !path.starts_with("/dev/"))
}

#[test]
fn in_default_mode_only_what_is_safe_runs_unasked_and_headless_nothing_does() {
    let policy = Policy::shipped();
    let mut wrong = Vec::new();
    for case in cases() {
        let wanted = match case.expected {
            "safe" if !opens_a_file(&case.command) => Decision::Allow,
            _ => Decision::Ask,
        };
        let asked = |presence| decide(&policy, ApprovalMode::Default, presence, &case.command);
        let found = (asked(Presence::Interactive), asked(Presence::Headless));
        if found != (wanted, Decision::Deny) {
            wrong.push(format!("line {}: {found:?}: {}", case.line, case.command));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_rule_and_no_mode_allows_what_is_not_understood() {
    let everything = RuleFile {
        source: "everything.toml".to_owned(),
        text: "[[rule]]\ntoolName = \"*\"\ndecision = \"allow\"\npriority = 999\nallowRedirection = true\n"
            .to_owned(),
        tier: Tier::Admin,
    };
    let rules = SettingsRules::default();
    let (policy, problems) = Policy::assemble(&[everything], &rules, Options::default());
    assert_eq!(problems, []);
    let modes = [
        ApprovalMode::Default,
        ApprovalMode::AutoEdit,
        ApprovalMode::Yolo,
    ];
    let mut wrong = Vec::new();
    for case in cases() {
        for mode in modes {
            let asked = |presence| decide(&policy, mode, presence, &case.command);
            let found = (asked(Presence::Interactive), asked(Presence::Headless));
            if case.expected == "not-understood" && found != (Decision::Ask, Decision::Deny) {
                wrong.push(format!("line {}, {mode:?}: {found:?}", case.line));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_denial_finds_its_command_wherever_it_hides() {
    let policy = super::World::user(
        "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"rm -rf\"\n\
         decision = \"deny\"\npriority = 100\n",
    )
    .policy;
    for command in [
        "rm -rf x",
        "cd /tmp && rm -rf x",
        "bash -c 'rm -rf x'",
        "sudo rm -rf x",
        "r\"m\" -r''f x",
        "if true; then rm -rf x; fi",
        "f() { rm -rf x; }; f",
        "echo $(rm -rf x)",
        "find . -exec rm -rf {} +",
        "PATH=. rm -rf x",
    ] {
        let found = decide(&policy, ApprovalMode::Yolo, Presence::Interactive, command);
        assert_eq!(found, Decision::Deny, "{command}");
    }
}

/// Rules and approvals that people have, about programs that can do more than their names say.
const RULES: &[&[&str]] = &[
    &[
        "sed", "git log", "git", "sort", "rg", "tar", "make", "go test", "awk", "npm test", "ls",
        "cat", "curl", "jq", "grep", "head", "echo", "date", "tree", "diff", "uniq", "xxd",
    ],
    &[
        "find",
        "env",
        "ionice",
        "nice",
        "watch",
        "busybox",
        "xargs",
        "timeout",
        "nohup",
        "time",
        "command",
        "stdbuf",
        "setsid",
        "npx",
        "uv run",
        "bundle exec",
        "find . -exec",
    ],
];

#[test]
fn what_is_dangerous_is_allowed_in_no_mode_and_by_no_rule_about_its_program() {
    let modes = [
        ApprovalMode::Default,
        ApprovalMode::AutoEdit,
        ApprovalMode::Plan,
    ];
    let mut policies = vec![Policy::shipped()];
    for prefixes in RULES {
        let rule = format!(
            "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = {prefixes:?}\n\
             decision = \"allow\"\npriority = 100\n"
        );
        policies.push(super::World::user(&rule).policy);
    }
    let cases: Vec<_> = cases()
        .into_iter()
        .filter(|case| matches!(case.expected, "dangerous" | "not-understood"))
        .collect();
    assert!(cases.len() >= 600, "only {} entries", cases.len());
    let mut wrong = Vec::new();
    for case in &cases {
        for (number, policy) in policies.iter().enumerate() {
            for mode in modes {
                let found = decide(policy, mode, Presence::Interactive, &case.command);
                if found == Decision::Allow {
                    let line = case.line;
                    wrong.push(format!(
                        "line {line}, {mode:?}, rules {number}: {}",
                        case.command
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_not_known_to_be_safe_is_not_allowed_by_plan_mode_or_by_default() {
    let policy = Policy::shipped();
    for case in cases() {
        for mode in [ApprovalMode::Default, ApprovalMode::Plan] {
            let found = decide(&policy, mode, Presence::Interactive, &case.command);
            let may_run = case.expected == "safe";
            assert!(
                may_run || found != Decision::Allow,
                "line {}, {mode:?}: {}",
                case.line,
                case.command
            );
        }
    }
}
