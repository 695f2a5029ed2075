//! What a person asks of the reviews.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::book::Book;
use super::file::{Presence, ReviewedFile};
use super::hands::Hands;
use super::history::{Done, Stands};
use super::operation::{Deed, Operation, Selection, Travel};
use crate::{CommandDone, DocumentKey, Origin, RejectedId, ReviewCommand, ReviewError, Scope};

/// What is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Keep,
    Reject,
}

impl Book {
    /// Carries a command out, or sets it on its way to the editors.
    pub(crate) fn command(
        &mut self,
        hands: &Hands<'_>,
        command: ReviewCommand,
    ) -> Result<CommandDone, ReviewError> {
        match command {
            ReviewCommand::Keep(scope) => self.decide(hands, Verdict::Keep, scope),
            ReviewCommand::Reject(scope) => self.decide(hands, Verdict::Reject, scope),
            ReviewCommand::Settle { key, name, side } => {
                let hunk = self.named(&key, name)?;
                let step = self.number();
                let words = self.words("settle a conflict in", &[&key]);
                self.queue(
                    hands,
                    &key,
                    Operation::new(Deed::Settle(hunk, side), words, step),
                );
                Ok(said("The conflict is settled."))
            }
            ReviewCommand::Undo => {
                let last = self.history.last_decision();
                let step = last.ok_or(ReviewError::NothingToUndo)?.step;
                self.rejected.forget_step(step);
                let turned = self.history.turn_step(step, Stands::Undone);
                self.travel(hands, turned, Stands::Undone, Travel::Decision);
                Ok(said("The last decision is undone."))
            }
            ReviewCommand::Redo => {
                let last = self.history.last_undone();
                let step = last.ok_or(ReviewError::NothingToRedo)?.step;
                let mut turned = self.history.turn_step(step, Stands::Yes);
                turned.reverse();
                self.travel(hands, turned, Stands::Yes, Travel::Decision);
                Ok(said("The decision is made again."))
            }
            ReviewCommand::UndoTurn(origin) => self.turn(hands, &origin, Stands::Undone),
            ReviewCommand::RedoTurn(origin) => self.turn(hands, &origin, Stands::Yes),
            ReviewCommand::RewindTo(origin) => self.rewind(hands, &origin),
            ReviewCommand::Reapply(id) => self.reapply(hands, id),
            ReviewCommand::AddComment { .. }
            | ReviewCommand::RemoveComment(_)
            | ReviewCommand::TakeComments => Err(ReviewError::NoComments),
        }
    }

    fn decide(
        &mut self,
        hands: &Hands<'_>,
        verdict: Verdict,
        scope: Scope,
    ) -> Result<CommandDone, ReviewError> {
        let chosen = self.chosen(scope)?;
        let step = self.number();
        let hunks: usize = chosen
            .iter()
            .filter_map(|(key, selection)| Some(self.files.get(key)?.count(selection)))
            .sum();
        let (order, done) = match verdict {
            Verdict::Keep => ("keep", "Kept"),
            Verdict::Reject => ("reject", "Rejected"),
        };
        let keys: Vec<&DocumentKey> = chosen.keys().collect();
        let words = self.words(&format!("{order} {} of", counted(hunks, "hunk")), &keys);
        let message = format!(
            "{done} {} in {}.",
            counted(hunks, "hunk"),
            counted(keys.len(), "file")
        );
        for (key, selection) in chosen {
            let deed = match verdict {
                Verdict::Keep => Deed::Keep(selection),
                Verdict::Reject => Deed::Reject(selection),
            };
            self.queue(hands, &key, Operation::new(deed, Arc::clone(&words), step));
        }
        Ok(said(message))
    }

    /// The hunks of a scope, by file.
    fn chosen(&mut self, scope: Scope) -> Result<BTreeMap<DocumentKey, Selection>, ReviewError> {
        let chosen: BTreeMap<_, _> = match scope {
            Scope::Hunk { key, name } => {
                let hunk = self.named(&key, name)?;
                [(key, Selection::One(hunk))].into()
            }
            Scope::File(key) => [(key, Selection::All)].into(),
            Scope::Everything => {
                let all = self.files.keys().cloned();
                all.map(|key| (key, Selection::All)).collect()
            }
            Scope::Turn(origin) => {
                let numbers = self.origins.of_turn(&origin);
                let all = self.files.keys().cloned();
                all.map(|key| (key, Selection::Of(numbers.clone())))
                    .collect()
            }
        };
        let is_pending = |key: &DocumentKey, selection: &Selection| {
            let file = self.files.get(key);
            file.is_some_and(|file| file.is_pending(selection))
        };
        let chosen: BTreeMap<_, _> = chosen
            .into_iter()
            .filter(|(key, selection)| is_pending(key, selection))
            .collect();
        match chosen.is_empty() {
            true => Err(ReviewError::NothingPending),
            false => Ok(chosen),
        }
    }

    /// Everything a turn did to files, taken back or done again.
    fn turn(
        &mut self,
        hands: &Hands<'_>,
        origin: &Origin,
        standing: Stands,
    ) -> Result<CommandDone, ReviewError> {
        let numbers = self.origins.of_turn(origin);
        let mut turned = self.history.turn_edits(&numbers, standing);
        let message = match standing {
            Stands::Undone => "The turn is undone in",
            Stands::Yes => "The turn is done again in",
        };
        if turned.is_empty() {
            return Err(match standing {
                Stands::Undone => ReviewError::NothingToUndo,
                Stands::Yes => ReviewError::NothingToRedo,
            });
        }
        if standing == Stands::Yes {
            turned.reverse();
        }
        let files = self.travel(hands, turned, standing, Travel::Edit);
        Ok(said(format!("{message} {}.", counted(files, "file"))))
    }

    /// Back to before a turn: whatever its session did to files from then on.
    fn rewind(&mut self, hands: &Hands<'_>, origin: &Origin) -> Result<CommandDone, ReviewError> {
        let numbers = self.origins.from_turn(origin);
        let turned = self.history.turn_edits(&numbers, Stands::Undone);
        if turned.is_empty() {
            return Err(ReviewError::NothingToUndo);
        }
        let files = self.travel(hands, turned, Stands::Undone, Travel::Edit);
        Ok(said(format!("Taken back in {}.", counted(files, "file"))))
    }

    /// Sends files back or forth. Says how many.
    fn travel(
        &mut self,
        hands: &Hands<'_>,
        steps: Vec<Done>,
        standing: Stands,
        travel: Travel,
    ) -> usize {
        let step = self.number();
        let mut keys = std::collections::BTreeSet::new();
        for done in steps {
            let origin = done.origin();
            let (from, to) = match standing {
                Stands::Undone => (done.after, done.before),
                Stands::Yes => (done.before, done.after),
            };
            let assumed = from.review.current().to_string();
            let presence = Presence {
                base: from.presence.now,
                now: from.presence.now,
            };
            let is_new = !self.files.contains_key(&done.key);
            let file = self.file(hands, &done.key, &done.at, &done.path, &assumed, presence);
            if is_new && travel == Travel::Decision {
                file.take_up(&from);
            }
            let words: String = match standing {
                Stands::Undone => format!("undo: {}", done.words),
                Stands::Yes => format!("again: {}", done.words),
            };
            let deed = Deed::Travel {
                from,
                to,
                travel,
                origin,
            };
            let operation = Operation::new(deed, words.into(), step);
            keys.insert(done.key.clone());
            self.queue(hands, &done.key, operation);
        }
        keys.len()
    }

    fn reapply(&mut self, hands: &Hands<'_>, id: RejectedId) -> Result<CommandDone, ReviewError> {
        let kept = self.rejected.get(id).ok_or(ReviewError::NoSuchRejected)?;
        let kept = kept.clone();
        self.rejected.remove(id);
        let step = self.number();
        let without: Arc<str> = kept.without.to_string().into();
        let with: Arc<str> = kept.with.to_string().into();
        let key = &kept.shown.key;
        self.file(
            hands,
            key,
            &kept.at,
            &kept.shown.path,
            &without,
            Presence::FILE,
        );
        let words = self.words("apply a hunk to", &[key]);
        let deed = Deed::Reapply {
            without,
            with,
            origin: kept.origin,
        };
        self.queue(hands, key, Operation::new(deed, words, step));
        Ok(said("The hunk is applied again."))
    }

    /// "keep a hunk of src/a.rs"
    fn words(&self, order: &str, keys: &[&DocumentKey]) -> Arc<str> {
        let path = |key: &DocumentKey| {
            let file = self.files.get(key);
            file.map(|file: &ReviewedFile| file.path.display().to_string())
        };
        match keys {
            [key] => format!("{order} {}", path(key).unwrap_or_default()).into(),
            keys => format!("{order} {} files", keys.len()).into(),
        }
    }
}

fn said(message: impl Into<String>) -> CommandDone {
    CommandDone {
        message: message.into(),
        comments: None,
    }
}

/// "a hunk", "3 hunks"
fn counted(count: usize, thing: &str) -> String {
    match count {
        1 => format!("a {thing}"),
        count => format!("{count} {thing}s"),
    }
}
