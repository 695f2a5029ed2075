use serde_json::json;

use super::*;

/// The innermost command of a line that has one.
fn command(text: &str) -> Command {
    let commands = crate::shell::parse(text).unwrap().commands;
    commands.into_iter().next_back().unwrap()
}

fn holds(prefix: &str, command: &Command, decision: Decision) -> bool {
    let Value::Object(args) = json!({"command": "…"}) else {
        panic!("an object");
    };
    let condition = Condition::Prefix(prefix.to_owned());
    condition.holds(&Probe::part(&args, command), decision)
}

#[test]
fn a_permission_does_not_pass_through_variables_and_wrappers() {
    let plain = command("git status");
    let variable = command("COLOUR=no git status");
    let as_root = command("sudo git status");
    let in_bash = command("bash -c \"git status\"");
    assert!(holds("git", &plain, Decision::Allow));
    assert!(!holds("git", &variable, Decision::Allow));
    assert!(!holds("git", &as_root, Decision::Allow));
    assert!(holds("sudo git", &as_root, Decision::Allow));
    assert!(holds("git", &in_bash, Decision::Allow));
    for disguised in [&plain, &variable, &as_root, &in_bash] {
        assert!(holds("git", disguised, Decision::Deny));
        assert!(holds("git", disguised, Decision::Ask));
    }
}

#[test]
fn a_permission_is_not_for_another_program_of_the_same_name() {
    let other = command("./git status");
    assert!(!holds("git", &other, Decision::Allow));
    assert!(holds("git", &other, Decision::Deny));
}

#[test]
fn words_that_are_not_known_yet_do_not_fill_a_prefix() {
    let unknown = command("git $x");
    assert!(holds("git", &unknown, Decision::Allow));
    assert!(!holds("git status", &unknown, Decision::Allow));
}

#[test]
fn patterns_see_what_a_command_comes_to() {
    let Value::Object(args) = json!({"command": "…"}) else {
        panic!("an object");
    };
    let quoted = command("\"r\"m -rf x");
    let probe = Probe::part(&args, &quoted);
    let pattern = |decision| Condition::command("rm -rf", decision).unwrap();
    assert!(pattern(Decision::Deny).holds(&probe, Decision::Deny));
    assert!(!pattern(Decision::Allow).holds(&probe, Decision::Allow));
}
