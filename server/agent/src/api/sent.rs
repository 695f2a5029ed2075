use std::path::PathBuf;

use pollux_model::Part;
use pollux_text::Range;

use super::TurnId;

/// Bytes of what went along that are kept for people to look at.
const LONGEST_SHOWN: usize = 1024 * 1024;

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

/// All that went along with a prompt, as the model got it: what it was told about the editor, and the parts behind
/// the first, which is what the person typed.
pub fn sent_text(editor: Option<&str>, parts: &[Part]) -> String {
    let mut text = editor.unwrap_or_default().to_owned();
    for part in parts.iter().skip(1) {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        match part {
            Part::Text(more) => text.push_str(more),
            Part::InlineData(data) => {
                text.push_str(&format!("[{}, {} bytes]", data.mime_type, part_bytes(part)));
            }
            _ => {}
        }
    }
    if text.len() > LONGEST_SHOWN {
        text.truncate(text.floor_char_boundary(LONGEST_SHOWN));
        text.push_str("\n... [TRUNCATED]");
    }
    text
}

/// How much of a prompt a part is.
pub fn part_bytes(part: &Part) -> usize {
    match part {
        Part::Text(text) => text.len(),
        // Four letters stand for three bytes.
        Part::InlineData(data) => data.data.len() / 4 * 3,
        _ => 0,
    }
}
