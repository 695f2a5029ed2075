//! A turn that waits for an answer in a host that nobody looks at.
//!
//! The host stays while a turn runs, so a question that is never answered would keep it for ever. After a while the
//! turn is stopped and its record says why; the session can be resumed like any other.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Duration;

use pollux_agent::api::{ApprovalId, Op};
use pollux_workspace::{OpenQuestion, SessionId};
use tokio::sync::watch;
use tokio::time::Instant;
use tracing::info;

/// How long a question waits when no window is left to show it. Long enough for a restart of the editor or a break.
pub(super) const PATIENCE: Duration = Duration::from_secs(30 * 60);

type Question = (SessionId, ApprovalId);

/// Stops the turns whose questions have been open for the whole time while no door was. Runs as long as the host.
pub(super) async fn give_up_on_answers(
    mut doors: watch::Receiver<usize>,
    mut questions: watch::Receiver<Vec<OpenQuestion>>,
    patience: Duration,
) {
    loop {
        if doors.wait_for(|count| *count == 0).await.is_err() {
            return;
        }
        // What a door has seen it may still be answering, so every question starts anew when the last one has gone.
        let mut deadlines: BTreeMap<Question, Option<Instant>> = BTreeMap::new();
        loop {
            let open = questions.borrow_and_update().clone();
            let name = |open: &OpenQuestion| (open.session.clone(), open.asked.id());
            deadlines.retain(|question, _| open.iter().any(|open| name(open) == *question));
            for open in &open {
                let deadline = Instant::now() + patience;
                deadlines.entry(name(open)).or_insert(Some(deadline));
            }
            let next = deadlines.values().flatten().min().copied();
            let wait = async {
                match next {
                    Some(next) => tokio::time::sleep_until(next).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = is_seen(&mut doors) => break,
                changed = questions.changed() => if changed.is_err() {
                    return;
                },
                () = wait => give_up(&open, &mut deadlines).await,
            }
        }
    }
}

/// Each is given up once: the question goes when its turn has ended, which takes a moment.
async fn give_up(open: &[OpenQuestion], deadlines: &mut BTreeMap<Question, Option<Instant>>) {
    let now = Instant::now();
    for ((session, question), deadline) in deadlines {
        if deadline.is_none_or(|deadline| deadline > now) {
            continue;
        }
        *deadline = None;
        info!(%session, "a question found nobody; its turn is stopped");
        let asked = |open: &&OpenQuestion| open.session == *session && open.asked.id() == *question;
        if let Some(open) = open.iter().find(asked) {
            let _ended_already = open.handle.submit(Op::AbandonTurn).await;
        }
    }
}

/// A door has opened.
async fn is_seen(doors: &mut watch::Receiver<usize>) {
    let _host_has_ended = doors.wait_for(|count| *count > 0).await;
}
