//! What a session is told about its hunks, by this host and by the next.

use pollux_agent::api::HunkCounts;
use tokio::sync::mpsc;

use crate::reviews::testing::{MemoryDisk, Stage, key, turn};
use crate::{HunkName, Input, ReviewCommand, Scope, Side};

const BEFORE: &str = "a\nb\nc\nd\ne\nf\ng\n";
const AFTER: &str = "A\nb\nC\nd\nE\nf\nG\n";

struct Told(mpsc::UnboundedReceiver<HunkCounts>);

impl Told {
    fn by(stage: &Stage) -> Self {
        let (listener, told) = mpsc::unbounded_channel();
        let session = turn(1).session;
        let listens = Input::ListenToDecisions { session, listener };
        stage.lease.inbox().post(listens);
        Self(told)
    }

    /// The turn, and what is kept, rejected and pending of it in `x`.
    async fn next(&mut self) -> (u64, usize, usize, usize) {
        let counts = self.counts().await;
        let turn = counts.turn.0;
        (turn, counts.kept, counts.rejected, counts.pending)
    }

    async fn counts(&mut self) -> HunkCounts {
        loop {
            let counts = self.0.recv().await.unwrap();
            if counts.path == "x" {
                return counts;
            }
        }
    }
}

#[tokio::test]
async fn the_next_host_counts_on() {
    let (disk, records) = (MemoryDisk::empty(), tempfile::tempdir().unwrap());
    disk.put("x", BEFORE);
    let stage = Stage::recording(&disk, records.path());
    let mut told = Told::by(&stage);
    stage.edit("x", BEFORE, AFTER).await.unwrap().unwrap();
    for command in [
        ReviewCommand::Keep,
        ReviewCommand::Reject,
        ReviewCommand::Keep,
    ] {
        let hunk = stage.hunk("x", 0).await;
        stage.order(command(hunk)).await;
        stage.is_at_rest().await;
    }
    // The record names decisions in order: with this edit it has named those before.
    stage.create("y", "1\n").await.unwrap().unwrap();
    stage.order(ReviewCommand::Undo).await;
    stage.is_at_rest().await;
    let mut last = Vec::new();
    for _ in 0..4 {
        last.push(told.next().await);
    }
    let counts = [(1, 1, 0, 3), (1, 1, 1, 2), (1, 2, 1, 1), (1, 1, 1, 2)];
    assert_eq!(last, counts);
    stage.ends(records.path()).await;

    let stage = Stage::recording(&disk, records.path());
    let mut told = Told::by(&stage);
    assert_eq!(told.next().await, (1, 1, 1, 2));
    stage.order(ReviewCommand::Reject(Scope::Everything)).await;
    stage.is_at_rest().await;
    assert_eq!(told.next().await, (1, 1, 3, 0));
    stage.ends(records.path()).await;

    // Also when somebody listens who comes after the record has been read, and when nothing is left to decide.
    let stage = Stage::recording(&disk, records.path());
    stage.edit("other", "", "").await.unwrap().unwrap();
    let mut told = Told::by(&stage);
    assert_eq!(told.next().await, (1, 1, 3, 0));
}

#[tokio::test]
async fn a_conflict_counts_as_one_until_it_is_settled_and_again_when_that_is_undone() {
    let stage = Stage::new(&[("x", "mine\nb\nc\nd\ne\nf\ng\n")]);
    let mut told = Told::by(&stage);
    stage.edit("x", BEFORE, AFTER).await.unwrap().unwrap();
    stage.order(ReviewCommand::Keep(Scope::Everything)).await;
    stage.is_at_rest().await;
    let waits = HunkCounts {
        turn: turn(1).turn,
        path: "x".to_owned(),
        kept: 3,
        rejected: 0,
        pending: 1,
        conflicts: 1,
    };
    assert_eq!(told.counts().await, waits);
    let revision = stage.review_of("x").await.unwrap().revision;
    let settle = ReviewCommand::Settle {
        key: key("x"),
        name: HunkName { revision, index: 0 },
        side: Side::Theirs,
    };
    stage.order(settle).await;
    stage.is_at_rest().await;
    let settled = HunkCounts {
        kept: 4,
        pending: 0,
        conflicts: 0,
        ..waits.clone()
    };
    assert_eq!(told.counts().await, settled);
    stage.order(ReviewCommand::Undo).await;
    stage.is_at_rest().await;
    assert_eq!(told.counts().await, waits);
}

#[tokio::test]
async fn an_empty_file_is_counted_as_something_to_decide_about() {
    let (disk, records) = (MemoryDisk::empty(), tempfile::tempdir().unwrap());
    let stage = Stage::recording(&disk, records.path());
    let mut told = Told::by(&stage);
    stage.create("x", "").await.unwrap().unwrap();
    let hunk = stage.hunk("x", 0).await;
    stage.order(ReviewCommand::Keep(hunk)).await;
    stage.is_at_rest().await;
    assert_eq!(told.next().await, (1, 1, 0, 0));
    stage.order(ReviewCommand::Undo).await;
    stage.is_at_rest().await;
    assert_eq!(told.next().await, (1, 0, 0, 1));
    stage.ends(records.path()).await;

    let stage = Stage::recording(&disk, records.path());
    let mut told = Told::by(&stage);
    assert_eq!(told.next().await, (1, 0, 0, 1));
}
