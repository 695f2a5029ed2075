//! Jobs for sub-agents: what each gets, what people see of it, and what comes back.

use std::sync::Arc;
use std::time::Duration;

use expect_test::expect;
use pollux_testkit::{Call, Reply, Script};
use serde_json::{Value, json};
use tokio::sync::Barrier;

use super::discovering::{Around, disk};
use super::{Stage, is_end, ok, read, reads};
use crate::agents::{AgentDefinition, AgentResult, AgentTools};
use crate::api::{Answer, ApprovalId, CallId, Event, Op};
use crate::testing::{Does, FixedGate, TestAgents, TestTool, agent};
use crate::{Equipment, Offered, ToolSet};

fn script(replies: impl IntoIterator<Item = Reply>) -> Script {
    replies.into_iter().fold(Script::new(), Script::reply)
}

/// The model hands a job to an agent.
fn hands_on(to: &str, id: &str) -> Reply {
    let args = json!({ "agent_name": to, "prompt": "Where is one?\nLook well." });
    let call = Call::new("invoke_agent", args).id(id);
    Reply::new().call(call).finish("STOP")
}

fn completes(result: Value) -> Reply {
    let call = Call::new("complete_task", json!({ "result": result })).id("1");
    Reply::new().call(call).finish("STOP")
}

fn calls(tool: &str) -> Reply {
    let call = Call::new(tool, json!({})).id("1");
    Reply::new().call(call).finish("STOP")
}

async fn stage(script: Script, agents: &Arc<TestAgents>) -> Stage {
    stage_with(script, agents, FixedGate::default()).await
}

async fn stage_with(script: Script, agents: &Arc<TestAgents>, gate: FixedGate) -> Stage {
    let equipment = Equipment {
        agents: Some(Arc::clone(agents) as _),
        topics: Offered::Yes,
        ..Equipment::default()
    };
    Stage::start_with(script, |_, config| {
        config.gate = Arc::new(gate);
        config.instructions = Some(Arc::new("You are the session.".to_owned()));
        config.tools = ToolSet::built_in(&equipment).with(TestTool::new("hang", Does::Hang));
    })
    .await
}

/// A turn whose sub-agent has begun a call that never ends.
async fn hanging(stage: &mut Stage) -> CallId {
    stage.submit(Op::Queue("find one".into())).await;
    loop {
        if let Event::ToolStarted {
            call,
            parent: Some(_),
            ..
        } = stage.events.recv().await.unwrap()
        {
            return call.id;
        }
    }
}

async fn answer(stage: &Stage, approval: u64, answer: Answer) {
    let approval = ApprovalId(approval);
    let by = None;
    let answer = Op::Answer {
        approval,
        answer,
        by,
    };
    stage.submit(answer).await;
}

/// What the model was told about its call, with a request counted from 1.
fn told(stage: &Stage, request: usize) -> String {
    let body = stage.server.requests()[request - 1].json();
    let last = body["contents"].as_array().unwrap().last().unwrap();
    let response = &last["parts"][0]["functionResponse"]["response"];
    let text = response.get("output").or(response.get("error")).unwrap();
    text.as_str().unwrap().to_owned()
}

/// The tools that a request offers.
fn offered(stage: &Stage, request: usize) -> Vec<String> {
    let body = stage.server.requests()[request - 1].json();
    let tools = body["tools"][0]["functionDeclarations"].as_array().unwrap();
    let name = |tool: &Value| tool["name"].as_str().unwrap().to_owned();
    tools.iter().map(name).collect()
}

#[tokio::test(start_paused = true)]
async fn a_sub_agent_has_a_conversation_of_its_own_and_is_shown_inside_its_call() {
    let agents = TestAgents::new([agent("finder")]);
    let script = script([
        hands_on("finder", "1"),
        // The same name as the session's own call, as a server may give that counts for itself.
        Reply::text("I look.")
            .call(Call::new("read_file", json!({ "file_path": "a.rs" })).id("1"))
            .finish("STOP"),
        completes(json!("In a.rs.")),
        ok(),
    ]);
    let mut stage = stage(script, &agents).await;
    let shown = stage.turn("find one").await;
    expect![[r#"
        0s turn 1 with gemini-test: find one
        0s answer ended: Stop, prompt of 0
        0s 1: finder: Where is one?
        0s 1 is at 1
        0s 1 prints "I look."
        0s finder by gemini-test for 0 tokens
        0s 1 > <run>_1: Read a.rs
        0s <run>_1 Succeeded { summary: "1 line" }
        0s 1 is at 2
        0s finder by gemini-test for 0 tokens
        0s 1 > <run>_2: Hand in the result
        0s 1 Succeeded { summary: "Done in 2 turns" }
        0s <run>_2 Succeeded { summary: "Handed in" }
        0s text: ok
        0s answer ended: Stop, prompt of 0
        0s turn 1 ended: Completed
    "#]]
    .assert_eq(&shown);
    expect![[r#"
        Subagent 'finder' finished.
        Termination Reason: GOAL
        Result:
        In a.rs."#]]
    .assert_eq(&told(&stage, 4));
    // The agent knows its job and nothing else; the session hears of nothing but the result.
    expect![[r#"
        user: "Where is one?\nLook well."
    "#]]
    .assert_eq(&stage.contents(2));
    let body = stage.server.requests()[1].json();
    let system = body["systemInstruction"]["parts"][0]["text"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        system.starts_with("You find things. It is a Monday."),
        "{system}"
    );
    assert!(!system.contains("You are the session."), "{system}");
    expect![[r#"
        run of finder
        prompt Where is one?
        Look well.
        answer of 2 parts
        Read a.rs: Succeeded { summary: "1 line" }
        answer of 1 parts
        Hand in the result: Succeeded { summary: "Handed in" }
        ended Completed
        title In a.rs."#]]
    .assert_eq(&agents.recorded());
}

#[tokio::test(start_paused = true)]
async fn a_sub_agent_can_neither_hand_its_job_on_nor_name_the_topic() {
    let all = AgentDefinition {
        tools: AgentTools::Named(vec!["*".to_owned()]),
        ..agent("finder")
    };
    let few = AgentDefinition {
        tools: AgentTools::Named(vec![
            "search_file_content".to_owned(),
            "no_such_tool".to_owned(),
        ]),
        ..agent("searcher")
    };
    let agents = TestAgents::new([all, few]);
    let script = script([
        hands_on("finder", "1"),
        completes(json!("found")),
        hands_on("searcher", "2"),
        calls("read_file"),
        completes(json!("found")),
        ok(),
    ]);
    let mut stage = stage(script, &agents).await;
    stage.turn("find one").await;
    let everything = offered(&stage, 2);
    assert!(everything.contains(&"replace".to_owned()), "{everything:?}");
    for tool in ["invoke_agent", "update_topic"] {
        assert!(offered(&stage, 1).contains(&tool.to_owned()));
        assert!(!everything.contains(&tool.to_owned()), "{tool}");
    }
    assert_eq!(offered(&stage, 4), ["grep_search", "complete_task"]);
    // A tool that it does not have is an error for it, and it goes on.
    expect![[
        r#"Tool "read_file" not found. Did you mean one of: "grep_search", "complete_task"?"#
    ]]
    .assert_eq(&told(&stage, 5));
}

#[tokio::test(start_paused = true)]
async fn who_stops_without_a_result_is_asked_for_it_once() {
    let agents = TestAgents::new([agent("finder")]);
    let script = script([
        hands_on("finder", "1"),
        Reply::text("It is in a.rs.").finish("STOP"),
        completes(json!("In a.rs.")),
        hands_on("finder", "2"),
        Reply::text("It is in a.rs.").finish("STOP"),
        Reply::text("I said so.").finish("STOP"),
        ok(),
    ]);
    let mut stage = stage(script, &agents).await;
    stage.turn("find one").await;
    expect![[r#"
        user: "Where is one?\nLook well."
        model: "It is in a.rs."
        user: "You stopped without handing in your work. Call `complete_task` now, and nothing else: hand in what you have found out, and say what is missing. This is the last time that you are asked."
    "#]].assert_eq(&stage.contents(3));
    assert!(told(&stage, 4).contains("Termination Reason: GOAL\nResult:\nIn a.rs."));
    expect![[r#"
        Subagent 'finder' finished.
        Termination Reason: ERROR_NO_COMPLETE_TASK_CALL
        Result:
        Agent stopped calling tools but did not call 'complete_task'."#]]
    .assert_eq(&told(&stage, 7));
}

#[tokio::test(start_paused = true)]
async fn who_has_no_turns_left_gets_one_more() {
    let agents = TestAgents::new([AgentDefinition {
        max_turns: 2,
        ..agent("finder")
    }]);
    let script = script([
        hands_on("finder", "1"),
        reads("a.rs", "1"),
        reads("b.rs", "2"),
        reads("a.rs", "3"),
        ok(),
    ]);
    let mut stage = stage(script, &agents).await;
    stage.turn("find one").await;
    assert_eq!(stage.request_count(), 5);
    expect![[r#"
        Subagent 'finder' finished.
        Termination Reason: MAX_TURNS
        Result:
        Agent reached max turns limit (2)."#]]
    .assert_eq(&told(&stage, 5));
}

#[tokio::test(start_paused = true)]
async fn a_blank_result_is_none() {
    let agents = TestAgents::new([agent("finder")]);
    let script = script([
        hands_on("finder", "1"),
        completes(json!(" ")),
        completes(json!("In a.rs.")),
        ok(),
    ]);
    let mut stage = stage(script, &agents).await;
    stage.turn("find one").await;
    expect!["`result` must not be empty: say what came of your work"].assert_eq(&told(&stage, 3));
    assert!(told(&stage, 4).ends_with("Result:\nIn a.rs."));
}

#[tokio::test(start_paused = true)]
async fn a_result_has_the_shape_that_its_author_wants() {
    let schema = json!({
        "type": "object",
        "properties": { "files": { "type": "array", "items": { "type": "string" } } },
        "required": ["files"],
    });
    let agents = TestAgents::new([AgentDefinition {
        result: AgentResult::Shaped {
            name: "report".to_owned(),
            schema,
        },
        ..agent("finder")
    }]);
    let reports = |report: Value| {
        let call = Call::new("complete_task", json!({ "report": report })).id("1");
        Reply::new().call(call).finish("STOP")
    };
    let script = script([
        hands_on("finder", "1"),
        reports(json!({ "file": "a.rs" })),
        reports(json!({ "files": ["a.rs"] })),
        ok(),
    ]);
    let mut stage = stage(script, &agents).await;
    stage.turn("find one").await;
    expect!["`report` must have `files`"].assert_eq(&told(&stage, 3));
    expect![[r#"
        Subagent 'finder' finished.
        Termination Reason: GOAL
        Result:
        {
          "files": [
            "a.rs"
          ]
        }"#]]
    .assert_eq(&told(&stage, 4));
}

#[tokio::test(start_paused = true)]
async fn what_nobody_fills_in_is_named() {
    let agents = TestAgents::new([
        AgentDefinition {
            instructions: "Greet ${foo} and ${bar}.".to_owned(),
            ..agent("finder")
        },
        AgentDefinition {
            instructions: " \n".to_owned(),
            ..agent("silent")
        },
    ]);
    let script = script([
        hands_on("finder", "1"),
        hands_on("silent", "2"),
        hands_on("nobody", "3"),
        ok(),
    ]);
    let mut stage = stage(script, &agents).await;
    stage.turn("find one").await;
    let told: Vec<String> = (2..=4).map(|request| told(&stage, request)).collect();
    expect![[r#"
        Subagent 'finder' failed. Error: Template validation failed: Missing required input parameters: bar, foo
        Subagent 'silent' failed. Error: it has no instructions
        Subagent 'nobody' not found. There are: finder, silent."#]].assert_eq(&told.join("\n"));
}

#[tokio::test(start_paused = true)]
async fn a_refusal_is_told_to_the_sub_agent_which_goes_on() {
    let agents = TestAgents::new([agent("finder")]);
    let edits = Call::new(
        "write_file",
        json!({ "file_path": "c.rs", "content": "three\n" }),
    );
    let script = script([
        hands_on("finder", "1"),
        Reply::new().call(edits.id("1")).finish("STOP"),
        completes(json!("I may not.")),
        ok(),
    ]);
    let mut stage = stage(script, &agents).await;
    stage.submit(Op::Queue("find one".into())).await;
    let asked = |event: &Event| matches!(event, Event::EditProposed(_));
    stage.until(asked).await;
    answer(&stage, 1, Answer::Deny { feedback: None }).await;
    let shown = stage.until(is_end).await;
    expect![[r#"
        0s edit 1: [Reject]
        0s <run>_1 Cancelled
        0s 1 is at 2
        0s finder by gemini-test for 0 tokens
        0s 1 > <run>_2: Hand in the result
        0s 1 Succeeded { summary: "Done in 2 turns" }
        0s <run>_2 Succeeded { summary: "Handed in" }
        0s text: ok
        0s answer ended: Stop, prompt of 0
        0s turn 1 ended: Completed
    "#]]
    .assert_eq(&shown);
    expect!["[Operation Cancelled] User denied execution."].assert_eq(&told(&stage, 3));
    assert!(told(&stage, 4).ends_with("Result:\nI may not."));
}

#[tokio::test(start_paused = true)]
async fn time_is_over_when_it_is_and_a_person_may_take_theirs() {
    let agents = TestAgents::new([AgentDefinition {
        max_time: Duration::from_secs(120),
        ..agent("finder")
    }]);
    let script = script([
        hands_on("finder", "1"),
        calls("hang"),
        Reply::text("I was not done.").finish("STOP"),
        ok(),
    ]);
    let mut stage = stage_with(script, &agents, FixedGate::asking()).await;
    stage.submit(Op::Queue("find one".into())).await;
    let mut shown = String::new();
    for approval in 1..=2 {
        let asked = |event: &Event| matches!(event, Event::ApprovalRequested(_));
        shown += &stage.until(asked).await;
        // Longer than all the time there is.
        tokio::time::advance(Duration::from_secs(1000)).await;
        answer(&stage, approval, Answer::Allow).await;
    }
    shown += &stage.until(is_end).await;
    expect![[r#"
        0s turn 1 with gemini-test: find one
        0s answer ended: Stop, prompt of 0
        0s 1: finder: Where is one?
        0s asks 1: finder: Where is one?
        1000s answer to 1: Some(Allow)
        1000s 1 is at 1
        1000s finder by gemini-test for 0 tokens
        1000s 1 > <run>_1: Try hang
        1000s asks 2: Try hang
        2000s answer to 2: Some(Allow)
        2120s <run>_1 Cancelled
        2120s 1 is at 2
        2120s 1 prints "I was not done."
        2120s finder by gemini-test for 0 tokens
        2120s 1 Succeeded { summary: "Agent timed out after 2 minutes." }
        2120s text: ok
        2120s answer ended: Stop, prompt of 0
        2120s turn 1 ended: Completed
    "#]]
    .assert_eq(&shown);
    expect![[r#"
        Subagent 'finder' finished.
        Termination Reason: TIMEOUT
        Result:
        Agent timed out after 2 minutes."#]]
    .assert_eq(&told(&stage, 4));
}

#[tokio::test(start_paused = true)]
async fn a_person_stops_a_sub_agent_and_the_turn_goes_on() {
    let agents = TestAgents::new([agent("finder")]);
    let script = script([hands_on("finder", "1"), calls("hang"), ok()]);
    let mut stage = stage(script, &agents).await;
    let _call = hanging(&mut stage).await;
    stage.submit(Op::StopCall(CallId::new("1"))).await;
    let shown = stage.until(is_end).await;
    expect![[r#"
        0s 1 Cancelled
        0s <run>_1 Cancelled
        0s text: ok
        0s answer ended: Stop, prompt of 0
        0s turn 1 ended: Completed
    "#]]
    .assert_eq(&shown);
    expect!["[Operation Cancelled] The user has stopped this call. Go on without it."]
        .assert_eq(&told(&stage, 3));
}

#[tokio::test(start_paused = true)]
async fn a_person_stops_one_call_of_a_sub_agent_which_goes_on() {
    let agents = TestAgents::new([agent("finder")]);
    let script = script([
        hands_on("finder", "1"),
        calls("hang"),
        completes(json!("It hangs.")),
        ok(),
    ]);
    let mut stage = stage(script, &agents).await;
    let call = hanging(&mut stage).await;
    stage.submit(Op::StopCall(call)).await;
    stage.until(is_end).await;
    expect!["[Operation Cancelled] The user has stopped this call. Go on without it."]
        .assert_eq(&told(&stage, 3));
    assert!(told(&stage, 4).ends_with("Result:\nIt hangs."));
}

#[tokio::test(start_paused = true)]
async fn a_stopped_turn_stops_its_sub_agents() {
    let agents = TestAgents::new([agent("finder")]);
    let script = script([hands_on("finder", "1"), calls("hang")]);
    let mut stage = stage(script, &agents).await;
    let _call = hanging(&mut stage).await;
    stage.submit(Op::CancelTurn).await;
    let shown = stage.until(is_end).await;
    expect![[r#"
        0s 1 Cancelled
        0s <run>_1 Cancelled
        0s turn 1 ended: Cancelled
    "#]]
    .assert_eq(&shown);
    assert!(agents.recorded().ends_with("ended Cancelled"));
}

#[tokio::test(start_paused = true)]
async fn the_policy_knows_whose_call_it_is() {
    let agents = TestAgents::new([agent("finder")]);
    let gate = FixedGate {
        denied_to_agents: &["read_file"],
        ..FixedGate::default()
    };
    let both = Reply::new().call(read("a.rs", "1"));
    let job = json!({ "agent_name": "finder", "prompt": "Where is one?" });
    let script = script([
        both.call(Call::new("invoke_agent", job).id("2"))
            .finish("STOP"),
        reads("a.rs", "1"),
        completes(json!("I may not.")),
        ok(),
    ]);
    let mut stage = stage_with(script, &agents, gate).await;
    stage.turn("find one").await;
    assert!(told(&stage, 3).starts_with("Tool execution denied by policy."));
    assert!(told(&stage, 4).contains("one"), "{}", told(&stage, 4));
}

#[tokio::test(start_paused = true)]
async fn two_sub_agents_work_at_the_same_time() {
    let agents = TestAgents::new([agent("finder"), agent("searcher")]);
    let job = |to: &str| json!({ "agent_name": to, "prompt": "Where is one?" });
    let script = script([
        Reply::new()
            .call(Call::new("invoke_agent", job("finder")).id("1"))
            .call(Call::new("invoke_agent", job("searcher")).id("2"))
            .finish("STOP"),
        calls("meet"),
        calls("meet"),
        completes(json!("found")),
        completes(json!("found")),
        ok(),
    ]);
    let both = Arc::new(Barrier::new(2));
    let equipment = Equipment {
        agents: Some(Arc::clone(&agents) as _),
        ..Equipment::default()
    };
    let mut stage = Stage::start_with(script, |_, config| {
        config.tools = ToolSet::built_in(&equipment).with(TestTool::new("meet", Does::Meet(both)));
    })
    .await;
    let shown = stage.turn("find one").await;
    // Each waits for the other, so neither could end if it were alone.
    assert!(shown.ends_with("turn 1 ended: Completed\n"), "{shown}");
    assert_eq!(shown.matches("Done in 2 turns").count(), 2, "{shown}");
}

#[tokio::test(start_paused = true)]
async fn whoever_names_a_sub_agent_wants_it_to_do_the_work() {
    let agents = TestAgents::new([agent("finder")]);
    let equipment = Equipment {
        agents: Some(Arc::clone(&agents) as _),
        ..Equipment::default()
    };
    let mut stage = Stage::start_with(script([ok()]), |_, config| {
        config.surroundings = Some(Arc::new(Around(disk())));
        config.tools = ToolSet::built_in(&equipment);
    })
    .await;
    stage.turn("@finder where is one?").await;
    expect![[r#"
        user: "@finder where is one?" + "\n<system_note>\nThe person asks for these sub-agents: finder. Hand the work to them with `invoke_agent`.\n</system_note>"
    "#]].assert_eq(&stage.contents(1));
}

#[tokio::test(start_paused = true)]
async fn what_is_new_about_sub_agents_is_told_with_a_prompt_and_to_the_person_alone() {
    let agents = TestAgents::new([agent("finder")]);
    *agents.news.lock().unwrap() = Some("There is a new one.".to_owned());
    let mut stage = stage(script([ok(), ok()]), &agents).await;
    let first = stage.turn("hello").await;
    assert!(first.contains("/agents: There is a new one."), "{first}");
    let second = stage.turn("again").await;
    assert!(!second.contains("/agents"), "{second}");
    assert!(!stage.contents(1).contains("There is a new one."));
}
