//! The calls of one answer: what runs together, what is asked, and what becomes of the rest.

use std::sync::Arc;
use std::time::Duration;

use expect_test::expect;
use pollux_testkit::{Call, Reply, Script};
use serde_json::{Value, json};
use tokio::sync::Barrier;

use super::{Stage, is_end, ok, read};
use crate::ToolSet;
use crate::api::{Answer, ApprovalId, ApprovalMode, Event, Op, Scope};
use crate::testing::{Does, FixedGate, Log, TestTool};

fn call(tool: &str, id: &str) -> Call {
    Call::new(tool, json!({})).id(id)
}

fn edit(path: &str, old: &str, new: &str, id: &str) -> Call {
    let args =
        json!({ "file_path": path, "instruction": "count", "old_string": old, "new_string": new });
    Call::new("replace", args).id(id)
}

/// An answer that makes these calls.
fn calls(calls: impl IntoIterator<Item = Call>) -> Reply {
    let reply = calls.into_iter().fold(Reply::new(), Reply::call);
    reply.finish("STOP")
}

async fn stage(script: Script, gate: FixedGate, tools: Vec<TestTool>) -> Stage {
    Stage::start_with(script, |_, config| {
        config.gate = Arc::new(gate);
        let built_in = std::mem::take(&mut config.tools);
        config.tools = tools.into_iter().fold(built_in, ToolSet::with);
    })
    .await
}

async fn answer(stage: &Stage, approval: u64, answer: Answer) {
    let approval = ApprovalId(approval);
    stage
        .submit(Op::Answer {
            approval,
            answer,
            by: None,
        })
        .await;
}

fn deny() -> Answer {
    Answer::Deny { feedback: None }
}

/// The results that the model got with a request, one line each.
fn results(stage: &Stage, order: usize) -> String {
    let body = stage.server.requests()[order - 1].json();
    let last = body["contents"].as_array().unwrap().last().unwrap();
    let show = |part: &Value| match part.get("functionResponse") {
        Some(response) => format!(
            "{} {}: {}\n",
            response["id"].as_str().unwrap_or_default(),
            response["name"].as_str().unwrap(),
            response["response"]
        ),
        None => format!("{part}\n"),
    };
    last["parts"].as_array().unwrap().iter().map(show).collect()
}

/// Waits until so many questions are open.
async fn until_asked(stage: &mut Stage, count: usize) -> String {
    let mut shown = String::new();
    for _ in 0..count {
        shown += &stage
            .until(|event| matches!(event, Event::ApprovalRequested(_)))
            .await;
    }
    shown
}

#[tokio::test(start_paused = true)]
async fn policy_12_calls_run_at_the_same_time() {
    let barrier = Arc::new(Barrier::new(2));
    let script = Script::new()
        .reply(calls([call("meet", "1"), call("meet", "2")]))
        .reply(ok());
    let tools = vec![TestTool::new("meet", Does::Meet(barrier))];
    // Each waits for the other, so one after the other this would not end.
    let mut stage = stage(script, FixedGate::default(), tools).await;
    let shown = stage.turn("go").await;
    assert!(shown.ends_with("turn 1 ended: Completed\n"), "{shown}");
    expect![[r#"
        1 meet: {"output":"meet is done"}
        2 meet: {"output":"meet is done"}
    "#]]
    .assert_eq(&results(&stage, 2));
}

#[tokio::test(start_paused = true)]
async fn policy_12_what_follows_an_edit_sees_it() {
    let script = Script::new()
        .reply(calls([
            read("a.rs", "1"),
            edit("a.rs", "one", "two", "2"),
            read("a.rs", "3"),
        ]))
        .reply(ok());
    let mut stage = Stage::start_with(script, |_, config| {
        config.mode = ApprovalMode::AutoEdit;
    })
    .await;
    expect![[r#"
        0s turn 1 with gemini-test: go
        0s answer ended: Stop, prompt of 0
        0s 1: Read a.rs
        0s 1 Succeeded { summary: "1 line" }
        0s 2: Edit a.rs: count
        0s edit 1 of a.rs made
        0s 2 Succeeded { summary: "1 added, 1 removed" }
        0s 3: Read a.rs
        0s 3 Succeeded { summary: "1 line" }
        0s text: ok
        0s answer ended: Stop, prompt of 0
        0s turn 1 ended: Completed
    "#]]
    .assert_eq(&stage.turn("go").await);
    let results = results(&stage, 2);
    assert!(
        results.starts_with("1 read_file: {\"output\":\"one\\n\"}\n"),
        "{results}"
    );
    assert!(
        results.ends_with("3 read_file: {\"output\":\"two\\n\"}\n"),
        "{results}"
    );
}

#[tokio::test(start_paused = true)]
async fn nothing_runs_before_everything_is_answered() {
    let log = Log::default();
    let script = Script::new()
        .reply(calls([call("try", "1"), call("try", "2")]))
        .reply(ok());
    let tools = vec![TestTool::logging("try", Does::Nothing, &log)];
    let mut stage = stage(script, FixedGate::asking(), tools).await;
    stage.submit(Op::Queue("go".into())).await;
    until_asked(&mut stage, 2).await;
    answer(&stage, 2, Answer::Allow).await;
    stage
        .until(|event| matches!(event, Event::ApprovalEnded { .. }))
        .await;
    assert_eq!(log.text(), "");
    answer(&stage, 1, Answer::Allow).await;
    stage.until(is_end).await;
    let mut ran: Vec<String> = log.text().split(", ").map(str::to_owned).collect();
    ran.sort();
    assert_eq!(ran, ["try 1", "try 2"]);
}

#[tokio::test(start_paused = true)]
async fn a_rejection_calls_off_what_is_queued_and_the_turn_goes_on() {
    let log = Log::default();
    let waiting = Call::new("try", json!({ "wait_for_previous": true })).id("3");
    let script = Script::new().reply(calls([call("try", "1"), call("try", "2"), waiting]));
    let tools = vec![TestTool::logging("try", Does::Nothing, &log)];
    let mut stage = stage(script.reply(ok()), FixedGate::asking(), tools).await;
    stage.submit(Op::Queue("go".into())).await;
    until_asked(&mut stage, 2).await;
    answer(&stage, 1, deny()).await;
    answer(&stage, 2, Answer::Allow).await;
    expect![[r#"
        0s answer to 1: Some(Deny { feedback: None })
        0s 1 Cancelled
        0s answer to 2: Some(Allow)
        0s 2 Succeeded { summary: "done" }
        0s 3: Try try
        0s 3 Cancelled
        0s text: ok
        0s answer ended: Stop, prompt of 0
        0s turn 1 ended: Completed
    "#]]
    .assert_eq(&stage.until(is_end).await);
    assert_eq!(log.text(), "try 2");
    // The model hears of it at once.
    expect![[r#"
        user: "go"
        model: {"functionCall":{"name":"try","args":{},"id":"1"},"thoughtSignature":"skip_thought_signature_validator"} + {"functionCall":{"name":"try","args":{},"id":"2"}} + {"functionCall":{"name":"try","args":{"wait_for_previous":true},"id":"3"}}
        user: {"functionResponse":{"name":"try","id":"1","response":{"error":"[Operation Cancelled] User denied execution."}}} + {"functionResponse":{"name":"try","id":"2","response":{"output":"try is done"}}} + {"functionResponse":{"name":"try","id":"3","response":{"error":"[Operation Cancelled] an earlier call was denied, so this one was not made"}}}
    "#]]
    .assert_eq(&stage.contents(2));
}

#[tokio::test(start_paused = true)]
async fn a_no_with_a_word_about_what_to_do_instead_goes_on() {
    let script = Script::new()
        .reply(calls([call("try", "1"), edit("a.rs", "one", "two", "2")]))
        .reply(ok());
    let tools = vec![TestTool::new("try", Does::Nothing)];
    let mut stage = stage(script, FixedGate::asking(), tools).await;
    stage.submit(Op::Queue("go".into())).await;
    until_asked(&mut stage, 1).await;
    let feedback = Some("use the other one".to_owned());
    answer(&stage, 1, Answer::Deny { feedback }).await;
    let shown = stage.until(is_end).await;
    assert!(shown.ends_with("turn 1 ended: Completed\n"), "{shown}");
    expect![[r#"
        1 try: {"error":"[Operation Cancelled] User denied execution. They say: use the other one"}
        2 replace: {"error":"[Operation Cancelled] an earlier call was denied, so this one was not made"}
    "#]]
    .assert_eq(&results(&stage, 2));
    assert_eq!(stage.files.text("a.rs"), "one\n");
}

#[tokio::test(start_paused = true)]
async fn policy_13_a_no_to_the_first_of_three_edits_calls_the_others_off() {
    let script = Script::new().reply(calls([
        edit("a.rs", "one", "1", "1"),
        edit("b.rs", "two", "2", "2"),
        edit("b.rs", "two", "II", "3"),
    ]));
    let mut stage = Stage::start(script.reply(ok())).await;
    stage.submit(Op::Queue("go".into())).await;
    stage
        .until(|event| matches!(event, Event::EditProposed(_)))
        .await;
    answer(&stage, 1, deny()).await;
    expect![[r#"
        0s edit 1: [Reject]
        0s 1 Cancelled
        0s 2: Edit b.rs: count
        0s 2 Cancelled
        0s 3: Edit b.rs: count
        0s 3 Cancelled
        0s text: ok
        0s answer ended: Stop, prompt of 0
        0s turn 1 ended: Completed
    "#]]
    .assert_eq(&stage.until(is_end).await);
    assert_eq!(stage.files.text("a.rs"), "one\n");
    assert_eq!(stage.files.text("b.rs"), "two\n");
}

#[tokio::test(start_paused = true)]
async fn policy_10_after_always_no_edit_is_asked_about() {
    let script = Script::new()
        .reply(calls([
            edit("a.rs", "one", "1", "1"),
            edit("b.rs", "two", "2", "2"),
        ]))
        .reply(ok());
    let mut stage = Stage::start(script).await;
    stage.submit(Op::Queue("go".into())).await;
    stage
        .until(|event| matches!(event, Event::EditProposed(_)))
        .await;
    let scope = Scope::Session;
    answer(&stage, 1, Answer::Always { offer: 0, scope }).await;
    expect![[r#"
        0s edit 1: [Keep]
        0s mode AutoEdit
        0s 1 Succeeded { summary: "kept 1 of 1" }
        0s 2: Edit b.rs: count
        0s edit 2 of b.rs made
        0s 2 Succeeded { summary: "1 added, 1 removed" }
        0s text: ok
        0s answer ended: Stop, prompt of 0
        0s turn 1 ended: Completed
    "#]]
    .assert_eq(&stage.until(is_end).await);
    assert_eq!(stage.files.text("b.rs"), "2\n");
}

#[tokio::test(start_paused = true)]
async fn answers_to_an_edit_that_do_not_fit_leave_it_open() {
    let script = Script::new()
        .reply(calls([edit("a.rs", "one", "1", "1")]))
        .reply(ok());
    let mut stage = Stage::start(script).await;
    stage.submit(Op::Queue("go".into())).await;
    stage
        .until(|event| matches!(event, Event::EditProposed(_)))
        .await;
    let scope = Scope::User;
    answer(&stage, 1, Answer::Always { offer: 0, scope }).await;
    answer(&stage, 1, Answer::CarryOut(ApprovalMode::Default)).await;
    answer(&stage, 7, Answer::Allow).await;
    let content = "mine\n".to_owned();
    answer(&stage, 1, Answer::AllowWith { content }).await;
    answer(&stage, 1, deny()).await;
    let shown = stage.until(is_end).await;
    let refused: Vec<&str> = shown
        .lines()
        .filter(|line| line.contains("refused"))
        .collect();
    assert_eq!(
        refused,
        [
            "0s refused: that is no answer to this question",
            "0s refused: that is no answer to this question",
            "0s refused: no question with the number 7 waits for an answer",
            "0s refused: no question with the number 1 waits for an answer",
        ]
    );
    assert_eq!(stage.files.text("a.rs"), "mine\n");
}

#[tokio::test(start_paused = true)]
async fn a_stop_takes_back_what_is_asked_what_runs_and_what_is_queued() {
    let log = Log::default();
    let queued = Call::new("try", json!({ "wait_for_previous": true })).id("3");
    let script = Script::new().reply(calls([call("try", "1"), call("try", "2"), queued]));
    let tools = vec![TestTool::logging("try", Does::Nothing, &log)];
    let mut stage = stage(script, FixedGate::asking(), tools).await;
    stage.submit(Op::Queue("go".into())).await;
    until_asked(&mut stage, 2).await;
    answer(&stage, 1, Answer::Allow).await;
    stage
        .until(|event| matches!(event, Event::ApprovalEnded { .. }))
        .await;
    stage.submit(Op::CancelTurn).await;
    let shown = stage.until(is_end).await;
    assert_eq!(shown.matches(" Cancelled\n").count(), 3 + 1, "{shown}");
    assert!(shown.contains("answer to 2: None\n"), "{shown}");
    assert!(shown.ends_with("turn 1 ended: Cancelled\n"), "{shown}");
    assert_eq!(log.text(), "");
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_what_runs_and_what_is_queued_is_not_begun() {
    let log = Log::default();
    let queued = Call::new("hang", json!({ "wait_for_previous": true })).id("3");
    let script = Script::new().reply(calls([call("hang", "1"), call("hang", "2"), queued]));
    let tools = vec![TestTool::logging("hang", Does::Hang, &log)];
    let mut stage = stage(script, FixedGate::default(), tools).await;
    stage.submit(Op::Queue("go".into())).await;
    let starts_2 =
        |event: &Event| matches!(event, Event::ToolStarted { call, .. } if call.id.as_str() == "2");
    stage.until(starts_2).await;
    stage.submit(Op::CancelTurn).await;
    let shown = stage.until(is_end).await;
    assert!(shown.ends_with("turn 1 ended: Cancelled\n"), "{shown}");
    assert_eq!(log.text(), "hang 1, hang 2");
}

#[tokio::test(start_paused = true)]
async fn a_call_in_the_place_of_another_is_told_under_the_first_name() {
    let script = Script::new().reply(calls([call("outer", "1")])).reply(ok());
    let tools = vec![
        TestTool::new("outer", Does::Pass("inner")),
        TestTool::new("inner", Does::Nothing),
    ];
    let mut stage = stage(script, FixedGate::asking(), tools).await;
    stage.submit(Op::Queue("go".into())).await;
    let shown = until_asked(&mut stage, 1).await;
    assert!(shown.ends_with("asks 1: Try outer\n"), "{shown}");
    answer(&stage, 1, Answer::Allow).await;
    let shown = until_asked(&mut stage, 1).await;
    assert!(shown.ends_with("asks 2: Try inner\n"), "{shown}");
    answer(&stage, 2, Answer::Allow).await;
    stage.until(is_end).await;
    assert_eq!(
        results(&stage, 2),
        "1 outer: {\"output\":\"inner is done\"}\n"
    );
}

/// A model that makes the same call again and again, which always fails.
fn stubborn(times: usize) -> Script {
    (1..=times).fold(Script::new(), |script, time| {
        script.reply(calls([call("fail", &time.to_string())]))
    })
}

async fn stuck(script: Script, gate: FixedGate) -> Stage {
    stage(script, gate, vec![TestTool::new("fail", Does::Fail)]).await
}

#[tokio::test(start_paused = true)]
async fn the_third_failure_of_the_same_call_is_put_to_the_person() {
    let mut stage = stuck(stubborn(3).reply(ok()), FixedGate::default()).await;
    stage.submit(Op::Queue("go".into())).await;
    let shown = until_asked(&mut stage, 1).await;
    assert_eq!(shown.matches("execution_failed").count(), 3, "{shown}");
    let scope = Scope::Session;
    answer(&stage, 1, Answer::Always { offer: 0, scope }).await;
    answer(&stage, 1, Answer::Allow).await;
    expect![[r#"
        0s refused: that is no answer to this question
        0s answer to 1: Some(Allow)
        0s text: ok
        0s answer ended: Stop, prompt of 0
        0s turn 1 ended: Completed
    "#]]
    .assert_eq(&stage.until(is_end).await);
}

#[tokio::test(start_paused = true)]
async fn whoever_has_enough_of_failures_ends_the_turn_or_says_what_to_do() {
    let mut stage = stuck(stubborn(3), FixedGate::default()).await;
    stage.submit(Op::Queue("go".into())).await;
    until_asked(&mut stage, 1).await;
    answer(&stage, 1, deny()).await;
    let shown = stage.until(is_end).await;
    assert!(shown.ends_with("turn 1 ended: Declined\n"), "{shown}");

    let mut stage = stuck(stubborn(3).reply(ok()), FixedGate::default()).await;
    stage.submit(Op::Queue("go".into())).await;
    until_asked(&mut stage, 1).await;
    let feedback = Some("leave it".to_owned());
    answer(&stage, 1, Answer::Deny { feedback }).await;
    let shown = stage.until(is_end).await;
    assert!(shown.contains("steered: leave it\n"), "{shown}");
    assert!(results(&stage, 4).ends_with("{\"text\":\"leave it\"}\n"));
}

#[tokio::test(start_paused = true)]
async fn where_nobody_is_there_the_third_failure_ends_the_turn() {
    let gate = FixedGate {
        presence: pollux_policy::Presence::Headless,
        ..FixedGate::default()
    };
    let mut stage = stuck(stubborn(3), gate).await;
    let shown = stage.turn("go").await;
    assert!(
        shown.ends_with(
            "turn 1 ended LoopDetected: the model repeats itself: `fail` failed 3 times with the same arguments: it \
             never works\n"
        ),
        "{shown}"
    );
}

/// How long the next call took that ends.
async fn took(stage: &mut Stage) -> Duration {
    loop {
        if let Event::ToolEnded { report, .. } = stage.events.recv().await.unwrap() {
            return report.duration;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn time_in_which_a_person_thinks_about_an_edit_does_not_count_for_the_call() {
    let script = Script::new()
        .reply(calls([edit("a.rs", "one", "1", "1")]))
        .reply(ok());
    let mut stage = Stage::start(script).await;
    stage.submit(Op::Queue("go".into())).await;
    stage
        .until(|event| matches!(event, Event::EditProposed(_)))
        .await;
    tokio::time::advance(Duration::from_secs(3_600)).await;
    answer(&stage, 1, Answer::Allow).await;
    assert_eq!(took(&mut stage).await.as_secs(), 0);
    stage.until(is_end).await;
}
