use serde_json::json;

use super::*;
use ApprovalMode::{AutoEdit, Yolo};
use Decision::{Allow, Ask, Deny};

const GUARDED: &[&str] = &[
    ".git/config",
    ".git/hooks/pre-commit",
    "sub/.GIT/config",
    ".vscode/settings.json",
    ".zed/tasks.json",
    ".gemini/settings.json",
    ".gemini/policies/auto-saved.toml",
    ".github/workflows/ci.yml",
    ".gitlab-ci.yml",
    "src/../.git/config",
    "/home/u/.bashrc",
    "/home/u/.zshrc",
    "/ws/.vscode/tasks.json",
    "Cargo.toml",
    "sub/package.json",
    "build/rules.bzl",
    "Dockerfile.dev",
];

#[test]
fn guarded_files_are_asked_for_in_every_mode() {
    for path in GUARDED {
        for mode in [ApprovalMode::Default, Yolo] {
            assert_eq!(
                World::shipped().mode(mode).write(path),
                Ask,
                "{path} in {mode:?}"
            );
        }
        assert_eq!(
            World::shipped().mode(Yolo).headless().write(path),
            Deny,
            "{path}"
        );
        let shell = World::shipped()
            .mode(Yolo)
            .shell(&format!("echo x > {path}"));
        assert_eq!(shell, Ask, "{path} by a redirection");
    }
    for path in GUARDED.iter().filter(|path| !path.starts_with("/home")) {
        assert_eq!(World::shipped().mode(AutoEdit).write(path), Ask, "{path}");
    }
}

#[test]
fn ordinary_files_are_not_guarded() {
    for path in [
        "src/a.rs",
        "docs/github.md",
        "build",
        ".github/README.md",
        "a.git/x",
    ] {
        assert_eq!(World::shipped().mode(Yolo).write(path), Allow, "{path}");
        assert_eq!(World::shipped().mode(AutoEdit).write(path), Allow, "{path}");
    }
}

#[test]
fn tools_of_servers_are_guarded_by_their_names() {
    let world = World::shipped().mode(Yolo);
    for (tool, expected) in [("writeFile", Ask), ("edit_file", Ask), ("read_file", Allow)] {
        let args = json!({"path": ".git/config"});
        let verdict = world.verdict_of(&format!("mcp_fs_{tool}"), Some("fs"), args, json!({}));
        assert_eq!(verdict.decision, expected, "{tool}");
    }
}

#[test]
fn a_link_to_a_guarded_file_is_guarded() {
    let world = World::shipped().mode(Yolo);
    assert_eq!(world.write("link/.git/config"), Ask);
}

#[test]
fn a_rule_of_a_person_about_the_very_path_allows_it() {
    let rule = |pattern: &str| {
        format!(
            "[[rule]]\ntoolName = \"write_file\"\nargsPattern = '{pattern}'\n\
             decision = \"allow\"\npriority = 100\n"
        )
    };
    let about_it = rule(r#""file_path":"\.vscode/settings\.json""#);
    let about_all = rule(r#""file_path":".*""#);
    assert_eq!(World::user(&about_it).write(".vscode/settings.json"), Allow);
    assert_eq!(
        World::user(&about_it)
            .headless()
            .write(".vscode/settings.json"),
        Allow
    );
    assert_eq!(World::user(&about_all).write(".vscode/settings.json"), Ask);
    assert_eq!(World::user(&about_all).write("src/a.rs"), Allow);
    let by_repository = World::with(&[(Tier::Workspace, &about_it)], SettingsRules::default());
    assert_eq!(by_repository.write(".vscode/settings.json"), Ask);
}

#[test]
fn edits_without_questions_stay_in_the_workspace() {
    let world = World::shipped().mode(AutoEdit);
    assert_eq!(world.write("src/a.rs"), Allow);
    assert_eq!(world.write("/etc/hosts"), Deny);
    assert_eq!(world.write("../x"), Deny);
    assert_eq!(world.write("link/x"), Deny);
    assert_eq!(world.write("node_modules/a/index.js"), Deny);
    assert_eq!(world.write(".env"), Deny);
}

#[test]
fn permissions_outside_the_workspace_are_asked_for() {
    let world = World::shipped().mode(Yolo);
    let wanting = |path: &str| {
        let permissions = json!({"fileSystem": {"read": [], "write": [path]}});
        world.decide(
            "run_shell_command",
            json!({"command": "make", "additional_permissions": permissions}),
        )
    };
    assert_eq!(wanting("/ws/target"), Allow);
    assert_eq!(wanting("/etc"), Ask);
}

#[test]
fn checkers_can_only_restrict() {
    let external = "[[safety_checker]]\ntoolName = \"glob\"\n[safety_checker.checker]\n\
                    type = \"external\"\nname = \"mine\"\n";
    let world = World::user(external);
    assert_eq!(world.decide("glob", json!({})), Deny);
    assert_eq!(world.decide("read_file", json!({})), Allow);
    let options = Options {
        conseca: Conseca::On,
        ..Options::default()
    };
    let world = World::with_options(&[], SettingsRules::default(), options);
    assert_eq!(world.decide("glob", json!({})), Ask);
}

#[test]
fn an_untrusted_folder_knows_no_free_mode() {
    assert_eq!(
        World::shipped().mode(Yolo).untrusted().write("src/a.rs"),
        Ask
    );
    assert_eq!(
        World::shipped()
            .mode(AutoEdit)
            .untrusted()
            .write("src/a.rs"),
        Ask
    );
    let options = Options {
        yolo: crate::Yolo::Disabled,
        ..Options::default()
    };
    let world = World::with_options(&[], SettingsRules::default(), options).mode(Yolo);
    assert_eq!(world.write("src/a.rs"), Ask);
}

#[test]
fn a_question_nobody_can_answer_is_a_denial() {
    let ask = "[[rule]]\ntoolName = [\"write_file\", \"run_shell_command\"]\n\
               decision = \"ask_user\"\npriority = 100\n";
    let world = World::user(ask).headless();
    assert_eq!(world.write("src/a.rs"), Ask, "that is what the rule says");
    assert_eq!(world.write(".git/config"), Deny);
    assert_eq!(world.shell("make > .git/config"), Deny);
    assert_eq!(world.shell("make > $X/.git/config"), Deny);
    assert_eq!(world.shell("$X y"), Deny);
}
