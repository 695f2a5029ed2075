//! The byte corpus through every road that an edit can take: a file that is open or closed, decided as a whole or hunk by
//! hunk, undone and done again.

mod hunks;
mod stage;
mod whole_edits;
