//! What the client sends as a prompt: checked here, so that nothing later has to doubt it.
//!
//! Files that are named become references, which the session reads where it reads everything: an editor's text that is
//! not saved counts. What is given whole is attached.

use std::ops::RangeInclusive;
use std::path::Path;

use agent_client_protocol_schema::v1::{ContentBlock, EmbeddedResourceResource, Error};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pollux_agent::api::{
    Attachment, AttachmentKind, IfUnknown, InlineData, Part, Prompt, PromptMark,
};
use pollux_text::{Position, Range};

use crate::failure::invalid;
use crate::uri::{self, FilePlace};

const MOST_ATTACHMENTS: usize = 50;
const LARGEST_MEDIA: usize = 10 * 1024 * 1024;
/// Encoded, all of them must fit into a request of 20 MB.
const LARGEST_MEDIA_TOGETHER: usize = 14 * 1024 * 1024;
/// Of a text that is longer the model gets the beginning.
const LONGEST_TEXT: usize = 200 * 1024;
const LONGEST_LABEL: usize = 200;

/// What models take.
const IMAGES: [&str; 6] = [
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/webp",
    "image/heic",
    "image/heif",
];
const SOUNDS: [&str; 10] = [
    "audio/wav",
    "audio/x-wav",
    "audio/mp3",
    "audio/mpeg",
    "audio/aiff",
    "audio/aac",
    "audio/ogg",
    "audio/flac",
    "audio/webm",
    "audio/mp4",
];

pub(crate) fn prompt(
    blocks: Vec<ContentBlock>,
    folder: &Path,
    mark: PromptMark,
) -> Result<Prompt, Error> {
    let mut gathered = Gathered {
        folder,
        text: String::new(),
        attachments: Vec::new(),
        media: 0,
    };
    for block in blocks {
        gathered.take(block)?;
    }
    let Gathered {
        text, attachments, ..
    } = gathered;
    if text.trim().is_empty() && attachments.is_empty() {
        return Err(invalid("a prompt has at least one letter"));
    }
    if attachments.len() > MOST_ATTACHMENTS {
        return Err(invalid(format!(
            "a prompt takes {MOST_ATTACHMENTS} attachments at most"
        )));
    }
    Ok(Prompt {
        text,
        attachments: attachments.into(),
        mark: Some(mark),
        if_unknown: IfUnknown::Sent,
        ..Prompt::default()
    })
}

struct Gathered<'a> {
    folder: &'a Path,
    text: String,
    attachments: Vec<Attachment>,
    /// Bytes of images and sounds so far.
    media: usize,
}

impl Gathered<'_> {
    fn take(&mut self, block: ContentBlock) -> Result<(), Error> {
        match block {
            ContentBlock::Text(text) => self.text.push_str(&text.text),
            ContentBlock::Image(image) => {
                let name = image.uri.as_deref().map_or("image", last_name);
                let label = label(name, "image");
                self.media(&IMAGES, label, image.mime_type, image.data)?;
            }
            ContentBlock::Audio(audio) => {
                let label = "sound".to_owned();
                self.media(&SOUNDS, label, audio.mime_type, audio.data)?;
            }
            ContentBlock::ResourceLink(link) => self.named(&link.uri),
            ContentBlock::Resource(embedded) => match embedded.resource {
                // What some clients make of a picture by reading it as a text: the file has it whole.
                EmbeddedResourceResource::TextResourceContents(given)
                    if is_media(given.mime_type.as_deref()) =>
                {
                    self.named(&given.uri);
                }
                EmbeddedResourceResource::TextResourceContents(given) => {
                    self.given(&given.uri, given.text);
                }
                EmbeddedResourceResource::BlobResourceContents(given) => {
                    let label = label(last_name(&given.uri), "attachment");
                    let mime_type = given.mime_type.unwrap_or_default();
                    self.mention(&format!("`{label}`"));
                    self.media(
                        &[&IMAGES[..], &SOUNDS[..]].concat(),
                        label,
                        mime_type,
                        given.blob,
                    )?;
                }
                _ => return Err(invalid("this kind of resource is not known here")),
            },
            _ => return Err(invalid("this kind of content is not known here")),
        }
        Ok(())
    }

    fn media(
        &mut self,
        kinds: &[&str],
        label: String,
        mime_type: String,
        data: String,
    ) -> Result<(), Error> {
        let refused = |reason: &str| Err(invalid(format!("{label} {reason}")));
        if !kinds.contains(&mime_type.as_str()) {
            return refused("is of a kind that no model takes");
        }
        // Looked at before anything is decoded.
        if data.len() / 4 * 3 > LARGEST_MEDIA + 2 {
            return refused("is larger than 10 MB");
        }
        let Ok(bytes) = STANDARD.decode(&data) else {
            return refused("is not encoded as base64");
        };
        self.media += bytes.len();
        match bytes.len() {
            0 => return refused("is empty"),
            size if size > LARGEST_MEDIA => return refused("is larger than 10 MB"),
            _ if self.media > LARGEST_MEDIA_TOGETHER => {
                return refused("does not fit: all together have 14 MB at most");
            }
            _ => {}
        }
        self.attachments.push(Attachment {
            kind: AttachmentKind::Image,
            label,
            path: None,
            range: None,
            content: Part::InlineData(InlineData { mime_type, data }),
        });
        Ok(())
    }

    /// A file is read by the session, as if it had been typed.
    fn named(&mut self, uri: &str) {
        match uri::file(uri) {
            Some(place) => {
                let reference = self.reference(&place);
                self.mention(&reference);
            }
            None => self.mention(uri),
        }
    }

    fn reference(&self, place: &FilePlace) -> String {
        let path = place.path.strip_prefix(self.folder);
        let path = path.unwrap_or(&place.path).display().to_string();
        let path = match path.as_str() {
            "" => ".".to_owned(),
            _ => path,
        };
        let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+~".contains(letter);
        let path = if path.chars().all(is_plain) && !path.ends_with('.') || path == "." {
            format!("@{path}")
        } else if !path.contains(['"', '\n']) {
            format!("@\"{path}\"")
        } else {
            // What cannot stand in quotes can be escaped.
            let mut escaped = String::from("@");
            for (place, letter) in path.char_indices() {
                let is_last = place + letter.len_utf8() == path.len();
                if !is_plain(letter) || letter == '.' && is_last {
                    escaped.push('\\');
                }
                escaped.push(letter);
            }
            escaped
        };
        match &place.lines {
            None => path,
            Some(lines) if lines.start() == lines.end() => {
                format!("{path} (line {})", lines.start())
            }
            Some(lines) => format!("{path} (lines {} to {})", lines.start(), lines.end()),
        }
    }

    /// A text that the client has, saved or not.
    fn given(&mut self, uri: &str, mut text: String) {
        let place = uri::file(uri);
        let mut label = label(last_name(uri), "attachment");
        let lines = place.as_ref().and_then(|place| place.lines.clone());
        if let Some(lines) = &lines {
            label.push_str(&format!(":{}-{}", lines.start(), lines.end()));
        }
        if text.len() > LONGEST_TEXT {
            text.truncate(text.floor_char_boundary(LONGEST_TEXT));
            text.push_str("\n... [the rest is left out: too long]");
        }
        self.mention(&format!("`{label}`"));
        self.attachments.push(Attachment {
            kind: AttachmentKind::Text,
            path: place.map(|place| place.path),
            range: lines.map(range),
            content: Part::Text(format!(
                "\n--- Attached by the person: {label} ({uri}) ---\n{text}\n--- End of {label} ---"
            )),
            label,
        });
    }

    /// Something is named where it stands in the prompt.
    fn mention(&mut self, words: &str) {
        let is_apart = |letter: char| letter.is_whitespace() || "([\"'`".contains(letter);
        if self
            .text
            .chars()
            .next_back()
            .is_some_and(|last| !is_apart(last))
        {
            self.text.push(' ');
        }
        self.text.push_str(words);
        self.text.push(' ');
    }
}

fn is_media(mime_type: Option<&str>) -> bool {
    mime_type.is_some_and(|kind| IMAGES.contains(&kind) || SOUNDS.contains(&kind))
}

/// Whole lines, counted from 1, as places in a text.
fn range(lines: RangeInclusive<u32>) -> Range {
    let start_of = |line| Position { line, character: 0 };
    Range {
        start: start_of(lines.start().saturating_sub(1)),
        end: start_of(*lines.end()),
    }
}

fn last_name(uri: &str) -> &str {
    let plain = uri.split(['#', '?']).next().unwrap_or(uri);
    let plain = plain.trim_end_matches('/');
    plain.rsplit('/').next().unwrap_or(plain)
}

/// In one line and not too long, whatever came.
fn label(name: &str, otherwise: &str) -> String {
    let words: Vec<&str> = name.split_whitespace().collect();
    let line = words.join(" ");
    let plain = line
        .chars()
        .filter(|letter| !letter.is_control() && *letter != '`');
    match plain.take(LONGEST_LABEL).collect::<String>() {
        label if label.is_empty() => otherwise.to_owned(),
        label => label,
    }
}

#[cfg(test)]
mod tests;
