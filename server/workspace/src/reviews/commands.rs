//! What a person asks of the reviews.

use std::collections::BTreeMap;
use std::sync::Arc;

use pollux_agent::api::Decision;
use pollux_ledger::Target;
use tokio::sync::oneshot;

use super::book::Book;
use super::file::{DiskNews, Presence, ReviewedFile};
use super::hands::Hands;
use super::history::Done;
use super::operation::{Deed, Journey, Operation, Selection, Travel, Way};
use super::proposals::Named;
use super::record::{Job, recorded_origin};
use super::rename::Renamed;
use crate::{
    CommandDone, Comment, CommentId, CommentSent, DocumentKey, Origin, RejectedId, ReviewCommand,
    ReviewError, Scope,
};

/// Who waits for what becomes of a command.
pub(crate) type Reply = oneshot::Sender<Result<CommandDone, ReviewError>>;

/// What is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Keep,
    Reject,
}

impl Book {
    /// Answers a command, once it is known what earlier days have left.
    pub(crate) fn order(&mut self, hands: &Hands<'_>, command: ReviewCommand, reply: Reply) {
        if !self.reading.is_empty() {
            return self.deferred.push((command, reply));
        }
        let done = match self.refusal_of(&command) {
            Some(why) => Err(why),
            None => self.command(hands, command),
        };
        let done = done.map_err(|error| self.explained(error));
        // Whoever asked has gone; the command is carried out all the same.
        let _gone = reply.send(done);
    }

    /// A comment that could not be recorded would be lost with this process.
    fn refusal_of(&self, command: &ReviewCommand) -> Option<ReviewError> {
        let is_recorded = matches!(command, ReviewCommand::AddComment { .. });
        let why = self.blocked.values().next().filter(|_| is_recorded)?;
        Some(ReviewError::NotRecorded {
            reason: why.reason().to_owned(),
            busy: why.is_busy(),
        })
    }

    /// What is not found may be in a record that cannot be opened for now.
    fn explained(&self, error: ReviewError) -> ReviewError {
        match (error, self.blocked.values().next()) {
            (
                ReviewError::NothingPending
                | ReviewError::NothingToUndo
                | ReviewError::NothingToRedo
                | ReviewError::Stale,
                Some(why),
            ) => ReviewError::NotRecorded {
                reason: why.reason().to_owned(),
                busy: why.is_busy(),
            },
            (error, _) => error,
        }
    }

    /// Carries a command out, or sets it on its way to the editors.
    fn command(
        &mut self,
        hands: &Hands<'_>,
        command: ReviewCommand,
    ) -> Result<CommandDone, ReviewError> {
        match command {
            ReviewCommand::Keep(scope) => self.decide(hands, Verdict::Keep, scope),
            ReviewCommand::Reject(scope) => self.decide(hands, Verdict::Reject, scope),
            ReviewCommand::Settle { key, name, side } => {
                let Named::Hunk(hunk) = self.named(&key, name)? else {
                    return Err(ReviewError::NothingPending);
                };
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
                let turned = self.history.turn_step(step, Way::Back);
                for done in &turned {
                    for hunk in self.rejected.forget(done) {
                        self.no_longer_rejected(&hunk.at, hunk.recorded);
                    }
                }
                self.travel(hands, turned, Way::Back, Travel::Decision, None);
                Ok(said("The last decision is undone."))
            }
            ReviewCommand::Redo => {
                let last = self.history.last_undone();
                let step = last.ok_or(ReviewError::NothingToRedo)?.step;
                let mut turned = self.history.turn_step(step, Way::Again);
                turned.reverse();
                for done in &turned {
                    for (at, hunk) in self.rejected.again(done) {
                        if let Some(recorder) = self.recorders.get(&at.root) {
                            recorder.send(Job::Rejected(hunk));
                        }
                    }
                }
                self.travel(hands, turned, Way::Again, Travel::Decision, None);
                Ok(said("The decision is made again."))
            }
            ReviewCommand::UndoTurn(origin) => self.turn(hands, &origin, Way::Back),
            ReviewCommand::UndoLastTurn => {
                let last = self.history.last_edit();
                let origin = last.and_then(|number| self.origins.get(number).cloned());
                let origin = origin.ok_or(ReviewError::NothingToUndo)?;
                self.turn(hands, &origin, Way::Back)
            }
            ReviewCommand::RedoTurn(origin) => self.turn(hands, &origin, Way::Again),
            ReviewCommand::RewindTo(origin) => self.rewind(hands, &origin),
            ReviewCommand::Reapply(id) => self.reapply(hands, id),
            ReviewCommand::AddComment { key, line, text } => self.comment(&key, line, text),
            ReviewCommand::RemoveComment(id) => {
                let key = self.comments.remove(id).ok_or(ReviewError::NoSuchComment)?;
                self.comments_gone(&key, vec![id]);
                self.advance(hands, &key);
                Ok(said("The comment is gone."))
            }
            ReviewCommand::TakeComments => self.take_comments(hands),
        }
    }

    fn decide(
        &mut self,
        hands: &Hands<'_>,
        verdict: Verdict,
        scope: Scope,
    ) -> Result<CommandDone, ReviewError> {
        let decision = match verdict {
            Verdict::Keep => Decision::Keep,
            Verdict::Reject => Decision::Reject,
        };
        if let Scope::Hunk { key, name } = &scope
            && let Named::Proposed { question, hunk } = self.named(key, *name)?
        {
            self.decide_proposed(&question, hunk, decision);
            return Ok(said("Decided."));
        }
        let proposed = match &scope {
            Scope::File(key) => self.decide_all_proposed(Some(key), decision),
            Scope::Everything => self.decide_all_proposed(None, decision),
            Scope::Hunk { .. } | Scope::Turn(_) => 0,
        };
        let chosen = match self.chosen(scope) {
            Err(ReviewError::NothingPending) if proposed > 0 => BTreeMap::new(),
            chosen => chosen?,
        };
        let step = self.number();
        let counts = chosen
            .iter()
            .filter_map(|(key, selection)| Some(self.files.get(key)?.count(selection)));
        let hunks: usize = counts.sum::<usize>() + proposed;
        // Rejecting a conflict leaves a person's lines as they are. Keeping it could mean either side.
        let unsettled: usize = match verdict {
            Verdict::Keep => chosen
                .iter()
                .filter_map(|(key, selection)| Some(self.files.get(key)?.conflicts(selection)))
                .sum(),
            Verdict::Reject => 0,
        };
        let hunks = hunks - unsettled;
        if hunks == 0 && unsettled > 0 {
            return Err(ReviewError::Unsettled);
        }
        let (order, done) = match verdict {
            Verdict::Keep => ("keep", "Kept"),
            Verdict::Reject => ("reject", "Rejected"),
        };
        let keys: Vec<&DocumentKey> = chosen.keys().collect();
        // Empty files that come or go have none.
        let (what, how_much) = match hunks {
            0 => (order.to_owned(), String::new()),
            hunks => {
                let hunks = counted(hunks, "hunk");
                (format!("{order} {hunks} of"), format!("{hunks} in "))
            }
        };
        let words = self.words(&what, &keys);
        let files = keys.len() + usize::from(proposed > 0 && keys.is_empty());
        let left = match unsettled {
            0 => String::new(),
            1 => " A conflict is left: keep yours, or take the agent's.".to_owned(),
            some => format!(" {some} conflicts are left: keep yours, or take the agent's."),
        };
        let message = format!("{done} {how_much}{}.{left}", counted(files, "file"));
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
                let selection = match self.named(&key, name)? {
                    Named::Hunk(hunk) => Selection::One(hunk),
                    Named::File => Selection::All,
                    Named::Proposed { .. } => return Err(ReviewError::NothingPending),
                };
                [(key, selection)].into()
            }
            Scope::File(key) => [(key, Selection::All)].into(),
            Scope::Everything => {
                let all = self.files.keys().cloned();
                all.map(|key| (key, Selection::All)).collect()
            }
            Scope::Turn(origin) => {
                let numbers = self.origins.of_turn(&origin);
                let is_its = |key: &DocumentKey| {
                    let maker = self.history.maker(key);
                    maker.is_some_and(|maker| numbers.contains(&maker))
                };
                let select = |(key, file): (&DocumentKey, &ReviewedFile)| {
                    let selection = match file.is_bare() && is_its(key) {
                        true => Selection::All,
                        false => Selection::Of(numbers.clone()),
                    };
                    (key.clone(), selection)
                };
                self.files.iter().map(select).collect()
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
        way: Way,
    ) -> Result<CommandDone, ReviewError> {
        if self.history.has_forgotten(|turn| turn == origin) {
            return Err(ReviewError::Forgotten);
        }
        let numbers = self.origins.of_turn(origin);
        let mut turned = self.history.turn_edits(&numbers, way);
        let message = match way {
            Way::Back => "The turn is undone in",
            Way::Again => "The turn is done again in",
        };
        if turned.is_empty() {
            return Err(match way {
                Way::Back => ReviewError::NothingToUndo,
                Way::Again => ReviewError::NothingToRedo,
            });
        }
        if way == Way::Again {
            turned.reverse();
        }
        let target = Some(Target::Turn(recorded_origin(origin)));
        let files = self.travel(hands, turned, way, Travel::Edit, target);
        Ok(said(format!("{message} {}.", counted(files, "file"))))
    }

    /// Back to before a turn: whatever its session did to files from then on.
    fn rewind(&mut self, hands: &Hands<'_>, origin: &Origin) -> Result<CommandDone, ReviewError> {
        let is_later = |turn: &Origin| turn.session == origin.session && turn.turn >= origin.turn;
        if self.history.has_forgotten(is_later) {
            return Err(ReviewError::Forgotten);
        }
        let numbers = self.origins.since_turn(origin);
        let turned = self.history.turn_edits(&numbers, Way::Back);
        if turned.is_empty() {
            return Err(ReviewError::NothingToUndo);
        }
        let target = Some(Target::Since(recorded_origin(origin)));
        let files = self.travel(hands, turned, Way::Back, Travel::Edit, target);
        Ok(said(format!("Taken back in {}.", counted(files, "file"))))
    }

    /// Sends files back or forth. Says how many.
    fn travel(
        &mut self,
        hands: &Hands<'_>,
        steps: Vec<Done>,
        way: Way,
        travel: Travel,
        target: Option<Target>,
    ) -> usize {
        let step = self.number();
        let mut keys = std::collections::BTreeSet::new();
        let mut waiting = Vec::new();
        for done in steps {
            let origin = done.origin();
            let words: String = match way {
                Way::Back => format!("undo: {}", done.words),
                Way::Again => format!("again: {}", done.words),
            };
            let (from, to) = match way {
                Way::Back => (done.after, done.before),
                Way::Again => (done.before, done.after),
            };
            let assumed = from.review.current().to_string();
            let presence = Presence {
                base: from.presence.now,
                now: from.presence.now,
            };
            let is_new = !self.files.contains_key(&done.key);
            let file = self.file(hands, &done.key, &done.at, &done.path, &assumed, presence);
            if is_new {
                // Nobody has looked at it since.
                file.disk = DiskNews::Unread;
                if travel == Travel::Decision {
                    file.take_up(&from);
                }
            }
            let target = target.clone().or(done.group.map(Target::Decision));
            let deed = match (done.renamed, way) {
                (Some(Renamed { from: to, .. }), Way::Back)
                | (Some(Renamed { to, .. }), Way::Again) => Deed::Rename { to, way, target },
                (None, way) => Deed::Travel(Box::new(Journey {
                    from,
                    to,
                    travel,
                    origin,
                    way,
                    target,
                })),
            };
            let operation = Operation::new(deed, words.into(), step);
            keys.insert(done.key.clone());
            waiting.push((done.key, operation));
        }
        // A file that gets another name takes its queue along, so all of it has to be there first.
        for (key, operation) in waiting {
            if let Some(file) = self.files.get_mut(&key) {
                file.queue.push_back(operation);
            }
        }
        for key in &keys {
            self.advance(hands, key);
        }
        keys.len()
    }

    fn reapply(&mut self, hands: &Hands<'_>, id: RejectedId) -> Result<CommandDone, ReviewError> {
        let kept = self.rejected.get(id).ok_or(ReviewError::NoSuchRejected)?;
        let kept = kept.clone();
        self.rejected.remove(id);
        let step = self.number();
        let key = &kept.shown.key;
        let without = kept.texts.as_ref().map(|(without, _)| without.to_string());
        let assumed = without.unwrap_or_default();
        let path = &kept.shown.path;
        self.file(hands, key, &kept.at, path, &assumed, Presence::FILE);
        let words = self.words("apply a hunk to", &[key]);
        let deed = Deed::Reapply {
            hunk: kept.shown.clone(),
            texts: kept.texts.clone(),
            origin: kept.origin,
            recorded: kept.recorded,
        };
        self.queue(hands, key, Operation::new(deed, words, step));
        Ok(said("The hunk is applied again."))
    }

    fn comment(
        &mut self,
        key: &DocumentKey,
        line: usize,
        text: String,
    ) -> Result<CommandDone, ReviewError> {
        let path = self.path_of(key).ok_or(ReviewError::NothingPending)?;
        let id = CommentId(self.number());
        let text: Arc<str> = text.into();
        // The line is one of the text as it is now, which a person may have typed in since it was last recorded.
        self.hold(key);
        if let Some(recorder) = self.recorder_of(key) {
            recorder.send(Job::Comment {
                key: key.clone(),
                line,
                text: Arc::clone(&text),
                id,
            });
        }
        let sent = CommentSent::NotYet;
        let comment = Comment {
            id,
            line,
            text,
            sent,
        };
        self.comments.add(key, path, comment);
        self.touch(key);
        Ok(said("The comment is kept until you send it."))
    }

    fn take_comments(&mut self, hands: &Hands<'_>) -> Result<CommandDone, ReviewError> {
        let files = &self.files;
        let line = |key: &DocumentKey, line: usize| {
            let text = files.get(key)?.review.current().to_string();
            pollux_text::lines(&text)
                .get(line)
                .map(|line| (*line).to_owned())
        };
        let message = self.comments.take(line).ok_or(ReviewError::NoComments)?;
        // Beside the lines it is shown that they were sent.
        for key in self.comments.files() {
            self.touch(&key);
            self.advance(hands, &key);
        }
        Ok(CommandDone {
            message: "The comments are on their way.".to_owned(),
            comments: Some(message),
        })
    }

    pub(super) fn comments_gone(&mut self, key: &DocumentKey, ids: Vec<CommentId>) {
        if let Some(recorder) = self.recorder_of(key) {
            recorder.send(Job::CommentsGone(ids));
        }
        self.touch(key);
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
