use std::path::PathBuf;

use pollux_text::Range;

use super::TurnId;

/// What went to the model with a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentContext {
    pub turn: TurnId,
    pub items: Vec<SentItem>,
    /// All of it, as the model got it.
    pub text: String,
}

/// One thing that went along.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentItem {
    pub kind: SentKind,
    /// What people call it.
    pub label: String,
    /// Absolute.
    pub path: Option<PathBuf>,
    /// Where in the file, as the editor counts.
    pub range: Option<Range>,
    /// How much of it the model got.
    pub bytes: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SentKind {
    ActiveFile,
    Selection,
    OpenFiles,
    Diagnostics,
    File,
    Folder,
    Attachment,
    Memory,
}
