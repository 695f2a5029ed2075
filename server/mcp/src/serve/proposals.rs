//! The edits that clients have proposed.
//!
//! Each is a question of a guest to the room, shown and decided like any proposed edit. What a person keeps is put into the
//! file by the room; the client never writes. An edit waits for its person even when the client that proposed it has gone,
//! and a decision is remembered for whoever knows the id and asks later.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pollux_agent::api::{
    AllEdits, Answer, CallId, Decision, Op, Proposal as Shown, ProposalId, Target, TurnId,
};
use pollux_agent::{SessionHandle, Standing};
use pollux_text::{Hunk, hunks, keep_only};
use pollux_workspace::{
    AgentChange, AgentEdit, Asked, Asker, Input, OpenQuestion, OpenRoom, Origin, SessionId,
    Sessions,
};
use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;
use tracing::info;
use uuid::Uuid;

use crate::companion::place::Place;
use crate::companion::room::Room;

/// Of all clients. Each may hold a large file twice.
const MOST_OPEN: usize = 32;

/// So many are remembered once they are decided.
const MOST_DECIDED: usize = 64;

/// All edits of a host.
pub struct Proposals {
    sessions: Arc<Sessions>,
    /// Names the asker in the room.
    asker: SessionId,
    numbers: AtomicU64,
    table: Mutex<VecDeque<Arc<Proposal>>>,
}

/// An edit, and what has become of it.
pub(super) struct Proposal {
    /// The client's name for it. Nobody else can guess it.
    pub(super) id: String,
    number: ProposalId,
    room: Room,
    place: Place,
    target: Target,
    base: String,
    proposed: String,
    hunks: Arc<[Hunk]>,
    decided: watch::Sender<Option<Outcome>>,
}

/// What has become of an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) verdict: Verdict,
    pub(super) kept: usize,
    pub(super) rejected: usize,
    /// Why the file does not have what was kept, or that parts of it are conflicts.
    pub(super) note: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Verdict {
    /// Every hunk is kept and in the file.
    Kept,
    /// Some hunks are kept and in the file, the others are not.
    KeptInPart,
    /// Nothing of it is in the file.
    Rejected,
    /// A person has kept it, but the file could not take it.
    NotApplied,
    /// The editor was closed before anybody decided.
    Withdrawn,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum NotProposed {
    #[error("the text is the same as before; there is nothing to propose")]
    NoChange,
    #[error(
        "too many edits wait for a decision already, at most {MOST_OPEN} do; wait for one of them first"
    )]
    TooMany,
    #[error("it changes {0} files; a person can be asked about {MOST_OPEN} at once")]
    TooLarge(usize),
}

/// What a client wants of a file.
pub(super) struct Wish {
    pub(super) room: Room,
    pub(super) place: Place,
    /// Nothing when there is no such file yet.
    pub(super) base: Option<String>,
    pub(super) proposed: String,
}

impl Proposals {
    pub fn new(sessions: Arc<Sessions>) -> Self {
        let asker = format!("mcp-{}", Uuid::new_v4());
        Self {
            sessions,
            asker: asker.as_str().into(),
            numbers: AtomicU64::new(1),
            table: Mutex::default(),
        }
    }

    /// Shows an edit, and waits for nobody.
    pub(super) fn propose(
        self: &Arc<Self>,
        wish: Wish,
        client: &str,
        rooms: &watch::Receiver<Arc<[OpenRoom]>>,
    ) -> Result<Arc<Proposal>, NotProposed> {
        let proposal = self.proposal(wish)?;
        self.enter(std::slice::from_ref(&proposal))?;
        self.show(&proposal, client, rooms);
        Ok(proposal)
    }

    /// Shows the edits of several files, or none of them.
    pub(super) fn propose_all(
        self: &Arc<Self>,
        wishes: Vec<Wish>,
        client: &str,
        rooms: &watch::Receiver<Arc<[OpenRoom]>>,
    ) -> Result<Vec<Arc<Proposal>>, NotProposed> {
        if wishes.len() > MOST_OPEN {
            return Err(NotProposed::TooLarge(wishes.len()));
        }
        let proposals = wishes.into_iter().map(|wish| self.proposal(wish));
        let proposals: Vec<Arc<Proposal>> = proposals.collect::<Result<_, _>>()?;
        self.enter(&proposals)?;
        for proposal in &proposals {
            self.show(proposal, client, rooms);
        }
        Ok(proposals)
    }

    fn proposal(&self, wish: Wish) -> Result<Arc<Proposal>, NotProposed> {
        let target = match wish.base {
            Some(_) => Target::File,
            None => Target::NewFile,
        };
        let base = wish.base.unwrap_or_default();
        let hunks: Arc<[Hunk]> = hunks(&base, &wish.proposed).into();
        if hunks.is_empty() {
            return Err(NotProposed::NoChange);
        }
        Ok(Arc::new(Proposal {
            id: Uuid::new_v4().to_string(),
            number: ProposalId(self.numbers.fetch_add(1, Ordering::Relaxed)),
            room: wish.room,
            place: wish.place,
            target,
            base,
            proposed: wish.proposed,
            hunks,
            decided: watch::Sender::new(None),
        }))
    }

    /// Takes them all into the table, or none.
    fn enter(&self, proposals: &[Arc<Proposal>]) -> Result<(), NotProposed> {
        let mut table = self.lock();
        let open = table.iter().filter(|one| one.is_open()).count();
        if open + proposals.len() > MOST_OPEN {
            return Err(NotProposed::TooMany);
        }
        for proposal in proposals {
            while table.len() >= MOST_DECIDED + MOST_OPEN {
                let Some(oldest) = table.iter().position(|one| !one.is_open()) else {
                    break;
                };
                table.remove(oldest);
            }
            table.push_back(Arc::clone(proposal));
        }
        Ok(())
    }

    fn show(
        self: &Arc<Self>,
        proposal: &Arc<Proposal>,
        client: &str,
        rooms: &watch::Receiver<Arc<[OpenRoom]>>,
    ) {
        let asking = Arc::clone(self).ask(Arc::clone(proposal), client.into(), rooms.clone());
        tokio::spawn(asking);
    }

    pub(super) fn get(&self, id: &str) -> Option<Arc<Proposal>> {
        self.lock().iter().find(|one| one.id == id).cloned()
    }

    /// How many of an edit's hunks are decided already.
    pub(super) async fn decided_so_far(&self, proposal: &Proposal) -> usize {
        let so_far = proposal
            .room
            .decisions_so_far(self.asker.clone(), proposal.number)
            .await;
        so_far.map_or(0, |decisions| decisions.iter().flatten().count())
    }

    async fn ask(
        self: Arc<Self>,
        proposal: Arc<Proposal>,
        client: Arc<str>,
        rooms: watch::Receiver<Arc<[OpenRoom]>>,
    ) {
        let (ops, decided) = mpsc::channel(4);
        let question = self.sessions.ask(OpenQuestion {
            session: self.asker.clone(),
            asker: Asker::Guest(client),
            folder: proposal.place.at.root.clone(),
            handle: SessionHandle::of(ops),
            asked: Asked::Edit(Arc::new(proposal.shown())),
        });
        let decisions = tokio::select! {
            decisions = answer(decided, proposal.hunks.len()) => Some(decisions),
            () = deserted(rooms, &proposal.place) => None,
        };
        // It is taken from the editor's list before its text gets into the file.
        drop(question);
        let outcome = match decisions {
            Some(decisions) => self.carry_out(&proposal, &decisions).await,
            None => Outcome::without_effect(Verdict::Withdrawn, 0),
        };
        info!(verdict = ?outcome.verdict, "an edit of a client is decided");
        proposal.decided.send_replace(Some(outcome));
    }

    /// Puts what is kept into the file, as an edit of the room.
    async fn carry_out(&self, proposal: &Proposal, decisions: &[Decision]) -> Outcome {
        let kept = decisions
            .iter()
            .filter(|decision| **decision == Decision::Keep)
            .count();
        let rejected = proposal.hunks.len().saturating_sub(kept);
        if kept == 0 {
            return Outcome::without_effect(Verdict::Rejected, rejected);
        }
        let text = keep_only(&proposal.base, &proposal.proposed, decisions);
        let change = match proposal.target {
            Target::NewFile => AgentChange::Create { text: text.into() },
            Target::File => AgentChange::Edit {
                read: proposal.base.as_str().into(),
                proposed: text.into(),
            },
        };
        let (reply, written) = oneshot::channel();
        proposal.room.post(Input::AgentEdit(Box::new(AgentEdit {
            key: proposal.place.key.clone(),
            at: proposal.place.at.clone(),
            path: proposal.place.path.as_path().to_owned(),
            origin: Origin {
                session: self.asker.clone(),
                turn: TurnId(proposal.number.0),
            },
            call: CallId::new("propose_edit"),
            standing: Standing::Kept,
            change,
            reply,
            cancel: CancellationToken::new(),
        })));
        let (verdict, note) = match written.await {
            Ok(Ok(written)) => {
                let verdict = match rejected {
                    0 => Verdict::Kept,
                    _ => Verdict::KeptInPart,
                };
                let conflicts = written.conflicts.len();
                let note = (conflicts > 0).then(|| {
                    format!("{conflicts} places are conflicts with what the person typed; theirs is in the file")
                });
                (verdict, note)
            }
            Ok(Err(error)) => (Verdict::NotApplied, Some(error.to_string())),
            Err(_) => (
                Verdict::NotApplied,
                Some("the workspace has been closed".to_owned()),
            ),
        };
        Outcome {
            verdict,
            kept,
            rejected,
            note,
        }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Arc<Proposal>>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Outcome {
    fn without_effect(verdict: Verdict, rejected: usize) -> Self {
        Self {
            verdict,
            kept: 0,
            rejected,
            note: None,
        }
    }
}

impl Proposal {
    pub(super) fn hunks(&self) -> usize {
        self.hunks.len()
    }

    pub(super) fn room(&self) -> &Room {
        &self.room
    }

    pub(super) fn outcome(&self) -> watch::Receiver<Option<Outcome>> {
        self.decided.subscribe()
    }

    fn is_open(&self) -> bool {
        self.decided.borrow().is_none()
    }

    fn shown(&self) -> Shown {
        Shown {
            id: self.number,
            call: CallId::new("propose_edit"),
            path: self.place.path.clone(),
            target: self.target,
            base: self.base.as_str().into(),
            proposed: self.proposed.as_str().into(),
            hunks: Arc::clone(&self.hunks),
            above: 0,
            all_edits: AllEdits::NotOffered,
        }
    }
}

/// What a person says, hunk by hunk or about all of them. Nothing is as good as a no.
async fn answer(mut decided: mpsc::Receiver<Op>, hunks: usize) -> Vec<Decision> {
    loop {
        match decided.recv().await {
            Some(Op::Decide { decisions, .. }) => return decisions,
            Some(Op::Answer {
                answer: Answer::Allow,
                ..
            }) => return vec![Decision::Keep; hunks],
            Some(Op::Answer { .. } | Op::AbandonTurn | Op::CancelTurn) | None => return Vec::new(),
            Some(_) => {}
        }
    }
}

/// No editor has the folder open any more, so nobody can decide.
async fn deserted(mut rooms: watch::Receiver<Arc<[OpenRoom]>>, place: &Place) {
    let is_empty = |open: &Arc<[OpenRoom]>| {
        let mut roots = open.iter().flat_map(|room| &room.roots);
        !roots.any(|root| *root == place.at.root)
    };
    let _host_has_ended = rooms.wait_for(is_empty).await;
}
