//! Three-way merge of texts by line.
//!
//! A change of one side next to a change of the other is clean. Both have changed "the same" where they touch a common
//! line, where they insert at the same point, and where putting one behind the other would make two lines one. There is
//! no merging inside a line: half of it would be what nobody wrote.

#[cfg(test)]
pub(crate) mod tests;

use std::ops::Range;

use crate::Splice;
use crate::diff::{Hunk, hunks};

/// Two texts with a common ancestor, laid side by side.
#[derive(Clone, Debug)]
pub struct Merged<'text> {
    ancestor: &'text str,
    ours: &'text str,
    theirs: &'text str,
    pieces: Vec<Piece>,
}

/// A stretch of whole lines, by its bytes in each of the texts. The pieces of a merge cover all three without gaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    pub kind: PieceKind,
    pub ancestor: Range<usize>,
    pub ours: Range<usize>,
    pub theirs: Range<usize>,
}

/// Who changed a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    Nobody,
    Ours,
    Theirs,
    /// Both, in the same way.
    Both,
    /// Both, in different ways.
    Conflict,
}

/// A place that both sides changed in different ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeConflict<'text> {
    /// Bytes of our text.
    pub ours: Range<usize>,
    /// Bytes of [`Merged::with_ours`].
    pub merged: Range<usize>,
    pub ancestor_text: &'text str,
    pub our_text: &'text str,
    pub their_text: &'text str,
}

/// Merges what both sides made of the ancestor.
pub fn merge3<'text>(ancestor: &'text str, ours: &'text str, theirs: &'text str) -> Merged<'text> {
    let mut merged = Merged {
        ancestor,
        ours,
        theirs,
        pieces: Vec::new(),
    };
    let our_hunks = hunks(ancestor, ours);
    let their_hunks = hunks(ancestor, theirs);
    let (mut our_rest, mut their_rest) = (our_hunks.as_slice(), their_hunks.as_slice());
    while let Some(group) = Group::next(ancestor, ours, theirs, &mut our_rest, &mut their_rest) {
        merged.push(&group);
    }
    merged.push_unchanged(ancestor.len());
    merged
}

impl<'text> Merged<'text> {
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The merged text, when there is no conflict.
    pub fn clean(&self) -> Option<String> {
        let clean = self
            .pieces
            .iter()
            .all(|piece| piece.kind != PieceKind::Conflict);
        clean.then(|| self.with_ours())
    }

    /// The merged text, with what we have wherever there is a conflict.
    pub fn with_ours(&self) -> String {
        let mut text = String::with_capacity(self.ours.len().max(self.theirs.len()));
        for piece in &self.pieces {
            text.push_str(self.text_of(piece));
        }
        text
    }

    pub fn conflicts(&self) -> Vec<MergeConflict<'text>> {
        let mut found = Vec::new();
        let mut at = 0;
        for piece in &self.pieces {
            let end = at + self.text_of(piece).len();
            if piece.kind == PieceKind::Conflict {
                found.push(MergeConflict {
                    ours: piece.ours.clone(),
                    merged: at..end,
                    ancestor_text: part(self.ancestor, &piece.ancestor),
                    our_text: part(self.ours, &piece.ours),
                    their_text: part(self.theirs, &piece.theirs),
                });
            }
            at = end;
        }
        found
    }

    /// What turns our text into [`with_ours`](Self::with_ours).
    pub fn splices(&self) -> Vec<Splice> {
        let theirs = |piece: &&Piece| piece.kind == PieceKind::Theirs;
        self.pieces
            .iter()
            .filter(theirs)
            .map(|piece| Splice {
                range: piece.ours.clone(),
                text: part(self.theirs, &piece.theirs).to_owned(),
            })
            .collect()
    }

    /// What a piece comes to in the merged text.
    pub(crate) fn text_of(&self, piece: &Piece) -> &'text str {
        match piece.kind {
            PieceKind::Theirs => part(self.theirs, &piece.theirs),
            _ => part(self.ours, &piece.ours),
        }
    }

    pub(crate) fn their_text(&self, piece: &Piece) -> &'text str {
        part(self.theirs, &piece.theirs)
    }

    fn push(&mut self, group: &Group) {
        self.push_unchanged(group.ancestor.start);
        let start = self.end();
        let piece = Piece {
            kind: PieceKind::Nobody,
            ours: start.ours..end_of(&group.last_of_ours, &group.ancestor, start.ours),
            theirs: start.theirs..end_of(&group.last_of_theirs, &group.ancestor, start.theirs),
            ancestor: group.ancestor.clone(),
        };
        let kind = match (&group.last_of_ours, &group.last_of_theirs) {
            (Some(_), Some(_)) => {
                if part(self.ours, &piece.ours) == part(self.theirs, &piece.theirs) {
                    PieceKind::Both
                } else {
                    PieceKind::Conflict
                }
            }
            (Some(_), None) => PieceKind::Ours,
            (None, _) => PieceKind::Theirs,
        };
        self.pieces.push(Piece { kind, ..piece });
    }

    /// Everything up to here is the same in all three.
    fn push_unchanged(&mut self, ancestor_end: usize) {
        let start = self.end();
        let length = ancestor_end - start.ancestor;
        if length > 0 {
            self.pieces.push(Piece {
                kind: PieceKind::Nobody,
                ancestor: start.ancestor..ancestor_end,
                ours: start.ours..start.ours + length,
                theirs: start.theirs..start.theirs + length,
            });
        }
    }

    /// How far the pieces reach.
    fn end(&self) -> Ends {
        self.pieces.last().map_or_else(Ends::default, |last| Ends {
            ancestor: last.ancestor.end,
            ours: last.ours.end,
            theirs: last.theirs.end,
        })
    }
}

#[derive(Default)]
struct Ends {
    ancestor: usize,
    ours: usize,
    theirs: usize,
}

/// Where a group ends in a text that changed it last by this hunk. It begins with what was the same before.
fn end_of(last: &Option<Hunk>, ancestor: &Range<usize>, start: usize) -> usize {
    match last {
        Some(hunk) => hunk.current_bytes().end + (ancestor.end - hunk.base_bytes().end),
        None => start + ancestor.len(),
    }
}

/// Hunks of both sides that belong together, because they meet.
struct Group {
    ancestor: Range<usize>,
    last_of_ours: Option<Hunk>,
    last_of_theirs: Option<Hunk>,
}

impl Group {
    fn next(
        ancestor: &str,
        ours: &str,
        theirs: &str,
        our_rest: &mut &[Hunk],
        their_rest: &mut &[Hunk],
    ) -> Option<Self> {
        let order = |hunk: &Hunk| (hunk.base_bytes().start, hunk.base_bytes().end);
        let ours_first = match (our_rest.first(), their_rest.first()) {
            (None, None) => return None,
            (Some(our_hunk), Some(their_hunk)) => order(our_hunk) <= order(their_hunk),
            (our_hunk, None) => our_hunk.is_some(),
            (None, Some(_)) => false,
        };
        let first = if ours_first {
            take(our_rest)?
        } else {
            take(their_rest)?
        };
        let mut group = Self {
            ancestor: first.base_bytes(),
            last_of_ours: None,
            last_of_theirs: None,
        };
        if ours_first {
            group.last_of_ours = Some(first);
        } else {
            group.last_of_theirs = Some(first);
        }
        let meet = |our_hunk: &Hunk, their_hunk: &Hunk| {
            let our_change = Change::new(ancestor, ours, our_hunk);
            our_change.meets(&Change::new(ancestor, theirs, their_hunk))
        };
        loop {
            let our_next = our_rest.first().zip(group.last_of_theirs.as_ref());
            let their_next = group.last_of_ours.as_ref().zip(their_rest.first());
            if our_next.is_some_and(|(our_hunk, their_hunk)| meet(our_hunk, their_hunk)) {
                group.last_of_ours = take(our_rest);
            } else if their_next.is_some_and(|(our_hunk, their_hunk)| meet(our_hunk, their_hunk)) {
                group.last_of_theirs = take(their_rest);
            } else {
                break;
            }
        }
        let lasts = [&group.last_of_ours, &group.last_of_theirs];
        let ends = lasts
            .into_iter()
            .flatten()
            .map(|hunk| hunk.base_bytes().end);
        group.ancestor.end = ends.max().unwrap_or(group.ancestor.end);
        Some(group)
    }
}

fn take(rest: &mut &[Hunk]) -> Option<Hunk> {
    let (first, others) = rest.split_first()?;
    *rest = others;
    Some(first.clone())
}

/// A hunk with what decides whether another one meets it.
struct Change<'text> {
    ancestor: &'text str,
    replaced: Range<usize>,
    text: &'text str,
    /// It also adds lines, and so inserts at its edges.
    grows: bool,
}

impl<'text> Change<'text> {
    fn new(ancestor: &'text str, side: &'text str, hunk: &Hunk) -> Self {
        Self {
            ancestor,
            replaced: hunk.base_bytes(),
            text: hunk.current_text(side),
            grows: hunk.current_lines().len() > hunk.base_lines().len(),
        }
    }

    fn meets(&self, other: &Self) -> bool {
        let (mine, others) = (&self.replaced, &other.replaced);
        match (mine.is_empty(), others.is_empty()) {
            (true, true) => mine.start == others.start,
            (true, false) => other.takes_in(self),
            (false, true) => self.takes_in(other),
            (false, false) => {
                let overlap = mine.start < others.end && others.start < mine.end;
                overlap || self.runs_into(other) || other.runs_into(self)
            }
        }
    }

    /// Whether an insertion lies within these lines, or so close that its place is a guess.
    fn takes_in(&self, insertion: &Self) -> bool {
        let at = insertion.replaced.start;
        let inside = self.replaced.start < at && at < self.replaced.end;
        let at_edge = at == self.replaced.start || at == self.replaced.end;
        inside || at_edge && self.grows || self.runs_into(insertion) || insertion.runs_into(self)
    }

    /// Whether the other change begins where this one ends, and there would be no line end between them.
    fn runs_into(&self, next: &Self) -> bool {
        if self.replaced.end != next.replaced.start {
            return false;
        }
        let before = self.ancestor.get(..self.replaced.start);
        let after = self.ancestor.get(next.replaced.end..);
        let left = [Some(self.text), before]
            .into_iter()
            .flatten()
            .find_map(|text| text.as_bytes().last());
        let right = [Some(next.text), after]
            .into_iter()
            .flatten()
            .find_map(|text| text.as_bytes().first());
        match (left, right) {
            (Some(b'\r'), Some(b'\n')) => true,
            (None | Some(b'\r' | b'\n'), _) | (_, None) => false,
            (Some(_), Some(_)) => true,
        }
    }
}

fn part<'text>(text: &'text str, range: &Range<usize>) -> &'text str {
    text.get(range.clone()).unwrap_or_default()
}
