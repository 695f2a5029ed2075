//! `pollux policy` at a terminal: what would be decided, by which line, and whether that is as expected.

use std::fs;
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use crate::support::world::World;

const RULES: &str = r#"
[[rule]]
toolName = "run_shell_command"
commandPrefix = "git status"
decision = "allow"
priority = 100

[[rule]]
toolName = "run_shell_command"
commandPrefix = "git push"
decision = "deny"
priority = 200
denyMessage = "Pushing is for people."
"#;

fn world() -> (World, String) {
    let world = World::new();
    let folder = world.home().join(".gemini/policies");
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("mine.toml");
    fs::write(&file, RULES).unwrap();
    let file = file.to_str().unwrap().to_owned();
    (world, file)
}

async fn policy(world: &World, arguments: &[&str]) -> Output {
    world
        .pollux(&[&["policy"], arguments].concat())
        .env("GEMINI_CLI_TRUST_WORKSPACE", "true")
        .output()
        .await
        .unwrap()
}

async fn explained(world: &World, command: &str, more: &[&str]) -> Value {
    let args = json!({ "command": command }).to_string();
    let fixed = [
        "explain",
        "--json",
        "--tool",
        "run_shell_command",
        "--args",
        &args,
    ];
    let output = policy(world, &[&fixed, more].concat()).await;
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[tokio::test]
async fn a_decision_is_explained_down_to_the_line_of_its_rule() {
    let (world, file) = world();
    let allowed = explained(&world, "git status", &[]).await;
    assert_eq!(allowed["decision"], "allow", "{allowed}");
    assert_eq!(allowed["rule"], json!({ "source": file, "line": 2 }));

    // Every part of a command has its own decision, and the strictest counts.
    let mixed = explained(&world, "git status && git push", &[]).await;
    assert_eq!(mixed["decision"], "deny", "{mixed}");
    assert_eq!(mixed["denyMessage"], "Pushing is for people.");
    let parts: Vec<(&str, &str)> = mixed["parts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| {
            (
                part["text"].as_str().unwrap(),
                part["decision"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(parts, [("git status", "allow"), ("git push", "deny")]);
    assert_eq!(
        mixed["parts"][1]["rule"],
        json!({ "source": file, "line": 8 })
    );

    let asked = explained(&world, "touch made", &[]).await;
    assert_eq!(asked["decision"], "ask_user", "{asked}");
    let nobody = explained(&world, "touch made", &["--interactive", "false"]).await;
    assert_eq!(nobody["decision"], "deny", "{nobody}");
    let yolo = explained(&world, "touch made", &["--mode", "yolo"]).await;
    assert_eq!(yolo["decision"], "allow", "{yolo}");
}

#[tokio::test]
async fn a_table_of_cases_passes_or_fails_with_its_code() {
    let (world, _) = world();
    let cases = world.home().join("cases.toml");
    let good = "[[case]]\ntool = \"run_shell_command\"\nargs = { command = \"git status\" }\nexpect = \"allow\"\n\n\
                [[case]]\nname = \"writing\"\ntool = \"write_file\"\nargs = { file_path = \"a.txt\", content = \"\" }\n\
                mode = \"autoEdit\"\nexpect = \"allow\"\n";
    fs::write(&cases, good).unwrap();
    let path = cases.to_str().unwrap();
    let passed = policy(&world, &["test", path]).await;
    assert_eq!(passed.status.code(), Some(0), "{passed:?}");
    assert_eq!(
        String::from_utf8(passed.stdout).unwrap(),
        "2 passed, 0 failed\n"
    );

    let bad = format!(
        "{good}\n[[case]]\nname = \"pushing\"\ntool = \"run_shell_command\"\nargs = {{ command = \"git push\" }}\nexpect = \"allow\"\n"
    );
    fs::write(&cases, bad).unwrap();
    let failed = policy(&world, &["test", path]).await;
    assert_eq!(failed.status.code(), Some(1), "{failed:?}");
    let said = String::from_utf8(failed.stdout).unwrap();
    assert!(
        said.starts_with(&format!("{path}:13: pushing: expected allow, got deny")),
        "{said}"
    );
    assert!(said.ends_with("2 passed, 1 failed\n"), "{said}");
    let failed = policy(&world, &["test", path, "--json"]).await;
    assert_eq!(failed.status.code(), Some(1), "{failed:?}");
    let results: Value = serde_json::from_slice(&failed.stdout).unwrap();
    let passed: Vec<bool> = results
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["passed"].as_bool().unwrap())
        .collect();
    assert_eq!(passed, [true, true, false]);

    fs::write(&cases, "[[case]]\nexpect = \"allow\"\ntool = 7\n").unwrap();
    let broken = policy(&world, &["test", path]).await;
    assert_eq!(broken.status.code(), Some(1), "{broken:?}");
    let said = String::from_utf8(broken.stderr).unwrap();
    assert!(said.contains("cases.toml:3: "), "{said}");
}

#[tokio::test]
async fn the_rules_in_force_are_listed_with_their_places() {
    let (world, file) = world();
    let listed = policy(&world, &["list", "--json"]).await;
    assert!(listed.status.success(), "{listed:?}");
    let rules: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let mine: Vec<&Value> = rules
        .as_array()
        .unwrap()
        .iter()
        .filter(|rule| rule["place"]["source"] == file.as_str())
        .map(|rule| &rule["place"]["line"])
        .collect();
    assert_eq!(mine, [8, 2], "the strongest first");
    let listed = policy(&world, &["list"]).await;
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(
        listed.contains(&format!("`git push`…  {file}:8\n")),
        "{listed}"
    );
}

#[tokio::test]
async fn a_broken_rule_file_is_named_and_counts_for_nothing() {
    let (world, file) = world();
    fs::write(&file, format!("{RULES}\n[[rule]]\ndecision = \"maybe\"\n")).unwrap();
    let args = json!({ "command": "git push" }).to_string();
    let explain = ["explain", "--tool", "run_shell_command", "--args", &args];
    let output = policy(&world, &explain).await;
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains(&format!("{file}:16: ")), "{said}");
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.starts_with("ask_user: "), "{printed}");

    let doctor = world.pollux(&["doctor"]).output().await.unwrap();
    let printed = String::from_utf8(doctor.stdout).unwrap();
    assert!(
        printed.contains(&format!("wrong: {file}:16: ")),
        "{printed}"
    );
    // Whoever runs without being asked should know that a rule of theirs does not hold.
    let run = ["run", "--skip-trust", "--yolo", "-m", "demo", "-p", "hello"];
    let run = world.pollux(&run).stdin(Stdio::null()).output().await;
    let said = String::from_utf8(run.unwrap().stderr).unwrap();
    assert!(said.contains(&format!("pollux: {file}:16: ")), "{said}");

    let wrong = policy(&world, &["explain", "--tool", "x", "--args", "[]"]).await;
    assert_eq!(wrong.status.code(), Some(1), "{wrong:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_tool_is_called_unknown() {
    let (world, _) = world();
    for (name, sentence) in [
        ("nosuch", "there is no tool `nosuch`\n"),
        (
            "write_fiel",
            "there is no tool `write_fiel`; did you mean `write_file`?\n",
        ),
    ] {
        let output = policy(&world, &["explain", "--tool", name]).await;
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(output.stdout.is_empty(), "{output:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.ends_with(sentence), "{said}");
    }
    let known = policy(&world, &["explain", "--tool", "mcp_server_tool"]).await;
    assert!(known.status.success(), "{known:?}");
}
