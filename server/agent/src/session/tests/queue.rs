//! Queueing and steering: two operations that must never be mistaken for each other.

use super::*;
use crate::api::Prompt;
use crate::{Keep, PromptKeeper};

/// The outline of what was heard: prompts, queue and ends.
fn outline(events: &[Event]) -> Vec<String> {
    let line = |event: &Event| match event {
        Event::PromptQueued { id, text, .. } => Some(format!("queued {}: {text}", id.0)),
        Event::PromptUnqueued(id) => Some(format!("unqueued {}", id.0)),
        Event::TurnStarted { prompt, .. } => Some(format!("started: {prompt}")),
        Event::PromptEdited { id, text } => Some(format!("{} is now: {text}", id.0)),
        Event::QueueOrdered(ids) => {
            let ids: Vec<String> = ids.iter().map(|id| id.0.to_string()).collect();
            Some(format!("order: {}", ids.join(" ")))
        }
        Event::OpRefused(refusal) => Some(format!("refused: {refusal}")),
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
        .filter(|line| !line.starts_with("refused"))
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

/// What is kept, as a process that comes later would find it.
#[derive(Clone, Default)]
struct Kept(Arc<std::sync::Mutex<Vec<(u64, String)>>>);

impl Kept {
    fn texts(&self) -> Vec<String> {
        let kept = self.0.lock().unwrap();
        kept.iter().map(|(_, text)| text.clone()).collect()
    }
}

impl PromptKeeper for Kept {
    fn keep(&self, step: Keep<'_>) {
        let mut kept = self.0.lock().unwrap();
        match step {
            Keep::Prompt { id, prompt } => {
                match kept.iter_mut().find(|(known, _)| *known == id.0) {
                    Some((_, text)) => text.clone_from(&prompt.text),
                    None => kept.push((id.0, prompt.text.clone())),
                }
            }
            Keep::Gone(id) => kept.retain(|(known, _)| *known != id.0),
            Keep::Order(ids) => {
                kept.sort_by_key(|(known, _)| ids.iter().position(|id| id.0 == *known));
            }
        }
    }

    fn kept(&self) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }
}

fn baggage(kept: &Kept) -> Baggage {
    Baggage {
        keeper: Arc::new(kept.clone()),
        ..Baggage::default()
    }
}

#[tokio::test]
async fn waiting_prompts_are_edited_and_moved_before_their_turn() {
    let kept = Kept::default();
    let (session, mut events) = Session::start(config(sample()), baggage(&kept));
    session.submit(Op::Queue("first".into())).await.unwrap();
    let edit = |id, text: &str| Op::EditQueued {
        id: QueuedId(id),
        text: text.to_owned(),
    };
    let shift = |id, place| Op::MoveQueued {
        id: QueuedId(id),
        place,
    };
    let meanwhile = vec![
        Op::Queue("second".into()),
        Op::Queue("third".into()),
        Op::Queue("fourth".into()),
        edit(2, "third, and more"),
        shift(3, 0),
        shift(1, 9),
        edit(1, " "),
        edit(7, "nobody"),
        shift(7, 0),
        Op::CancelTurn,
    ];
    let heard = listen(&session, &mut events, 1, meanwhile).await;
    let outline: Vec<String> = outline(&heard)
        .into_iter()
        .filter(|line| !line.contains("no edit") && !line.contains("no turn"))
        .collect();
    assert_eq!(
        outline,
        [
            "started: first",
            "queued 1: second",
            "queued 2: third",
            "queued 3: fourth",
            "2 is now: third, and more",
            "order: 3 1 2",
            "order: 3 2 1",
            "refused: a prompt has at least one letter",
            "refused: that prompt is not waiting",
            "refused: that prompt is not waiting",
            "ended: Cancelled",
        ]
    );
    session.submit(Op::ReleaseQueue).await.unwrap();
    // The first has its end; the others have their turns in the new order.
    let heard = listen(&session, &mut events, 3, vec![]).await;
    let started: Vec<String> = super::queue::outline(&heard)
        .into_iter()
        .filter(|line| line.starts_with("started"))
        .collect();
    assert_eq!(
        started,
        [
            "started: fourth",
            "started: third, and more",
            "started: second"
        ]
    );
}

#[tokio::test]
async fn what_was_typed_is_kept_until_it_is_taken_down() {
    let kept = Kept::default();
    let (session, mut events) = Session::start(config(sample()), baggage(&kept));
    session.submit(Op::Queue("first".into())).await.unwrap();
    let mut heard = Vec::new();
    loop {
        let event = events.recv().await.unwrap();
        if let Event::EditProposed(_) = &event {
            break;
        }
        heard.push(event);
    }
    session.submit(Op::Queue("second".into())).await.unwrap();
    session.submit(Op::Steer("louder".into())).await.unwrap();
    session.submit(Op::CancelTurn).await.unwrap();
    loop {
        let event = events.recv().await.unwrap();
        if matches!(&event, Event::PromptQueued { text, .. } if text == "louder") {
            break;
        }
    }
    // A round through the session: the first one has come to its end.
    session.submit(Op::Unqueue(QueuedId(9))).await.unwrap();
    while !matches!(
        events.recv().await.unwrap(),
        Event::OpRefused(Refusal::NotQueued)
    ) {}
    assert_eq!(kept.texts(), ["second", "louder"]);
    session.submit(Op::Unqueue(QueuedId(1))).await.unwrap();
    while !matches!(events.recv().await.unwrap(), Event::PromptUnqueued(_)) {}
    assert_eq!(kept.texts(), ["louder"]);
}

#[tokio::test]
async fn what_another_process_left_waits_until_somebody_speaks() {
    let left = |name: u64, text: &str| Prompt {
        kept: Some(crate::api::KeptId(name)),
        ..text.into()
    };
    let kept = Kept::default();
    let baggage = Baggage {
        waiting: vec![left(1, "left behind"), left(2, "and this")],
        ..baggage(&kept)
    };
    let (session, mut events) = Session::start(config(sample()), baggage);
    session.submit(Op::Queue("new".into())).await.unwrap();
    let heard = listen(&session, &mut events, 3, vec![]).await;
    let outline = outline(&heard);
    assert_eq!(
        outline.get(..5).unwrap(),
        [
            "queued 1: left behind",
            "queued 2: and this",
            "queued 3: new",
            "unqueued 1",
            "started: left behind",
        ]
    );
}

/// A disk that takes its time, and a session that nobody holds up for it.
struct SlowKeeper(std::sync::Mutex<Option<tokio::sync::oneshot::Receiver<()>>>);

impl PromptKeeper for SlowKeeper {
    fn keep(&self, _: Keep<'_>) {}

    fn kept(&self) -> BoxFuture<'static, ()> {
        let written = self.0.lock().unwrap().take();
        Box::pin(async move {
            if let Some(written) = written {
                written.await.unwrap();
            }
        })
    }
}

#[tokio::test]
async fn whoever_types_waits_until_it_is_kept_and_the_turn_does_not() {
    let (write, written) = tokio::sync::oneshot::channel();
    let keeper = SlowKeeper(std::sync::Mutex::new(Some(written)));
    let baggage = Baggage {
        keeper: Arc::new(keeper),
        ..Baggage::default()
    };
    let (session, mut events) = Session::start(config(sample()), baggage);
    let mut typed = std::pin::pin!(session.submit(Op::Queue("first".into())));
    let started = tokio::select! {
        biased;
        _ = &mut typed => panic!("nothing is kept yet"),
        event = events.recv() => event.unwrap(),
    };
    assert!(matches!(started, Event::TurnStarted { .. }), "{started:?}");
    write.send(()).unwrap();
    typed.await.unwrap();
}

#[tokio::test]
async fn what_a_session_did_not_take_is_not_kept() {
    let kept = Kept::default();
    let (session, events) = Session::start(config(sample()), baggage(&kept));
    session.submit(Op::Close).await.unwrap();
    drop(events);
    // The session has let go of its end once it cannot be told anything any more.
    while session.submit(Op::ReleaseQueue).await.is_ok() {
        tokio::task::yield_now().await;
    }
    let refused = session.submit(Op::Queue("too late".into())).await;
    assert_eq!(refused, Err(SessionClosed));
    assert_eq!(kept.texts(), [""; 0]);
}

/// The outline of what whoever has marked a prompt goes by.
fn marks(events: &[Event]) -> Vec<String> {
    let line = |event: &Event| match event {
        Event::PromptTaken(mark) => Some(format!("{} taken", mark.0)),
        Event::PromptServed { mark, by } => Some(format!("{} served by {by:?}", mark.0)),
        Event::TurnStarted { prompt, .. } => Some(format!("started: {prompt}")),
        Event::TurnEnded { .. } => Some("ended".to_owned()),
        _ => None,
    };
    events.iter().filter_map(line).collect()
}

fn marked(text: &str) -> Op {
    Op::Queue(Prompt {
        mark: Some(PromptMark(text.into())),
        ..text.into()
    })
}

#[tokio::test]
async fn a_marked_prompt_is_known_again_from_its_turn_to_its_end() {
    let (session, mut events) = Session::start(config(sample()), Baggage::default());
    session.submit(marked("one")).await.unwrap();
    let meanwhile = vec![
        marked("two"),
        marked("three"),
        marked("four"),
        // Whoever takes it back, whoever waits for it hears so.
        Op::Unqueue(QueuedId(1)),
        Op::TakeBack(PromptMark("three".into())),
        // Its turn has come already.
        Op::TakeBack(PromptMark("one".into())),
    ];
    let mut heard = listen(&session, &mut events, 2, meanwhile).await;
    heard.push(events.recv().await.unwrap());
    assert_eq!(
        marks(&heard),
        [
            "one taken",
            "started: one",
            "two served by Nothing",
            "three served by Nothing",
            "ended",
            "one served by Turn(TurnId(1))",
            "four taken",
            "started: four",
            "ended",
            "four served by Turn(TurnId(2))",
        ]
    );
}

#[tokio::test]
async fn one_prompt_is_stopped_wherever_it_is_and_what_else_waits_goes_on() {
    let (session, mut events) = Session::start(config(sample()), Baggage::default());
    session.submit(marked("one")).await.unwrap();
    let meanwhile = vec![
        marked("two"),
        marked("three"),
        Op::StopPrompt(PromptMark("two".into())),
        Op::StopPrompt(PromptMark("one".into())),
    ];
    let mut heard = listen(&session, &mut events, 2, meanwhile).await;
    heard.push(events.recv().await.unwrap());
    let first_end = outline(&heard)
        .into_iter()
        .find(|line| line.starts_with("ended"));
    assert_eq!(first_end.as_deref(), Some("ended: Cancelled"));
    assert_eq!(
        marks(&heard),
        [
            "one taken",
            "started: one",
            "two served by Nothing",
            "ended",
            "one served by Turn(TurnId(1))",
            "three taken",
            "started: three",
            "ended",
            "three served by Turn(TurnId(2))",
        ]
    );
}
