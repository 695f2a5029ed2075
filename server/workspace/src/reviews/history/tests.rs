use std::path::PathBuf;

use pollux_agent::Standing;
use pollux_text::Review;

use super::*;
use crate::reviews::file::Presence;
use crate::reviews::operation::Selection;
use crate::reviews::testing::{key, place, turn};

fn note(history: &mut History, path: &str, step: u64, by: Option<u64>) {
    let deed = match by {
        Some(origin) => Deed::Edit {
            read: "".into(),
            proposed: "".into(),
            origin,
            standing: Standing::Pending,
        },
        None => Deed::Keep(Selection::All),
    };
    let name = Name {
        key: key(path),
        at: Location {
            root: PathBuf::from("/w"),
            path: place(path),
        },
        path: PathBuf::from(path),
    };
    let state = State {
        review: Review::new("text"),
        presence: Presence::FILE,
    };
    let step_taken = Step {
        before: state.clone(),
        after: state,
        tallies: Vec::new(),
    };
    let operation = Operation::new(deed, "words".into(), step);
    history.note(name, &operation, by.map(turn), step_taken);
}

fn left(history: &History) -> String {
    let words = history.done.iter().map(|done| match done.what {
        What::Edit { origin } => format!("{origin}"),
        What::Decision => format!("d{}", done.step),
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_turn_is_forgotten_as_a_whole_and_known_to_be() {
    let mut history = History::default();
    note(&mut history, "a", 1, Some(1));
    note(&mut history, "a", 2, None);
    note(&mut history, "b", 2, None);
    note(&mut history, "a", 3, Some(2));
    note(&mut history, "b", 4, Some(1));
    note(&mut history, "b", 5, Some(2));
    note(&mut history, "c", 6, None);
    let bytes = history.bytes;
    history.shrink_to(bytes);
    assert_eq!(left(&history), "1 d2 d2 2 1 2 d6");
    history.shrink_to(bytes - 1);
    assert_eq!(left(&history), "d2 d2 2 2 d6");
    assert!(history.has_forgotten(|it| *it == turn(1)));
    assert!(!history.has_forgotten(|it| *it == turn(2)));
    history.shrink_to(0);
    assert_eq!(left(&history), "2 2 d6", "the last of each stays");
    assert_eq!(history.of(&key("b")).count(), 1);
    // A turn that goes on is not to be undone in part.
    note(&mut history, "c", 7, Some(1));
    assert!(history.has_forgotten(|it| *it == turn(1)));
}
