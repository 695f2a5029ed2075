//! Rules of a folder go to the model with its first look into it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use expect_test::expect;
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, pending, ready};
use pollux_testkit::{Reply, Script, Step, Usage};
use tokio::time::{Duration, Instant};

use super::{Stage, is_end, ok, reads};
use crate::Surroundings;
use crate::api::{Event, Op, TurnId};
use crate::prompt::testing::MemoryDisk;
use crate::prompt::{
    EditorContext, Entry, FileHead, Found, ImportFormat, Memory, MemoryNames, MemorySettings,
    ReadError, Reading, Trust,
};

pub(super) fn disk() -> MemoryDisk {
    MemoryDisk::new(&[
        ("/nowhere/.git/HEAD", ""),
        ("/nowhere/GEMINI.md", "top"),
        ("/nowhere/x/GEMINI.md", "near"),
        ("/nowhere/x/y.rs", "text"),
    ])
}

async fn memory() -> Memory {
    let settings = MemorySettings {
        names: MemoryNames::new(&[]),
        boundary_markers: vec![MemorySettings::DEFAULT_BOUNDARY.to_owned()],
        import_format: ImportFormat::Tree,
        global_folder: PathBuf::from("/home/u/.gemini"),
        user_project_folder: PathBuf::from("/home/u/.gemini/tmp/p/memory"),
        extension_files: Vec::new(),
        roots: vec![PathBuf::from("/nowhere")],
        trust: Trust::Trusted,
    };
    Memory::load(&disk(), settings).await
}

pub(super) struct Around<R>(pub(super) R);

impl<R: Reading> Surroundings for Around<R> {
    fn editor(&self) -> BoxFuture<'_, Option<EditorContext>> {
        ready(None).boxed()
    }

    fn reading(&self) -> &dyn Reading {
        &self.0
    }
}

async fn stage(script: Script, reading: impl Reading + 'static) -> Stage {
    let memory = memory().await;
    let stage = Stage::start_in(script, |_, config, baggage| {
        config.surroundings = Some(Arc::new(Around(reading)));
        baggage.memory = Some(memory);
    })
    .await;
    stage.files.set("x/y.rs", "text\n");
    stage
}

/// How often the rules of the folder are in a request.
fn told(stage: &Stage, order: usize) -> usize {
    let body = stage.server.requests()[order - 1].json().to_string();
    body.matches("Context from: /nowhere/x/GEMINI.md ---\\nnear")
        .count()
}

#[tokio::test(start_paused = true)]
async fn b10_the_first_look_into_a_folder_brings_its_rules_and_the_second_does_not() {
    let script = Script::new()
        .reply(reads("x/y.rs", "1"))
        .reply(reads("x/y.rs", "2"))
        .reply(ok());
    let mut stage = stage(script, disk()).await;
    stage.turn("look").await;
    let body = stage.server.requests()[2].json();
    let contents = body["contents"].as_array().unwrap();
    let outputs = contents.iter().filter_map(|content| {
        let response = &content["parts"][0]["functionResponse"]["response"];
        response["output"].as_str().map(str::to_owned)
    });
    let outputs: Vec<String> = outputs.collect();
    expect![[r#"
        text


        --- Newly Discovered Project Context ---
        --- Context from: /nowhere/x/GEMINI.md ---
        near
        --- End of Context from: /nowhere/x/GEMINI.md ---
        --- End Project Context ---=====
        text
    "#]]
    .assert_eq(&outputs.join("=====\n"));
}

#[tokio::test(start_paused = true)]
async fn what_is_taken_back_is_told_again() {
    // A turn that was stopped, and one that was gone back to before.
    let silent = Reply::new().before_headers(Step::Stall);
    let script = Script::new()
        .reply(reads("x/y.rs", "1"))
        .reply(silent)
        .reply(reads("x/y.rs", "1"))
        .reply(ok())
        .reply(reads("x/y.rs", "1"))
        .reply(ok());
    let mut stage = stage(script, disk()).await;
    stage.submit(Op::Queue("look".into())).await;
    stage
        .until(|event| matches!(event, Event::ToolEnded { .. }))
        .await;
    stage.submit(Op::CancelTurn).await;
    stage.until(is_end).await;
    stage.turn("look").await;
    let turn = TurnId(2);
    stage.submit(Op::Rewind { turn }).await;
    stage.turn("look").await;
    let requests = stage.request_count();
    let with_results: Vec<usize> = (1..=requests).map(|order| told(&stage, order)).collect();
    assert_eq!(with_results.last(), Some(&1), "{with_results:?}");
    assert_eq!(with_results.iter().sum::<usize>(), 3, "{with_results:?}");
}

#[tokio::test(start_paused = true)]
async fn a_summary_takes_the_rules_away_and_the_next_look_brings_them_back() {
    let crowded = Usage {
        prompt: 630_000,
        output: 1,
        ..Usage::default()
    };
    let summary = Reply::text("<state_snapshot>short</state_snapshot>").finish("STOP");
    let script = Script::new()
        .reply(reads("x/y.rs", "1"))
        .reply(Reply::text("long").finish_with_usage("STOP", crowded))
        .reply(summary.when_path(":generateContent").times(2))
        .reply(reads("x/y.rs", "2"))
        .reply(ok());
    let mut stage = stage(script, disk()).await;
    stage.turn("look").await;
    stage.turn("look again").await;
    assert_eq!((told(&stage, 5), told(&stage, 6)), (0, 1));
}

/// A disk that does not answer about one folder.
struct Stuck(MemoryDisk);

impl Stuck {
    fn unless_stuck<'a, T: Send + 'a>(
        path: &Path,
        found: BoxFuture<'a, Result<T, ReadError>>,
    ) -> BoxFuture<'a, Result<T, ReadError>> {
        match path.starts_with("/nowhere/x") {
            true => pending().boxed(),
            false => found,
        }
    }
}

impl Reading for Stuck {
    fn head<'a>(
        &'a self,
        path: &'a Path,
        limit: usize,
    ) -> BoxFuture<'a, Result<FileHead, ReadError>> {
        Self::unless_stuck(path, self.0.head(path, limit))
    }

    fn list<'a>(
        &'a self,
        folder: &'a Path,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Entry>, ReadError>> {
        Self::unless_stuck(folder, self.0.list(folder, limit))
    }

    fn look<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Found, ReadError>> {
        Self::unless_stuck(path, self.0.look(path))
    }
}

#[tokio::test(start_paused = true)]
async fn a_folder_whose_rules_cannot_be_read_is_left_with_a_stop() {
    let mut stage = stage(Script::new().reply(reads("x/y.rs", "1")), Stuck(disk())).await;
    stage.submit(Op::Queue("look".into())).await;
    stage
        .until(|event| matches!(event, Event::ToolStarted { .. }))
        .await;
    let stopped = Instant::now();
    stage.submit(Op::CancelTurn).await;
    let shown = stage.until(is_end).await;
    assert!(shown.ends_with("Cancelled\n"), "{shown}");
    assert!(stopped.elapsed() < Duration::from_millis(100));
}
