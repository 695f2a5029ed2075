use pollux_exec::{AccessKind, RefusedAccess};
use pollux_policy::ApprovalMode;
use serde_json::json;

use super::*;
use crate::Gate;
use crate::testing::ShippedGate;

fn judged(command: &str, mode: ApprovalMode) -> (FunctionCall, Verdict) {
    let args = json!({ "command": command });
    let call = FunctionCall {
        id: pollux_model::CallId::new("1"),
        name: "run_shell_command".to_owned(),
        args: args.as_object().unwrap().clone(),
        signature: None,
    };
    let gate = ShippedGate::new("/workspace".into());
    let verdict = gate.judge(&super::super::policy_call(None, None, &call), mode);
    (call, verdict)
}

#[test]
fn commands_that_only_look_are_read_only() {
    for command in ["ls", "git log --oneline | head -5", "cat a && grep b c"] {
        let (_, verdict) = judged(command, ApprovalMode::Default);
        assert!(verdict.is_allowed_as_read_only(), "{command}: {verdict:?}");
    }
}

#[test]
fn commands_that_a_rule_or_a_mode_allows_are_not_read_only() {
    for (command, mode) in [
        ("touch a", ApprovalMode::Default),
        ("touch a", ApprovalMode::Yolo),
        ("ls; touch a", ApprovalMode::Yolo),
        ("echo x > a", ApprovalMode::AutoEdit),
        ("echo x >> a; ls", ApprovalMode::AutoEdit),
    ] {
        let (_, verdict) = judged(command, mode);
        assert!(!verdict.is_allowed_as_read_only(), "{command}: {verdict:?}");
    }
}

#[test]
fn a_command_that_tried_to_write_is_asked_about() {
    let watched = Watched::default();
    let (call, verdict) = judged("cat a", ApprovalMode::Default);
    let before = tightened(verdict.clone(), &call, &watched);
    assert_eq!(before, verdict);
    let refused = RefusedAccess {
        kind: AccessKind::Remove,
        path: Some("/workspace/a".into()),
    };
    watched.refused("cat a", &[refused]);
    let after = tightened(verdict, &call, &watched);
    assert_eq!(after.decision, Decision::Ask);
    assert_eq!(
        after.reason,
        "This command writes: it tried to remove /workspace/a when it ran read-only"
    );
}

#[test]
fn control_characters_of_a_path_are_not_shown() {
    let watched = Watched::default();
    let refused = RefusedAccess {
        kind: AccessKind::Write,
        path: Some("/workspace/\u{1b}[2Ja\nb".into()),
    };
    watched.refused("cat a", &[refused]);
    let attempt = watched.write_attempt("cat a").unwrap();
    assert_eq!(attempt, "write /workspace/?[2Ja?b");
}
