//! The two roads into a file: through the editors that have it open, or over the disk.

use std::collections::BTreeMap;
use std::time::Duration;

use pollux_agent::FileError;
use pollux_text::{PositionEncoding, Splice};

use super::file::{Existence, UnderWay};
use super::hands::{Hands, Leader};
use super::{Delivery, Location, Replaced, Work};
use crate::{DocumentKey, DoorId, EditId, EditOutcome, Outbound, View};

/// How an operation gets to its file.
#[derive(Debug)]
pub(super) enum Road {
    /// None yet: it is being written down first.
    Record {
        id: EditId,
    },
    /// None for now. It is tried again when something moves, or after a while.
    Waiting {
        id: EditId,
    },
    Editor {
        id: EditId,
        /// The editors that were asked.
        doors: BTreeMap<DoorId, Asked>,
    },
    Disk {
        id: EditId,
    },
}

/// An editor that was asked for an edit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    /// Of its text, as the room knew it.
    pub(super) version: i32,
    /// What it has said so far.
    pub(super) answer: Option<EditOutcome>,
}

/// An editor that has taken an edit shows it at once. After this it is asked again.
pub(super) const OVERDUE: Duration = Duration::from_secs(2);

impl Road {
    pub(super) fn id(&self) -> EditId {
        match self {
            Self::Record { id }
            | Self::Waiting { id }
            | Self::Editor { id, .. }
            | Self::Disk { id } => *id,
        }
    }
}

/// Sets an operation on its way.
pub(super) fn set_out(
    hands: &Hands<'_>,
    key: &DocumentKey,
    at: &Location,
    in_step: impl Iterator<Item = DoorId>,
    was: Existence,
    under_way: &mut UnderWay,
    id: EditId,
) {
    // An empty file that comes or goes has no text that an editor could change.
    let is_bare = under_way.planned.splices.is_empty();
    under_way.road = match hands.leader(key) {
        Leader::View(_) if is_bare => {
            over_disk(hands, key, at, was, under_way, id);
            Road::Disk { id }
        }
        Leader::Disk | Leader::OutOfStep => {
            over_disk(hands, key, at, was, under_way, id);
            Road::Disk { id }
        }
        Leader::View(_) => {
            let doors = in_step
                .filter_map(|door| Some((door, through_editor(hands, key, door, under_way, id)?)))
                .collect();
            compare_with_disk(hands, key, at, under_way, id);
            Road::Editor { id, doors }
        }
    };
}

fn through_editor(
    hands: &Hands<'_>,
    key: &DocumentKey,
    door: DoorId,
    under_way: &UnderWay,
    id: EditId,
) -> Option<Asked> {
    let view = hands.view(key, door)?;
    let splices = &under_way.planned.splices;
    ask(hands, view, splices, &under_way.operation.words, id);
    Some(Asked {
        version: view.version,
        answer: None,
    })
}

/// Asks an editor for an edit of the text that is known of it.
pub(super) fn ask(hands: &Hands<'_>, view: &View, splices: &[Splice], words: &str, id: EditId) {
    let entry = hands.doors.get(&view.door);
    let encoding = entry.map_or(PositionEncoding::default(), |entry| entry.encoding);
    hands.send(
        view.door,
        Outbound::ApplyEdit {
            op: id,
            uri: view.uri.to_string(),
            version: view.version,
            edits: view.text.edits_of(splices, encoding),
            label: format!("Pollux: {words}"),
        },
    );
}

/// A file that was saved before the edit is saved after it.
fn compare_with_disk(
    hands: &Hands<'_>,
    key: &DocumentKey,
    at: &Location,
    under_way: &UnderWay,
    id: EditId,
) {
    let (at, before, key) = (at.clone(), under_way.before.clone(), key.clone());
    let unknown = {
        let key = key.clone();
        move || Work::Compared {
            key,
            id,
            was: Saved::No,
        }
    };
    hands.elsewhere(
        move |disk| {
            let was = match disk.read(&at) {
                Ok(Some(text)) if text == without_mark(&before) => Saved::Yes,
                Ok(_) | Err(_) => Saved::No,
            };
            Work::Compared { key, id, was }
        },
        unknown,
    );
}

/// An editor may count a byte order mark to the text; on disk it is the file's.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Whether a buffer holds what the disk holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Saved {
    Yes,
    No,
}

fn over_disk(
    hands: &Hands<'_>,
    key: &DocumentKey,
    at: &Location,
    was: Existence,
    under_way: &UnderWay,
    id: EditId,
) {
    let text = |text: &str, existence| match existence {
        Existence::Present => Some(text.to_owned()),
        Existence::Missing => None,
    };
    let before = text(&under_way.before, was);
    let after = text(&under_way.expected, under_way.planned.presence.now);
    let (at, key) = (at.clone(), key.clone());
    let delivery = Delivery {
        session: under_way.session.clone(),
        stopped: under_way.operation.cancel.clone(),
    };
    let broken = {
        let key = key.clone();
        move || Work::Replaced {
            key,
            id,
            result: Err(failed()),
        }
    };
    hands.elsewhere(
        move |disk| Work::Replaced {
            result: disk.hand_over(&at, before.as_deref(), after.as_deref(), &delivery),
            key,
            id,
        },
        broken,
    );
}

fn failed() -> FileError {
    FileError::Unwritable {
        source: std::io::Error::other("the log has the details"),
    }
}

/// Takes a file off the disk that an editor was made to empty, unless it holds something else by now.
pub(super) fn remove_emptied(hands: &Hands<'_>, at: &Location, before: String) {
    let at = at.clone();
    hands.elsewhere(
        move |disk| {
            let removed = disk.replace(&at, Some(&before), None);
            if let Ok(Replaced::Differs(Some(text))) = removed
                && text.is_empty()
            {
                let _kept_then = disk.replace(&at, Some(""), None);
            }
            Work::Removed
        },
        || Work::Removed,
    );
}
