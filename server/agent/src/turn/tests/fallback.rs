//! Another model takes over: only where the chain says so, and never unseen.

use std::sync::Arc;

use expect_test::expect;
use pollux_model::{Chain, ChainMode, ModelError, Previews, concrete_model};
use pollux_testkit::{Reply, Script};
use serde_json::{Map, json};

use super::{Stage, gemini, ok, reads};
use crate::{Classification, Voice, Voices};

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

    fn chain(&self, active: &str) -> Chain {
        let active = concrete_model(active, Previews::Allowed);
        Chain::new(self.requested, active, Previews::Allowed, ChainMode::Normal)
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
    Stage::start_with(script, |base, config| {
        config.voices = Arc::new(GeminiVoices {
            requested,
            base: base.to_owned(),
        });
        config.context.routing.classification = Classification::Off;
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

#[tokio::test(start_paused = true)]
async fn a_used_up_quota_is_the_persons_to_decide_about() {
    let table = [
        Reply::error(429, "RESOURCE_EXHAUSTED", "day").quota_failure("RequestsPerDay"),
        Reply::error(429, "RESOURCE_EXHAUSTED", "slow").retry_delay("400s"),
        Reply::error(404, "NOT_FOUND", "none"),
    ];
    let mut shown = String::new();
    for refusal in table {
        let script = Script::new().reply(refusal).reply(ok().when_path(PRO));
        let mut stage = stage("auto", script).await;
        shown += &stage.turn("fix it").await;
        assert!(stage.turn("again").await.ends_with("Completed\n"));
    }
    expect![[r#"
        0s turn 1 with gemini-3-pro-preview: fix it
        0s turn 1 ended Failed: the quota for the model is used up (daily limit): day
        0s turn 1 with gemini-3-pro-preview: fix it
        0s turn 1 ended Failed: the quota for the model is used up (exhausted): slow
        0s turn 1 with gemini-3-pro-preview: fix it
        0s turn 1 ended Failed: the model was not found: none
    "#]]
    .assert_eq(&shown);
}

#[tokio::test(start_paused = true)]
async fn a_model_without_room_gets_two_quick_tries() {
    let full = Reply::error(503, "UNAVAILABLE", "full").error_info(
        "MODEL_CAPACITY_EXHAUSTED",
        "cloudcode-pa.googleapis.com",
        &[],
    );
    let script = Script::new()
        .reply(full.times(3).when_path("/gemini-3.1-flash-lite:"))
        .reply(ok().when_path("/gemini-3.5-flash:"));
    let mut stage = stage("flash-lite", script).await;
    expect![[r#"
        0s turn 1 with gemini-3.1-flash-lite: fix it
        0s retries 1/4 after 1s: the quota for the model is used up (no capacity left): full
        1s retries 2/4 after 3s: the quota for the model is used up (no capacity left): full
        4s model gemini-3.1-flash-lite -> gemini-3.5-flash until For(30s): the quota for the model is used up (no capacity left): full
        4s text: ok
        4s answer ended: Stop, prompt of 0
        4s turn 1 ended: Completed
    "#]].assert_eq(&stage.turn("fix it").await);
}

#[tokio::test(start_paused = true)]
async fn a_small_model_without_quota_is_left_alone_for_the_session() {
    let day = Reply::error(429, "RESOURCE_EXHAUSTED", "day").quota_failure("RequestsPerDay");
    let script = Script::new()
        .reply(day.when_path("/gemini-3.1-flash-lite:"))
        .reply(ok().when_path("/gemini-3.5-flash:").times(2));
    let mut stage = stage("flash-lite", script).await;
    expect![[r#"
        0s turn 1 with gemini-3.1-flash-lite: fix it
        0s model gemini-3.1-flash-lite -> gemini-3.5-flash until SessionEnd: the quota for the model is used up (daily limit): day
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
