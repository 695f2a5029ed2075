//! Old outputs leave the conversation for files, through a whole session, and nothing else of it changes.

use std::sync::{Arc, Mutex};

use pollux_model::Content;
use pollux_testkit::{Call, Reply, Script};
use serde_json::json;

use super::shapes::Shape;
use super::{Stage, ok};
use crate::testing::{MemoryFiles, MemoryScratch};
use crate::{Baggage, Entry, Journal, OneVoice};

/// As many lines as one call shows, and more than half of what is protected.
fn long(word: &str) -> String {
    let line = format!("{word} {}\n", "x".repeat(90));
    line.repeat(1_500)
}

fn reading(path: &str, id: &str) -> Reply {
    let call = Call::new("read_file", json!({ "file_path": path }));
    Reply::new()
        .call(call.id(id).thought_signature("signed"))
        .finish("STOP")
}

/// Keeps the history that counts in the record.
#[derive(Clone, Default)]
struct Replaced(Arc<Mutex<Vec<Content>>>);

impl Journal for Replaced {
    fn record(&mut self, entry: Entry<'_>) {
        if let Entry::Replaced { history } = entry {
            *self.0.lock().unwrap() = history.to_vec();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn old_outputs_are_masked_in_the_next_request_and_the_rest_stays() {
    for shape in Shape::BOTH {
        let scratch = MemoryScratch::shared();
        let recorded = Replaced::default();
        let names = ["a", "b", "c", "d"];
        let script = names.iter().fold(Script::new(), |script, name| {
            script
                .reply(reading(&format!("{name}.txt"), name))
                .reply(ok())
        });
        let files: Vec<(String, String)> = names
            .iter()
            .map(|name| (format!("{name}.txt"), long(name)))
            .collect();
        let files: Vec<(&str, &str)> = files
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str()))
            .collect();
        let (kept, journal) = (Arc::clone(&scratch), recorded.clone());
        let mut stage = Stage::start_in(script, |base, config, baggage: &mut Baggage| {
            config.voices = OneVoice::shared(shape.model(base));
            config.files = MemoryFiles::new(&files);
            config.context.scratch = Some(kept);
            config.context.session = Some("s".to_owned());
            baggage.journal = Box::new(journal);
        })
        .await;
        for name in names {
            let shown = stage.turn(&format!("read {name}")).await;
            assert!(shown.ends_with("Completed\n"), "{shown}");
        }
        let masked = |order: usize| {
            let sent = shape.said(&stage, order);
            let masked = sent.matches("<tool_output_masked>").count();
            // Every prompt, call and answer is there, each once and in order, whatever became of the outputs.
            let asked = order.div_ceil(2);
            for name in names.iter().take(asked) {
                assert_eq!(
                    sent.matches(&format!("\"read {name}\"")).count(),
                    1,
                    "{sent}"
                );
                let calls = sent.matches("read_file").count();
                assert!(calls >= asked - usize::from(order % 2 == 1), "{calls}");
            }
            masked
        };
        let counts: Vec<usize> = (1..=8).map(masked).collect();
        assert!(counts.is_sorted(), "{counts:?}");
        assert_eq!(counts.first(), Some(&0));
        let last = *counts.last().unwrap();
        assert!(last > 0, "{counts:?}");

        // Nothing is lost: each masked output lies in a file, whole, and the newest one is not masked.
        let saved = scratch.sizes();
        assert_eq!(saved.len(), last, "{saved:?}");
        for (name, bytes) in &saved {
            assert!(
                name.starts_with("tool-outputs/session-s/read_file_"),
                "{name}"
            );
            assert!(*bytes > long("a").len(), "{name}: {bytes}");
        }
        let sent = shape.said(&stage, 8);
        assert!(sent.contains(&format!("d {}", "x".repeat(90))));
        let recorded = format!("{:?}", recorded.0.lock().unwrap());
        assert_eq!(recorded.matches("<tool_output_masked>").count(), last);
        assert!(recorded.contains("read a"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_summary_takes_the_place_of_what_is_old_in_chat_completions_too() {
    let usage = pollux_testkit::Usage {
        prompt: 630_000,
        output: 1,
        ..pollux_testkit::Usage::default()
    };
    let snapshot = || Reply::text("<state_snapshot>s</state_snapshot>").finish("STOP");
    for shape in Shape::BOTH {
        let script = Script::new()
            .reply(ok())
            .reply(Reply::text("done").finish_with_usage("STOP", usage))
            .reply(snapshot().times(2))
            .reply(ok())
            .reply(ok());
        let mut stage = shape.stage(script).await;
        stage.turn("one").await;
        stage.turn("two").await;
        let shown = stage.turn("three").await;
        assert!(shown.contains("COMPRESSED 630000 -> "), "{shown}");
        stage.turn("four").await;
        let sent = shape.said(&stage, 6);
        let model = match shape {
            Shape::Gemini => "model",
            Shape::ChatCompletions => "assistant",
        };
        let expected = format!(
            "user: \"<state_snapshot>s</state_snapshot>\"\n\
             {model}: \"Got it. Thanks for the additional context!\"\n\
             user: \"three\"\n{model}: \"ok\"\nuser: \"four\"\n"
        );
        assert_eq!(sent, expected);
    }
}
