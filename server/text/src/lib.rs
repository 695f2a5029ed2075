//! Text without IO: ropes, the positions editors use, charsets, edits that are exact to the byte, and
//! what differs between two texts.
//!
//! Nothing here reads a file, knows a protocol or is async.

mod buffer;
mod charset;
mod diff;
mod edit;
mod merge;
mod middle;
mod position;
mod review;
mod rope;
mod splice;

pub use buffer::{Buffer, Edit, Misfit};
pub use charset::{Bom, Charset, Decoded, NotText, Unencodable, decode, encode_edit};
pub use diff::{Decision, Hunk, WordChanges, hunks, keep_only, lines};
pub use edit::{
    Changes, DiffStat, Difference, EditError, Nearest, Occurrences, Placeholder, Replaced,
    Replacement, Strategy, diff_stat, omission_placeholder, overwrite, replace, snippet, unescape,
};
pub use merge::{MergeConflict, Merged, Piece, PieceKind, merge3};
pub use position::{Position, PositionEncoding, Range};
pub use review::{
    AgentEdited, BecameBase, HunkError, HunkId, HunkKind, Landed, Origin, Rejected, RejectedHunk,
    Review, ReviewHunk, Side, Texts, landed,
};
pub use splice::Splice;
