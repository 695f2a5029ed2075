use pollux_agent::api::{CallId, ToolOutcome, ToolReport};

use super::*;

fn text(text: &str) -> Event {
    Event::TextReceived(text.to_owned())
}

#[tokio::test]
async fn a_reader_gets_what_is_new_with_its_text_in_one_piece() {
    let feed = Feed::new(vec![text("past")], 0);
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
    let feed = Arc::new(Feed::new(vec![], 0));
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
    let feed = Feed::new((0..5_000).map(|_| text("x")).collect(), 0);
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

fn printed(call: &str, text: &str) -> Event {
    Event::ToolPrinted {
        call: CallId::new(call),
        text: text.to_owned(),
    }
}

#[test]
fn only_the_newest_part_of_a_long_print_is_kept_and_no_cursor_moves() {
    let feed = Feed::new(Vec::new(), 0);
    feed.append(printed("other", "stays"));
    let chunk = "x".repeat(30_000);
    for _ in 0..100 {
        feed.append(printed("loud", &chunk));
    }
    let batch = feed.read(Cursor::default());
    assert_eq!(batch.next, Cursor(101));
    let lengths: Vec<usize> = batch.events.iter().map(length).collect();
    assert_eq!(lengths, [5, 4 * 30_000]);
}

fn length(event: &Event) -> usize {
    match event {
        Event::ToolPrinted { text, .. } => text.len(),
        _ => 0,
    }
}

#[test]
fn a_session_with_very_many_outputs_keeps_the_newest_whole() {
    let feed = Feed::new(Vec::new(), 0);
    for number in 0..40 {
        feed.append(Event::ToolEnded {
            call: CallId::new(format!("{number}")),
            outcome: ToolOutcome::Cancelled,
            report: Arc::new(ToolReport {
                output: "x".repeat(2 * 1024 * 1024),
                ..ToolReport::default()
            }),
        });
    }
    let length = |wanted: &str| {
        feed.find_last(|event| match event {
            Event::ToolEnded { call, report, .. } if call.as_str() == wanted => {
                Some(report.output.len())
            }
            _ => None,
        })
        .unwrap()
    };
    assert_eq!(length("39"), 2 * 1024 * 1024);
    assert!(length("0") < 5_000, "{}", length("0"));
}

#[test]
fn a_piece_of_an_answer_is_kept_in_little_more_than_its_text() {
    assert!(size_of::<Kept>() <= 24, "{} bytes", size_of::<Kept>());
    let feed = Feed::new(vec![text("past")], 0);
    feed.append(text("piece"));
    let events = feed.lock();
    assert!(events.kept.iter().all(|kept| kept.event().is_none()));
}

#[test]
fn a_cursor_of_another_life_begins_at_the_beginning() {
    let feed = Feed::new(vec![text("one"), text("two"), text("three")], 0);
    for place in 0..=3 {
        assert_eq!(feed.place(feed.given(Cursor(place))), Cursor(place));
    }
    // A place that is not there yet, a count of an older server, and a life that began an hour ago.
    let earlier = feed.given(Cursor(2)) - 3_600_000 * CURSORS_PER_MILLISECOND;
    for given in [0, 2, feed.given(Cursor(4)), earlier, u64::MAX] {
        assert_eq!(feed.place(given), Cursor(0), "{given}");
    }
    let after_a_century =
        100 * 366 * 24 * 3_600_000 * CURSORS_PER_MILLISECOND + feed.given(Cursor(0));
    assert!(after_a_century < 1 << 53);
}

#[test]
fn the_oldest_text_is_forgotten_beyond_the_limit_and_every_cursor_stays() {
    let feed = Feed::new(Vec::new(), 0);
    let piece = "x".repeat(1024 * 1024);
    feed.append(text("the oldest"));
    for _ in 0..100 {
        feed.append(text(&piece));
    }
    feed.append(text("the newest"));
    assert!(feed.weight() <= MOST_TEXT + 1024 * 1024);
    assert_eq!(feed.end(), Cursor(102));
    assert_eq!(feed.read(Cursor(0)).next, Cursor(102));
    assert_eq!(feed.read(Cursor(0)).events.len(), 1);
    assert_eq!(feed.read(Cursor(101)).events, [text("the newest")]);
    let kept: Vec<Event> = feed.read(Cursor(0)).events;
    let [Event::TextReceived(kept)] = kept.as_slice() else {
        panic!("one text");
    };
    assert!(kept.starts_with('x') && kept.ends_with("the newest"));
}
