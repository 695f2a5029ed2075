//! The reviews of a room: what the agent changed and nobody has decided about yet.
//!
//! # Layout
//!
//! [`Book`] holds one [`file`] per reviewed file. Whatever is to happen to a file is an [`operation`], planned on a copy of its
//! review and sent down a [`road`]: through the editors that have the file open, or over the disk; [`course`] leads it and
//! [`arrival`] tells whether it is there, and [`behind`] brings along whoever did not take it. [`changes`] is what comes back besides. [`rename`] is what becomes of all that when a file gets another name. [`commands`] are what people ask, [`history`] is what an undo needs, and [`show`] makes what readers see.

mod agent_edit;
mod api;
mod arrival;
mod attempt;
mod behind;
mod book;
mod changes;
mod commands;
mod comments;
mod course;
mod decided;
mod disk;
mod file;
mod hands;
mod history;
mod notices;
mod operation;
mod origins;
mod plan;
mod proposals;
mod record;
mod recover;
mod rejected;
mod rename;
mod road;
mod show;
mod tally;
mod texts;
mod unsaved;
mod work;

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub use agent_edit::{AgentChange, AgentEdit};
pub use api::{
    AnsweredComment, CommandDone, Comment, CommentId, CommentSent, FileKind, FileReview, HunkName,
    HunkState, Origin, Place, RejectedHunk, RejectedId, ReviewCommand, ReviewError, Reviews, Scope,
    ShownHunk, Side,
};
pub(crate) use book::Book;
pub use disk::{Delivery, Disk, Location, Replaced};
pub(crate) use hands::Hands;
pub(crate) use record::Records;
pub use texts::{BaseText, TurnFile};
pub use work::ReviewWork;
use work::Work;
