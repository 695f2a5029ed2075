//! Whether an edit has arrived, told by the text alone.

use crate::Splice;
use crate::merge::{PieceKind, merge3};

/// What a text that came from an editor says about an edit that was sent to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Landed {
    /// The edit is in the text.
    Arrived {
        /// What a person did besides, upon the text that was expected.
        rest: Vec<Splice>,
    },
    /// The edit is not in the text, or not all of it.
    NotYet,
}

/// An edit was to turn `before` into `expected`, and the text is `now` this.
///
/// It has arrived when there is nothing in it that `now` does not have already.
pub fn landed(before: &str, expected: &str, now: &str) -> Landed {
    let arrived = now == expected || {
        let merged = merge3(before, now, expected);
        let missing = |kind| matches!(kind, PieceKind::Theirs | PieceKind::Conflict);
        !merged.pieces().iter().any(|piece| missing(piece.kind))
    };
    if arrived {
        Landed::Arrived {
            rest: Splice::between(expected, now),
        }
    } else {
        Landed::NotYet
    }
}
