//! Tools that talk with the person, in whole sessions.

use std::collections::BTreeMap;
use std::sync::Arc;

use expect_test::expect;
use pollux_policy::Decision;
use pollux_testkit::{Call, Reply, Script};
use serde_json::json;

use super::{Stage, is_end, ok};
use crate::api::{self, Answer, ApprovalId, ApprovalMode, Event, Op};
use crate::testing::{FixedGate, MemoryScratch};
use crate::{Equipment, Offered, PlansFolder, PromptState, SessionConfig, ToolSet};

fn calls(name: &str, args: serde_json::Value, id: &str) -> Reply {
    let call = Call::new(name, args).id(id).thought_signature("signed");
    Reply::new().call(call).finish("STOP")
}

/// Everything asks; the instruction says the mode and the topic.
fn equip(_: &str, config: &mut SessionConfig) {
    let plans = MemoryScratch::new(&[("plans/p.md", "1. Do it.\n")]);
    config.tools = ToolSet::built_in(&Equipment {
        questions: Offered::Yes,
        topics: Offered::Yes,
        plans: Some(PlansFolder::Scratch(plans, "plans".to_owned())),
        ..Equipment::default()
    });
    config.gate = Arc::new(FixedGate {
        others: Decision::Ask,
        ..FixedGate::default()
    });
    config.instructions = Some(Arc::new(|state: &PromptState| {
        format!(
            "PromptState {{ mode: {:?}, topic: {:?} }}",
            state.mode, state.topic
        )
    }));
}

impl Stage {
    /// Answers a question once it is asked.
    async fn answer(&mut self, number: u64, answer: Answer) -> String {
        let shown = self
            .until(|event| matches!(event, Event::ApprovalRequested(_)))
            .await;
        let approval = ApprovalId(number);
        self.submit(Op::Answer {
            approval,
            answer,
            by: None,
        })
        .await;
        shown
    }

    /// What each request was instructed with, and the tools it could call.
    fn told(&self) -> String {
        let requests = self.server.requests();
        let line = |body: serde_json::Value| {
            let instruction = &body["systemInstruction"]["parts"][0]["text"];
            let tools = body["tools"][0]["functionDeclarations"].as_array().unwrap();
            let tool = |tool: &serde_json::Value| {
                let text = tool["description"].as_str().unwrap();
                let mark = match text.starts_with("ONLY FOR PLANS") {
                    true => "*",
                    false => "",
                };
                format!("{mark}{}", tool["name"].as_str().unwrap())
            };
            let tools: Vec<String> = tools.iter().map(tool).collect();
            format!("{} {}\n", instruction.as_str().unwrap(), tools.join(" "))
        };
        requests
            .into_iter()
            .map(|request| line(request.json()))
            .collect()
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_is_answered_and_the_model_goes_on() {
    let question =
        json!({ "questions": [{ "question": "Which?", "header": "Which", "type": "text" }] });
    let script = Script::new()
        .reply(calls("ask_user", question, "1"))
        .reply(ok());
    let mut stage = Stage::start_with(script, equip).await;
    stage.submit(Op::Queue("go".into())).await;
    let replies = BTreeMap::from([(0, api::Reply::Words("the first".to_owned()))]);
    stage.answer(1, Answer::Replies(replies)).await;
    expect![[r#"
        0s answer to 1: Some(Replies({0: Words("the first")}))
        0s 1 Succeeded { summary: "1 answer" }
        0s text: ok
        0s answer ended: Stop, prompt of 0
        0s turn 1 ended: Completed
    "#]]
    .assert_eq(&stage.until(is_end).await);
    expect![[r#"
        user: "go"
        model: {"functionCall":{"name":"ask_user","args":{"questions":[{"question":"Which?","header":"Which","type":"text"}]},"id":"1"},"thoughtSignature":"signed"}
        user: {"functionResponse":{"name":"ask_user","id":"1","response":{"output":"{\"answers\":{\"0\":\"the first\"}}"}}}
    "#]]
    .assert_eq(&stage.contents(2));
}

#[tokio::test(start_paused = true)]
async fn questions_that_are_dismissed_leave_the_turn_running() {
    let question =
        json!({ "questions": [{ "question": "Sure?", "header": "Sure", "type": "yesno" }] });
    let script = Script::new()
        .reply(calls("ask_user", question, "1"))
        .reply(ok());
    let mut stage = Stage::start_with(script, equip).await;
    stage.submit(Op::Queue("go".into())).await;
    stage.answer(1, Answer::Deny { feedback: None }).await;
    expect![[r#"
        0s answer to 1: Some(Deny { feedback: None })
        0s 1 Cancelled
        0s text: ok
        0s answer ended: Stop, prompt of 0
        0s turn 1 ended: Completed
    "#]]
    .assert_eq(&stage.until(is_end).await);
    assert!(
        stage
            .contents(2)
            .contains("User dismissed ask_user dialog without answering.")
    );
}

#[tokio::test(start_paused = true)]
async fn planning_first_changes_the_prompt_and_the_tools_and_back() {
    let plan = json!({ "plan_filename": "p.md" });
    let script = Script::new()
        .reply(calls("enter_plan_mode", json!({}), "1"))
        .reply(calls("exit_plan_mode", plan.clone(), "2"))
        .reply(calls("exit_plan_mode", plan, "3"))
        .reply(ok());
    let mut stage = Stage::start_with(script, equip).await;
    stage.submit(Op::Queue("go".into())).await;
    let mut shown = stage.answer(1, Answer::Allow).await;
    let feedback = Some("in two steps".to_owned());
    shown += &stage.answer(2, Answer::Deny { feedback }).await;
    let mode = ApprovalMode::AutoEdit;
    shown += &stage.answer(3, Answer::CarryOut(mode)).await;
    shown += &stage.until(is_end).await;
    expect![[r#"
        0s turn 1 with gemini-test: go
        0s answer ended: Stop, prompt of 0
        0s 1: Plan first
        0s asks 1: Plan first
        0s answer to 1: Some(Allow)
        0s mode Plan
        0s 1 Succeeded { summary: "planning" }
        0s answer ended: Stop, prompt of 0
        0s 2: Show the plan p.md
        0s asks 2: Show the plan p.md
        0s answer to 2: Some(Deny { feedback: Some("in two steps") })
        0s 2 Cancelled
        0s answer ended: Stop, prompt of 0
        0s 3: Show the plan p.md
        0s asks 3: Show the plan p.md
        0s answer to 3: Some(CarryOut(AutoEdit))
        0s mode AutoEdit
        0s 3 Succeeded { summary: "approved" }
        0s text: ok
        0s answer ended: Stop, prompt of 0
        0s turn 1 ended: Completed
    "#]]
    .assert_eq(&shown);
    expect![[r#"
        PromptState { mode: Default, topic: None } update_topic list_directory read_file grep_search glob replace write_file ask_user enter_plan_mode
        PromptState { mode: Plan, topic: None } update_topic list_directory read_file grep_search glob *replace *write_file ask_user exit_plan_mode
        PromptState { mode: Plan, topic: None } update_topic list_directory read_file grep_search glob *replace *write_file ask_user exit_plan_mode
        PromptState { mode: AutoEdit, topic: None } update_topic list_directory read_file grep_search glob replace write_file ask_user enter_plan_mode
    "#]]
    .assert_eq(&stage.told());
}

#[tokio::test(start_paused = true)]
async fn the_topic_stays_in_the_prompt() {
    let topic = json!({ "title": "Uploads", "strategic_intent": "find them" });
    let script = Script::new()
        .reply(calls("update_topic", topic, "1"))
        .reply(ok())
        .reply(ok());
    let mut stage = Stage::start_with(script, |base, config| {
        equip(base, config);
        config.gate = Arc::new(FixedGate::default());
    })
    .await;
    stage.turn("go").await;
    stage.turn("on").await;
    let topics: String = stage
        .told()
        .lines()
        .map(|line| format!("{}\n", line.split_once('}').unwrap().0))
        .collect();
    expect![[r#"
        PromptState { mode: Default, topic: None 
        PromptState { mode: Default, topic: Some("Uploads") 
        PromptState { mode: Default, topic: Some("Uploads") 
    "#]]
    .assert_eq(&topics);
}
