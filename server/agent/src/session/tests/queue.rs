//! Queueing and steering: two operations that must never be mistaken for each other.

use super::*;

/// The outline of what was heard: prompts, queue and ends.
fn outline(events: &[Event]) -> Vec<String> {
    let line = |event: &Event| match event {
        Event::PromptQueued { id, text, .. } => Some(format!("queued {}: {text}", id.0)),
        Event::PromptUnqueued(id) => Some(format!("unqueued {}", id.0)),
        Event::TurnStarted { prompt, .. } => Some(format!("started: {prompt}")),
        Event::PromptSteered(text) => Some(format!("steered: {text}")),
        Event::TurnEnded { outcome, .. } => Some(format!("ended: {outcome:?}")),
        _ => None,
    };
    events.iter().filter_map(line).collect()
}

/// Listens until so many turns have ended, keeping every edit, and sends `meanwhile` at the first.
async fn listen(
    session: &SessionHandle,
    events: &mut mpsc::Receiver<Event>,
    turns: usize,
    meanwhile: Vec<Op>,
) -> Vec<Event> {
    let mut heard = Vec::new();
    let mut meanwhile = Some(meanwhile);
    let mut ended = 0;
    while ended < turns {
        let event = events.recv().await.unwrap();
        if let Event::EditProposed(proposal) = &event {
            for op in meanwhile.take().into_iter().flatten() {
                session.submit(op).await.unwrap();
            }
            session
                .submit(decide(proposal, Decision::Keep))
                .await
                .unwrap();
        }
        if matches!(event, Event::TurnEnded { .. }) {
            ended += 1;
        }
        heard.push(event);
    }
    heard
}

#[tokio::test]
async fn a_queued_prompt_waits_for_its_turn_and_can_be_taken_back() {
    let (session, mut events) = Session::start(config(sample()), Baggage::default());
    session.submit(Op::Queue("first".into())).await.unwrap();
    let meanwhile = vec![
        Op::Queue("second".into()),
        Op::Queue("third".into()),
        Op::Unqueue(QueuedId(1)),
    ];
    let heard = listen(&session, &mut events, 2, meanwhile).await;
    assert_eq!(
        outline(&heard),
        [
            "started: first",
            "queued 1: second",
            "queued 2: third",
            "unqueued 1",
            "ended: Completed",
            "unqueued 2",
            "started: third",
            "ended: Completed",
        ]
    );
}

#[tokio::test]
async fn steering_joins_the_running_turn_where_the_model_listens() {
    let (session, mut events) = Session::start(config(sample()), Baggage::default());
    session.submit(Op::Queue("first".into())).await.unwrap();
    let meanwhile = vec![Op::Steer("leave the tests alone".into())];
    let heard = listen(&session, &mut events, 1, meanwhile).await;
    let steered = heard
        .iter()
        .position(|event| matches!(event, Event::PromptSteered(_)))
        .unwrap();
    let first_tool_ended = heard
        .iter()
        .position(|event| matches!(event, Event::ToolEnded { .. }))
        .unwrap();
    assert!(
        first_tool_ended < steered,
        "after the results, before the next answer"
    );
    assert_eq!(
        outline(&heard),
        [
            "started: first",
            "steered: leave the tests alone",
            "ended: Completed"
        ]
    );
}

#[tokio::test]
async fn steering_without_a_turn_is_a_prompt() {
    let (session, mut events) = Session::start(config(sample()), Baggage::default());
    session.submit(Op::Steer("hello".into())).await.unwrap();
    let heard = listen(&session, &mut events, 1, vec![]).await;
    assert_eq!(outline(&heard), ["started: hello", "ended: Completed"]);
}

#[tokio::test]
async fn what_is_queued_waits_after_a_stop_until_the_person_speaks_again() {
    let (session, mut events) = Session::start(config(sample()), Baggage::default());
    session.submit(Op::Queue("first".into())).await.unwrap();
    let meanwhile = vec![Op::Queue("second".into()), Op::CancelTurn];
    let mut heard = listen(&session, &mut events, 1, meanwhile).await;
    session.submit(Op::Queue("third".into())).await.unwrap();
    heard.extend(listen(&session, &mut events, 2, vec![]).await);
    let outline: Vec<String> = outline(&heard)
        .into_iter()
        .filter(|line| !line.contains("Refused"))
        .collect();
    assert_eq!(
        outline,
        [
            "started: first",
            "queued 1: second",
            "ended: Cancelled",
            "queued 2: third",
            "unqueued 1",
            "started: second",
            "ended: Completed",
            "unqueued 2",
            "started: third",
            "ended: Completed",
        ]
    );
}
