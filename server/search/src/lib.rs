//! A folder tree as tools see it: what is ignored, which files have a name, which lines hold a text.
//!
//! Everything here blocks: callers run it where blocking is allowed. Everything can be told to stop by a [`Cancel`],
//! which is asked before each file and during a long one. A file that is open in an editor is read from the
//! [`Overlay`] and not from the disk. No process is started.

mod cancel;
mod closed;
mod collate;
mod error;
mod excludes;
mod glob;
mod grep;
mod list;
mod names;
mod overlay;
mod rules;
mod scan;
mod suffix;
#[cfg(test)]
mod testing;
mod tree;
mod walk;

pub use cancel::{Cancel, Stopped};
pub use closed::closed_segment;
pub use error::SearchError;
pub use excludes::Excludes;
pub use glob::{Case, GlobQuery, GlobResult, glob};
pub use grep::{Context, Ending, FileMatches, GrepQuery, GrepResult, Line, Report, Syntax, grep};
pub use list::{Entry, Listing, list};
pub use names::{MOST_NAMES, Name, NameQuery, Names};
pub use overlay::{Overlay, UnsavedText};
pub use rules::{IgnoreRules, Kind, Respect, RuleFiles};
pub use scan::{Scan, ScanStopped, Stamp, StampKind, scan};
pub use suffix::find_by_suffix;
pub use tree::Tree;
