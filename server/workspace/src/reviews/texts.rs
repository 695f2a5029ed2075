//! Whole texts of reviewed files, for whoever shows them side by side.

use std::path::PathBuf;

use pollux_text::Buffer;

use super::book::Book;
use super::file::{Existence, State};
use crate::{DocumentKey, Origin};

/// What a file would be if everything pending were rejected.
#[derive(Clone, Debug)]
pub struct BaseText {
    /// Nothing when there would be no file.
    pub text: Option<Buffer>,
}

/// A file that a turn has changed.
#[derive(Clone, Debug)]
pub struct TurnFile {
    pub key: DocumentKey,
    /// Relative to the workspace folder, for people.
    pub path: PathBuf,
    /// Before the turn's first edit of it; nothing when there was no file.
    pub before: Option<Buffer>,
    /// After its last one.
    pub after: Option<Buffer>,
}

impl Book {
    pub(crate) fn base_text(&self, key: &DocumentKey) -> Option<BaseText> {
        let file = self.files.get(key)?;
        let is_there = file.presence.base == Existence::Present;
        Some(BaseText {
            text: is_there.then(|| file.review.base()),
        })
    }

    /// In the order in which the turn came to them.
    pub(crate) fn turn_files(&self, turn: &Origin) -> Vec<TurnFile> {
        let origins = self.origins.of_turn(turn);
        let mut files: Vec<TurnFile> = Vec::new();
        for done in self.history.edits(&origins) {
            let after = text(&done.after);
            match files.iter_mut().find(|file| file.key == done.key) {
                Some(file) => file.after = after,
                None => files.push(TurnFile {
                    key: done.key.clone(),
                    path: done.path.clone(),
                    before: text(&done.before),
                    after,
                }),
            }
        }
        files
    }
}

fn text(state: &State) -> Option<Buffer> {
    let is_there = state.presence.now == Existence::Present;
    is_there.then(|| state.review.current())
}
