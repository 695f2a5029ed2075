//! The text letter by letter.

use memchr::memmem;

use super::Spot;

pub(super) fn find(text: &str, old: &str, new: &str) -> Vec<Spot> {
    memmem::find_iter(text.as_bytes(), old.as_bytes())
        .map(|at| Spot {
            range: at..at + old.len(),
            new: new.to_owned(),
        })
        .collect()
}
