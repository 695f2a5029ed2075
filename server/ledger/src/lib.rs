//! The record of reviews: what was changed, what is pending, and what an undo needs.
//!
//! # Layout
//!
//! [`Ledger`] is the record of one workspace, open for writing. It keeps texts in a [`BlobStore`] and appends to a log
//! whose lines add up to a [`Record`], which answers all questions. [`recover`] tells what became of an operation that was
//! cut off. [`read_record`] looks at a record that somebody else writes; [`retire`] removes those that nobody needs.
//!
//! # Invariants
//!
//! - A text is on the disk before the line that names it, and the line before the file it is about is touched.
//! - A line is one write. Whatever byte a process is killed at, the lines before it still say what they said.
//! - The log only grows while it is open. It is made shorter at the start, as a whole or not at all.
//! - One process writes a record at a time.
//! - The clock is an argument. Nothing here is async, prints or panics, and no room is known.

mod error;
mod hash;
mod kept_path;
mod private;

mod blobs;

mod entry;
mod log;
mod record;
mod recover;

mod compact;
mod damage;
mod folder;
mod holder;
mod ledger;
mod lock;
mod retire;

#[cfg(test)]
mod testing;

pub use blobs::BlobStore;
pub use damage::damaged_files;
pub use entry::{
    Comment, CommentId, Draft, FileKey, FileState, GroupId, HunkText, OpId, Operation, Origin,
    Rejected, RejectedId, Target, Texts, What,
};
pub use error::LedgerError;
pub use folder::folder_of;
pub use hash::Hash;
pub use holder::{Holder, holder_of};
pub use ledger::{Intended, Ledger, Limits, LogDamage, NewRejected, Opened, read_record};
pub use log::Problem;
pub use private::Durability;
pub use record::{Decision, Record, Status};
pub use recover::{Recovered, recover};
pub use retire::{Retired, retire};
