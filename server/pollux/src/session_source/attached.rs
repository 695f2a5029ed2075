//! What was attached to a recorded prompt, found among the parts in which it went to the model.

use std::sync::Arc;

use pollux_agent::api::{Attachment, AttachmentKind, SentItem, SentKind, part_bytes};
use pollux_model::Part;

/// The record names what was attached, in order, and says how large each was. Behind it stands only what the model was still
/// to be told, and so they are looked for from the end.
pub(super) fn of(items: &[SentItem], parts: &[Part]) -> Arc<[Attachment]> {
    let mut found = Vec::new();
    let mut rest = parts;
    for item in items
        .iter()
        .rev()
        .filter(|item| item.kind == SentKind::Attachment)
    {
        let Some(place) = rest.iter().rposition(|part| is(item, part)) else {
            continue;
        };
        let (before, behind) = rest.split_at(place);
        rest = before;
        found.extend(behind.first().map(|part| Attachment {
            kind: match part {
                Part::InlineData(_) => AttachmentKind::Image,
                _ => AttachmentKind::Text,
            },
            label: item.label.clone(),
            path: item.path.clone(),
            range: item.range,
            content: part.clone(),
        }));
    }
    found.reverse();
    found.into()
}

fn is(item: &SentItem, part: &Part) -> bool {
    let is_named = match part {
        Part::Text(text) => text.contains(&item.label),
        Part::InlineData(_) => true,
        _ => false,
    };
    is_named && part_bytes(part) == item.bytes
}

#[cfg(test)]
mod tests;
