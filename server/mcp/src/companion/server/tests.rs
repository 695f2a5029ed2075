use super::super::diffs::testing::Stage;
use super::super::session::Client;
use super::*;

fn agents(stage: &Stage) -> Arc<Agents> {
    Arc::new(Agents {
        room: stage.room.clone(),
        table: Table::default(),
        diffs: Arc::clone(&stage.diffs),
        context: watch::Sender::new(None),
        streams: watch::Sender::new(0),
        stop: CancellationToken::new(),
    })
}

/// A stream that is open, and that nobody reads.
fn listening(agents: &Agents, session: &Arc<Session>) -> Listening {
    Listening::new(
        Arc::clone(session),
        agents.context.subscribe(),
        agents.streams.clone(),
        agents.stop.clone(),
    )
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_is_away_for_too_long_is_forgotten_with_its_edits() {
    let mut stage = Stage::new();
    let agents = agents(&stage);
    let _following = AbortOnDropHandle::new(tokio::spawn(Arc::clone(&agents).follow()));
    let (away, _) = agents.table.open(Client::default()).unwrap();
    let (here, _) = agents.table.open(Client::default()).unwrap();
    agents.streams.send_modify(|_| {});
    let listening = listening(&agents, &here);
    let since = tokio::time::Instant::now();
    stage.open(&away, "away").await;
    stage.open(&here, "here").await;
    stage.shown(2).await;
    stage.shown(1).await;
    assert!(since.elapsed() >= AWAY);
    assert!(agents.table.get(&away.id).is_none());
    assert!(agents.table.get(&here.id).is_some());
    drop(listening);
    stage.empty().await;
    assert!(agents.table.is_empty());
}

#[tokio::test(start_paused = true)]
async fn what_changes_within_a_twentieth_of_a_second_is_told_together() {
    let stage = Stage::new();
    let agents = agents(&stage);
    let _following = AbortOnDropHandle::new(tokio::spawn(Arc::clone(&agents).follow()));
    let (session, _) = agents.table.open(Client::default()).unwrap();
    let _listening = listening(&agents, &session);
    let mut context = agents.context.subscribe();
    let mut told = 0;
    for number in 0..10 {
        stage.show(&format!("{number}"));
        let step = Duration::from_millis(20);
        let next = tokio::time::Instant::now() + step;
        while let Ok(changed) = tokio::time::timeout_at(next, context.changed()).await {
            changed.unwrap();
            told += 1;
        }
    }
    // A fifth of a second has passed.
    assert!((3..=5).contains(&told), "{told}");
    // The last is told as well.
    let has_last = |context: &Option<Bytes>| {
        let text = context.as_deref().map(String::from_utf8_lossy);
        text.is_some_and(|text| text.contains(&stage.path("9")))
    };
    context.wait_for(has_last).await.unwrap();
}
