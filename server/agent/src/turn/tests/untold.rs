//! What people decide about edits reaches the model, whatever becomes of the turn that was to tell it.

use std::sync::{Arc, Mutex};

use expect_test::expect;
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, ready};
use pollux_testkit::{Reply, Script, Step};

use super::{Stage, is_end, ok, reads};
use crate::Surroundings;
use crate::api::{Event, IfUnheard, Op, Prompt};
use crate::prompt::testing::MemoryDisk;
use crate::prompt::{EditorContext, HunkDecision, HunkVerdict, Reading};

/// A room that hands out each decision once.
struct Room {
    disk: MemoryDisk,
    decided: Mutex<Vec<HunkDecision>>,
}

impl Surroundings for Room {
    fn editor(&self) -> BoxFuture<'_, Option<EditorContext>> {
        ready(None).boxed()
    }

    fn decisions(&self) -> BoxFuture<'_, Vec<HunkDecision>> {
        async { std::mem::take(&mut *self.decided.lock().unwrap()) }.boxed()
    }

    fn reading(&self) -> &dyn Reading {
        &self.disk
    }
}

impl Room {
    fn reject(&self, text: &str) {
        self.decided.lock().unwrap().push(HunkDecision {
            path: "a.rs".into(),
            line: 1,
            verdict: HunkVerdict::Rejected,
            removed: String::new(),
            added: text.to_owned(),
        });
    }
}

async fn stage(script: Script) -> (Stage, Arc<Room>) {
    let room = Arc::new(Room {
        disk: MemoryDisk::new(&[]),
        decided: Mutex::default(),
    });
    let around = Arc::clone(&room);
    let stage = Stage::start_with(script, |_, config| config.surroundings = Some(around)).await;
    (stage, room)
}

/// The decisions and comments in a request.
fn told(stage: &Stage, order: usize) -> String {
    let sent = stage.server.requests()[order - 1].json().to_string();
    let found = ["first", "second", "a comment"].map(|word| {
        let times = sent.matches(&format!("<{word}>")).count();
        format!("{word} {times}")
    });
    found.join(", ")
}

#[tokio::test(start_paused = true)]
async fn a_stop_before_the_first_answer_puts_decisions_off() {
    let silent = Reply::new().before_headers(Step::Stall);
    let script = Script::new().reply(silent).reply(ok()).reply(ok());
    let (mut stage, room) = stage(script).await;
    room.reject("<first>");
    stage.submit(Op::Queue("fix it".into())).await;
    stage.server.next_request().await;
    stage.submit(Op::CancelTurn).await;
    stage.until(is_end).await;
    room.reject("<second>");
    stage.turn("again").await;
    stage.turn("go on").await;
    expect!["first 1, second 0, a comment 0"].assert_eq(&told(&stage, 1));
    expect!["first 1, second 1, a comment 0"].assert_eq(&told(&stage, 2));
    // The conversation has them, and they are not told twice.
    expect!["first 1, second 1, a comment 0"].assert_eq(&told(&stage, 3));
}

#[tokio::test(start_paused = true)]
async fn a_stop_behind_a_tool_puts_decisions_off_too() {
    let silent = Reply::new().before_headers(Step::Stall);
    let script = Script::new()
        .reply(reads("a.rs", "1"))
        .reply(silent)
        .reply(ok());
    let (mut stage, room) = stage(script).await;
    room.reject("<first>");
    stage.submit(Op::Queue("fix it".into())).await;
    stage
        .until(|event| matches!(event, Event::ToolEnded { .. }))
        .await;
    stage.submit(Op::CancelTurn).await;
    stage.until(is_end).await;
    stage.turn("again").await;
    let last = stage.server.requests().len();
    expect!["first 1, second 0, a comment 0"].assert_eq(&told(&stage, last));
}

#[tokio::test(start_paused = true)]
async fn a_request_that_fails_puts_decisions_off() {
    let refused = Reply::error(400, "INVALID_ARGUMENT", "bad");
    let script = Script::new().reply(refused).reply(ok());
    let (mut stage, room) = stage(script).await;
    room.reject("<first>");
    stage.turn("fix it").await;
    stage.turn("again").await;
    expect!["first 1, second 0, a comment 0"].assert_eq(&told(&stage, 2));
}

#[tokio::test(start_paused = true)]
async fn comments_that_nobody_heard_go_with_the_next_prompt() {
    let refused = Reply::error(400, "INVALID_ARGUMENT", "bad");
    let script = Script::new().reply(refused).reply(ok()).reply(ok());
    let (mut stage, _room) = stage(script).await;
    let comments = Prompt {
        text: "<a comment>".to_owned(),
        if_unheard: IfUnheard::ToldLater,
        ..Prompt::default()
    };
    stage.submit(Op::Queue(comments)).await;
    stage.until(is_end).await;
    stage.turn("again").await;
    stage.turn("go on").await;
    let shown = [1, 2, 3].map(|order| told(&stage, order));
    expect![[r#"
        first 0, second 0, a comment 1
        first 0, second 0, a comment 1
        first 0, second 0, a comment 1"#]]
    .assert_eq(&shown.join("\n"));
}
