mod behaviours;
mod corpus;
mod errors;
mod properties;

use super::*;

fn one<'a>(old: &'a str, new: &'a str) -> Replacement<'a> {
    Replacement {
        old,
        new,
        occurrences: Occurrences::One,
    }
}

fn all<'a>(old: &'a str, new: &'a str) -> Replacement<'a> {
    Replacement {
        occurrences: Occurrences::All,
        ..one(old, new)
    }
}

/// The text after an edit of one place, and how it was found.
fn edited(text: &str, old: &str, new: &str) -> (Strategy, String) {
    let replaced = replace(text, &one(old, new)).unwrap();
    (replaced.strategy, replaced.text)
}
