//! What commands change reaches the model, the person and whoever reviews it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_agent::api::{Event, Op, ToolOutcome, TurnId};
use pollux_agent::{
    ChangedFile, Changes, Content, FileThen, ShellChanges, ShellOrigin, ShellWatch, Upcoming,
    Watching,
};
use serde_json::json;
use tokio::sync::mpsc;

use crate::support::{Stage, Wishes, in_time, inner};

const TOOL: &str = "run_shell_command";

/// Sees new files of one folder, which is enough here.
struct NewFiles;

struct Names(PathBuf, BTreeSet<PathBuf>);

fn names(folder: &Path) -> BTreeSet<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

impl ShellWatch for NewFiles {
    fn before<'a>(&'a self, command: Upcoming<'a>) -> BoxFuture<'a, Option<Box<dyn Watching>>> {
        let before = Names(command.folder.to_owned(), names(command.folder));
        async { Some(Box::new(before) as Box<dyn Watching>) }.boxed()
    }
}

impl Watching for Names {
    fn after(self: Box<Self>) -> BoxFuture<'static, Changes> {
        let new = &names(&self.0) - &self.1;
        let files = new.into_iter().map(|path| ChangedFile {
            path,
            moved_from: None,
            before: None,
            after: Some(FileThen {
                content: Content::Bytes(Arc::default()),
                mode: 0o644,
            }),
        });
        let changes = Changes {
            files: files.collect(),
            not_reversible: Vec::new(),
        };
        async { changes }.boxed()
    }
}

struct Absorbed(mpsc::UnboundedSender<(ShellOrigin, Arc<Changes>)>);

impl ShellChanges for Absorbed {
    fn absorb<'a>(&'a self, origin: ShellOrigin, changes: Arc<Changes>) -> BoxFuture<'a, ()> {
        self.0.send((origin, changes)).unwrap();
        async {}.boxed()
    }
}

async fn stage(
    args: serde_json::Value,
) -> (Stage, mpsc::UnboundedReceiver<(ShellOrigin, Arc<Changes>)>) {
    let (tx, rx) = mpsc::unbounded_channel();
    let wishes = Wishes {
        watch: Arc::new(NewFiles),
        changes: Arc::new(Absorbed(tx)),
        ..Wishes::default()
    };
    (Stage::start(wishes, &[&[(TOOL, args)]]).await, rx)
}

#[tokio::test]
async fn what_a_command_changed_is_told_and_handed_on() {
    let (mut stage, mut absorbed) = stage(json!({ "command": "touch made; echo hi" })).await;
    stage.turn().await;
    let result = stage.result(1);
    assert_eq!(inner(result.output()), "Output: hi\nChanged: made (new)");
    let summary = "done, 1 line of output, 1 file changed".to_owned();
    assert_eq!(result.outcome, ToolOutcome::Succeeded { summary });
    let (origin, changes) = absorbed.try_recv().unwrap();
    assert_eq!(
        (origin.turn, origin.call.to_string()),
        (TurnId(1), "1".to_owned())
    );
    assert_eq!(changes.files[0].path, stage.root().join("made"));
}

#[tokio::test]
async fn a_command_that_is_stopped_has_changed_what_it_has() {
    let command = "touch made; echo ready; tail -f /dev/null";
    let (mut stage, mut absorbed) = stage(json!({ "command": command })).await;
    stage.submit(Op::Queue("go".into())).await;
    let printed = |event| matches!(event, Event::ToolPrinted { .. }).then_some(());
    stage.next(printed).await;
    stage.submit(Op::CancelTurn).await;
    let ended = |event| matches!(event, Event::TurnEnded { .. }).then_some(());
    stage.next(ended).await;
    let (_, changes) = absorbed.try_recv().unwrap();
    assert_eq!(changes.files[0].path, stage.root().join("made"));
}

#[tokio::test]
async fn a_command_in_the_background_is_watched_until_its_turn_ends() {
    let args = json!({ "command": "touch made; tail -f /dev/null", "is_background": true, "delay_ms": 500 });
    let (mut stage, mut absorbed) = stage(args).await;
    stage.turn().await;
    let (origin, changes) = in_time(absorbed.recv()).await.unwrap();
    assert_eq!(origin.turn, TurnId(1));
    assert_eq!(changes.files[0].path, stage.root().join("made"));
}

#[tokio::test]
async fn a_command_that_changes_nothing_hands_on_nothing() {
    let (mut stage, mut absorbed) = stage(json!({ "command": "echo hi" })).await;
    stage.turn().await;
    assert_eq!(inner(stage.result(1).output()), "Output: hi");
    assert!(absorbed.try_recv().is_err());
}
