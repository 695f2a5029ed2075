//! Another model takes over: only where the chain says so, and never unseen.

use std::collections::BTreeMap;
use std::sync::Arc;

use expect_test::expect;
use pollux_model::{Chain, ChainMode, ModelError, Previews, concrete_model};
use pollux_policy::Presence;
use pollux_testkit::{Reply, Script};
use serde_json::{Map, json};

use super::{Stage, gemini, is_end, ok, reads};
use crate::api::{self, Answer, Approval, ApprovalMode, Event, Op, QuestionKind, Subject};
use crate::testing::FixedGate;
use crate::{Classification, SessionConfig, Voice, Voices};

const PRO: &str = "/gemini-3-pro-preview:";
const FLASH: &str = "/gemini-3-flash-preview:";

/// Gemini, along the chain of what was asked for, as the program has it.
pub(super) struct GeminiVoices {
    pub(super) requested: &'static str,
    pub(super) base: String,
}

impl Voices for GeminiVoices {
    fn requested(&self) -> &str {
        self.requested
    }

    fn chain(&self, active: &str, mode: ChainMode) -> Chain {
        let active = concrete_model(active, Previews::Allowed);
        Chain::new(self.requested, active, Previews::Allowed, mode)
    }

    fn voice(&self, model: &str, attempts: Option<u32>) -> Result<Voice, ModelError> {
        Ok(Voice {
            model: gemini(&self.base, model, attempts.unwrap_or(4)),
            generation: Map::new(),
        })
    }

    fn utility(&self, alias: &str) -> Result<Voice, ModelError> {
        self.voice(alias, None)
    }
}

async fn stage(requested: &'static str, script: Script) -> Stage {
    stage_with(requested, script, |_| {}).await
}

async fn stage_with(
    requested: &'static str,
    script: Script,
    change: impl FnOnce(&mut SessionConfig),
) -> Stage {
    Stage::start_with(script, |base, config| {
        config.voices = Arc::new(GeminiVoices {
            requested,
            base: base.to_owned(),
        });
        config.context.routing.classification = Classification::Off;
        change(config);
    })
    .await
}

fn busy() -> Reply {
    Reply::error(503, "UNAVAILABLE", "busy")
}

#[tokio::test(start_paused = true)]
async fn a_busy_first_model_is_replaced_for_this_turn_and_tried_again_in_the_next() {
    let script = Script::new()
        .reply(busy().times(3).when_path(PRO))
        .reply(reads("a.rs", "1").when_path(FLASH))
        .reply(Reply::text("from flash").finish("STOP").when_path(FLASH))
        .reply(
            Reply::text("from pro")
                .finish("STOP")
                .when_path(PRO)
                .times(2),
        );
    let mut stage = stage("auto", script).await;
    expect![[r#"
        0s turn 1 with gemini-3-pro-preview: fix it
        0s retries 1/3 after 5s: the model is busy (HTTP 503): busy
        5s retries 2/3 after 10s: the model is busy (HTTP 503): busy
        15s model gemini-3-pro-preview -> gemini-3-flash-preview until NextTurn: the model is busy (HTTP 503): busy
        15s answer ended: Stop, prompt of 0
        15s 1: Read a.rs
        15s 1 Succeeded { summary: "1 line" }
        15s text: from flash
        15s answer ended: Stop, prompt of 0
        15s turn 1 ended: Completed
    "#]].assert_eq(&stage.turn("fix it").await);
    expect![[r#"
        15s turn 2 with gemini-3-pro-preview: again
        15s text: from pro
        15s answer ended: Stop, prompt of 0
        15s turn 2 ended: Completed
    "#]]
    .assert_eq(&stage.turn("again").await);
    expect![[r#"
        user: "fix it"
        model: {"functionCall":{"name":"read_file","args":{"file_path":"a.rs"},"id":"1"},"thoughtSignature":"signed"}
        user: {"functionResponse":{"name":"read_file","id":"1","response":{"output":"one\n"}}}
        model: "from flash"
        user: "again"
    "#]].assert_eq(&stage.contents(6));
    assert!(
        stage
            .turn("more")
            .await
            .contains("gemini-3-pro-preview: more")
    );
}

#[tokio::test(start_paused = true)]
async fn in_the_next_turn_the_first_model_has_one_try() {
    let script = Script::new()
        .reply(busy().times(4).when_path(PRO))
        .reply(ok().when_path(FLASH).times(2));
    let mut stage = stage("auto", script).await;
    stage.turn("fix it").await;
    expect![[r#"
        15s turn 2 with gemini-3-pro-preview: again
        15s model gemini-3-pro-preview -> gemini-3-flash-preview until NextTurn: the model is busy (HTTP 503): busy
        15s text: ok
        15s answer ended: Stop, prompt of 0
        15s turn 2 ended: Completed
    "#]].assert_eq(&stage.turn("again").await);
}

#[tokio::test(start_paused = true)]
async fn both_models_busy_fail_the_turn_and_leave_no_trace() {
    let script = Script::new()
        .reply(busy().times(3).when_path(PRO))
        .reply(busy().times(10).when_path(FLASH))
        .reply(ok().when_path(PRO));
    let mut stage = stage("auto", script).await;
    let shown = stage.turn("fix it").await;
    assert_eq!(shown.matches("retries ").count(), 2 + 9, "{shown}");
    assert_eq!(shown.matches("model gemini-3-pro-preview -> ").count(), 1);
    assert!(shown.contains("ended Failed: the model is busy"), "{shown}");
    assert!(stage.turn("again").await.ends_with("Completed\n"));
    assert_eq!(stage.contents(14), "user: \"again\"\n");
}

#[tokio::test(start_paused = true)]
async fn what_the_first_model_said_before_it_broke_off_for_good_is_discarded_before_the_change() {
    let breaking = json!({ "error": { "code": 503, "message": "busy", "status": "UNAVAILABLE" } });
    let script = Script::new()
        .reply(Reply::text("half").event(breaking).times(4).when_path(PRO))
        .reply(ok().when_path(FLASH));
    let mut stage = stage("auto", script).await;
    expect![[r#"
        0s turn 1 with gemini-3-pro-preview: fix it
        0s text: half
        0s discarded: the model is busy (HTTP 503): busy
        1s text: half
        1s discarded: the model is busy (HTTP 503): busy
        3s text: half
        3s discarded: the model is busy (HTTP 503): busy
        7s text: half
        7s discarded: the model is busy (HTTP 503): busy
        7s model gemini-3-pro-preview -> gemini-3-flash-preview until NextTurn: the model is busy (HTTP 503): busy
        7s text: ok
        7s answer ended: Stop, prompt of 0
        7s turn 1 ended: Completed
    "#]].assert_eq(&stage.turn("fix it").await);
    assert_eq!(stage.contents(5), "user: \"fix it\"\n");
}

fn used_up() -> Reply {
    Reply::error(429, "RESOURCE_EXHAUSTED", "day").quota_failure("RequestsPerDay")
}

fn full() -> Reply {
    Reply::error(503, "UNAVAILABLE", "full").error_info(
        "MODEL_CAPACITY_EXHAUSTED",
        "cloudcode-pa.googleapis.com",
        &[],
    )
}

fn is_question(event: &Event) -> bool {
    matches!(event, Event::ApprovalRequested(_))
}

impl Stage {
    /// What the person is asked, as they read it.
    async fn asked(&mut self) -> (Arc<Approval>, String) {
        loop {
            let event = self.events.recv().await.unwrap();
            assert!(!is_end(&event), "nobody was asked");
            let Event::ApprovalRequested(approval) = event else {
                continue;
            };
            let Subject::Questions(questions) = &approval.subject else {
                panic!("{approval:?}");
            };
            let mut shown = format!("{}\n", questions[0].text);
            if let QuestionKind::Choice { options, .. } = &questions[0].kind {
                for option in options {
                    shown += &format!("[{}] {}\n", option.label, option.description);
                }
            }
            return (approval, shown);
        }
    }

    async fn reply(&self, approval: &Approval, label: &str) {
        let answer = Answer::Replies(BTreeMap::from([(0, api::Reply::Words(label.to_owned()))]));
        let approval = approval.id;
        let by = None;
        self.submit(Op::Answer {
            approval,
            answer,
            by,
        })
        .await;
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_for_the_person_to_decide_is_asked_in_words_that_say_who_why_and_until_when() {
    let table = [
        ("auto", used_up()),
        (
            "auto",
            Reply::error(429, "RESOURCE_EXHAUSTED", "slow").retry_delay("400s"),
        ),
        ("auto", Reply::error(404, "NOT_FOUND", "none")),
        ("auto", full().times(3)),
        ("gemini-3-pro-preview", busy().times(4)),
    ];
    let mut shown = String::new();
    for (requested, refusal) in table {
        let mut stage = stage(requested, Script::new().reply(refusal)).await;
        stage.submit(Op::Queue("fix it".into())).await;
        let (approval, asked) = stage.asked().await;
        assert_eq!(approval.call, None);
        shown += &asked;
        let id = approval.id;
        let answer = Answer::Deny { feedback: None };
        stage
            .submit(Op::Answer {
                approval: id,
                answer,
                by: None,
            })
            .await;
        shown += &stage.until(is_end).await;
    }
    expect![[r#"
        gemini-3-pro-preview does not answer: Quota used up (daily limit): day. Go on with another model?
        [Use gemini-3-flash-preview for this session] gemini-3-pro-preview is left alone until the session ends.
        [Use gemini-3-flash-preview for this prompt] The next prompt goes to gemini-3-pro-preview first.
        [Try gemini-3-pro-preview again] The request is sent once more.
        0s answer to 1: Some(Deny { feedback: None })
        0s turn 1 ended Failed: Quota used up (daily limit): day
        gemini-3-pro-preview does not answer: Quota used up: slow. Go on with another model?
        [Use gemini-3-flash-preview for this session] gemini-3-pro-preview is left alone until the session ends.
        [Use gemini-3-flash-preview for this prompt] The next prompt goes to gemini-3-pro-preview first.
        [Try gemini-3-pro-preview again] The request is sent once more.
        0s answer to 1: Some(Deny { feedback: None })
        0s turn 1 ended Failed: Quota used up: slow
        gemini-3-pro-preview does not answer: the model was not found: none. Go on with another model?
        [Use gemini-3-flash-preview for this session] gemini-3-pro-preview is left alone until the session ends.
        [Use gemini-3-flash-preview for this prompt] The next prompt goes to gemini-3-pro-preview first.
        [Try gemini-3-pro-preview again] The request is sent once more.
        0s answer to 1: Some(Deny { feedback: None })
        0s turn 1 ended Failed: the model was not found: none
        gemini-3-pro-preview does not answer: The model has no capacity left: full. Go on with another model?
        [Use gemini-3-flash-preview for now] gemini-3-pro-preview is left alone for 30 seconds.
        [Try gemini-3-pro-preview again] The request is sent once more.
        4s answer to 1: Some(Deny { feedback: None })
        4s turn 1 ended Failed: The model has no capacity left: full
        gemini-3-pro-preview does not answer: the model is busy (HTTP 503): busy. Go on with another model?
        [Use gemini-3-flash-preview for now] gemini-3-pro-preview is left alone for 30 seconds.
        [Try gemini-3-pro-preview again] The request is sent once more.
        35s answer to 1: Some(Deny { feedback: None })
        35s turn 1 ended Failed: the model is busy (HTTP 503): busy
    "#]].assert_eq(&shown);
}

#[tokio::test(start_paused = true)]
async fn whoever_goes_on_for_the_session_is_not_asked_again() {
    let script = Script::new()
        .reply(used_up().when_path(PRO))
        .reply(reads("a.rs", "1").when_path(FLASH))
        .reply(ok().when_path(FLASH).times(2));
    let mut stage = stage("auto", script).await;
    stage.submit(Op::Queue("fix it".into())).await;
    let (approval, _) = stage.asked().await;
    let label = "Use gemini-3-flash-preview for this session";
    stage.reply(&approval, label).await;
    expect![[r#"
        0s answer to 1: Some(Replies({0: Words("Use gemini-3-flash-preview for this session")}))
        0s model gemini-3-pro-preview -> gemini-3-flash-preview until SessionEnd: Quota used up (daily limit): day
        0s answer ended: Stop, prompt of 0
        0s 1: Read a.rs
        0s 1 Succeeded { summary: "1 line" }
        0s text: ok
        0s answer ended: Stop, prompt of 0
        0s turn 1 ended: Completed
    "#]].assert_eq(&stage.until(is_end).await);
    expect![[r#"
        0s turn 2 with gemini-3-flash-preview: again
        0s text: ok
        0s answer ended: Stop, prompt of 0
        0s turn 2 ended: Completed
    "#]]
    .assert_eq(&stage.turn("again").await);
    expect![[r#"
        user: "fix it"
        model: {"functionCall":{"name":"read_file","args":{"file_path":"a.rs"},"id":"1"},"thoughtSignature":"signed"}
        user: {"functionResponse":{"name":"read_file","id":"1","response":{"output":"one\n"}}}
        model: "ok"
        user: "again"
    "#]].assert_eq(&stage.contents(4));
}

#[tokio::test(start_paused = true)]
async fn whoever_goes_on_for_one_prompt_is_asked_with_the_next_one() {
    let script = Script::new()
        .reply(used_up().when_path(PRO))
        .reply(ok().when_path(FLASH))
        .reply(used_up().when_path(PRO))
        .reply(ok().when_path(PRO));
    let mut stage = stage("auto", script).await;
    stage.submit(Op::Queue("fix it".into())).await;
    let (approval, _) = stage.asked().await;
    let label = "Use gemini-3-flash-preview for this prompt";
    stage.reply(&approval, label).await;
    expect![[r#"
        0s answer to 1: Some(Replies({0: Words("Use gemini-3-flash-preview for this prompt")}))
        0s model gemini-3-pro-preview -> gemini-3-flash-preview until NextTurn: Quota used up (daily limit): day
        0s text: ok
        0s answer ended: Stop, prompt of 0
        0s turn 1 ended: Completed
    "#]].assert_eq(&stage.until(is_end).await);
    stage.submit(Op::Queue("again".into())).await;
    let (approval, _) = stage.asked().await;
    // Meanwhile they have bought some.
    let label = "Try gemini-3-pro-preview again";
    stage.reply(&approval, label).await;
    expect![[r#"
        0s answer to 2: Some(Replies({0: Words("Try gemini-3-pro-preview again")}))
        0s text: ok
        0s answer ended: Stop, prompt of 0
        0s turn 2 ended: Completed
    "#]]
    .assert_eq(&stage.until(is_end).await);
}

#[tokio::test(start_paused = true)]
async fn words_that_are_no_choice_end_the_turn_and_leave_no_trace() {
    let script = Script::new()
        .reply(used_up().when_path(PRO))
        .reply(ok().when_path(PRO));
    let mut stage = stage("auto", script).await;
    stage.submit(Op::Queue("fix it".into())).await;
    let (approval, _) = stage.asked().await;
    stage.reply(&approval, "whatever is cheap").await;
    let shown = stage.until(is_end).await;
    assert!(shown.contains("ended Failed: Quota used up"), "{shown}");
    assert!(stage.turn("again").await.ends_with("Completed\n"));
    assert_eq!(stage.contents(2), "user: \"again\"\n");
}

#[tokio::test(start_paused = true)]
async fn a_stop_takes_the_question_back_at_once() {
    let script = Script::new().reply(used_up().when_path(PRO));
    let mut stage = stage("auto", script).await;
    stage.submit(Op::Queue("fix it".into())).await;
    stage.until(is_question).await;
    stage.submit(Op::CancelTurn).await;
    expect![[r#"
        0s answer to 1: None
        0s turn 1 ended: Cancelled
    "#]]
    .assert_eq(&stage.until(is_end).await);
}

#[tokio::test(start_paused = true)]
async fn where_nobody_is_to_be_asked_the_error_is_the_end() {
    let script = Script::new()
        .reply(used_up().when_path(PRO))
        .reply(ok().when_path(PRO));
    let mut stage = stage_with("auto", script, |config| {
        config.gate = Arc::new(FixedGate {
            presence: Presence::Headless,
            ..FixedGate::default()
        });
    })
    .await;
    expect![[r#"
        0s turn 1 with gemini-3-pro-preview: fix it
        0s turn 1 ended Failed: Quota used up (daily limit): day
    "#]]
    .assert_eq(&stage.turn("fix it").await);
    assert!(stage.turn("again").await.ends_with("Completed\n"));
}

#[tokio::test(start_paused = true)]
async fn whoever_plans_goes_on_unasked_and_sees_it() {
    let table = [
        used_up(),
        Reply::error(404, "NOT_FOUND", "none"),
        full().times(3),
    ];
    let mut shown = String::new();
    for refusal in table {
        let script = Script::new()
            .reply(refusal.when_path(PRO))
            .reply(ok().when_path(FLASH));
        let plans = |config: &mut SessionConfig| config.mode = ApprovalMode::Plan;
        let mut stage = stage_with("auto", script, plans).await;
        shown += &stage.turn("plan it").await;
    }
    expect![[r#"
        0s turn 1 with gemini-3-pro-preview: plan it
        0s model gemini-3-pro-preview -> gemini-3-flash-preview until SessionEnd: Quota used up (daily limit): day
        0s text: ok
        0s answer ended: Stop, prompt of 0
        0s turn 1 ended: Completed
        0s turn 1 with gemini-3-pro-preview: plan it
        0s model gemini-3-pro-preview -> gemini-3-flash-preview until SessionEnd: the model was not found: none
        0s text: ok
        0s answer ended: Stop, prompt of 0
        0s turn 1 ended: Completed
        0s turn 1 with gemini-3-pro-preview: plan it
        0s retries 1/3 after 1s: The model has no capacity left: full
        1s retries 2/3 after 3s: The model has no capacity left: full
        4s model gemini-3-pro-preview -> gemini-3-flash-preview until For(30s): The model has no capacity left: full
        4s text: ok
        4s answer ended: Stop, prompt of 0
        4s turn 1 ended: Completed
    "#]].assert_eq(&shown);
}

#[tokio::test(start_paused = true)]
async fn what_another_model_would_run_into_as_well_is_no_reason_to_change() {
    let table = [
        Reply::error(400, "INVALID_ARGUMENT", "no such field"),
        Reply::error(401, "UNAUTHENTICATED", "wrong key"),
        Reply::error(403, "PERMISSION_DENIED", "not yours"),
    ];
    for refusal in table {
        for requested in ["auto", "flash-lite"] {
            let mut stage = stage(requested, Script::new().reply(refusal.clone())).await;
            let shown = stage.turn("fix it").await;
            assert!(shown.contains("ended Failed"), "{shown}");
            assert!(
                !shown.contains("asks") && !shown.contains(" -> "),
                "{shown}"
            );
            assert_eq!(stage.request_count(), 1, "{requested}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_without_room_gets_two_quick_tries() {
    let script = Script::new()
        .reply(full().times(3).when_path("/gemini-3.1-flash-lite:"))
        .reply(ok().when_path("/gemini-3.5-flash:"));
    let mut stage = stage("flash-lite", script).await;
    expect![[r#"
        0s turn 1 with gemini-3.1-flash-lite: fix it
        0s retries 1/4 after 1s: The model has no capacity left: full
        1s retries 2/4 after 3s: The model has no capacity left: full
        4s model gemini-3.1-flash-lite -> gemini-3.5-flash until For(30s): The model has no capacity left: full
        4s text: ok
        4s answer ended: Stop, prompt of 0
        4s turn 1 ended: Completed
    "#]].assert_eq(&stage.turn("fix it").await);
}

#[tokio::test(start_paused = true)]
async fn a_small_model_without_quota_is_left_alone_for_the_session() {
    let script = Script::new()
        .reply(used_up().when_path("/gemini-3.1-flash-lite:"))
        .reply(ok().when_path("/gemini-3.5-flash:").times(2));
    let mut stage = stage("flash-lite", script).await;
    expect![[r#"
        0s turn 1 with gemini-3.1-flash-lite: fix it
        0s model gemini-3.1-flash-lite -> gemini-3.5-flash until SessionEnd: Quota used up (daily limit): day
        0s text: ok
        0s answer ended: Stop, prompt of 0
        0s turn 1 ended: Completed
    "#]].assert_eq(&stage.turn("fix it").await);
    expect![[r#"
        0s turn 2 with gemini-3.5-flash: again
        0s text: ok
        0s answer ended: Stop, prompt of 0
        0s turn 2 ended: Completed
    "#]]
    .assert_eq(&stage.turn("again").await);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_was_named_is_not_replaced() {
    let script = Script::new().reply(busy().times(4));
    let mut stage = stage("gemini-2.5-pro", script).await;
    let shown = stage.turn("fix it").await;
    assert!(
        shown.contains("35s turn 1 ended Failed: the model is busy"),
        "{shown}"
    );
}
