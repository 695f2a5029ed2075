//! A conversation that fills the window becomes shorter, and nothing of it is lost when that fails.

use std::sync::{Arc, Mutex};

use expect_test::expect;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use pollux_model::{CallId, Content, FunctionCall, FunctionResponse, Part, Role};
use pollux_testkit::{Reply, ReplyEnd, Script, Step, Usage};
use serde_json::{Map, json};

use super::{Stage, is_end, ok, reads};
use crate::api::{Event, Op};
use crate::prompt::testing::MemoryDisk;
use crate::prompt::{ActiveEditor, Cursor, EditorContext, Reading};
use crate::testing::MemoryScratch;
use crate::{Baggage, Entry, Journal, Surroundings};

/// Six tenths of the window.
fn crowded() -> Usage {
    Usage {
        prompt: 630_000,
        output: 1,
        ..Usage::default()
    }
}

fn is_compressed(event: &Event) -> bool {
    matches!(event, Event::HistoryCompressed { .. })
}

/// What the summariser sends.
fn summary(text: &str) -> Reply {
    Reply::text(text)
        .finish("STOP")
        .when_path(":generateContent")
}

fn filling(text: &str) -> Reply {
    Reply::text(text).finish_with_usage("STOP", crowded())
}

#[tokio::test(start_paused = true)]
async fn b5_a_history_at_six_tenths_of_the_window_is_compressed_before_the_next_prompt() {
    let script = Script::new()
        .reply(ok())
        .reply(filling("done"))
        .reply(summary("<state_snapshot>draft</state_snapshot>"))
        .reply(summary(" <state_snapshot>final</state_snapshot>\n"))
        .reply(ok());
    let mut stage = Stage::start(script).await;
    stage.turn("one").await;
    stage.turn("two").await;
    expect![[r#"
        0s turn 3 with gemini-test: three
        0s chat-compression-default by gemini-test for 0 tokens
        0s chat-compression-default by gemini-test for 0 tokens
        0s COMPRESSED 630000 -> 995
        0s text: ok
        0s answer ended: Stop, prompt of 0
        0s turn 3 ended: Completed
    "#]]
    .assert_eq(&stage.turn("three").await);
    expect![[r#"
        user: "one"
        model: "ok"
        user: "two"
        model: "done"
        user: "Write a <state_snapshot> of the conversation above.\n\nThink in a private scratchpad first, then write the <state_snapshot>."
        model: "<state_snapshot>draft</state_snapshot>"
        user: "Check the <state_snapshot> you have just written against the conversation. Is a file path, a name, a number, a result of a tool or a wish of the user missing, or told less exactly than it was said? Then write the whole improved <state_snapshot>. If nothing is missing, write the same <state_snapshot> once more."
        --
        user: "<state_snapshot>final</state_snapshot>"
        model: "Got it. Thanks for the additional context!"
        user: "three"
    "#]].assert_eq(&format!("{}--\n{}", stage.contents(4), stage.contents(5)));
    let body = stage.server.requests()[2].json();
    assert!(
        body["systemInstruction"]
            .to_string()
            .contains("state_snapshot")
    );
    assert_eq!(body["tools"], json!(null), "a summariser has no tools");
}

#[tokio::test(start_paused = true)]
async fn b5_an_inflated_summary_is_not_taken_and_later_attempts_only_cut() {
    let long = "word ".repeat(600_000);
    let script = Script::new()
        .reply(filling("done"))
        .reply(summary(&long))
        .reply(summary(""))
        .reply(filling("again"))
        .reply(ok());
    let mut stage = Stage::start(script).await;
    stage.turn("one").await;
    let shown = stage.turn("two").await;
    assert!(
        shown.contains("FAILED_INFLATED 630000 -> 750985"),
        "{shown}"
    );
    assert!(
        stage
            .contents(4)
            .starts_with("user: \"one\"\nmodel: \"done\"\n")
    );
    // No summariser is asked, and there is nothing to cut: not a word about it.
    expect![[r#"
        0s turn 3 with gemini-test: three
        0s text: ok
        0s answer ended: Stop, prompt of 0
        0s turn 3 ended: Completed
    "#]]
    .assert_eq(&stage.turn("three").await);
    expect![[r#"
        user: "one"
        model: "done"
        user: "two"
        model: "again"
        user: "three"
    "#]]
    .assert_eq(&stage.contents(5));
}

#[tokio::test(start_paused = true)]
async fn b5_after_an_inflated_summary_long_outputs_are_saved_and_cut() {
    let scratch = MemoryScratch::shared();
    let long = "word ".repeat(600_000);
    let script = Script::new()
        .reply(filling("done"))
        .reply(summary(&long))
        .reply(summary(""))
        .reply(filling("again"))
        .reply(ok());
    let kept = Arc::clone(&scratch);
    let mut stage = Stage::start_in(script, |_, config, baggage| {
        baggage.history = outputs(&[100_000, 196_000]);
        config.context.scratch = Some(kept);
    })
    .await;
    stage.turn("one").await;
    stage.turn("two").await;
    let shown = stage.turn("three").await;
    assert!(shown.contains("CONTENT_TRUNCATED 630000 -> 61"), "{shown}");
    // The newer one is within the budget. The attempt that failed has saved the other one too.
    let file = |number| (format!("tool-outputs/read_file_{number}.txt"), 100_000);
    assert_eq!(scratch.sizes(), [file(1), file(2)]);
    let sent = stage.contents(5);
    assert!(sent.contains("Output too large. Showing first 8000 and last 32000 characters. For full output see: /scratch/tool-outputs/read_file_2.txt"));
    assert!(sent.contains("... [60000 characters omitted] ..."));
}

/// A conversation in which a tool has put out texts of these lengths.
fn outputs(lengths: &[usize]) -> Vec<Content> {
    let mut history = vec![Content::prompt("go")];
    for (number, length) in lengths.iter().enumerate() {
        let id = CallId::new(format!("c{number}"));
        let name = "read_file".to_owned();
        let output = ("output".to_owned(), json!("x".repeat(*length)));
        let call = Part::FunctionCall(FunctionCall {
            id: id.clone(),
            name: name.clone(),
            args: Map::new(),
            signature: None,
        });
        let response = Part::FunctionResponse(FunctionResponse {
            id,
            name,
            response: Map::from_iter([output]),
        });
        let turns = [(Role::Model, call), (Role::User, response)];
        history.extend(turns.map(|(role, part)| Content {
            role,
            parts: vec![part],
        }));
    }
    history.push(Content {
        role: Role::Model,
        parts: vec![Part::Text("read".to_owned())],
    });
    history
}

#[tokio::test(start_paused = true)]
async fn a_summariser_that_fails_costs_nothing_but_its_attempt_and_is_asked_once_per_turn() {
    let refused = || Reply::error(400, "INVALID_ARGUMENT", "bad").when_path(":generateContent");
    let mut reading = reads("a.rs", "1");
    reading.steps.pop();
    let script = Script::new()
        .reply(filling("done"))
        .reply(refused())
        .reply(reading.finish_with_usage("STOP", crowded()))
        .reply(ok());
    let mut stage = Stage::start(script).await;
    stage.turn("one").await;
    expect![[r#"
        0s turn 2 with gemini-test: two
        0s FAILED_EMPTY_SUMMARY 630000 -> 630000
        0s answer ended: Stop, prompt of 630000
        0s 1: Read a.rs
        0s 1 Succeeded { summary: "1 line" }
        0s text: ok
        0s answer ended: Stop, prompt of 0
        0s turn 2 ended: Completed
    "#]]
    .assert_eq(&stage.turn("two").await);
    assert!(
        stage
            .contents(4)
            .starts_with("user: \"one\"\nmodel: \"done\"\nuser: \"two\"\n")
    );
}

#[tokio::test(start_paused = true)]
async fn a_summary_that_cannot_be_verified_is_still_one() {
    let script = Script::new()
        .reply(filling("done"))
        .reply(summary("<state_snapshot>draft</state_snapshot>"))
        .reply(Reply::error(400, "INVALID_ARGUMENT", "bad"))
        .reply(ok());
    let mut stage = Stage::start(script).await;
    stage.turn("one").await;
    assert!(stage.turn("two").await.contains("COMPRESSED 630000 -> "));
    assert!(
        stage
            .contents(4)
            .starts_with("user: \"<state_snapshot>draft")
    );
}

#[tokio::test(start_paused = true)]
async fn in_the_middle_of_a_turn_the_prompt_stays_and_a_stop_takes_it_back() {
    let counting: String = (0..1_000).map(|number| format!("{number} ")).collect();
    let mut reading = reads("a.rs", "1");
    reading.steps.pop();
    let script = Script::new()
        .reply(Reply::text(counting).finish("STOP"))
        .reply(reading.finish_with_usage("STOP", crowded()))
        .reply(summary("<state_snapshot>s</state_snapshot>").times(2))
        .reply(Reply::text("so far").stall())
        .reply(ok());
    let mut stage = Stage::start(script).await;
    stage.turn("one").await;
    stage.submit(Op::Queue("two".into())).await;
    stage
        .until(|event| matches!(event, Event::TextReceived(_)))
        .await;
    expect![[r#"
        user: "<state_snapshot>s</state_snapshot>"
        model: "Got it. Thanks for the additional context!"
        user: "two"
        model: {"functionCall":{"name":"read_file","args":{"file_path":"a.rs"},"id":"1"},"thoughtSignature":"signed"}
        user: {"functionResponse":{"name":"read_file","id":"1","response":{"output":"one\n"}}}
    "#]].assert_eq(&stage.contents(5));
    stage.submit(Op::CancelTurn).await;
    assert!(stage.until(is_end).await.ends_with("Cancelled\n"));
    stage.turn("three").await;
    expect![[r#"
        user: "<state_snapshot>s</state_snapshot>"
        model: "Got it. Thanks for the additional context!"
        user: "three"
    "#]]
    .assert_eq(&stage.contents(6));
}

#[tokio::test(start_paused = true)]
async fn a_stop_while_the_summary_is_written_leaves_everything_as_it_was() {
    let script = Script::new()
        .reply(filling("done"))
        .reply(Reply::new().before_headers(Step::Stall))
        .reply(summary("<state_snapshot>s</state_snapshot>").times(2))
        .reply(ok());
    let mut stage = Stage::start(script).await;
    stage.turn("one").await;
    stage.server.next_request().await;
    stage.submit(Op::Queue("two".into())).await;
    stage.server.next_request().await;
    stage.submit(Op::CancelTurn).await;
    assert!(stage.until(is_end).await.ends_with("Cancelled\n"));
    assert_eq!(stage.server.reply_end(2).await, ReplyEnd::ClientLeft);
    stage.turn("three").await;
    assert!(
        stage
            .contents(3)
            .starts_with("user: \"one\"\nmodel: \"done\"\nuser: \"Write a ")
    );
}

#[tokio::test(start_paused = true)]
async fn a_person_may_ask_for_it_and_always_gets_an_answer() {
    let script = Script::new()
        .reply(filling("done"))
        .reply(summary("<state_snapshot>a</state_snapshot>").times(2))
        .reply(Reply::new().before_headers(Step::Stall))
        .reply(ok());
    let mut stage = Stage::start(script).await;
    let mut shown = String::new();
    stage.submit(Op::Compress).await;
    shown += &stage.until(is_compressed).await;
    stage.turn("one").await;
    stage.server.next_request().await;
    stage.submit(Op::Compress).await;
    shown += &stage.until(is_compressed).await;
    stage.server.next_request().await;
    stage.server.next_request().await;
    stage.submit(Op::Compress).await;
    stage.server.next_request().await;
    stage.submit(Op::CancelTurn).await;
    shown += &stage.until(is_compressed).await;
    shown += &stage.turn("two").await;
    expect![[r#"
        0s NOOP 975 -> 975
        0s chat-compression-default by gemini-test for 0 tokens
        0s chat-compression-default by gemini-test for 0 tokens
        0s COMPRESSED 630000 -> 994
        0s NOOP 994 -> 994
        0s turn 2 with gemini-test: two
        0s text: ok
        0s answer ended: Stop, prompt of 0
        0s turn 2 ended: Completed
    "#]]
    .assert_eq(&shown);
    // The third attempt found the earlier snapshot.
    assert!(
        stage
            .contents(4)
            .contains("begins with an earlier <state_snapshot>")
    );
}

#[tokio::test(start_paused = true)]
async fn not_while_a_turn_is_running() {
    let script = Script::new().reply(Reply::text("so far").gate("asked").finish("STOP"));
    let mut stage = Stage::start(script).await;
    stage.submit(Op::Queue("one".into())).await;
    stage
        .until(|event| matches!(event, Event::TextReceived(_)))
        .await;
    stage.submit(Op::Compress).await;
    let refused = stage
        .until(|event| matches!(event, Event::OpRefused(_)))
        .await;
    assert!(
        refused.ends_with("refused: a turn is running\n"),
        "{refused}"
    );
    stage.server.open_gate("asked");
    stage.until(is_end).await;
}

/// Keeps the histories that replace others.
#[derive(Clone, Default)]
struct Replacements(Arc<Mutex<Vec<Vec<Content>>>>);

impl Journal for Replacements {
    fn record(&mut self, entry: Entry<'_>) {
        if let Entry::Replaced { history } = entry {
            self.0.lock().unwrap().push(history.to_vec());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_record_goes_on_with_the_compressed_history() {
    let recorded = Replacements::default();
    let script = Script::new()
        .reply(filling("done"))
        .reply(summary("<state_snapshot>s</state_snapshot>").times(2))
        .reply(ok());
    let journal = recorded.clone();
    let mut stage = Stage::start_in(script, |_, _, baggage: &mut Baggage| {
        baggage.journal = Box::new(journal);
    })
    .await;
    stage.turn("one").await;
    stage.turn("two").await;
    let recorded = recorded.0.lock().unwrap();
    let texts: Vec<&Part> = recorded
        .iter()
        .flatten()
        .flat_map(|content| &content.parts)
        .collect();
    assert_eq!(
        texts,
        [
            &Part::Text("<state_snapshot>s</state_snapshot>".to_owned()),
            &Part::Text("Got it. Thanks for the additional context!".to_owned()),
        ]
    );
}

/// The results were recorded before the summary was written; a record without them would be a step back.
#[tokio::test(start_paused = true)]
async fn what_is_recorded_in_the_middle_of_a_turn_holds_the_results_that_are_not_sent_yet() {
    let recorded = Replacements::default();
    let counting: String = (0..1_000).map(|number| format!("{number} ")).collect();
    let mut reading = reads("a.rs", "1");
    reading.steps.pop();
    let script = Script::new()
        .reply(Reply::text(counting).finish("STOP"))
        .reply(reading.finish_with_usage("STOP", crowded()))
        .reply(summary("<state_snapshot>s</state_snapshot>").times(2))
        .reply(ok());
    let journal = recorded.clone();
    let mut stage = Stage::start_in(script, |_, _, baggage: &mut Baggage| {
        baggage.journal = Box::new(journal);
    })
    .await;
    stage.turn("one").await;
    stage.turn("two").await;
    let recorded = recorded.0.lock().unwrap();
    let last = recorded.last().unwrap().last().unwrap();
    assert_eq!(last.role, Role::User);
    assert!(matches!(last.parts.as_slice(), [Part::FunctionResponse(_)]));
    // Sent once all the same.
    assert_eq!(stage.contents(5).matches("functionResponse").count(), 1);
}

/// An editor whose cursor goes down a line each time that somebody looks.
struct Desk {
    disk: MemoryDisk,
    line: Mutex<u32>,
}

impl Surroundings for Desk {
    fn editor(&self) -> BoxFuture<'_, Option<EditorContext>> {
        async {
            let mut line = self.line.lock().unwrap();
            *line += 1;
            let cursor = Cursor {
                line: *line,
                character: 1,
            };
            let active = ActiveEditor {
                path: "/nowhere/a.rs".into(),
                cursor,
                selected_text: None,
                selected: None,
            };
            Some(EditorContext {
                active: Some(active),
                others: Vec::new(),
            })
        }
        .boxed()
    }

    fn reading(&self) -> &dyn Reading {
        &self.disk
    }
}

#[tokio::test(start_paused = true)]
async fn b11_the_editor_is_told_in_full_then_what_changed_and_in_full_again_after_a_summary() {
    let script = Script::new()
        .reply(ok())
        .reply(ok())
        .reply(filling("long"))
        .reply(summary("<state_snapshot>short</state_snapshot>").times(2))
        .reply(ok());
    let desk = Arc::new(Desk {
        disk: MemoryDisk::new(&[]),
        line: Mutex::new(0),
    });
    let mut stage = Stage::start_with(script, |_, config| config.surroundings = Some(desk)).await;
    let mut told = Vec::new();
    for prompt in ["one", "two", "three", "four"] {
        stage.turn(prompt).await;
        let contents = stage.contents(stage.request_count());
        // Of the editor, what stands with the last prompt.
        let last = contents.lines().last().unwrap_or_default().to_owned();
        told.push(
            match (last.contains("activeFile"), last.contains("cursorMoved")) {
                (true, false) => "all",
                (false, true) => "a change",
                _ => panic!("{last}"),
            },
        );
    }
    assert_eq!(told, ["all", "a change", "a change", "all"]);
}
