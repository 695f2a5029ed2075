//! A stop is a stop, whatever is going on, and takes the prompt back.

use std::sync::Arc;

use expect_test::expect;
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, pending};
use pollux_model::{Content, InlineData, Part};
use pollux_testkit::{Call, Reply, ReplyEnd, Script, Step};
use serde_json::json;
use tokio::sync::Notify;
use tokio::time::{Duration, Instant};

use super::{Stage, is_end, ok, reads};
use crate::api::{Attachment, AttachmentKind, Event, Op, Prompt};
use crate::prompt::testing::MemoryDisk;
use crate::prompt::{EditorContext, Reading};
use crate::{
    EditOrigin, FileError, Files, HookSettings, HookSetup, Hooks, NextSpeaker, Program, Programs,
    Ran, Surroundings, WorkspacePath, Written,
};

const AT_ONCE: Duration = Duration::from_millis(100);

/// Stops the turn at the first event of this kind. On the paused clock whoever waits for anything
/// but the stop is late.
async fn stop_at(stage: &mut Stage, is_moment: impl Fn(&Event) -> bool) -> String {
    stage.submit(Op::Queue("fix it".into())).await;
    let before = stage.until(is_moment).await;
    stop(stage).await;
    before
}

async fn stop(stage: &mut Stage) {
    let stopped = Instant::now();
    stage.submit(Op::CancelTurn).await;
    let after = stage.until(is_end).await;
    assert!(after.ends_with("turn 1 ended: Cancelled\n"), "{after}");
    assert!(stopped.elapsed() < AT_ONCE, "{:?}", stopped.elapsed());
}

/// The next prompt must be request `order`, and the first one the model knows of.
async fn goes_on_from_scratch(stage: &mut Stage, order: usize) {
    let shown = stage.turn("again").await;
    assert!(shown.ends_with("turn 2 ended: Completed\n"), "{shown}");
    assert_eq!(stage.contents(order), "user: \"again\"\n");
}

#[tokio::test(start_paused = true)]
async fn a_model_that_has_not_begun_is_left() {
    let silent = Reply::new().before_headers(Step::Stall);
    let mut stage = Stage::start(Script::new().reply(silent).reply(ok())).await;
    stage.submit(Op::Queue("fix it".into())).await;
    stage.server.next_request().await;
    stage
        .until(|event| matches!(event, Event::TurnStarted { .. }))
        .await;
    stop(&mut stage).await;
    assert_eq!(stage.server.reply_end(1).await, ReplyEnd::ClientLeft);
    goes_on_from_scratch(&mut stage, 2).await;
}

#[tokio::test(start_paused = true)]
async fn a_model_that_stalls_in_its_answer_is_left() {
    let stalls = Reply::text("so far").stall();
    let mut stage = Stage::start(Script::new().reply(stalls).reply(ok())).await;
    stop_at(&mut stage, |event| matches!(event, Event::TextReceived(_))).await;
    assert_eq!(stage.server.reply_end(1).await, ReplyEnd::ClientLeft);
    goes_on_from_scratch(&mut stage, 2).await;
}

#[tokio::test(start_paused = true)]
async fn the_pause_before_another_request_is_left() {
    let busy = Reply::error(429, "RESOURCE_EXHAUSTED", "slow").retry_delay("200s");
    let mut stage = Stage::start(Script::new().reply(busy).reply(ok())).await;
    stop_at(&mut stage, |event| {
        matches!(event, Event::RequestRetried(_))
    })
    .await;
    goes_on_from_scratch(&mut stage, 2).await;
}

#[tokio::test(start_paused = true)]
async fn the_pause_after_a_discarded_answer_is_left() {
    for broken in [Reply::new().finish("STOP"), Reply::text("half").cut()] {
        let mut stage = Stage::start(Script::new().reply(broken).reply(ok())).await;
        stop_at(&mut stage, |event| {
            matches!(event, Event::AnswerDiscarded { .. })
        })
        .await;
        goes_on_from_scratch(&mut stage, 2).await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_edit_that_waits_for_its_decision_is_withdrawn_and_nothing_of_the_turn_stays() {
    let edit = Call::new(
        "replace",
        json!({
            "file_path": "a.rs",
            "instruction": "count on",
            "old_string": "one",
            "new_string": "two",
        }),
    );
    let script = Script::new()
        .reply(reads("b.rs", "1"))
        .reply(Reply::text("Now.").call(edit.id("2")).finish("STOP"))
        .reply(ok());
    let mut stage = Stage::start(script).await;
    let before = stop_at(&mut stage, |event| matches!(event, Event::EditProposed(_))).await;
    expect![[r#"
        0s turn 1 with gemini-test: fix it
        0s answer ended: Stop, prompt of 0
        0s 1: Read b.rs
        0s 1 Succeeded { summary: "1 line" }
        0s text: Now.
        0s answer ended: Stop, prompt of 0
        0s 2: Edit a.rs: count on
        0s edit 1 of a.rs
    "#]]
    .assert_eq(&before);
    assert_eq!(stage.files.text("a.rs"), "one\n");
    goes_on_from_scratch(&mut stage, 3).await;
}

#[tokio::test(start_paused = true)]
async fn a_stop_behind_tool_results_takes_them_back_too_and_an_earlier_turn_stays() {
    let script = Script::new()
        .reply(ok())
        .reply(reads("a.rs", "1"))
        .reply(Reply::text("so far").stall())
        .reply(ok());
    let mut stage = Stage::start(script).await;
    stage.turn("first").await;
    stage.submit(Op::Queue("second".into())).await;
    stage
        .until(|event| matches!(event, Event::TextReceived(_)))
        .await;
    stage.submit(Op::CancelTurn).await;
    assert!(stage.until(is_end).await.ends_with("Cancelled\n"));
    stage.turn("third").await;
    assert_eq!(
        stage.contents(4),
        "user: \"first\"\nmodel: \"ok\"\nuser: \"third\"\n"
    );
}

/// A disk that does not answer.
struct StuckFiles;

impl Files for StuckFiles {
    fn read<'a>(&'a self, _: &'a WorkspacePath) -> BoxFuture<'a, Result<String, FileError>> {
        pending().boxed()
    }

    fn write<'a>(
        &'a self,
        _: &'a WorkspacePath,
        _: &'a str,
        _: &'a str,
        _: &'a EditOrigin,
    ) -> BoxFuture<'a, Result<Written, FileError>> {
        pending().boxed()
    }

    fn read_bytes<'a>(
        &'a self,
        _: &'a WorkspacePath,
        _: u64,
    ) -> BoxFuture<'a, Result<Vec<u8>, FileError>> {
        pending().boxed()
    }

    fn create<'a>(
        &'a self,
        _: &'a WorkspacePath,
        _: &'a str,
        _: &'a EditOrigin,
    ) -> BoxFuture<'a, Result<Written, FileError>> {
        pending().boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_hangs_is_left() {
    let script = Script::new().reply(reads("a.rs", "1")).reply(ok());
    let mut stage =
        Stage::start_with(script, |_, config| config.files = Arc::new(StuckFiles)).await;
    stop_at(&mut stage, |event| {
        matches!(event, Event::ToolStarted { .. })
    })
    .await;
    goes_on_from_scratch(&mut stage, 2).await;
}

#[tokio::test(start_paused = true)]
async fn a_turn_is_abandoned_only_while_it_waits_for_an_answer() {
    let replace =
        json!({ "file_path": "a.rs", "instruction": "x", "old_string": "one", "new_string": "1" });
    let call = Call::new("replace", replace).id("1");
    let script = Script::new()
        .reply(Reply::text("so far").gate("on").call(call).finish("STOP"))
        .reply(ok());
    let mut stage = Stage::start(script).await;
    stage.submit(Op::AbandonTurn).await;
    stage.submit(Op::Queue("fix it".into())).await;
    stage
        .until(|event| matches!(event, Event::TextReceived(_)))
        .await;
    // It works, so it goes on.
    stage.submit(Op::AbandonTurn).await;
    stage.server.open_gate("on");
    stage
        .until(|event| matches!(event, Event::EditProposed(_)))
        .await;
    stage.submit(Op::AbandonTurn).await;
    let shown = stage.until(is_end).await;
    assert!(shown.contains("turn 1 ended Unattended: "), "{shown}");
    assert_eq!(stage.files.text("a.rs"), "one\n");
    goes_on_from_scratch(&mut stage, 2).await;
}

/// A program that never ends.
#[derive(Default)]
struct Hangs {
    begun: Notify,
}

impl Programs for Hangs {
    fn run<'a>(&'a self, _: Program<'a>) -> BoxFuture<'a, std::io::Result<Ran>> {
        self.begun.notify_one();
        pending().boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn a_hook_that_hangs_is_left() {
    for event in ["BeforeTool", "AfterTool"] {
        let hook = json!({ "type": "command", "command": "hang", "timeout": 600_000 });
        let settings = json!({ event: [{ "hooks": [hook] }] });
        let hangs = Arc::new(Hangs::default());
        let programs = Arc::clone(&hangs);
        let script = Script::new().reply(reads("a.rs", "1")).reply(ok());
        let mut stage = Stage::start_with(script, |_, config| {
            config.hooks = Hooks::new(HookSetup {
                settings: HookSettings::read(Some(&settings), None),
                programs,
                variables: Vec::new(),
                session: "the-session".to_owned(),
                transcript: None,
                folder: "/".into(),
                plans: None,
            });
        })
        .await;
        stage.submit(Op::Queue("fix it".into())).await;
        // Nothing else reads the events meanwhile, and there are few of them.
        hangs.begun.notified().await;
        stop(&mut stage).await;
        goes_on_from_scratch(&mut stage, 2).await;
    }
}

/// An editor that does not answer.
struct DeafEditor(MemoryDisk, Arc<Notify>);

impl Surroundings for DeafEditor {
    fn editor(&self) -> BoxFuture<'_, Option<EditorContext>> {
        self.1.notify_one();
        pending().boxed()
    }

    fn reading(&self) -> &dyn Reading {
        &self.0
    }
}

#[tokio::test(start_paused = true)]
async fn an_editor_that_does_not_answer_is_left() {
    let asked = Arc::new(Notify::new());
    let around = Arc::new(DeafEditor(MemoryDisk::new(&[]), Arc::clone(&asked)));
    let mut stage = Stage::start_with(Script::new(), |_, config| {
        config.surroundings = Some(around)
    })
    .await;
    stage.submit(Op::Queue("fix it".into())).await;
    asked.notified().await;
    stop(&mut stage).await;
    assert_eq!(stage.request_count(), 0);
}

/// A provider that counts, or judges, and never comes to an end.
fn hangs(path: &str) -> Reply {
    Reply::new().before_headers(Step::Stall).when_path(path)
}

#[tokio::test(start_paused = true)]
async fn a_count_of_tokens_that_hangs_is_left() {
    let script = Script::new().reply(hangs(":countTokens")).reply(ok());
    let mut stage = Stage::start_in(script, |_, config, baggage| {
        config.context.compression_threshold = 2.0;
        // So much that a document might not fit.
        baggage.history = vec![Content::prompt("word".repeat(900_000))];
    })
    .await;
    let document = Attachment {
        kind: AttachmentKind::Text,
        label: "a.pdf".to_owned(),
        path: None,
        range: None,
        content: Part::InlineData(InlineData {
            mime_type: "application/pdf".to_owned(),
            data: "AAAA".to_owned(),
        }),
    };
    let prompt = Prompt {
        attachments: vec![document].into(),
        ..Prompt::from("read it")
    };
    stage.submit(Op::Queue(prompt)).await;
    stage.server.next_request().await;
    stop(&mut stage).await;
    assert!(stage.turn("again").await.ends_with("Completed\n"));
    let sent = stage.contents(2);
    assert!(!sent.contains("read it") && !sent.contains("application/pdf"));
}

#[tokio::test(start_paused = true)]
async fn a_judge_of_who_speaks_next_that_hangs_is_left_and_the_answer_stays() {
    let script = Script::new().reply(ok()).reply(hangs(":generateContent"));
    let mut stage = Stage::start_with(script, |_, config| {
        config.context.next_speaker = NextSpeaker::Judged;
    })
    .await;
    stage.submit(Op::Queue("fix it".into())).await;
    stage.server.next_request().await;
    stage.server.next_request().await;
    let stopped = Instant::now();
    stage.submit(Op::CancelTurn).await;
    let shown = stage.until(is_end).await;
    assert!(stopped.elapsed() < AT_ONCE, "{:?}", stopped.elapsed());
    assert!(shown.ends_with("Completed\n"), "{shown}");
}
