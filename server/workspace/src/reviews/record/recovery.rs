//! What a record says when a room begins.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use pollux_ledger::{
    CommentId, Hash, HunkText, Ledger, OpId, Opened, Operation, Recovered as Found, Status, Texts,
};
use pollux_text::{Landed, landed};
use serde_json::{Value, json};

use super::damage;
use super::whose::{self, Whose};
use super::{room_key, room_origin};
use crate::reviews::file::{Existence, Presence};
use crate::reviews::history::Stands;
use crate::reviews::tally::ByTurn;
use crate::reviews::{Disk, Location};
use crate::{DocumentKey, Origin};

/// So many bytes of text of earlier days are read, so that what was done with them can be undone.
const MOST_BYTES: usize = 64 << 20;
/// What an operation takes beside its texts.
const BESIDE: usize = 4 << 10;

/// What was found of earlier days.
#[derive(Debug, Default)]
pub(in crate::reviews) struct Recovered {
    pub(in crate::reviews) root: PathBuf,
    /// What people are to know of a damaged record.
    pub(in crate::reviews) untold: Vec<String>,
    pub(in crate::reviews) files: Vec<RecoveredFile>,
    /// What an editor may have that the disk does not, the most recent of a file first.
    pub(in crate::reviews) unsaved: Vec<RecoveredFile>,
    /// The oldest first.
    pub(in crate::reviews) steps: Vec<RecoveredStep>,
    /// Turns that were too much to read, or of which not everything is kept.
    pub(in crate::reviews) forgotten: BTreeSet<Origin>,
    pub(in crate::reviews) rejected: Vec<RecoveredHunk>,
    pub(in crate::reviews) comments: Vec<(CommentId, RecoveredComment)>,
}

/// A pending review.
#[derive(Clone, Debug)]
pub(in crate::reviews) struct RecoveredFile {
    pub(in crate::reviews) key: DocumentKey,
    pub(in crate::reviews) path: PathBuf,
    pub(in crate::reviews) state: RecoveredState,
    pub(in crate::reviews) origin: Option<Origin>,
    /// What the file has without what was found.
    pub(in crate::reviews) now: Option<String>,
}

#[derive(Clone, Debug)]
pub(in crate::reviews) struct RecoveredState {
    pub(in crate::reviews) texts: pollux_text::Texts,
    pub(in crate::reviews) whose: Whose,
    pub(in crate::reviews) presence: Presence,
}

/// Something that was done and can be undone.
#[derive(Debug)]
pub(in crate::reviews) struct RecoveredStep {
    pub(in crate::reviews) key: DocumentKey,
    pub(in crate::reviews) path: PathBuf,
    pub(in crate::reviews) step: u64,
    pub(in crate::reviews) words: String,
    pub(in crate::reviews) what: Recorded,
    pub(in crate::reviews) standing: Stands,
    pub(in crate::reviews) origin: Option<Origin>,
    pub(in crate::reviews) group: pollux_ledger::GroupId,
    pub(in crate::reviews) renamed_from: Option<PathBuf>,
    /// What it decided.
    pub(in crate::reviews) decided: ByTurn,
    pub(in crate::reviews) before: RecoveredState,
    pub(in crate::reviews) after: RecoveredState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::reviews) enum Recorded {
    Decision,
    Edit,
}

/// A hunk that was turned down.
#[derive(Debug)]
pub(in crate::reviews) struct RecoveredHunk {
    pub(in crate::reviews) id: pollux_ledger::RejectedId,
    pub(in crate::reviews) key: DocumentKey,
    pub(in crate::reviews) path: PathBuf,
    pub(in crate::reviews) line: usize,
    pub(in crate::reviews) removed: String,
    pub(in crate::reviews) added: String,
}

#[derive(Debug)]
pub(in crate::reviews) struct RecoveredComment {
    pub(in crate::reviews) key: DocumentKey,
    pub(in crate::reviews) line: usize,
    pub(in crate::reviews) text: String,
}

/// Reads the record, and makes up its mind about what was cut off.
pub(super) fn recovered(
    ledger: &mut Ledger,
    opened: &Opened,
    disk: &dyn Disk,
    root: &Path,
) -> Recovered {
    let mut unsaved = Vec::new();
    for op in &opened.open {
        if let Some((operation, _)) = ledger.record().operation(*op)
            && let DocumentKey::File(path) = room_key(&operation.key)
        {
            disk.clean_up(&Location {
                root: root.to_owned(),
                path,
            });
        }
        let over = match was_done(ledger, *op, disk, root) {
            true => ledger.done(*op),
            false => {
                unsaved.extend(cut_off(ledger, *op));
                ledger.abandon(*op)
            }
        };
        if let Err(error) = over {
            tracing::warn!(%error, "an operation that was cut off stays open");
        }
    }
    unsaved.reverse();
    let mut lost = damage::give_up_hunks(ledger);
    let record = ledger.record();
    let files = record.pending().filter_map(|file| {
        let key = room_key(&file.key);
        let now = read(disk, root, &key);
        Some(RecoveredFile {
            state: state(ledger, &file.texts, &file.detail)?,
            path: file.path.clone(),
            origin: origin(&file.detail),
            key,
            now,
        })
    });
    let files: Vec<RecoveredFile> = files.collect();
    let is_elsewhere = |file: &&RecoveredFile| file.now.as_ref() != Some(&file.state.texts.current);
    unsaved.extend(files.iter().filter(is_elsewhere).cloned());
    let rejected = record.rejected().filter_map(|hunk| {
        Some(RecoveredHunk {
            id: hunk.id,
            key: room_key(&hunk.key),
            path: hunk.path.clone(),
            line: hunk.line,
            removed: hunk_text(ledger, &hunk.removed)?,
            added: hunk_text(ledger, &hunk.added)?,
        })
    });
    let comments = record.comments().map(|comment| {
        let found = RecoveredComment {
            key: room_key(&comment.key),
            line: comment.line,
            text: comment.text.clone(),
        };
        (comment.id, found)
    });
    let (rejected, comments) = (rejected.collect(), comments.collect());
    let (steps, forgotten, unreadable) = steps(ledger, MOST_BYTES);
    if let Some(op) = unreadable {
        lost.give_up_operation(ledger, op);
    }
    if let Some(text) = lost.sentence(ledger, opened, root)
        && let Err(error) = ledger.add_untold(&text)
    {
        tracing::warn!(%error, text, "a damage cannot be noted");
    }
    Recovered {
        root: root.to_owned(),
        untold: ledger.untold(),
        files,
        unsaved,
        rejected,
        comments,
        steps,
        forgotten,
    }
}

/// Whether an operation that was cut off got to its file.
fn was_done(ledger: &Ledger, op: OpId, disk: &dyn Disk, root: &Path) -> bool {
    let Some((operation, _)) = ledger.record().operation(op) else {
        return false;
    };
    let now = read(disk, root, &room_key(&operation.key));
    match pollux_ledger::recover(operation, now.as_deref().map(str::as_bytes)) {
        Found::After => true,
        Found::Before => false,
        // Somebody has typed since: their text may have the edit in it or not.
        Found::Neither => {
            let text = |hash: Option<Hash>| hash.and_then(|hash| text(ledger, &hash));
            let before = text(operation.before.current).unwrap_or_default();
            let after = text(operation.after.current).unwrap_or_default();
            let arrived = landed(&before, &after, &now.unwrap_or_default());
            matches!(arrived, Landed::Arrived { .. })
        }
    }
}

/// The review as an operation would have left it that did not get as far as the disk.
fn cut_off(ledger: &Ledger, op: OpId) -> Option<RecoveredFile> {
    let (operation, _) = ledger.record().operation(op)?;
    let without = operation.before.current;
    Some(RecoveredFile {
        key: room_key(&operation.key),
        path: operation.path.clone(),
        state: state(ledger, &operation.after, &operation.detail)?,
        origin: origin(&operation.detail),
        now: without.and_then(|hash| text(ledger, &hash)),
    })
}

fn read(disk: &dyn Disk, root: &Path, key: &DocumentKey) -> Option<String> {
    let DocumentKey::File(path) = key else {
        return None;
    };
    let at = Location {
        root: root.to_owned(),
        path: path.clone(),
    };
    disk.read(&at).ok().flatten()
}

/// What is undone together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Together {
    /// The room's number for a decision.
    Decision(Option<u64>),
    Turn(Option<Origin>),
}

/// What can be undone, the oldest first, the turns that cannot, and the newest operation that cannot be read. A turn or a decision is read as a whole or not at all.
fn steps(ledger: &Ledger, most: usize) -> (Vec<RecoveredStep>, BTreeSet<Origin>, Option<OpId>) {
    let record = ledger.record();
    let together = |operation: &Operation| match operation.what.is_decision() {
        true => Together::Decision(number(operation)),
        false => Together::Turn(operation.origin.as_ref().map(room_origin)),
    };
    let mut steps = Vec::new();
    let mut bytes = 0;
    let mut left_out: BTreeSet<Together> = BTreeSet::new();
    let mut undone = BTreeMap::new();
    let mut unreadable = None;
    let done = record.operations().rev();
    let done = done.filter(|(operation, status)| {
        let can_be_undone = operation.what.is_change() || operation.what.is_decision();
        *status == Status::Done && can_be_undone
    });
    for (operation, _) in done {
        // Whatever is older than something that is left out is left out too: an undo goes by the order.
        let step = match left_out.is_empty() {
            true => {
                let step = step(ledger, operation, &mut undone);
                if step.is_none() {
                    unreadable = Some(operation.id);
                }
                step
            }
            false => None,
        };
        let step = step.filter(|step| {
            bytes += step.before.texts.current.len() + step.after.texts.current.len() + BESIDE;
            bytes <= most
        });
        match step {
            Some(step) => steps.push((together(operation), step)),
            None => {
                left_out.insert(together(operation));
            }
        }
    }
    let is_decision = |together: &Together| matches!(together, Together::Decision(_));
    let mut forgotten = record.forgotten_turns().peekable();
    if forgotten.peek().is_some() {
        // The record does not know what it has forgotten of the oldest decision that is left.
        let oldest = steps.iter().rev().map(|(together, _)| together);
        left_out.extend(oldest.clone().find(|it| is_decision(it)).cloned());
    }
    left_out.extend(forgotten.map(|turn| Together::Turn(Some(room_origin(turn)))));
    steps.retain(|(together, _)| !left_out.contains(together));
    steps.reverse();
    let forgotten = left_out.into_iter().filter_map(|together| match together {
        Together::Turn(turn) => turn,
        Together::Decision(_) => None,
    });
    let steps = steps.into_iter().map(|(_, step)| step);
    (steps.collect(), forgotten.collect(), unreadable)
}

/// What the room calls that which one command or one call did.
fn number(operation: &Operation) -> Option<u64> {
    operation.detail.get("step")?.as_u64()
}

/// `undone` remembers which turns are: to find out takes a look at the whole record.
fn step(
    ledger: &Ledger,
    operation: &Operation,
    undone: &mut BTreeMap<pollux_ledger::Origin, bool>,
) -> Option<RecoveredStep> {
    let record = ledger.record();
    let mut turn_is_undone = || {
        let origin = operation.origin.as_ref();
        origin.is_some_and(|origin| match undone.get(origin) {
            Some(known) => *known,
            None => {
                let is_undone = record.undo_of_turn(origin).is_some();
                undone.insert(origin.clone(), is_undone);
                is_undone
            }
        })
    };
    let standing = match operation.what.is_change() {
        true if turn_is_undone() => Stands::Undone,
        false if record.undo_of(operation.group).is_some() => Stands::Undone,
        false if turn_is_undone() => Stands::UndoneWithTurn,
        true | false => Stands::Yes,
    };
    let before = json!({ "whose": operation.detail.get("whoseBefore") });
    Some(RecoveredStep {
        key: room_key(&operation.key),
        path: operation.path.clone(),
        step: number(operation)?,
        words: operation.words.clone(),
        what: match operation.what.is_decision() {
            true => Recorded::Decision,
            false => Recorded::Edit,
        },
        standing,
        origin: operation.origin.as_ref().map(room_origin),
        group: operation.group,
        renamed_from: operation
            .detail
            .get("renamedFrom")
            .and_then(Value::as_str)
            .map(PathBuf::from),
        decided: whose::decided_from_value(operation.detail.get("decides")),
        before: state(ledger, &operation.before, &before)?,
        after: state(ledger, &operation.after, &operation.detail)?,
    })
}

/// Nothing where a text is no longer kept.
fn state(ledger: &Ledger, texts: &Texts, detail: &Value) -> Option<RecoveredState> {
    let found = |hash: Option<Hash>| match hash {
        Some(hash) => text(ledger, &hash),
        None => Some(String::new()),
    };
    let existence = |hash: Option<Hash>| match hash {
        Some(_) => Existence::Present,
        None => Existence::Missing,
    };
    let current = found(texts.current)?;
    let theirs = detail.get("theirs").and_then(Value::as_str);
    Some(RecoveredState {
        whose: whose::from_value(detail.get("whose")),
        presence: Presence {
            base: existence(texts.base),
            now: existence(texts.current),
        },
        texts: pollux_text::Texts {
            base: found(texts.base)?,
            agent: match texts.agent {
                Some(agent) => text(ledger, &agent)?,
                None => current.clone(),
            },
            theirs: theirs.map_or_else(|| current.clone(), str::to_owned),
            current,
        },
    })
}

fn origin(detail: &Value) -> Option<Origin> {
    Some(Origin {
        session: detail.get("session")?.as_str()?.into(),
        turn: pollux_agent::api::TurnId(detail.get("turn")?.as_u64()?),
    })
}

fn text(ledger: &Ledger, hash: &Hash) -> Option<String> {
    let bytes = ledger.text(hash).ok()?;
    String::from_utf8(bytes).ok()
}

fn hunk_text(ledger: &Ledger, text: &HunkText) -> Option<String> {
    let bytes = ledger.hunk_text(text).ok()?;
    String::from_utf8(bytes).ok()
}
