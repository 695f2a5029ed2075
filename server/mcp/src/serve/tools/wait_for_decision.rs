//! `wait_for_decision`

use std::time::Duration;

use rmcp::model::{ProgressNotificationParam, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::{Call, Effect, Failure};
use crate::serve::proposals::{Outcome, Proposal, Verdict};

pub(super) const NAME: &str = "wait_for_decision";

/// A client gives up on a call that says nothing for a minute.
const BEAT: Duration = Duration::from_secs(10);

const PATIENCE: Duration = Duration::from_secs(10 * 60);
const MOST_PATIENCE: Duration = Duration::from_secs(60 * 60);

/// Where nothing is said meanwhile. A session by a port ends after five silent minutes.
const SILENT_PATIENCE: Duration = Duration::from_secs(4 * 60);

#[derive(Deserialize, JsonSchema)]
pub(super) struct Arguments {
    /// What `propose_edit` returned.
    id: String,
    /// How long to wait at most; 600 if it is not given, 240 for a client that takes no progress. With 0 the state is told
    /// at once.
    timeout_seconds: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Answer {
    state: State,
    /// Hunks that are in the file now.
    kept: usize,
    rejected: usize,
    /// Hunks that nobody has decided about yet.
    open: usize,
    /// What else there is to know.
    note: Option<String>,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    /// The person has not decided about all of it yet; ask again.
    Waiting,
    #[serde(untagged)]
    Decided(Verdict),
}

pub(super) fn tool() -> Tool {
    super::tool::<Arguments, Answer>(
        NAME,
        "Wait for a decision",
        "Waits until the person has decided about a proposed edit, and tells what became of it. Reports progress while it \
         waits, and can be cancelled; the edit stays open then.",
        &Effect::Reads,
    )
}

pub(super) async fn run(call: &Call<'_>, arguments: Arguments) -> Result<Answer, Failure> {
    let proposals = &call.front.proposals;
    let proposal = proposals.get(&arguments.id).ok_or_else(|| {
        Failure::Said("there is no edit by that id; `propose_edit` returns one".to_owned())
    })?;
    let patience = arguments.timeout_seconds.map(Duration::from_secs);
    let most = match call.context.meta.get_progress_token() {
        Some(_) => MOST_PATIENCE,
        None => SILENT_PATIENCE,
    };
    let patience = patience.unwrap_or(PATIENCE).min(most);
    let mut outcome = proposal.outcome();
    let decided = async {
        // The sender lives as long as the proposal, which is held here.
        let decided = outcome.wait_for(Option::is_some).await.ok()?;
        decided.clone()
    };
    let outcome = tokio::select! {
        biased;
        outcome = decided => outcome,
        () = call.context.ct.cancelled() => return Err(Failure::Cancelled),
        () = tokio::time::sleep(patience) => None,
        () = report(call, &proposal) => None,
    };
    let hunks = proposal.hunks();
    Ok(match outcome {
        Some(Outcome {
            verdict,
            kept,
            rejected,
            note,
        }) => Answer {
            state: State::Decided(verdict),
            kept,
            rejected,
            open: 0,
            note,
        },
        None => Answer {
            state: State::Waiting,
            kept: 0,
            rejected: 0,
            open: hunks.saturating_sub(proposals.decided_so_far(&proposal).await),
            note: None,
        },
    })
}

/// Tells how many hunks are decided, for as long as it is let. The number has to grow with every message, so a sign of
/// life is a part of the next hunk.
async fn report(call: &Call<'_>, proposal: &Proposal) {
    let Some(token) = call.context.meta.get_progress_token() else {
        return std::future::pending().await;
    };
    let total = proposal.hunks();
    let (mut told, mut beats) = (None, 0_u32);
    loop {
        let so_far = call.front.proposals.decided_so_far(proposal).await;
        beats = match told == Some(so_far) {
            true => beats.saturating_add(1),
            false => 0,
        };
        told = Some(so_far);
        let beats = f64::from(beats);
        let whole = f64::from(u32::try_from(so_far).unwrap_or(u32::MAX));
        let mut progress =
            ProgressNotificationParam::new(token.clone(), whole + beats / (beats + 1.0));
        progress.total = Some(f64::from(u32::try_from(total).unwrap_or(u32::MAX)));
        progress.message = Some(format!("{so_far} of {total} hunks are decided"));
        if call.context.peer.notify_progress(progress).await.is_err() {
            return std::future::pending().await;
        }
        moved(call, proposal, so_far).await;
    }
}

/// Somebody has decided about a hunk, or it is time for a sign of life.
async fn moved(call: &Call<'_>, proposal: &Proposal, so_far: usize) {
    let beat = Instant::now() + BEAT;
    let news = async {
        let mut seen = None;
        loop {
            let Some(snapshot) = proposal.room().snapshot(seen).await else {
                return std::future::pending().await;
            };
            seen = Some(snapshot.revision);
            drop(snapshot);
            if call.front.proposals.decided_so_far(proposal).await > so_far {
                return;
            }
        }
    };
    tokio::select! {
        () = news => {}
        () = tokio::time::sleep_until(beat) => {}
    }
}
