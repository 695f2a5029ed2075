//! What of a file is put behind a prompt.

mod decode;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pollux_model::InlineData;

use self::decode::{Decoded, decode};
use super::resolve::Target;
use super::{ReferenceProblem, Wanted};
use crate::MAX_FILE_BYTES;
use crate::excerpt::{self, Excerpt};
use crate::prompt::cap::clip;
use crate::prompt::reading::Reading;

/// Lines of one file, as many as `read_file` shows.
pub const MAX_REFERENCE_LINES: usize = excerpt::WINDOW;
/// Of one file's text.
pub const MAX_REFERENCE_FILE_BYTES: usize = 256 * 1024;
/// Of all texts behind one prompt.
pub const MAX_REFERENCE_TOTAL_BYTES: usize = 1024 * 1024;
/// Of one image or document, before it is encoded.
pub const MAX_INLINE_BYTES: u64 = 10 * 1024 * 1024;
/// Of all of them: encoded, they must fit into a request of 20 MB.
pub const MAX_INLINE_TOTAL_BYTES: u64 = 14 * 1024 * 1024;
/// A drawing that is longer is no text for reading.
const MAX_SVG_BYTES: u64 = 1024 * 1024;

/// What one prompt may still bring along.
#[derive(Debug)]
pub(super) struct Budget {
    text: usize,
    inline: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            text: MAX_REFERENCE_TOTAL_BYTES,
            inline: MAX_INLINE_TOTAL_BYTES,
        }
    }
}

impl Budget {
    pub(super) fn charge(&mut self, bytes: usize) {
        self.text = self.text.saturating_sub(bytes);
    }

    pub(super) fn is_spent(&self) -> bool {
        self.text == 0
    }
}

pub(super) enum Content {
    Whole(String),
    /// With a word about it in the text.
    Cut(String),
    Inline(InlineData),
}

pub(super) async fn read(
    reading: &dyn Reading,
    target: &Target,
    budget: &mut Budget,
    wanted: Wanted,
) -> Result<Content, ReferenceProblem> {
    let extension = target
        .path
        .extension()
        .and_then(|extension| extension.to_str());
    let extension = extension.unwrap_or_default().to_ascii_lowercase();
    let limit = match extension.as_str() {
        "svg" => MAX_SVG_BYTES,
        _ => MAX_FILE_BYTES,
    };
    check_size(target.bytes, limit)?;
    match (inline_type(&extension), wanted) {
        (Some(mime_type), Wanted::ByName) => inline(reading, target, budget, mime_type).await,
        (Some(_), Wanted::ByFolder) => Ok(Content::Whole(binary(target))),
        (None, _) => text(reading, target, budget).await,
    }
}

/// What models take as it is.
fn inline_type(extension: &str) -> Option<&'static str> {
    Some(match extension {
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "bmp" => "image/bmp",
        "heic" => "image/heic",
        "heif" => "image/heif",
        "avif" => "image/avif",
        "pdf" => "application/pdf",
        _ => return None,
    })
}

async fn inline(
    reading: &dyn Reading,
    target: &Target,
    budget: &mut Budget,
    mime_type: &str,
) -> Result<Content, ReferenceProblem> {
    check_size(target.bytes, MAX_INLINE_BYTES)?;
    if target.bytes > budget.inline {
        return Err(ReferenceProblem::NoRoom);
    }
    let room = MAX_INLINE_BYTES.min(budget.inline);
    let head = head(reading, target, usize::try_from(room).unwrap_or(usize::MAX)).await?;
    // It may have grown since its size was asked for, and half an image is none.
    if !head.is_whole() {
        return Err(ReferenceProblem::TooLarge {
            bytes: head.total,
            limit: room,
        });
    }
    budget.inline = budget.inline.saturating_sub(head.bytes.len() as u64);
    Ok(Content::Inline(InlineData {
        mime_type: mime_type.to_owned(),
        data: STANDARD.encode(&head.bytes),
    }))
}

async fn text(
    reading: &dyn Reading,
    target: &Target,
    budget: &Budget,
) -> Result<Content, ReferenceProblem> {
    if budget.is_spent() {
        return Err(ReferenceProblem::NoRoom);
    }
    let room = MAX_REFERENCE_FILE_BYTES.min(budget.text);
    let head = head(reading, target, room).await?;
    let text = match decode(&head.bytes) {
        Decoded::Binary => return Ok(Content::Whole(binary(target))),
        Decoded::Text(text) => text,
    };
    // Decoded text may be longer than its bytes, so the cap is applied once more.
    let excerpt = Excerpt::beginning(clip(&text, room));
    let known = head.is_whole() && text.len() <= room;
    if known && excerpt.has_all_lines() && excerpt.clipped == 0 {
        return Ok(Content::Whole(excerpt.text));
    }
    let (lines, total) = (excerpt.last, excerpt.total);
    let of = match known {
        true => format!(" of {total}"),
        false => String::new(),
    };
    let warning = match lines == total && known {
        true => "long lines are cut".to_owned(),
        false => format!("lines 1-{lines}{of} are shown"),
    };
    Ok(Content::Cut(format!(
        "[WARNING: This file was truncated: {warning}. Read the rest with read_file.]\n{}",
        excerpt.text
    )))
}

async fn head(
    reading: &dyn Reading,
    target: &Target,
    limit: usize,
) -> Result<crate::prompt::FileHead, ReferenceProblem> {
    let head = reading.head(&target.path, limit).await;
    head.map_err(|error| ReferenceProblem::Unreadable {
        reason: error.to_string(),
    })
}

fn check_size(bytes: u64, limit: u64) -> Result<(), ReferenceProblem> {
    match bytes > limit {
        true => Err(ReferenceProblem::TooLarge { bytes, limit }),
        false => Ok(()),
    }
}

fn binary(target: &Target) -> String {
    format!("Cannot display content of binary file: {}", target.label)
}
