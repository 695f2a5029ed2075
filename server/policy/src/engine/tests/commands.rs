use serde_json::json;

use super::*;
use ApprovalMode::{AutoEdit, Yolo};
use Decision::{Allow, Ask, Deny};

fn prefix(prefix: &str, decision: &str, priority: u32) -> String {
    format!(
        "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"{prefix}\"\n\
         decision = \"{decision}\"\npriority = {priority}\n\n"
    )
}

#[test]
fn approved_parts_make_the_chain_approved() {
    let world = World::user(&prefix("npm test", "allow", 950));
    assert_eq!(world.shell("git status && npm test | tail -5"), Allow);
    assert_eq!(world.shell("npm test && git status"), Allow);
    assert_eq!(world.shell("git status && npm run x"), Ask);
}

#[test]
fn every_part_has_its_verdict() {
    let world = World::user(&prefix("npm test", "allow", 950));
    let args = json!({"command": "git status && npm test && curl x"});
    let verdict = world.verdict("run_shell_command", args);
    let parts: Vec<_> = verdict
        .parts
        .iter()
        .map(|part| (part.text.as_str(), part.decision))
        .collect();
    assert_eq!(
        parts,
        [("git status", Allow), ("npm test", Allow), ("curl x", Ask)]
    );
    assert_eq!(
        verdict.reason,
        "`curl x`: the built-in rule for changes and commands wants your consent (write.toml, line 3)"
    );
}

#[test]
fn a_prefix_ends_with_a_word() {
    let world = World::user(&prefix("npm test", "allow", 100));
    assert_eq!(world.shell("npm test"), Allow);
    assert_eq!(world.shell("npm  test -- -x"), Allow);
    assert_eq!(world.shell("npm testx"), Ask);
    assert_eq!(world.shell("npm test\"x\""), Ask);
}

#[test]
fn what_is_not_understood_is_never_allowed() {
    let allowed =
        "[[rule]]\ntoolName = \"run_shell_command\"\ndecision = \"allow\"\npriority = 900\n";
    let world = World::user(allowed).mode(Yolo);
    assert_eq!(world.shell("echo `"), Ask);
    assert_eq!(world.shell("echo ("), Ask);
    assert_eq!(world.shell(""), Ask);
    assert_eq!(world.shell("$EDITOR x"), Ask);
    let world = World::user(allowed).mode(Yolo).headless();
    assert_eq!(world.shell("echo ("), Deny);
    assert_eq!(world.shell("$EDITOR x"), Deny);
}

#[test]
fn a_denied_tool_stays_denied_when_it_is_not_understood() {
    let world = World::user(&prefix("echo", "deny", 100)).mode(Yolo);
    assert_eq!(world.shell("echo ("), Deny);
}

#[test]
fn danger_is_asked_for_unless_a_rule_is_about_it() {
    let all = "[[rule]]\ntoolName = \"run_shell_command\"\ndecision = \"allow\"\npriority = 100\n";
    assert_eq!(World::user(all).shell("npm i"), Allow);
    assert_eq!(World::user(all).shell("rm -rf x"), Ask);
    assert_eq!(
        World::user(&prefix("rm -rf", "allow", 1)).shell("rm -rf x"),
        Allow
    );
    assert_eq!(World::shipped().mode(Yolo).shell("rm -rf x"), Allow);
}

#[test]
fn a_pattern_over_the_whole_command_can_restrict_it() {
    let world = World::user(
        "[[rule]]\ntoolName = \"run_shell_command\"\nargsPattern = 'curl.*\\| *sh'\n\
         decision = \"deny\"\npriority = 100\n",
    )
    .mode(Yolo);
    assert_eq!(world.shell("curl x"), Allow);
    assert_eq!(world.shell("curl x | sh"), Deny);
}

#[test]
fn a_command_pattern_is_anchored_where_it_allows() {
    let rule = |decision: &str| {
        format!(
            "[[rule]]\ntoolName = \"run_shell_command\"\ncommandRegex = 'make (a|b)$|just x'\n\
             decision = \"{decision}\"\npriority = 100\n"
        )
    };
    let allow = World::user(&rule("allow"));
    assert_eq!(allow.shell("make a"), Allow);
    assert_eq!(allow.shell("just x y"), Allow);
    assert_eq!(allow.shell("evil just x"), Ask);
    assert_eq!(World::user(&rule("deny")).shell("evil just x"), Deny);
}

#[test]
fn another_folder_is_asked_for() {
    let world = World::shipped();
    let in_folder = |folder: &str| {
        let args = json!({"command": "ls", "dir_path": folder});
        world.decide("run_shell_command", args)
    };
    assert_eq!(in_folder("sub"), Allow);
    assert_eq!(in_folder("../other"), Ask);
    assert_eq!(in_folder("link"), Ask);
}

#[test]
fn git_in_an_untrusted_folder_is_asked_for() {
    assert_eq!(World::shipped().shell("git status"), Allow);
    assert_eq!(World::shipped().untrusted().shell("git status"), Ask);
    assert_eq!(World::shipped().untrusted().shell("ls"), Allow);
}

#[test]
fn redirections_that_reach_no_file_need_no_permission() {
    let world = World::user(&prefix("npm test", "allow", 100));
    assert_eq!(world.shell("npm test 2>&1 | tail -5"), Allow);
    assert_eq!(world.shell("npm test > /dev/null"), Allow);
    assert_eq!(world.shell("npm test > out.txt"), Ask);
}

#[test]
fn a_redirection_out_of_the_workspace_is_no_edit() {
    let world = World::shipped().mode(AutoEdit);
    assert_eq!(world.shell("ls > list.txt"), Allow);
    assert_eq!(world.shell("ls > /etc/list.txt"), Ask);
    assert_eq!(world.shell("ls > link/list.txt"), Ask);
    assert_eq!(world.shell("ls > $HOME/x"), Ask);
}

#[test]
fn the_strongest_rule_decides_about_a_part() {
    let rules = format!(
        "{}{}",
        prefix("git push", "deny", 200),
        prefix("git", "allow", 100)
    );
    let world = World::user(&rules);
    assert_eq!(world.shell("git fetch"), Allow);
    assert_eq!(world.shell("git fetch && git push"), Deny);
}

#[test]
fn the_former_name_of_the_shell_is_the_shell() {
    let world = World::user(&prefix("npm", "allow", 100).replace("run_shell_command", "ShellTool"));
    assert_eq!(world.shell("npm i"), Allow);
    assert_eq!(
        world.decide("ShellTool", json!({"command": "npm i"})),
        Allow
    );
    assert_eq!(
        world.decide("ShellTool", json!({"command": "npm i && curl x"})),
        Ask
    );
}
