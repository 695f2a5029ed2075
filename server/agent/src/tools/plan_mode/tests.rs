use std::sync::Arc;

use expect_test::{Expect, expect};
use pollux_policy::{ApprovalMode, Decision, Presence};
use serde_json::{Value, json};

use super::*;
use crate::api::{Answer, Event, Subject};
use crate::testing::{Bench, FixedGate, MemoryFiles, MemoryScratch, config};
use crate::{Equipment, ToolSet};

fn in_scratch() -> PlansFolder {
    let plans = MemoryScratch::new(&[
        ("s1/plans/feature.md", "# The plan\n"),
        ("s1/plans/empty.md", " \n"),
        ("s1/secret.md", "not a plan"),
    ]);
    PlansFolder::Scratch(plans, "s1/plans".to_owned())
}

fn bench(plans: PlansFolder, mode: ApprovalMode, gate: FixedGate) -> Bench {
    let files = MemoryFiles::new(&[("docs/plans/feature.md", "in the project\n")]);
    let mut config = config(files);
    config.tools = ToolSet::built_in(&Equipment {
        plans: Some(plans),
        ..Equipment::default()
    });
    config.mode = mode;
    config.gate = Arc::new(gate);
    Bench::new(config)
}

fn asks() -> FixedGate {
    FixedGate {
        others: Decision::Ask,
        ..FixedGate::default()
    }
}

fn planning() -> Bench {
    bench(in_scratch(), ApprovalMode::Plan, asks())
}

fn plan(name: &str) -> Value {
    json!({ "plan_filename": name })
}

async fn check(bench: &Bench, name: &str, expected: Expect) {
    let response = bench.call(exit::NAME, plan(name)).await;
    expected.assert_eq(&response.to_string());
}

#[tokio::test]
async fn entering_asks_and_then_changes_the_mode() {
    let bench = bench(in_scratch(), ApprovalMode::Default, asks()).answering(Answer::Allow);
    let response = bench
        .call(enter::NAME, json!({ "reason": "it is large" }))
        .await;
    expect![[r#"{"output":"You are in plan mode now. Write the plan as a .md file in /scratch/s1/plans, then call exit_plan_mode."}"#]]
        .assert_eq(&response.to_string());
    assert_eq!(bench.mode(), ApprovalMode::Plan);
    let events = bench.events();
    let Some(Event::ApprovalRequested(approval)) = events.first() else {
        panic!("{events:?}");
    };
    let reason = "it is large".to_owned();
    assert_eq!(approval.subject, Subject::EnterPlan { reason });
    assert_eq!(events.last(), Some(&Event::ModeChanged(ApprovalMode::Plan)));
}

#[tokio::test]
async fn the_plan_is_shown_whole_and_carried_out_in_the_mode_that_was_chosen() {
    for (answer, mode) in [
        (Answer::Allow, ApprovalMode::Default),
        (
            Answer::CarryOut(ApprovalMode::AutoEdit),
            ApprovalMode::AutoEdit,
        ),
        (Answer::CarryOut(ApprovalMode::Plan), ApprovalMode::Default),
    ] {
        let bench = planning().answering(answer);
        let response = bench.call(exit::NAME, plan("feature.md")).await;
        let output = response["output"].as_str().unwrap();
        assert!(output.contains("Read /scratch/s1/plans/feature.md"));
        assert_eq!(bench.mode(), mode);
        let events = bench.events();
        let Some(Event::ApprovalRequested(approval)) = events.first() else {
            panic!("{events:?}");
        };
        let shown = Subject::Plan {
            path: "/scratch/s1/plans/feature.md".into(),
            text: "# The plan\n".to_owned(),
        };
        assert_eq!(approval.subject, shown);
    }
}

#[tokio::test]
async fn a_plan_that_is_not_approved_leaves_the_mode() {
    let feedback = Some("smaller steps".to_owned());
    let bench = planning()
        .answering(Answer::Deny { feedback })
        .answering(Answer::Deny { feedback: None });
    check(&bench, "feature.md", expect![[r#"{"error":"The person did not approve the plan. They say: smaller steps\nChange the plan, then call exit_plan_mode again."}"#]]).await;
    check(
        &bench,
        "feature.md",
        expect![[r#"{"error":"The person did not approve the plan."}"#]],
    )
    .await;
    assert_eq!(bench.mode(), ApprovalMode::Plan);
}

#[tokio::test]
async fn only_a_plan_that_is_there_and_says_something_is_shown() {
    let bench = planning();
    check(&bench, "other.md", expect![[r#"{"error":"there is no plan /scratch/s1/plans/other.md; write it before you ask for approval","error_type":"file_not_found"}"#]]).await;
    check(&bench, "empty.md", expect![[r#"{"error":"the plan /scratch/s1/plans/empty.md is empty; write it before you ask for approval","error_type":"execution_failed"}"#]]).await;
    for outside in [
        "../secret.md",
        "/scratch/s1/secret.md",
        "/scratch/s1/plans/../secret.md",
        "/etc/passwd",
        "",
        ".",
        "/scratch/s1/plans",
        "a\nb.md",
    ] {
        let response = bench.call(exit::NAME, plan(outside)).await;
        assert_eq!(response["error_type"], "invalid_tool_params", "{outside:?}");
    }
    assert_eq!(bench.events(), []);
}

#[tokio::test]
async fn a_plan_is_found_by_its_path_too() {
    for name in ["./feature.md", "/scratch/s1/plans/feature.md"] {
        let bench = planning().answering(Answer::Allow);
        let response = bench.call(exit::NAME, plan(name)).await;
        assert!(response.get("output").is_some(), "{response}");
    }
    let folder = WorkspacePath::new(Path::new("/nowhere"), "docs/plans").unwrap();
    for name in [
        "feature.md",
        "docs/plans/feature.md",
        "/nowhere/docs/plans/feature.md",
    ] {
        let plans = PlansFolder::Workspace(folder.clone());
        let bench = bench(plans, ApprovalMode::Plan, asks()).answering(Answer::Allow);
        let response = bench.call(exit::NAME, plan(name)).await;
        assert!(response.get("output").is_some(), "{response}");
    }
}

#[tokio::test]
async fn a_policy_that_allows_the_plan_decides_by_who_is_there() {
    for (presence, mode) in [
        (Presence::Interactive, ApprovalMode::Default),
        (Presence::Headless, ApprovalMode::Yolo),
    ] {
        let gate = FixedGate {
            presence,
            ..FixedGate::default()
        };
        let bench = bench(in_scratch(), ApprovalMode::Plan, gate);
        bench.call(exit::NAME, plan("feature.md")).await;
        assert_eq!(bench.mode(), mode);
    }
}

#[tokio::test]
async fn each_of_the_two_is_there_only_where_it_leads_somewhere() {
    let out = planning();
    let told = out.call(enter::NAME, json!({})).await;
    assert_eq!(told["error_type"], "tool_not_registered");
    let within = bench(in_scratch(), ApprovalMode::Default, asks());
    let told = within.call(exit::NAME, plan("feature.md")).await;
    assert_eq!(told["error_type"], "tool_not_registered");
}
