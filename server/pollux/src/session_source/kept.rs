//! Prompts as they are kept until they are recorded, and back.

use std::path::PathBuf;

use pollux_agent::api::{
    Attachment, AttachmentKind, ContextChoice, IfUnheard, IfUnknown, KeptId, Prompt, Sending,
};
use pollux_sessions::{part_from_json, part_to_json};
use pollux_text::{Position, Range};
use serde_json::{Map, Value, json};

pub(super) fn to_json(prompt: &Prompt) -> Map<String, Value> {
    let mut kept = Map::new();
    kept.insert("text".to_owned(), Value::from(prompt.text.as_str()));
    if !prompt.attachments.is_empty() {
        let attachments: Vec<Value> = prompt.attachments.iter().map(attachment).collect();
        kept.insert("attachments".to_owned(), attachments.into());
    }
    let choice = prompt.context;
    for (name, sending) in [
        ("activeFile", choice.active_file),
        ("selection", choice.selection),
        ("openFiles", choice.open_files),
        ("diagnostics", choice.diagnostics),
    ] {
        match sending {
            Sending::AsConfigured => {}
            Sending::Yes => drop(kept.insert(name.to_owned(), Value::from(true))),
            Sending::No => drop(kept.insert(name.to_owned(), Value::from(false))),
        }
    }
    if let Some(typed) = &prompt.stands_for {
        kept.insert("standsFor".to_owned(), Value::from(typed.as_str()));
    }
    if prompt.if_unheard == IfUnheard::ToldLater {
        kept.insert("toldLater".to_owned(), Value::from(true));
    }
    if prompt.if_unknown == IfUnknown::Sent {
        kept.insert("sentIfUnknown".to_owned(), Value::from(true));
    }
    kept
}

/// `name` is what it is kept under from now on.
pub(super) fn from_json(name: u64, kept: &Map<String, Value>) -> Prompt {
    let text = |key: &str| kept.get(key).and_then(Value::as_str).map(str::to_owned);
    let sending = |key: &str| match kept.get(key).and_then(Value::as_bool) {
        Some(true) => Sending::Yes,
        Some(false) => Sending::No,
        None => Sending::AsConfigured,
    };
    let attachments = kept.get("attachments").and_then(Value::as_array);
    Prompt {
        text: text("text").unwrap_or_default(),
        attachments: attachments
            .into_iter()
            .flatten()
            .filter_map(attached)
            .collect(),
        context: ContextChoice {
            active_file: sending("activeFile"),
            selection: sending("selection"),
            open_files: sending("openFiles"),
            diagnostics: sending("diagnostics"),
        },
        stands_for: text("standsFor"),
        if_unheard: match kept.get("toldLater").and_then(Value::as_bool) {
            Some(true) => IfUnheard::ToldLater,
            Some(false) | None => IfUnheard::TakenBack,
        },
        if_unknown: match kept.get("sentIfUnknown").and_then(Value::as_bool) {
            Some(true) => IfUnknown::Sent,
            Some(false) | None => IfUnknown::Told,
        },
        kept: Some(KeptId(name)),
        // Whoever waited for it is gone.
        mark: None,
    }
}

fn attachment(attachment: &Attachment) -> Value {
    json!({
        "kind": match attachment.kind {
            AttachmentKind::Image => "image",
            AttachmentKind::Text => "text",
        },
        "label": attachment.label,
        "path": attachment.path.as_ref().and_then(|path| path.to_str()),
        "range": attachment.range.map(range),
        "content": part_to_json(&attachment.content),
    })
}

fn attached(kept: &Value) -> Option<Attachment> {
    Some(Attachment {
        kind: match kept.get("kind")?.as_str()? {
            "image" => AttachmentKind::Image,
            _ => AttachmentKind::Text,
        },
        label: kept.get("label")?.as_str()?.to_owned(),
        path: kept.get("path").and_then(Value::as_str).map(PathBuf::from),
        range: kept.get("range").and_then(ranged),
        content: part_from_json(kept.get("content")?)?,
    })
}

/// Four numbers, as the editor counts.
pub(super) fn range(range: Range) -> Value {
    let Range { start, end } = range;
    json!([start.line, start.character, end.line, end.character])
}

pub(super) fn ranged(value: &Value) -> Option<Range> {
    let number = |place: usize| u32::try_from(value.get(place)?.as_u64()?).ok();
    let position = |place: usize| {
        Some(Position {
            line: number(place)?,
            character: number(place + 1)?,
        })
    };
    Some(Range {
        start: position(0)?,
        end: position(2)?,
    })
}

#[cfg(test)]
mod tests;
