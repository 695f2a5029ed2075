mod queue;

use expect_test::{Expect, expect};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_model::{Demo, Model, Pace};

use super::*;
use crate::api::{Decision, PromptMark, Proposal, ProposalId, QueuedId, ToolOutcome, TurnOutcome};
use crate::testing::{MemoryFiles, config};
use crate::{EditOrigin, FileError, Files, OneVoice, WorkspacePath, Written};

const RETRY: &str = "// retry
            Err(error) if attempt > policy.max_attempts => return Err(error),
            Err(_) => {
                pause(policy.pause_after(attempt));
                attempt = 0;
            }
        self.first_pause * 2_u32.pow(doublings)
";
const UPLOAD: &str = "// upload
    for part in data.chunks_exact(PART_SIZE) {
            println!(\"upload failed: {error:?}\");
            0
";

fn sample() -> Arc<MemoryFiles> {
    MemoryFiles::new(&[("src/retry.rs", RETRY), ("src/upload.rs", UPLOAD)])
}

fn prompt() -> Op {
    Op::Queue("fix it".into())
}

/// Plays one turn to its end. `answer` turns each proposed edit into an op.
async fn play(
    session: &SessionHandle,
    events: &mut mpsc::Receiver<Event>,
    answer: impl Fn(&Proposal) -> Op,
) -> Vec<Event> {
    session.submit(prompt()).await.unwrap();
    let mut heard = Vec::new();
    while let Some(event) = events.recv().await {
        if let Event::EditProposed(proposal) = &event {
            session.submit(answer(proposal)).await.unwrap();
        }
        let ended = matches!(event, Event::TurnEnded { .. });
        heard.push(event);
        if ended {
            break;
        }
    }
    heard
}

/// One line per event, with the text of an answer joined.
fn check(events: &[Event], expected: Expect) {
    let mut shown = String::new();
    let is_told = |event: &&Event| !matches!(event, Event::ModelChosen { .. } | Event::Titled(_));
    let mut told: Vec<&Event> = events.iter().filter(is_told).collect();
    // Calls that run together may end in any order.
    let is_end = |event: &Event| matches!(event, Event::ToolEnded { .. });
    for ends in told.chunk_by_mut(|one, next| is_end(one) && is_end(next)) {
        ends.sort_by_key(|event| format!("{event:?}"));
    }
    for event in told {
        if !matches!(event, Event::TextReceived(_)) && !shown.is_empty() && !shown.ends_with('\n') {
            shown.push('\n');
        }
        shown += &match event {
            Event::PromptQueued { text, .. } => format!("queued: {text}\n"),
            Event::PromptUnqueued(id) => format!("unqueued {}\n", id.0),
            Event::PromptSteered(text) => format!("steered: {text}\n"),
            Event::CitationReceived(citation) => format!("quotes {}\n", citation.uri),
            Event::RequestRetried(retry) => format!("retries after {:?}\n", retry.delay),
            Event::ModelChanged { from, to, .. } => format!("from {from} to {to}\n"),
            Event::AnswerDiscarded { reason } => format!("discarded: {reason}\n"),
            Event::TurnStarted { turn, model, .. } => {
                format!("turn {turn} started with {model}\n")
            }
            Event::TextReceived(text) => text.clone(),
            Event::ThoughtReceived(thought) => format!("({})\n", thought.subject),
            Event::AnswerEnded { reason, .. } => format!("answer ended: {reason:?}\n"),
            Event::ToolStarted { call, title, .. } => format!("{} {title}\n", call.id),
            Event::EditProposed(proposal) => format!(
                "edit {} of {}: {} hunks\n",
                proposal.id,
                proposal.path,
                proposal.hunks.len()
            ),
            Event::EditDecided {
                proposal,
                decisions,
                ..
            } => format!("edit {proposal} decided: {decisions:?}\n"),
            Event::ToolEnded { call, outcome, .. } => format!("{call} {outcome:?}\n"),
            Event::OpRefused(refusal) => format!("refused: {refusal}\n"),
            Event::TurnEnded { turn, outcome } => format!("turn {turn} ended: {outcome:?}\n"),
            other => format!("{other:?}\n"),
        };
    }
    expected.assert_eq(&shown);
}

fn decide(proposal: &Proposal, decision: Decision) -> Op {
    Op::Decide {
        proposal: proposal.id,
        decisions: vec![decision; proposal.hunks.len()],
        by: None,
    }
}

fn outcome(events: &[Event]) -> &TurnOutcome {
    match events.last() {
        Some(Event::TurnEnded { outcome, .. }) => outcome,
        other => panic!("the turn has not ended: {other:?}"),
    }
}

#[tokio::test]
async fn a_turn_reads_proposes_waits_and_sums_up() {
    let files = sample();
    let (session, mut events) = Session::start(config(files.clone()), Baggage::default());
    let heard = play(&session, &mut events, |proposal| match proposal.id.0 {
        2 => decide(proposal, Decision::Reject),
        _ => decide(proposal, Decision::Keep),
    })
    .await;
    check(
        &heard,
        expect![[r#"
            turn 1 started with demo
            This is the **demo model**: scripted, offline, without a key. It knows one small program by heart. The tools it calls, the edits it proposes and your decisions about them are real.

            First it reads the program.
            answer ended: Stop
            demo-1 Read src/retry.rs
            demo-2 Read src/upload.rs
            demo-1 Succeeded { summary: "7 lines" }
            demo-2 Succeeded { summary: "4 lines" }
            (Comparing the code with the README)
            The program does not do what its README says:

            - `src/retry.rs`: the attempt counter starts again after every pause, so the limit is never reached; the limit itself lets one attempt too many through.
            - `src/retry.rs`: the pause doubles without end, and overflows at the 33rd attempt.
            - `src/upload.rs`: `chunks_exact` leaves out the last part when it is shorter than the others.
            - `src/upload.rs`: a failed upload still ends with status 0.

            One edit for each follows. Nothing is written before you keep it, unless this session edits without asking.
            answer ended: Stop
            demo-3 Edit src/retry.rs: Stop after max_attempts attempts
            edit 1 of src/retry.rs: 2 hunks
            edit 1 decided: [Keep, Keep]
            demo-3 Succeeded { summary: "kept 2 of 2" }
            demo-4 Edit src/retry.rs: Limit the pause to longest_pause
            edit 2 of src/retry.rs: 1 hunks
            edit 2 decided: [Reject]
            demo-4 Succeeded { summary: "kept 0 of 1" }
            demo-5 Edit src/upload.rs: Send the last, shorter part too
            edit 3 of src/upload.rs: 1 hunks
            edit 3 decided: [Keep]
            demo-5 Succeeded { summary: "kept 1 of 1" }
            demo-6 Edit src/upload.rs: End with status 1 when the upload fails
            edit 4 of src/upload.rs: 1 hunks
            edit 4 decided: [Keep]
            demo-6 Succeeded { summary: "kept 1 of 1" }
            **4 of 5 hunks kept.**

            - `src/retry.rs`: it gives up after exactly `max_attempts` attempts.
            - `src/retry.rs`: rejected, so the pause doubles without end, and overflows at the 33rd attempt.
            - `src/upload.rs`: the last, shorter part is sent too.
            - `src/upload.rs`: a failed upload ends with status 1.

            Until every edit is in, `cargo test` fails.
            answer ended: Stop
            turn 1 ended: Completed
        "#]],
    );
    assert_eq!(
        files.text("src/retry.rs"),
        RETRY
            .replace("attempt >", "attempt >=")
            .replace("                attempt = 0;\n", "")
    );
    assert_eq!(
        files.text("src/upload.rs"),
        UPLOAD
            .replace("chunks_exact", "chunks")
            .replace("println", "eprintln")
            .replace(" 0\n", " 1\n")
    );
}

#[tokio::test]
async fn a_file_that_changed_during_the_review_is_left_alone_and_the_model_is_told() {
    let files = sample();
    let (session, mut events) = Session::start(config(files.clone()), Baggage::default());
    let heard = play(&session, &mut events, |proposal| {
        files.set(&proposal.path.to_string(), "typed meanwhile\n");
        decide(proposal, Decision::Keep)
    })
    .await;
    let failed: Vec<_> = heard
        .iter()
        .filter_map(|event| match event {
            Event::ToolEnded {
                outcome: ToolOutcome::Failed { error_type, .. },
                ..
            } => Some(*error_type),
            _ => None,
        })
        .collect();
    // The second edit of each file no longer finds its text.
    assert_eq!(
        failed,
        [
            "file_write_failure",
            "edit_no_occurrence_found",
            "file_write_failure",
            "edit_no_occurrence_found"
        ]
    );
    assert_eq!(files.text("src/retry.rs"), "typed meanwhile\n");
    assert_eq!(files.text("src/upload.rs"), "typed meanwhile\n");
    assert_eq!(outcome(&heard), &TurnOutcome::Completed);
}

#[tokio::test]
async fn cancelling_while_an_edit_waits_writes_nothing_and_leaves_the_session_usable() {
    let files = sample();
    let (session, mut events) = Session::start(config(files.clone()), Baggage::default());
    let heard = play(&session, &mut events, |_| Op::CancelTurn).await;
    assert_eq!(outcome(&heard), &TurnOutcome::Cancelled);
    assert_eq!(files.text("src/retry.rs"), RETRY);

    // The second turn starts from a clean history: it reads the files again, under the same call ids.
    let heard = play(&session, &mut events, |proposal| {
        decide(proposal, Decision::Keep)
    })
    .await;
    assert_eq!(outcome(&heard), &TurnOutcome::Completed);
    assert!(heard.iter().any(|event| matches!(
        event,
        Event::ToolStarted { call, title, .. }
            if call.id.as_str() == "demo-1" && title == "Read src/retry.rs"
    )));
}

#[tokio::test(start_paused = true)]
async fn cancelling_while_the_model_talks_ends_the_turn() {
    let mut config = config(sample());
    config.voices = OneVoice::shared(Model::Demo(Demo::new(Pace::PerWord(
        std::time::Duration::from_secs(3600),
    ))));
    let (session, mut events) = Session::start(config, Baggage::default());
    session.submit(prompt()).await.unwrap();
    assert!(matches!(
        events.recv().await,
        Some(Event::TurnStarted { .. })
    ));
    session.submit(Op::CancelTurn).await.unwrap();
    let mut ended = events.recv().await.unwrap();
    while let Event::ModelChosen { .. } | Event::Titled(_) = ended {
        ended = events.recv().await.unwrap();
    }
    assert_eq!(outcome(&[ended]), &TurnOutcome::Cancelled);
}

#[tokio::test]
async fn ops_that_do_not_fit_are_refused() {
    let (session, mut events) = Session::start(config(sample()), Baggage::default());
    session.submit(Op::CancelTurn).await.unwrap();
    session.submit(Op::Unqueue(QueuedId(7))).await.unwrap();
    session.submit(prompt()).await.unwrap();
    let mut refusals = Vec::new();
    while let Some(event) = events.recv().await {
        match event {
            Event::EditProposed(proposal) => {
                for op in [
                    Op::Decide {
                        proposal: ProposalId(99),
                        decisions: vec![Decision::Keep],
                        by: None,
                    },
                    Op::Decide {
                        proposal: proposal.id,
                        decisions: vec![Decision::Keep; 7],
                        by: None,
                    },
                    decide(&proposal, Decision::Reject),
                    decide(&proposal, Decision::Keep),
                ] {
                    session.submit(op).await.unwrap();
                }
            }
            Event::OpRefused(refusal) => refusals.push(refusal.to_string()),
            Event::TurnEnded { .. } => break,
            _ => {}
        }
        if refusals.len() == 5 {
            break;
        }
    }
    expect![[r#"
        no turn is running
        that prompt is not waiting
        no edit with the number 99 waits for a decision
        the edit has 2 hunks, but 7 decisions came
        no edit with the number 1 waits for a decision"#]]
    .assert_eq(&refusals.join("\n"));
}

#[tokio::test]
async fn the_session_ends_with_its_last_handle_also_in_the_middle_of_a_turn() {
    let (session, mut events) = Session::start(config(sample()), Baggage::default());
    session.submit(prompt()).await.unwrap();
    while !matches!(events.recv().await, Some(Event::EditProposed(_))) {}
    drop(session);
    let mut last = None;
    while let Some(event) = events.recv().await {
        last = Some(event);
    }
    assert_eq!(outcome(&[last.unwrap()]), &TurnOutcome::Cancelled);
}

#[tokio::test]
async fn the_session_ends_when_nobody_listens() {
    let (session, events) = Session::start(config(sample()), Baggage::default());
    drop(events);
    session.submit(prompt()).await.unwrap();
    session.ops.closed().await;
    assert_eq!(session.submit(prompt()).await, Err(SessionClosed));
}

/// Breaks on every read, as a fault in a tool would.
struct BrokenFiles;

impl Files for BrokenFiles {
    fn read<'a>(&'a self, _: &'a WorkspacePath) -> BoxFuture<'a, Result<String, FileError>> {
        async { panic!("broken") }.boxed()
    }

    fn write<'a>(
        &'a self,
        _: &'a WorkspacePath,
        _: &'a str,
        _: &'a str,
        _: &'a EditOrigin,
    ) -> BoxFuture<'a, Result<Written, FileError>> {
        async { Ok(Written::default()) }.boxed()
    }

    fn read_bytes<'a>(
        &'a self,
        _: &'a WorkspacePath,
        _: u64,
    ) -> BoxFuture<'a, Result<Vec<u8>, FileError>> {
        async { panic!("broken") }.boxed()
    }

    fn create<'a>(
        &'a self,
        _: &'a WorkspacePath,
        _: &'a str,
        _: &'a EditOrigin,
    ) -> BoxFuture<'a, Result<Written, FileError>> {
        async { Ok(Written::default()) }.boxed()
    }
}

#[tokio::test]
async fn a_panic_in_a_tool_is_an_event_and_the_turn_goes_on() {
    let (session, mut events) = Session::start(config(Arc::new(BrokenFiles)), Baggage::default());
    let heard = play(&session, &mut events, |_| Op::CancelTurn).await;
    assert_eq!(outcome(&heard), &TurnOutcome::Completed);
    assert!(heard.iter().any(|event| matches!(
        event,
        Event::ToolEnded {
            outcome: ToolOutcome::Failed {
                error_type: "unhandled_exception",
                ..
            },
            ..
        }
    )));
}
