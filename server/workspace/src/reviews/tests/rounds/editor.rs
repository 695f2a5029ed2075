//! An editor of which nothing is certain but the order of what it says.

use std::collections::VecDeque;

use pollux_text::{Buffer, Edit, Position, PositionEncoding, Range};
use tokio::sync::mpsc;

use super::dice::Dice;
use crate::reviews::testing::{MemoryDisk, key};
use crate::{DoorId, EditOutcome, Input, Outbound};

pub(super) const FILE: &str = "x";

pub(super) struct Editor {
    pub(super) id: DoorId,
    outbound: mpsc::Receiver<Outbound>,
    /// Version and text, while the file is open.
    pub(super) buffer: Option<(i32, Buffer)>,
    /// What it has said and the room has not heard yet.
    pub(super) wire: VecDeque<Input>,
    version: i32,
}

/// How an editor treats what it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mood {
    Obedient,
    Refusing,
    /// Says that it has done what it has not.
    Lying,
    /// Says what has changed only after it has said that it is done.
    AnswersFirst,
    Silent,
}

impl Editor {
    pub(super) fn new(id: DoorId, outbound: mpsc::Receiver<Outbound>) -> Self {
        Self {
            id,
            outbound,
            buffer: None,
            wire: VecDeque::new(),
            version: 0,
        }
    }

    pub(super) fn text(&self) -> Option<String> {
        self.buffer.as_ref().map(|(_, text)| text.to_string())
    }

    pub(super) fn has_messages(&self) -> bool {
        !self.outbound.is_empty()
    }

    pub(super) fn open(&mut self, text: &str) {
        self.version += 1;
        self.buffer = Some((self.version, Buffer::from(text)));
        self.wire.push_back(Input::Opened {
            door: self.id,
            key: key(FILE),
            uri: format!("file:///w/{FILE}"),
            language: "text".to_owned(),
            version: self.version,
            text: text.to_owned(),
        });
    }

    pub(super) fn close(&mut self) {
        self.buffer = None;
        self.wire.push_back(Input::Closed {
            door: self.id,
            key: key(FILE),
        });
    }

    pub(super) fn save(&mut self, disk: &MemoryDisk, dice: &mut Dice) {
        let Some(text) = self.text() else {
            return;
        };
        disk.put(FILE, &text);
        self.wire.push_back(Input::Saved {
            door: self.id,
            key: key(FILE),
            text: dice.once_in(2).then_some(text),
        });
    }

    /// Edits in one message; each counts in the text that the one before it has left.
    pub(super) fn change(&mut self, edits: Vec<Edit>) {
        let Some((version, text)) = &mut self.buffer else {
            return;
        };
        self.version += 1;
        *version = self.version;
        text.apply(&edits, PositionEncoding::Utf16).unwrap();
        self.wire.push_back(Input::Changed {
            door: self.id,
            key: key(FILE),
            version: self.version,
            edits,
        });
    }

    /// The person types, deletes or replaces something somewhere.
    pub(super) fn type_something(&mut self, dice: &mut Dice, token: &mut dyn FnMut() -> String) {
        let mut edits = Vec::new();
        let Some(text) = self.text() else {
            return;
        };
        let mut trial = Buffer::from(text.as_str());
        for _ in 0..1 + dice.below(4) / 3 {
            let edit = someones_edit(&trial.to_string(), dice, token);
            trial
                .apply(std::slice::from_ref(&edit), PositionEncoding::Utf16)
                .unwrap();
            edits.push(edit);
        }
        if dice.once_in(20) {
            edits = vec![Edit::Replace(trial.to_string())];
        }
        self.change(edits);
    }

    /// Takes the next message of the room.
    pub(super) fn listen(&mut self, mood: Mood, disk: &MemoryDisk, dice: &mut Dice) {
        let Ok(message) = self.outbound.try_recv() else {
            return;
        };
        match message {
            Outbound::ApplyEdit {
                op, version, edits, ..
            } => {
                let fits = self.buffer.as_ref().is_some_and(|(own, _)| *own == version);
                let outcome = match (fits, mood) {
                    (_, Mood::Silent) => EditOutcome::NoAnswer,
                    (_, Mood::Lying) => EditOutcome::Accepted,
                    (false, _) | (true, Mood::Refusing) => EditOutcome::Refused,
                    (true, Mood::Obedient | Mood::AnswersFirst) => EditOutcome::Accepted,
                };
                let answer = Input::EditAnswered {
                    door: self.id,
                    op,
                    outcome,
                };
                let takes = fits && matches!(mood, Mood::Obedient | Mood::AnswersFirst);
                match mood {
                    Mood::AnswersFirst => self.wire.push_back(answer),
                    _ if !takes => self.wire.push_back(answer),
                    _ => {
                        self.change(edits);
                        self.wire.push_back(answer);
                        return;
                    }
                }
                if takes {
                    self.change(edits);
                }
            }
            Outbound::Save { .. } => self.save(disk, dice),
            Outbound::Resync { .. } => {
                if let Some(text) = self.text() {
                    self.change(vec![Edit::Replace(text)]);
                }
            }
            Outbound::Message { .. } | Outbound::Companion(_) | Outbound::Query { .. } => {}
        }
    }
}

/// Something typed, taken away or written over.
fn someones_edit(text: &str, dice: &mut Dice, token: &mut dyn FnMut() -> String) -> Edit {
    let lines: Vec<&str> = text.split('\n').collect();
    let line = dice.below(lines.len());
    let place = |line: usize, character: usize| Position {
        line: u32::try_from(line).unwrap(),
        character: u32::try_from(character).unwrap(),
    };
    let (start, end, text) = match dice.below(8) {
        0..=2 => (place(line, 0), place(line, 0), format!("{}\n", token())),
        3..=4 => {
            let at = place(line, dice.below(lines[line].len() + 1));
            (at, at, token())
        }
        5 => {
            let last = (line + 1 + dice.below(3)).min(lines.len() - 1);
            (place(line, 0), place(last, 0), String::new())
        }
        6 => (
            place(line, 0),
            place(line, lines[line].len()),
            format!("{} own", token()),
        ),
        _ => {
            let last = (line + dice.below(3)).min(lines.len() - 1);
            let start = place(line, dice.below(lines[line].len() + 1));
            let end = place(last, lines[last].len());
            let (start, end) = (start.min(end), end.max(start));
            (start, end, format!("{}\n{}", token(), token()))
        }
    };
    Edit::Splice {
        range: Range { start, end },
        text,
    }
}
