use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use serde_json::json;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{AWAY, Client, KEEP_ALIVE, Listening, MOST_SESSIONS, Session, Table, event};

struct Stage {
    session: Arc<Session>,
    context: watch::Sender<Option<Bytes>>,
    streams: watch::Sender<usize>,
    stop: CancellationToken,
}

impl Stage {
    fn new() -> Self {
        Self {
            session: Arc::new(Session::new(Client::default())),
            context: watch::Sender::new(Some(event(&json!("context")))),
            streams: watch::Sender::new(0),
            stop: CancellationToken::new(),
        }
    }

    fn listen(&self) -> impl Stream<Item = Bytes> {
        Listening::new(
            Arc::clone(&self.session),
            self.context.subscribe(),
            self.streams.clone(),
            self.stop.clone(),
        )
        .events()
    }
}

async fn next(stream: Pin<&mut impl Stream<Item = Bytes>>) -> String {
    let mut stream = stream;
    let bytes = stream.next().await.unwrap();
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_has_nothing_to_say_gives_a_sign_of_life() {
    let stage = Stage::new();
    let mut stream = pin!(stage.listen());
    assert_eq!(
        next(stream.as_mut()).await,
        "event: message\ndata: \"context\"\n\n"
    );
    let before = tokio::time::Instant::now();
    for _ in 0..3 {
        // A comment: whatever is no message would be taken for a fault.
        assert_eq!(next(stream.as_mut()).await, ": still here\n\n");
    }
    assert!(before.elapsed() <= KEEP_ALIVE * 3 + Duration::from_millis(10));
    assert!(KEEP_ALIVE <= Duration::from_secs(60));
}

#[tokio::test(start_paused = true)]
async fn what_was_said_while_nobody_listened_comes_first_and_once() {
    let stage = Stage::new();
    stage.session.say(&json!("one"));
    let mut first = pin!(stage.listen());
    assert_eq!(
        next(first.as_mut()).await,
        "event: message\ndata: \"one\"\n\n"
    );
    assert!(next(first.as_mut()).await.contains("context"));
    stage.session.say(&json!("two"));
    assert!(next(first.as_mut()).await.contains("two"));
    stage.context.send_replace(Some(event(&json!("moved"))));
    assert!(next(first.as_mut()).await.contains("moved"));
    // Another stream takes over, and the first one ends.
    let mut second = pin!(stage.listen());
    stage.session.say(&json!("three"));
    assert!(first.next().await.is_none());
    assert!(next(second.as_mut()).await.contains("three"));
    assert_eq!(*stage.streams.borrow(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_stopped_says_its_last_before_it_ends() {
    let stage = Stage::new();
    let mut stream = pin!(stage.listen());
    next(stream.as_mut()).await;
    stage.session.say(&json!("last"));
    stage.stop.cancel();
    assert!(next(stream.as_mut()).await.contains("last"));
    assert!(stream.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_session_lasts_as_long_as_its_stream_and_a_little_longer() {
    let stage = Stage::new();
    let table = Table::default();
    let (session, _) = table.open(Client::default()).unwrap();
    let listening = Listening::new(
        Arc::clone(&session),
        stage.context.subscribe(),
        stage.streams.clone(),
        stage.stop.clone(),
    );
    tokio::time::advance(AWAY * 10).await;
    assert!(table.expire().is_empty());
    drop(listening);
    assert_eq!(*stage.streams.borrow(), 0);
    tokio::time::advance(AWAY / 2).await;
    session.is_here();
    tokio::time::advance(AWAY / 2).await;
    assert!(table.expire().is_empty());
    tokio::time::advance(AWAY / 2).await;
    assert_eq!(table.expire().len(), 1);
    assert!(table.is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_one_that_is_away_for_longest_makes_room() {
    let table = Table::default();
    let (oldest, _) = table.open(Client::default()).unwrap();
    for _ in 1..MOST_SESSIONS {
        tokio::time::advance(Duration::from_millis(1)).await;
        table.open(Client::default()).unwrap();
    }
    let (_, gone) = table.open(Client::default()).unwrap();
    assert_eq!(gone.len(), 1);
    assert_eq!(gone.first().unwrap().id, oldest.id);
    assert!(table.get(&oldest.id).is_none());
}
