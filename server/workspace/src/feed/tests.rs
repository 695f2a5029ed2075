use std::sync::Arc;

use super::*;

fn text(text: &str) -> Event {
    Event::TextReceived(text.to_owned())
}

#[tokio::test]
async fn a_reader_gets_what_is_new_with_its_text_in_one_piece() {
    let feed = Feed::new(vec![text("past")]);
    assert_eq!(feed.read(Cursor(0)).events, [text("past")]);
    for piece in ["a", "b", "c"] {
        feed.append(text(piece));
    }
    let batch = feed.read(Cursor(1));
    assert_eq!(batch.events, [text("abc")]);
    assert_eq!(batch.next, Cursor(4));
    assert_eq!(feed.read(batch.next).events, []);
    // A cursor of another life of the session asks for nothing that is not there.
    assert_eq!(feed.read(Cursor(u64::MAX)).next, Cursor(4));
}

#[tokio::test]
async fn waiting_ends_with_the_next_event() {
    let feed = Arc::new(Feed::new(vec![]));
    let waiting = tokio::spawn({
        let feed = Arc::clone(&feed);
        async move {
            feed.beyond(Cursor(0)).await;
            feed.read(Cursor(0)).events
        }
    });
    feed.append(text("news"));
    assert_eq!(waiting.await.unwrap(), [text("news")]);
}

#[test]
fn a_long_session_is_read_in_pieces() {
    let feed = Feed::new((0..5_000).map(|_| text("x")).collect());
    let mut cursor = Cursor(0);
    let mut lengths = Vec::new();
    loop {
        let batch = feed.read(cursor);
        if batch.events.is_empty() {
            break;
        }
        lengths.push(batch.next.0 - cursor.0);
        cursor = batch.next;
    }
    assert_eq!(lengths, [2_000, 2_000, 1_000]);
}
