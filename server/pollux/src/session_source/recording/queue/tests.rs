use pollux_agent::api::KeptId;
use tokio::sync::oneshot;

use super::*;

/// Nobody waits for this: what is not handed out at once makes the test hang.
const FOREVER: Duration = Duration::from_secs(3_600);

fn shown(entry: Option<Owned>) -> String {
    match entry {
        None => "nothing".to_owned(),
        Some(Owned::Text(text)) => format!("said {text:?}"),
        Some(Owned::Gone(KeptId(id))) => format!("gone {id}"),
        Some(_) => "something else".to_owned(),
    }
}

#[test]
fn pieces_that_wait_are_one_and_stay_in_their_place() {
    let (entries, mut writing) = joining(FOREVER);
    entries.put(Owned::Gone(KeptId(1)));
    entries.piece("a");
    entries.piece("b");
    entries.put(Owned::Gone(KeptId(2)));
    entries.piece("c");
    drop(entries);
    let all: Vec<String> = (0..5).map(|_| shown(writing.next())).collect();
    let expected = ["gone 1", "said \"ab\"", "gone 2", "said \"c\"", "nothing"];
    assert_eq!(all, expected);
}

#[test]
fn the_first_piece_is_written_at_once() {
    let (entries, mut writing) = joining(FOREVER);
    entries.piece("a");
    assert_eq!(shown(writing.next()), "said \"a\"");
    // And so is the first behind something else.
    entries.put(Owned::Gone(KeptId(1)));
    assert_eq!(shown(writing.next()), "gone 1");
    entries.piece("b");
    assert_eq!(shown(writing.next()), "said \"b\"");
}

#[test]
fn nothing_waits_for_more_of_an_answer_but_the_answer() {
    let (entries, mut writing) = joining(FOREVER);
    entries.piece("a");
    assert_eq!(shown(writing.next()), "said \"a\"");
    entries.piece("b");
    let writer = std::thread::spawn(move || [shown(writing.next()), shown(writing.next())]);
    entries.piece("c");
    entries.put(Owned::Gone(KeptId(1)));
    let [said, gone] = writer.join().unwrap();
    assert_eq!([said.as_str(), gone.as_str()], ["said \"bc\"", "gone 1"]);
}

#[test]
fn a_pause_ends_the_wait_for_more() {
    let (entries, mut writing) = joining(Duration::from_millis(1));
    entries.piece("a");
    assert_eq!(shown(writing.next()), "said \"a\"");
    entries.piece("b");
    // Nobody says anything more.
    assert_eq!(shown(writing.next()), "said \"b\"");
}

#[test]
fn the_rest_is_written_when_nobody_can_say_more() {
    let (entries, mut writing) = joining(FOREVER);
    let other = entries.clone();
    entries.piece("a");
    assert_eq!(shown(writing.next()), "said \"a\"");
    other.piece("b");
    drop(entries);
    let writer = std::thread::spawn(move || [shown(writing.next()), shown(writing.next())]);
    drop(other);
    assert_eq!(writer.join().unwrap(), ["said \"b\"", "nothing"]);
}

#[test]
fn whoever_waits_learns_that_nothing_is_written_any_more() {
    let (entries, writing) = joining(FOREVER);
    let (before, mut was_waiting) = oneshot::channel();
    entries.put(Owned::Reached(before));
    drop(writing);
    let (after, mut came_late) = oneshot::channel();
    entries.put(Owned::Reached(after));
    let closed = Err(oneshot::error::TryRecvError::Closed);
    assert_eq!(was_waiting.try_recv(), closed);
    assert_eq!(came_late.try_recv(), closed);
}

#[test]
fn pieces_that_wait_for_a_disk_that_hangs_have_a_limit() {
    let (entries, mut writing) = joining(FOREVER);
    let piece = "x".repeat(1024 * 1024);
    for _ in 0..100 {
        entries.piece(&piece);
    }
    entries.put(Owned::TurnEnded(None));
    let Some(Owned::Text(text)) = writing.next() else {
        panic!("the pieces come first");
    };
    assert_eq!(text.len(), MOST_WAITING);
    assert!(matches!(writing.next(), Some(Owned::TurnEnded(None))));
}
