//! JSON with comments, read so that every finding can name its line and column.
//!
//! `blank` hides comments in place, `parse` turns text into values or into one clear message, `spans`
//! finds where a value stands in the text. Nothing here knows what the values mean.

mod blank;
mod message;
mod parse;
mod spans;

pub(crate) use parse::{Document, parse};
pub(crate) use spans::{Member, Step, describe};
