//! What goes with a prompt: checked here, so that nothing later has to doubt it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pollux_agent::api::{
    Attachment, AttachmentKind, ContextChoice, InlineData, Part, Prompt, Sending,
};
use tower_lsp::jsonrpc::{Error, Result};

use crate::protocol::{PromptAttachment, PromptContext, PromptParams};
use crate::uri::{self, file_path};

const MOST_ATTACHMENTS: usize = 20;
const LARGEST_IMAGE: usize = 10 * 1024 * 1024;
/// Encoded, all of them must fit into a request of 20 MB.
const LARGEST_IMAGES: usize = 14 * 1024 * 1024;
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

pub(super) fn prompt(params: PromptParams) -> Result<Prompt> {
    let PromptParams {
        text,
        attachments,
        context,
        ..
    } = params;
    if attachments.len() > MOST_ATTACHMENTS {
        return Err(Error::invalid_params(format!(
            "a prompt takes {MOST_ATTACHMENTS} attachments at most"
        )));
    }
    let mut images = 0;
    let mut checked = Vec::new();
    for attachment in attachments {
        checked.push(match attachment {
            PromptAttachment::Image {
                mime_type,
                data,
                name,
            } => image(mime_type, data, name, &mut images)?,
            text @ PromptAttachment::Text { .. } => note(text)?,
        });
    }
    Ok(Prompt {
        text,
        attachments: checked.into(),
        context: choice(context.unwrap_or_default()),
        ..Prompt::default()
    })
}

fn image(
    mime_type: String,
    data: String,
    name: Option<String>,
    images: &mut usize,
) -> Result<Attachment> {
    let label = label(name.as_deref().unwrap_or("image"));
    let refused = |reason: &str| Err(Error::invalid_params(format!("{label} {reason}")));
    if !is_image(&mime_type) {
        return refused("is no image that a model takes");
    }
    // Looked at before anything is decoded.
    if data.len() / 4 * 3 > LARGEST_IMAGE + 2 {
        return refused("is larger than 10 MB");
    }
    let Ok(bytes) = STANDARD.decode(&data) else {
        return refused("is not encoded as base64");
    };
    *images += bytes.len();
    match bytes.len() {
        0 => return refused("is empty"),
        size if size > LARGEST_IMAGE => return refused("is larger than 10 MB"),
        _ if *images > LARGEST_IMAGES => {
            return refused("does not fit: all images together have 14 MB at most");
        }
        _ => {}
    }
    Ok(Attachment {
        kind: AttachmentKind::Image,
        label,
        path: None,
        range: None,
        content: Part::InlineData(InlineData { mime_type, data }),
    })
}

fn is_image(mime_type: &str) -> bool {
    IMAGES.contains(&mime_type)
}

fn note(attachment: PromptAttachment) -> Result<Attachment> {
    let PromptAttachment::Text {
        label: name,
        text,
        uri,
        range,
    } = attachment
    else {
        return Err(Error::internal_error());
    };
    let label = label(&name);
    if text.len() > LONGEST_TEXT {
        return Err(Error::invalid_params(format!(
            "{label} is longer than 200 kB"
        )));
    }
    Ok(Attachment {
        kind: AttachmentKind::Text,
        path: uri.as_deref().and_then(file_path),
        range: range.map(Into::into),
        content: Part::Text(format!("{}{text}{}", head(&label), foot(&label))),
        label,
    })
}

/// Around a text, so that the model knows where it begins and ends.
fn head(label: &str) -> String {
    format!("\n--- Attached by the person: {label} ---\n")
}

fn foot(label: &str) -> String {
    format!("\n--- End of {label} ---")
}

/// As it came. Nothing for what no editor attaches.
pub(super) fn given_back(attached: &Attachment) -> Option<PromptAttachment> {
    let label = &attached.label;
    Some(match &attached.content {
        Part::InlineData(InlineData { mime_type, data }) if is_image(mime_type) => {
            PromptAttachment::Image {
                mime_type: mime_type.clone(),
                data: data.clone(),
                name: Some(label.clone()),
            }
        }
        Part::Text(text) => {
            let inside = text.strip_prefix(&head(label));
            let inside = inside.and_then(|text| text.strip_suffix(&foot(label)));
            PromptAttachment::Text {
                label: label.clone(),
                text: inside.unwrap_or(text).to_owned(),
                uri: attached.path.as_deref().map(uri::from_path),
                range: attached.range.map(Into::into),
            }
        }
        _ => return None,
    })
}

/// In one line and not too long, whatever came.
fn label(name: &str) -> String {
    let words: Vec<&str> = name.split_whitespace().collect();
    let line = words.join(" ");
    let plain = line.chars().filter(|letter| !letter.is_control());
    match plain.take(LONGEST_LABEL).collect::<String>() {
        label if label.is_empty() => "attachment".to_owned(),
        label => label,
    }
}

fn choice(context: PromptContext) -> ContextChoice {
    let sending = |wanted: Option<bool>| match wanted {
        None => Sending::AsConfigured,
        Some(true) => Sending::Yes,
        Some(false) => Sending::No,
    };
    ContextChoice {
        active_file: sending(context.active_file),
        selection: sending(context.selection),
        open_files: sending(context.open_files),
        diagnostics: sending(context.diagnostics),
    }
}
