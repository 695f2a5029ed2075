//! Edits that wait for a decision are hunks like any other.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use pollux_agent::api::{
    AllEdits, ApprovalMode, CallId, Event, Proposal, ProposalId, Refusal, Target,
};
use pollux_agent::{
    Baggage, ClosedGate, ContextOptions, EditOrigin, FileError, Files, LoopDetection, OneVoice,
    Session, SessionConfig, SessionHandle, ToolSet, WorkspacePath, Written,
};
use pollux_model::{Demo, Model, Pace};
use tokio::sync::mpsc;

use crate::reviews::testing::{ROOT, Stage, key, turn};
use crate::{Asked, Asker, Input, OpenQuestion, ReviewCommand, Scope};

const BASE: &str = "a\nb\nc\nd\ne\n";
const PROPOSED: &str = "a\nB\nc\nd\nE\n";

struct NoFiles;

impl Files for NoFiles {
    fn read<'a>(&'a self, _: &'a WorkspacePath) -> BoxFuture<'a, Result<String, FileError>> {
        Box::pin(async { Err(FileError::NotFound) })
    }

    fn read_bytes<'a>(
        &'a self,
        _: &'a WorkspacePath,
        _: u64,
    ) -> BoxFuture<'a, Result<Vec<u8>, FileError>> {
        Box::pin(async { Err(FileError::NotFound) })
    }

    fn write<'a>(
        &'a self,
        _: &'a WorkspacePath,
        _: &'a str,
        _: &'a str,
        _: &'a EditOrigin,
    ) -> BoxFuture<'a, Result<Written, FileError>> {
        Box::pin(async { Err(FileError::NotFound) })
    }

    fn create<'a>(
        &'a self,
        _: &'a WorkspacePath,
        _: &'a str,
        _: &'a EditOrigin,
    ) -> BoxFuture<'a, Result<Written, FileError>> {
        Box::pin(async { Err(FileError::NotFound) })
    }
}

/// A session that only hears. It refuses every decision, and so tells that one has come.
fn session() -> (SessionHandle, mpsc::Receiver<Event>) {
    let config = SessionConfig {
        voices: OneVoice::shared(Model::Demo(Demo::new(Pace::Instant))),
        files: Arc::new(NoFiles),
        surroundings: None,
        root: PathBuf::from(ROOT),
        places: Vec::new(),
        instructions: None,
        opening: Vec::new(),
        continuation_limit: SessionConfig::CONTINUATION_LIMIT,
        turn_limit: None,
        loop_detection: LoopDetection::Off,
        tools: ToolSet::default(),
        gate: Arc::new(ClosedGate),
        hooks: pollux_agent::Hooks::default(),
        mode: ApprovalMode::Default,
        context: ContextOptions::default(),
        commands: None,
    };
    Session::start(config, Baggage::default())
}

fn question(handle: &SessionHandle) -> OpenQuestion {
    let proposal = Proposal {
        id: ProposalId(7),
        call: CallId::new("call"),
        path: WorkspacePath::new(Path::new(ROOT), "x").unwrap(),
        target: Target::File,
        base: BASE.into(),
        proposed: PROPOSED.into(),
        hunks: pollux_text::hunks(BASE, PROPOSED).into(),
        above: 0,
        all_edits: AllEdits::NotOffered,
    };
    OpenQuestion {
        session: turn(1).session,
        asker: Asker::Session,
        folder: PathBuf::from(ROOT),
        handle: handle.clone(),
        asked: Asked::Edit(Arc::new(proposal)),
    }
}

#[tokio::test(start_paused = true)]
async fn a_proposal_is_decided_hunk_by_hunk_and_then_the_session_is_told() {
    let stage = Stage::new(&[("x", BASE)]);
    let (handle, mut events) = session();
    stage
        .lease
        .inbox()
        .post(Input::Asked(vec![question(&handle)]));
    assert_eq!(
        stage.hunks("x").await,
        "Changed\n1..2 proposed: \"b\\n\" -> \"B\\n\"\n4..5 proposed: \"e\\n\" -> \"E\\n\""
    );
    let first = stage.hunk("x", 0).await;
    stage.order(ReviewCommand::Keep(first.clone())).await;
    assert_eq!(
        stage.order(ReviewCommand::Keep(first)).await,
        "the hunks have changed meanwhile; look at them again"
    );
    assert_eq!(
        stage.hunks("x").await,
        "Changed\n4..5 proposed: \"e\\n\" -> \"E\\n\""
    );
    events.try_recv().unwrap_err();
    assert_eq!(
        stage
            .order(ReviewCommand::Reject(Scope::File(key("x"))))
            .await,
        "Rejected a hunk in a file."
    );
    assert_eq!(
        events.recv().await,
        Some(Event::OpRefused(Refusal::NoTurnIsRunning))
    );
    assert_eq!(stage.hunks("x").await, "nothing");
    assert_eq!(stage.disk.text("x").unwrap(), BASE);
}

#[tokio::test(start_paused = true)]
async fn a_proposal_moves_with_the_text_and_vanishes_when_it_is_decided_elsewhere() {
    let stage = Stage::new(&[("x", BASE)]);
    let (handle, _events) = session();
    let mut editor = stage.editor(1);
    editor.open("x", BASE);
    let asked = Input::Asked(vec![question(&handle)]);
    stage.lease.inbox().post(asked);
    assert!(stage.hunks("x").await.contains("1..2 proposed"));
    editor.types("x", 0, "top\n");
    assert!(stage.hunks("x").await.contains("2..3 proposed"));
    stage.lease.inbox().post(Input::Asked(Vec::new()));
    assert_eq!(stage.hunks("x").await, "nothing");
}
