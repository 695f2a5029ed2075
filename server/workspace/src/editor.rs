//! What a person looks at, as their editor last told us.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::SystemTime;

use pollux_agent::prompt::Problem;
use pollux_text::{Position, PositionEncoding, Range};

use crate::{DocumentKey, QueryKind};

/// Nobody asks for more.
const MOST_RECENT: usize = 10;

/// The state of one door's editor. Empty for a client that never sends any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EditorState {
    /// How this editor counts columns.
    pub encoding: PositionEncoding,
    /// What it can be asked about code.
    pub queries: BTreeSet<QueryKind>,
    pub active_file: Option<ActiveFile>,
    /// The files that had the focus, the newest first.
    pub recent: Vec<RecentFile>,
    /// The files that it shows as open, the latest first; nothing when it does not tell. An editor may hold documents
    /// that no tab shows any more.
    pub open_files: Option<Vec<PathBuf>>,
    /// The editor's own answer to "do you trust this folder"; nothing when it did not ask.
    pub trusted: Option<bool>,
    pub diagnostics: Vec<DiagnosticCounts>,
    /// Errors and warnings, as far as the editor tells them.
    pub problems: Vec<Problem>,
}

/// A file that had the focus, and when it last got it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecentFile {
    pub key: DocumentKey,
    pub at: SystemTime,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveFile {
    pub key: DocumentKey,
    /// The file as its own editor names it.
    pub uri: String,
    pub cursor: Position,
    pub selections: Vec<Range>,
    pub visible_ranges: Vec<Range>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiagnosticCounts {
    pub uri: String,
    pub errors: u32,
    pub warnings: u32,
    pub information: u32,
    pub hints: u32,
}

/// A change to the state: what is `None` stays as it was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EditorUpdate {
    pub active_file: Option<Option<ActiveFile>>,
    pub open_files: Option<Vec<PathBuf>>,
    pub trusted: Option<bool>,
    pub diagnostics: Option<Vec<DiagnosticCounts>>,
    pub problems: Option<Vec<Problem>>,
}

impl EditorState {
    pub(crate) fn update(&mut self, update: EditorUpdate) {
        if let Some(active_file) = update.active_file {
            if let Some(file) = &active_file {
                self.remember(&file.key);
            }
            self.active_file = active_file;
        }
        if let Some(open_files) = update.open_files {
            self.open_files = Some(open_files);
        }
        if let Some(trusted) = update.trusted {
            self.trusted = Some(trusted);
        }
        if let Some(diagnostics) = update.diagnostics {
            self.diagnostics = diagnostics;
        }
        if let Some(problems) = update.problems {
            self.problems = problems;
        }
    }

    fn remember(&mut self, key: &DocumentKey) {
        self.recent.retain(|recent| recent.key != *key);
        self.recent.insert(
            0,
            RecentFile {
                key: key.clone(),
                at: SystemTime::now(),
            },
        );
        self.recent.truncate(MOST_RECENT);
    }
}
