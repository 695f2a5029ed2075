//! What a person looks at, as their editor last told us.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::SystemTime;

use pollux_agent::prompt::Problem;
use pollux_text::{Edit, Position, PositionEncoding, Range};

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
    /// Whether it says itself what the person looks at.
    pub attention: Attention,
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

/// How it is known what the person looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Attention {
    /// By what is opened, typed and asked about. Only clients that never say so are looked at like this.
    #[default]
    Inferred,
    Told,
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

/// Where a cursor is that has just typed this. Nothing where the whole text is another.
pub(crate) fn behind(edit: &Edit, encoding: PositionEncoding) -> Option<Position> {
    let Edit::Splice { range, text } = edit else {
        return None;
    };
    let (lines, last) = match text.rsplit_once('\n') {
        Some((before, last)) => (before.matches('\n').count() + 1, last),
        None => (0, text.as_str()),
    };
    let width = match encoding {
        PositionEncoding::Utf8 => last.len(),
        PositionEncoding::Utf16 => last.encode_utf16().count(),
        PositionEncoding::Utf32 => last.chars().count(),
    };
    let width = u32::try_from(width).unwrap_or(u32::MAX);
    Some(Position {
        line: range
            .start
            .line
            .saturating_add(u32::try_from(lines).unwrap_or(u32::MAX)),
        character: match lines {
            0 => range.start.character.saturating_add(width),
            _ => width,
        },
    })
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
        // Who tells its tabs would tell the file in focus, if there were one.
        let tells = update.active_file.is_some() || update.open_files.is_some();
        if tells && self.attention == Attention::Inferred {
            self.attention = Attention::Told;
            self.active_file = None;
        }
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

    /// The person is at work here, as far as that can be told from outside. Without a range the place stays that of the
    /// same file.
    pub(crate) fn looked_at(&mut self, key: &DocumentKey, uri: &str, range: Option<Range>) {
        if self.attention == Attention::Told {
            return;
        }
        let before = self.active_file.take().filter(|file| file.key == *key);
        let is_new = before.is_none();
        let mut file = before.unwrap_or_else(|| ActiveFile {
            key: key.clone(),
            uri: uri.to_owned(),
            cursor: Position::default(),
            selections: Vec::new(),
            visible_ranges: Vec::new(),
        });
        if let Some(range) = range {
            file.cursor = range.end;
            file.selections = match range.start == range.end {
                true => Vec::new(),
                false => vec![range],
            };
        }
        self.active_file = Some(file);
        if is_new {
            self.remember(key);
        }
    }

    /// The file is not open any more.
    pub(crate) fn looked_away(&mut self, key: &DocumentKey) {
        let is_this = self
            .active_file
            .as_ref()
            .is_some_and(|file| file.key == *key);
        if self.attention == Attention::Inferred && is_this {
            self.active_file = None;
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
