//! Budgets: the model's window, rounds of a prompt, prompts of a session.

use std::sync::Arc;

use expect_test::expect;
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, ready};
use pollux_model::{
    Content, ContextWindow, Http, InlineData, Model, OpenAi, OpenAiConfig, Part, Role,
};
use pollux_testkit::{Reply, Script, Usage};
use serde_json::json;

use super::{Stage, is_end, ok, reads};
use crate::api::{Attachment, AttachmentKind, Op, Prompt};
use crate::prompt::testing::MemoryDisk;
use crate::prompt::{ActiveEditor, Cursor, EditorContext, Reading};
use crate::{Baggage, OneVoice, SessionConfig, Surroundings, ToolSet};

fn nearly_full() -> Usage {
    Usage {
        prompt: 1_048_000,
        output: 1,
        ..Usage::default()
    }
}

/// A window that is nearly full is not made emptier.
fn uncompressed(_: &str, config: &mut SessionConfig) {
    config.context.compression_threshold = 2.0;
}

#[tokio::test(start_paused = true)]
async fn a_prompt_without_room_is_not_sent_and_a_shorter_one_is() {
    let full = Reply::text("ok").finish_with_usage("STOP", nearly_full());
    let script = Script::new().reply(full).reply(ok());
    let mut stage = Stage::start_with(script, uncompressed).await;
    stage.turn("fix it").await;
    let long = stage.turn(&"word".repeat(577)).await;
    expect![[r#"
        0s turn 2 with gemini-test: <long>
        0s turn 2 ended ContextOverflow: the prompt has about 577 tokens, and of the 1048576 that gemini-test takes there is room for 576 more; send less, shorten the conversation with /compress, or begin a new session
    "#]].assert_eq(&long.replace(&"word".repeat(577), "<long>"));
    assert_eq!(stage.request_count(), 1);
    assert!(stage.turn("again").await.ends_with("Completed\n"));
    expect![[r#"
        user: "fix it"
        model: "ok"
        user: "again"
    "#]]
    .assert_eq(&stage.contents(2));
}

#[tokio::test(start_paused = true)]
async fn tool_results_without_room_are_not_sent_and_do_not_block_the_session() {
    let mut reading = reads("a.rs", "1");
    reading.steps.pop();
    let script = Script::new()
        .reply(reading.finish_with_usage("STOP", nearly_full()))
        .reply(ok());
    let mut stage = Stage::start_with(script, uncompressed).await;
    stage.files.set("a.rs", &"word\n".repeat(1_900));
    expect![[r#"
        0s turn 1 with gemini-test: fix it
        0s answer ended: Stop, prompt of 1048000
        0s 1: Read a.rs
        0s 1 Succeeded { summary: "1900 lines" }
        0s turn 1 ended ContextOverflow: what the tools returned has about 2855 tokens, and of the 1048576 that gemini-test takes there is room for 576 more; ask for less at once, shorten the conversation with /compress, or begin a new session
    "#]]
    .assert_eq(&stage.turn("fix it").await);
    assert_eq!(stage.request_count(), 1);
    assert!(stage.turn("again").await.ends_with("Completed\n"));
    expect![[r#"
        user: "fix it"
        model: {"functionCall":{"name":"read_file","args":{"file_path":"a.rs"},"id":"1"},"thoughtSignature":"signed"}
        user: {"functionResponse":{"name":"read_file","id":"1","response":{"error":"The result of this call was lost due to context management truncation."}}} + "again"
    "#]].assert_eq(&stage.contents(2));
}

#[tokio::test(start_paused = true)]
async fn a_conversation_that_the_provider_finds_too_long_fails_with_its_words() {
    let message = "The input token count (9) exceeds the maximum number of tokens allowed (8).";
    let too_long = Reply::error(400, "INVALID_ARGUMENT", message);
    let mut stage = Stage::start(Script::new().reply(too_long).reply(ok())).await;
    expect![[r#"
        0s turn 1 with gemini-test: fix it
        0s turn 1 ended Failed: the conversation is too long for the model: The input token count (9) exceeds the maximum number of tokens allowed (8).
    "#]].assert_eq(&stage.turn("fix it").await);
    assert!(stage.turn("again").await.ends_with("Completed\n"));
}

#[tokio::test(start_paused = true)]
async fn a_session_asks_the_model_as_often_as_it_may() {
    let mut stage = Stage::start_with(Script::new().reply(ok().times(2)), |_, config| {
        config.turn_limit = Some(2);
    })
    .await;
    let mut shown = String::new();
    for prompt in ["one", "two", "three", "four"] {
        shown += &stage.turn(prompt).await;
    }
    expect![[r#"
        0s turn 1 with gemini-test: one
        0s text: ok
        0s answer ended: Stop, prompt of 0
        0s turn 1 ended: Completed
        0s turn 2 with gemini-test: two
        0s text: ok
        0s answer ended: Stop, prompt of 0
        0s turn 2 ended: Completed
        0s turn 3 with gemini-test: three
        0s turn 3 ended SessionLimitReached: the session may ask the model 2 times, and has
        0s turn 4 with gemini-test: four
        0s turn 4 ended SessionLimitReached: the session may ask the model 2 times, and has
    "#]]
    .assert_eq(&shown);
}

#[tokio::test(start_paused = true)]
async fn results_of_tools_count_for_the_limit_of_the_session_too() {
    let script = Script::new()
        .reply(ok())
        .reply(Reply::new().finish("SAFETY"))
        .reply(reads("a.rs", "1"));
    let mut stage = Stage::start_with(script, |_, config| config.turn_limit = Some(2)).await;
    assert!(stage.turn("one").await.ends_with("Completed\n"));
    expect![[r#"
        0s turn 2 with gemini-test: two
        0s answer ended: Safety, prompt of 0
        0s discarded: SAFETY_BLOCKED
        1s answer ended: Stop, prompt of 0
        1s 1: Read a.rs
        1s 1 Succeeded { summary: "1 line" }
        1s turn 2 ended SessionLimitReached: the session may ask the model 2 times, and has
    "#]]
    .assert_eq(&stage.turn("two").await);
}

#[tokio::test(start_paused = true)]
async fn a_server_with_a_small_window_is_not_asked_for_more_than_it_takes() {
    let used = |prompt| Usage {
        prompt,
        output: 1,
        ..Usage::default()
    };
    let script = Script::new()
        .reply(Reply::text("one").finish_with_usage("STOP", used(3_000)))
        .reply(Reply::text("two").finish_with_usage("STOP", used(5_000)))
        .reply(
            Reply::text("<state_snapshot>short</state_snapshot>")
                .finish("STOP")
                .times(2),
        )
        .reply(ok());
    let mut stage = Stage::start_with(script, |base, config| {
        let window = ContextWindow::of(8_192);
        let asked = OpenAiConfig {
            window,
            ..OpenAiConfig::new(format!("{base}/v1"), "qwen")
        };
        let asked = OpenAi::new(asked, Http::default()).unwrap();
        config.voices = OneVoice::named(Model::OpenAi(asked), "ollama:qwen".to_owned());
    })
    .await;
    stage.turn("hello").await;
    let long = stage.turn(&"word".repeat(5_193)).await;
    assert!(long.contains("room for 5192 more"), "{long}");
    assert_eq!(stage.request_count(), 1);
    stage.turn("fill it").await;
    let shown = stage.turn("and now").await;
    assert!(shown.contains("COMPRESSED 5000 -> "), "{shown}");
}

/// A local model that takes so many tokens. Instructions have a thousand of them, and tools those of their declarations.
fn local(window: u64, tools: Tools) -> impl FnOnce(&str, &mut SessionConfig, &mut Baggage) {
    move |base, config, _| {
        let asked = OpenAiConfig {
            window: ContextWindow::of(window),
            ..OpenAiConfig::new(format!("{base}/v1"), "qwen")
        };
        let asked = OpenAi::new(asked, Http::default()).unwrap();
        config.voices = OneVoice::named(Model::OpenAi(asked), "ollama:qwen".to_owned());
        config.instructions = Some(Arc::new("word".repeat(1_000)));
        if tools == Tools::None {
            config.tools = ToolSet::default();
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tools {
    None,
    BuiltIn,
}

#[tokio::test(start_paused = true)]
async fn what_goes_with_every_prompt_takes_its_part_of_a_small_window() {
    let prompt = |words: usize| "word".repeat(words);
    let table = [
        ("fits exactly", 4_096, Tools::None, Vec::new(), 3_096),
        ("one too many", 4_096, Tools::None, Vec::new(), 3_097),
        (
            "no tools would fit",
            4_096,
            Tools::BuiltIn,
            Vec::new(),
            3_096,
        ),
        ("behind a past", 4_096, Tools::None, past(2_000), 1_097),
        ("the instructions alone", 1_000, Tools::None, Vec::new(), 1),
        ("the tools alone", 1_100, Tools::BuiltIn, Vec::new(), 1),
    ];
    let mut shown = String::new();
    for (name, window, tools, history, words) in table {
        let set_up = local(window, tools);
        let script = Script::new().reply(ok().always());
        let mut stage = Stage::start_in(script, |base, config, baggage| {
            set_up(base, config, baggage);
            // What is to be seen is what fits, and not how room is made.
            config.context.compression_threshold = 2.0;
            baggage.history = history;
        })
        .await;
        let turn = stage.turn(&prompt(words)).await;
        let end = turn.lines().last().unwrap_or_default();
        shown += &format!("{name}: {} sent, {end}\n", stage.request_count());
    }
    expect![[r#"
        fits exactly: 1 sent, 0s turn 1 ended: Completed
        one too many: 0 sent, 0s turn 1 ended ContextOverflow: the prompt has about 3097 tokens, and of the 4096 that qwen takes, instructions and tools need about 1000; send less, or choose a model with a larger window
        no tools would fit: 0 sent, 0s turn 1 ended ContextOverflow: the prompt has about 3096 tokens, and of the 4096 that qwen takes, instructions and tools need about 1975; send less, or choose a model with a larger window
        behind a past: 0 sent, 0s turn 1 ended ContextOverflow: the prompt has about 1097 tokens, and of the 4096 that qwen takes there is room for 1096 more; send less, shorten the conversation with /compress, or begin a new session
        the instructions alone: 0 sent, 0s turn 1 ended ContextOverflow: qwen takes 1000 tokens, and what goes with every prompt has about 1000 already (instructions 1000, tools 0); choose a model with a larger window
        the tools alone: 0 sent, 0s turn 1 ended ContextOverflow: qwen takes 1100 tokens, and what goes with every prompt has about 1975 already (instructions 1000, tools 975); choose a model with a larger window, or give it fewer tools (tools.core in the settings)
    "#]].assert_eq(&shown);
}

/// What the provider says to a question about tokens.
fn counts(tokens: u64) -> Reply {
    Reply::json(&json!({ "totalTokens": tokens })).when_path(":countTokens")
}

#[tokio::test(start_paused = true)]
async fn a_document_that_may_be_too_long_is_counted_by_the_provider_and_others_are_not() {
    let window: u64 = 1_048_576;
    let used = |tokens| Usage {
        prompt: window - tokens,
        output: 1,
        ..Usage::default()
    };
    let document = || Attachment {
        kind: AttachmentKind::Text,
        label: "a.pdf".to_owned(),
        path: None,
        range: None,
        content: Part::InlineData(InlineData {
            mime_type: "application/pdf".to_owned(),
            data: "AAAA".to_owned(),
        }),
    };
    // What is left, what the provider counts, and how often it is asked for an answer.
    let table = [
        (300_000, None, 2),
        (200_000, Some(200_001), 1),
        (200_000, Some(199_999), 2),
    ];
    for (left, counted, answers) in table {
        let first = Reply::text("ok").finish_with_usage("STOP", used(left));
        let mut script = Script::new().reply(first);
        script = counted.into_iter().map(counts).fold(script, Script::reply);
        if answers == 2 {
            script = script.reply(ok());
        }
        let mut stage = Stage::start_with(script, uncompressed).await;
        stage.turn("hello").await;
        let prompt = Prompt {
            attachments: vec![document()].into(),
            ..Prompt::from("read it")
        };
        stage.submit(Op::Queue(prompt)).await;
        let shown = stage.until(is_end).await;
        let fits = shown.ends_with("Completed\n");
        assert_eq!(fits, answers == 2, "{shown}");
    }
}

fn past(words: usize) -> Vec<Content> {
    let answer = Content {
        role: Role::Model,
        parts: vec![Part::Text("word".repeat(words / 2))],
    };
    vec![Content::prompt("word".repeat(words / 2)), answer]
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_count_is_counted_for_instructions_and_tools_included() {
    let mut stage = Stage::start_in(Script::new().reply(ok()), |base, config, baggage| {
        local(4_096, Tools::None)(base, config, baggage);
        config.context.compression_threshold = 2.0;
    })
    .await;
    assert!(
        stage
            .turn(&"word".repeat(2_000))
            .await
            .ends_with("Completed\n")
    );
    let second = stage.turn(&"word".repeat(1_097)).await;
    assert!(second.contains("there is room for 1096 more"), "{second}");
    assert_eq!(stage.request_count(), 1);
}

/// An editor with much of a file selected.
struct Selecting(MemoryDisk);

impl Surroundings for Selecting {
    fn editor(&self) -> BoxFuture<'_, Option<EditorContext>> {
        let active = ActiveEditor {
            path: "/nowhere/a.rs".into(),
            cursor: Cursor {
                line: 1,
                character: 1,
            },
            selected_text: Some("word".repeat(3_000)),
            selected: None,
        };
        let context = EditorContext {
            active: Some(active),
            others: Vec::new(),
        };
        ready(Some(context)).boxed()
    }

    fn reading(&self) -> &dyn Reading {
        &self.0
    }
}

#[tokio::test(start_paused = true)]
async fn what_the_editor_shows_takes_its_part_too() {
    let mut stage = Stage::start_in(Script::new(), |base, config, baggage| {
        local(4_096, Tools::None)(base, config, baggage);
        config.surroundings = Some(Arc::new(Selecting(MemoryDisk::new(&[]))));
    })
    .await;
    let shown = stage.turn(&"word".repeat(500)).await;
    assert!(shown.contains("ended ContextOverflow"), "{shown}");
    assert_eq!(stage.request_count(), 0);
}
