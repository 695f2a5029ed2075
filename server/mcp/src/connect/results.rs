//! What servers answer, in the agent's words.

#[cfg(test)]
mod tests;

use pollux_agent::api::{InlineData, Part};
use pollux_agent::{ServerContent, ServerResult, ServerVerdict};
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};

const UNKNOWN_DATA: &str = "application/octet-stream";

/// The result of a call.
pub(super) fn of_call(result: CallToolResult) -> ServerResult {
    let mut content: Vec<ServerContent> = result.content.into_iter().map(of_block).collect();
    if content.is_empty()
        && let Some(structured) = result.structured_content
    {
        // Some servers answer in structure alone.
        content.push(ServerContent::Text(structured.to_string()));
    }
    ServerResult {
        content,
        verdict: match result.is_error {
            Some(true) => ServerVerdict::Error,
            Some(false) | None => ServerVerdict::Fine,
        },
    }
}

fn of_block(block: ContentBlock) -> ServerContent {
    match block {
        ContentBlock::Text(text) => ServerContent::Text(text.text),
        ContentBlock::Image(image) => data("image", "Image", image.mime_type, image.data),
        ContentBlock::Audio(audio) => data("audio", "Audio", audio.mime_type, audio.data),
        ContentBlock::Resource(embedded) => match embedded.resource {
            ResourceContents::TextResourceContents { text, .. } => ServerContent::Text(text),
            ResourceContents::BlobResourceContents {
                mime_type, blob, ..
            } => {
                let mime_type = mime_type.unwrap_or_else(|| UNKNOWN_DATA.to_owned());
                data("embedded resource", "Embedded Resource", mime_type, blob)
            }
            _ => ServerContent::Unknown("resource".to_owned()),
        },
        ContentBlock::ResourceLink(link) => ServerContent::Link {
            title: link.title.unwrap_or(link.name),
            uri: link.uri,
        },
        _ => ServerContent::Unknown("content".to_owned()),
    }
}

fn data(what: &str, shown: &str, mime_type: String, data: String) -> ServerContent {
    let mime_type = plain(&mime_type);
    ServerContent::Data {
        note: format!("[The tool gave back this {what}, of the type {mime_type}:]"),
        shown: format!("[{shown}: {mime_type}]"),
        part: Part::InlineData(InlineData { mime_type, data }),
    }
}

/// What stands under an address.
pub(super) fn of_resource(contents: Vec<ResourceContents>) -> Vec<ServerContent> {
    let content = contents.into_iter().map(|content| match content {
        ResourceContents::TextResourceContents { text, .. } => ServerContent::Text(text),
        ResourceContents::BlobResourceContents {
            mime_type, blob, ..
        } => {
            let mime_type = plain(&mime_type.unwrap_or_else(|| UNKNOWN_DATA.to_owned()));
            // Four letters stand for three bytes.
            let note = format!(
                "[Binary resource content {mime_type}, {} bytes]",
                blob.trim_end_matches('=').len() * 3 / 4
            );
            ServerContent::Data {
                shown: note.clone(),
                note,
                part: Part::InlineData(InlineData {
                    mime_type,
                    data: blob,
                }),
            }
        }
        _ => ServerContent::Unknown("resource".to_owned()),
    });
    content.collect()
}

/// A type stands outside of the marks for outside text, so it must not say anything.
fn plain(mime_type: &str) -> String {
    let is_plain = |letter: &char| letter.is_ascii_alphanumeric() || "/.+-".contains(*letter);
    let plain: String = mime_type.chars().filter(is_plain).take(80).collect();
    match plain.contains('/') {
        true => plain,
        false => UNKNOWN_DATA.to_owned(),
    }
}
