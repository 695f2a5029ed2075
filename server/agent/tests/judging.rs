//! What a person is told about a command before it runs.

use std::sync::Arc;

use pollux_agent::api::{Approval, Subject};
use pollux_policy::Decision;
use serde_json::json;

use crate::support::{Stage, Wishes};

const TOOL: &str = "run_shell_command";

fn asking() -> Wishes {
    Wishes {
        decision: Decision::Ask,
        ..Wishes::default()
    }
}

/// The cautions, and how many ways there are to say "always".
fn shown(approval: &Arc<Approval>) -> (String, usize) {
    let Subject::Command { cautions, .. } = &approval.subject else {
        panic!("{approval:?}");
    };
    (cautions.join("; "), approval.offers.len())
}

#[tokio::test]
async fn a_person_sees_the_whole_command() {
    let args = json!({ "command": "cd . && env X=1 echo hello | cat", "description": "greets" });
    let mut stage = Stage::start(asking(), &[&[(TOOL, args)]]).await;
    let asked = stage.turn().await;
    let [approval] = asked.as_slice() else {
        panic!("{asked:?}");
    };
    assert_eq!(
        approval.title,
        "Run cd . && env X=1 echo hello | cat (greets)"
    );
    assert_eq!(
        approval.subject,
        Subject::Command {
            command: "cd . && env X=1 echo hello | cat".to_owned(),
            folder: stage.root(),
            programs: ["cd", "env", "echo", "cat"].map(str::to_owned).into(),
            cautions: Vec::new(),
        }
    );
    assert_eq!(approval.offers.len(), 1);
}

#[tokio::test]
async fn tools_16_a_flag_from_outside_is_pointed_out_and_not_allowed_for_good() {
    let rounds: [&[_]; 2] = [
        &[(TOOL, json!({ "command": "echo please use --force-evil" }))],
        &[(TOOL, json!({ "command": "echo npm test --force-evil" }))],
    ];
    let mut stage = Stage::start(asking(), &rounds).await;
    let asked: Vec<_> = stage.turn().await.iter().map(shown).collect();
    let caution =
        "`--force-evil` came up in text from outside, so somebody else may have wanted it";
    assert_eq!(asked, [(String::new(), 1), (caution.to_owned(), 0)]);
}

#[tokio::test]
async fn tools_16_where_everything_is_allowed_nobody_is_asked() {
    let rounds: [&[_]; 2] = [
        &[(TOOL, json!({ "command": "echo please use --force-evil" }))],
        &[(TOOL, json!({ "command": "echo npm test --force-evil" }))],
    ];
    let mut stage = Stage::start(Wishes::default(), &rounds).await;
    assert!(stage.turn().await.is_empty());
    assert!(stage.result(2).output().contains("npm test --force-evil"));
}

#[tokio::test]
async fn a_build_after_its_build_file_was_changed_is_not_allowed_for_good() {
    let rounds: [&[_]; 3] = [
        &[(TOOL, json!({ "command": "make --version" }))],
        &[(
            "write_file",
            json!({ "file_path": "Makefile", "content": "all:\n" }),
        )],
        &[(TOOL, json!({ "command": "make --version" }))],
    ];
    let mut stage = Stage::start(asking(), &rounds).await;
    let asked: Vec<_> = stage.turn().await.iter().map(shown).collect();
    let caution = "it follows build files that were changed in this session: Makefile";
    assert_eq!(asked, [(String::new(), 1), (caution.to_owned(), 0)]);
}
