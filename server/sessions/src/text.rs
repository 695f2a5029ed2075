//! Recorded content as text: what counts as something said, and what a session is called.

mod command;

use serde_json::Value;

use crate::record::{Message, MessageKind, RecordedContent};

/// What the program itself put into the conversation.
const IGNORED_STARTS: [&str; 2] = ["<session_context>", "<hook_context>"];
/// Nobody reads more of a title, and a pasted file must not be kept for one.
pub(crate) const TITLE_LIMIT: usize = 500;

/// The text of all parts; a part that is no text is named in brackets.
pub(crate) fn content_text(content: &RecordedContent) -> String {
    content.iter().map(part_text).collect()
}

/// Whether a user's message is none of the conversation with the model.
pub(crate) fn is_ignored(text: &str) -> bool {
    let text = text.trim();
    text.is_empty()
        || IGNORED_STARTS.iter().any(|start| text.starts_with(start))
        || command::is_command(text)
}

/// Whether somebody could want to come back to this message.
pub(crate) fn is_resumable(message: &Message) -> bool {
    let filled = |length: Option<usize>| length.is_some_and(|length| length > 0);
    match message.kind {
        MessageKind::User => !is_ignored(&content_text(&message.content)),
        MessageKind::Gemini => {
            filled(message.tool_calls.as_ref().map(Vec::len))
                || filled(message.thoughts.as_ref().map(Vec::len))
                || !content_text(&message.content).trim().is_empty()
        }
        MessageKind::Info | MessageKind::Error | MessageKind::Warning | MessageKind::Other(_) => {
            false
        }
    }
}

/// A user's message as a title. Titles go to terminals, so nothing in them may steer one.
pub(crate) fn title(message: &Message) -> String {
    let content = message.display_content.as_ref().unwrap_or(&message.content);
    let text = content_text(content);
    let words = || text.split_whitespace().collect::<Vec<_>>().join(" ");
    let plain: String = words()
        .chars()
        .filter(|letter| matches!(letter, ' '..='~'))
        .take(TITLE_LIMIT)
        .collect();
    let plain = plain.trim();
    if !plain.is_empty() {
        return plain.to_owned();
    }
    // The twin shows nothing here; most people do not write in ASCII.
    without_control(&words())
        .chars()
        .take(TITLE_LIMIT)
        .collect()
}

pub(crate) fn without_control(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).collect()
}

fn part_text(part: &Value) -> String {
    let name = |key: &str| {
        part.get(key)
            .and_then(|call| call.get("name"))
            .and_then(Value::as_str)
            .unwrap_or("unknown")
    };
    let Value::Object(object) = part else {
        return part.as_str().unwrap_or_default().to_owned();
    };
    if let Some(thought) = object.get("thought").filter(|value| !value.is_null()) {
        return format!("[Thought: {thought}]");
    }
    if let Some(Value::String(text)) = object.get("text") {
        return text.clone();
    }
    let has = |key: &str| object.contains_key(key);
    if has("functionCall") {
        return format!("[Function Call: {}]", name("functionCall"));
    }
    if has("functionResponse") {
        return format!("[Function Response: {}]", name("functionResponse"));
    }
    if let Some(data) = object.get("inlineData") {
        return inline_data_text(data);
    }
    [
        ("fileData", "[File Data]"),
        ("executableCode", "[Executable Code]"),
        ("codeExecutionResult", "[Code Execution Result]"),
        ("videoMetadata", "[Video Metadata]"),
    ]
    .into_iter()
    .find(|(key, _)| has(key))
    .map(|(_, text)| text.to_owned())
    .unwrap_or_default()
}

fn inline_data_text(data: &Value) -> String {
    let field = |key: &str| data.get(key).and_then(Value::as_str);
    let mime = field("mimeType").unwrap_or("unknown");
    let kind = match mime.split('/').next() {
        Some("image") => "Image",
        Some("audio") => "Audio",
        Some("video") => "Video",
        _ => "Data",
    };
    // Base64 says three bytes in four letters; tenths of a kilobyte, rounded.
    let bytes = field("data").map_or(0, |data| data.len() / 4 * 3);
    let tenths = (bytes * 10 + 512) / 1024;
    format!("[{kind}: {mime}, {}.{} KB]", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests;
