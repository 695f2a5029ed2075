//! What is told of the room, in the words that tools and resources share. Everything has a limit.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pollux_agent::prompt::ProblemSeverity;
use pollux_text::{Buffer, Position, Range};
use pollux_workspace::{ActiveFile, DocumentKey, DoorId, FileKind, HunkState, ShownHunk};
use schemars::JsonSchema;
use serde::Serialize;

use super::sight::Sight;
use crate::companion::context::open_keys;

const MOST_FILES: usize = 200;
const MOST_PROBLEMS: usize = 200;
const MOST_HUNKS: usize = 200;
/// Of all hunks together, in bytes.
const MOST_HUNK_TEXT: usize = 256 * 1024;
/// Of a selection, in characters.
const LONGEST_SELECTION: usize = 16_384;
const MOST_SELECTIONS: usize = 20;

/// The files that are open in the editor.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct OpenFiles {
    pub(super) files: Vec<OpenFile>,
    /// There are more than are told.
    pub(super) truncated: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct OpenFile {
    pub(super) path: String,
    pub(super) language: String,
    /// Whether the editor's text is another than the one on disk.
    pub(super) unsaved: bool,
    /// Whether somebody looks at it now.
    pub(super) active: bool,
}

impl OpenFiles {
    pub(super) fn of(sight: &Sight) -> Self {
        let mut told = open_paths(sight);
        let files: Vec<OpenFile> = told
            .by_ref()
            .take(MOST_FILES)
            .map(|path| open_file(sight, &path))
            .collect();
        Self {
            files,
            truncated: told.next().is_some(),
        }
    }
}

/// The open files that a client may hear of.
pub(super) fn open_paths(sight: &Sight) -> impl Iterator<Item = PathBuf> {
    let open = open_keys(&sight.snapshot).into_iter();
    let paths = open.filter_map(|key| match key {
        DocumentKey::File(path) => Some(path),
        DocumentKey::Virtual(_) => None,
    });
    paths.filter(|path| sight.may_tell(path))
}

fn open_file(sight: &Sight, path: &Path) -> OpenFile {
    let key = DocumentKey::File(path.to_owned());
    let document = sight.snapshot.documents.get(&key);
    let view = document.and_then(|document| document.latest());
    let is_saved = |shown: &Buffer| {
        // An editor may count a byte order mark to the text.
        let marked = |saved: &String| shown.is(&format!("\u{feff}{saved}"));
        let on_disk = sight.on_disk(path);
        on_disk.is_some_and(|saved| shown.is(&saved) || marked(&saved))
    };
    OpenFile {
        path: sight.name(path),
        language: view
            .map(|view| view.language.to_string())
            .unwrap_or_default(),
        unsaved: view.is_some_and(|view| !is_saved(&view.text)),
        active: sight.snapshot.editors.values().any(|editor| {
            editor
                .active_file
                .as_ref()
                .is_some_and(|file| file.key == key)
        }),
    }
}

/// Where the person is, in the window that was used last.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Selection {
    /// Nothing when no file has the focus.
    pub(super) file: Option<SelectedFile>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SelectedFile {
    pub(super) path: String,
    pub(super) cursor: Place,
    pub(super) selections: Vec<Selected>,
}

/// Lines and columns are counted from 1, columns in characters.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Place {
    pub(super) line: u32,
    pub(super) column: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Selected {
    pub(super) start: Place,
    pub(super) end: Place,
    pub(super) text: String,
    /// The text is longer than what is told.
    pub(super) truncated: bool,
}

impl Selection {
    pub(super) fn of(sight: &Sight) -> Self {
        let editors = sight.snapshot.editors.iter();
        let looking = editors.filter_map(|(door, editor)| {
            let since = editor.recent.first().map(|recent| recent.at);
            Some((since, *door, editor.active_file.as_ref()?))
        });
        let newest = looking.max_by_key(|(since, door, _)| (*since, *door));
        let file = newest.and_then(|(_, door, active)| selected_file(sight, door, active));
        Self { file }
    }
}

fn selected_file(sight: &Sight, door: DoorId, active: &ActiveFile) -> Option<SelectedFile> {
    let DocumentKey::File(path) = &active.key else {
        return None;
    };
    if !sight.may_tell(path) {
        return None;
    }
    let editor = sight.snapshot.editors.get(&door)?;
    let document = sight.snapshot.documents.get(&active.key);
    let view = document.and_then(|document| document.seen_from(door));
    let text = |range: Range| view.and_then(|view| view.text.slice(range, editor.encoding));
    let place = |position: Position| {
        let start = Position {
            line: position.line,
            character: 0,
        };
        let before = text(Range {
            start,
            end: position,
        });
        let column = before.map_or(position.character, |before| {
            u32::try_from(before.chars().count()).unwrap_or(u32::MAX)
        });
        Place {
            line: position.line.saturating_add(1),
            column: column.saturating_add(1),
        }
    };
    let selections = active.selections.iter().take(MOST_SELECTIONS).map(|range| {
        let (text, truncated) = cut(text(*range).unwrap_or_default(), LONGEST_SELECTION);
        Selected {
            start: place(range.start),
            end: place(range.end),
            text,
            truncated,
        }
    });
    Some(SelectedFile {
        path: sight.name(path),
        cursor: place(active.cursor),
        selections: selections.collect(),
    })
}

/// What the editor shows as wrong.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Diagnostics {
    pub(super) diagnostics: Vec<Diagnostic>,
    /// There are more than are told.
    pub(super) truncated: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Diagnostic {
    pub(super) path: String,
    /// Counted from 1.
    pub(super) line: u32,
    pub(super) severity: Severity,
    pub(super) message: String,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Severity {
    Error,
    Warning,
}

impl Diagnostics {
    /// Of one file, or of all.
    pub(super) fn of(sight: &Sight, only: Option<&Path>) -> Self {
        let editors = sight.snapshot.editors.values();
        let mut problems = editors
            .flat_map(|editor| &editor.problems)
            .filter(|problem| only.is_none_or(|only| problem.path == only))
            .filter(|problem| sight.may_tell(&problem.path));
        let diagnostics: Vec<Diagnostic> = problems
            .by_ref()
            .take(MOST_PROBLEMS)
            .map(|problem| Diagnostic {
                path: sight.name(&problem.path),
                line: problem.line,
                severity: match problem.severity {
                    ProblemSeverity::Error => Severity::Error,
                    ProblemSeverity::Warning => Severity::Warning,
                },
                message: problem.message.clone(),
            })
            .collect();
        Self {
            diagnostics,
            truncated: problems.next().is_some(),
        }
    }
}

/// Changes of agents that nobody has decided about yet.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Hunks {
    pub(super) files: Vec<ReviewedFile>,
    /// There are more than are told, or longer ones.
    pub(super) truncated: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ReviewedFile {
    pub(super) path: String,
    pub(super) change: Change,
    pub(super) hunks: Vec<Hunk>,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Change {
    Changed,
    Created,
    Deleted,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Hunk {
    pub(super) state: State,
    /// Of the text as it is now, counted from 1.
    pub(super) line: usize,
    pub(super) removed: Arc<str>,
    pub(super) added: Arc<str>,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    /// In the file already.
    Pending,
    /// In the file already, and a person has changed it by hand.
    Edited,
    /// Not in the file yet.
    Proposed,
    /// A person has changed the same lines; theirs are in the file.
    Conflict,
}

impl Hunks {
    /// Of one file, or of all.
    pub(super) fn of(sight: &Sight, only: Option<&Path>) -> Self {
        let mut left = MOST_HUNKS;
        let mut text_left = MOST_HUNK_TEXT;
        let mut told = Self {
            files: Vec::new(),
            truncated: false,
        };
        for (key, review) in &sight.snapshot.reviews.files {
            let DocumentKey::File(path) = key else {
                continue;
            };
            if only.is_some_and(|only| path != only) || !sight.may_tell(path) {
                continue;
            }
            let mut hunks = Vec::new();
            for shown in &review.hunks {
                let size = shown.removed.len() + shown.added.len();
                if left == 0 || size > text_left {
                    told.truncated = true;
                    break;
                }
                left -= 1;
                text_left -= size;
                hunks.push(hunk(shown));
            }
            if !hunks.is_empty() {
                told.files.push(ReviewedFile {
                    path: sight.name(path),
                    change: match review.kind {
                        FileKind::Changed => Change::Changed,
                        FileKind::Created => Change::Created,
                        FileKind::Deleted => Change::Deleted,
                    },
                    hunks,
                });
            }
        }
        told
    }
}

fn hunk(shown: &ShownHunk) -> Hunk {
    Hunk {
        state: match shown.state {
            HunkState::Pending => State::Pending,
            HunkState::Edited => State::Edited,
            HunkState::Proposed => State::Proposed,
            HunkState::Conflict => State::Conflict,
        },
        line: shown.lines.start + 1,
        removed: Arc::clone(&shown.removed),
        added: Arc::clone(&shown.added),
    }
}

/// The beginning of a text, and whether there was more.
pub(super) fn cut(mut text: String, most: usize) -> (String, bool) {
    match text.char_indices().nth(most) {
        Some((end, _)) => {
            text.truncate(end);
            (text, true)
        }
        None => (text, false),
    }
}
