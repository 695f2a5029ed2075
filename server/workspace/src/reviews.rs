//! The reviews of a room: what the agent changed and nobody has decided about yet.

mod api;

pub use api::{
    CommandDone, Comment, CommentId, FileKind, FileReview, HunkName, HunkState, Origin, Place,
    RejectedHunk, RejectedId, ReviewCommand, ReviewError, Reviews, Scope, ShownHunk, Side,
};
