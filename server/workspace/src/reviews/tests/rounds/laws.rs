//! What must hold whenever nothing is under way.

use std::collections::BTreeSet;

use pollux_text::{Review, Splice};

use super::editor::FILE;
use super::world::World;
use crate::reviews::file::Existence;
use crate::reviews::testing::key;

/// Whether a person has decided something since all was at rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Explicit {
    Nothing,
    Something,
}

/// The numbers of `u7;` and the like.
pub(super) fn tokens(text: &str) -> BTreeSet<u64> {
    let parts = text.split(';').filter_map(|part| {
        let (_, number) = part.rsplit_once('u')?;
        number.parse().ok()
    });
    parts.collect()
}

impl World {
    pub(super) fn check(&mut self) {
        if !self.is_quiet() {
            return;
        }
        if !self.answers_are_there() {
            self.fail("a tool still waits");
        }
        self.editors_are_known();
        if let Some(file) = self.room.book().files.get(&key(FILE)) {
            if let Err(why) = adds_up(&file.review) {
                self.fail(&why);
            }
            self.text_is_the_truth(&file.review, file.presence.now);
        }
        self.nothing_is_lost();
        self.explicit = Explicit::Nothing;
    }

    /// The room has every editor's text.
    fn editors_are_known(&self) {
        let document = self.room.documents().get(&key(FILE));
        for editor in &self.editors {
            let views = document.map_or(&[][..], |document| document.views());
            let view = views.iter().find(|view| view.door == editor.id);
            let known = view.map(|view| view.text.to_string());
            if known != editor.text() {
                self.fail(&format!(
                    "an editor has {:?}, the room thinks {known:?}",
                    editor.text()
                ));
            }
        }
    }

    /// The review is about the text that counts: that of the editor that changed last, or of the disk.
    fn text_is_the_truth(&self, review: &Review, now: Existence) {
        let document = self.room.documents().get(&key(FILE));
        let leader = document.and_then(|document| document.latest());
        let truth = match leader {
            Some(view) => Some(view.text.to_string()),
            None => self.disk.text(FILE),
        };
        let found = (now == Existence::Present).then(|| review.current().to_string());
        if found != truth {
            self.fail(&format!("the review has {found:?}, the file is {truth:?}"));
        }
    }

    fn nothing_is_lost(&mut self) {
        let mut standing = self.at_hand();
        let mut wanted = BTreeSet::new();
        let mut recorded = BTreeSet::new();
        let book = self.room.book();
        if let Some(file) = book.files.get(&key(FILE)) {
            standing.extend(in_texts(&file.review));
            wanted.extend(in_wishes(&file.review));
        }
        for state in book.history.states() {
            recorded.extend(in_texts(&state.review));
            recorded.extend(in_wishes(&state.review));
        }
        for hunk in &*book.rejected.shown() {
            recorded.extend(tokens(&hunk.removed));
            recorded.extend(tokens(&hunk.added));
        }
        // Whoever edits a hunk by hand has decided about it once the agent goes on from there.
        let edited = book.decided.edited();
        if edited != std::mem::replace(&mut self.edited_by_hand, edited) {
            self.explicit = Explicit::Something;
        }
        let gone: Vec<u64> = self.typed.difference(&standing).copied().collect();
        for token in gone {
            let is_wanted = wanted.contains(&token);
            match (self.explicit, recorded.contains(&token)) {
                // From now on it is the agent's if it is anybody's.
                (Explicit::Something, true) => drop(self.typed.remove(&token)),
                _ if is_wanted => {}
                (Explicit::Something, false) => self.fail(&format!("u{token}; is in no record")),
                (Explicit::Nothing, _) => {
                    self.fail(&format!("u{token}; is gone, and nobody has decided so"));
                }
            }
        }
    }
}

fn in_texts(review: &Review) -> BTreeSet<u64> {
    let mut found = tokens(&review.current().to_string());
    found.extend(tokens(&review.base().to_string()));
    found
}

/// What a conflict or a hunk that was edited holds beside the text.
fn in_wishes(review: &Review) -> BTreeSet<u64> {
    let mut found = BTreeSet::new();
    for hunk in review.hunks() {
        found.extend(tokens(&hunk.their_text().unwrap_or_default()));
        found.extend(tokens(&hunk.agent_text().unwrap_or_default()));
    }
    found
}

/// The base with the hunks made is the current text.
fn adds_up(review: &Review) -> Result<(), String> {
    let hunks = review.hunks().map(|hunk| Splice {
        range: hunk.base_bytes(),
        text: hunk.current_text(),
    });
    let hunks: Vec<Splice> = hunks.collect();
    let (base, current) = (review.base().to_string(), review.current().to_string());
    let made = Splice::apply(&hunks, &base);
    match made == current {
        true => Ok(()),
        false => Err(format!("base and hunks make {made:?} and not {current:?}")),
    }
}
