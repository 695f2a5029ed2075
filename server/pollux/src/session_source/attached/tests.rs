use pollux_model::InlineData;

use super::*;

fn text(words: &str) -> Part {
    Part::Text(words.to_owned())
}

fn image(data: &str) -> Part {
    Part::InlineData(InlineData {
        mime_type: "image/png".to_owned(),
        data: data.to_owned(),
    })
}

fn item(kind: SentKind, label: &str, part: &Part) -> SentItem {
    SentItem {
        kind,
        label: label.to_owned(),
        path: None,
        range: None,
        bytes: part_bytes(part),
    }
}

#[test]
fn what_was_attached_is_told_from_what_was_named_and_from_what_was_still_to_be_said() {
    let (named, shot, note) = (image("AAAA"), image("BBBB"), text("terminal: ok"));
    let parts = [
        text("look at @a.png"),
        named.clone(),
        shot.clone(),
        note.clone(),
        text("You kept 2 hunks."),
    ];
    let items = [
        item(SentKind::File, "a.png", &named),
        item(SentKind::Attachment, "shot", &shot),
        item(SentKind::Attachment, "terminal", &note),
    ];
    let found = of(&items, &parts);
    let found: Vec<_> = found
        .iter()
        .map(|one| (one.kind, one.label.as_str(), one.content.clone()))
        .collect();
    let wanted = [
        (AttachmentKind::Image, "shot", shot),
        (AttachmentKind::Text, "terminal", note),
    ];
    assert_eq!(found, wanted);
}

#[test]
fn what_is_no_longer_there_is_left_out() {
    let gone = item(SentKind::Attachment, "shot", &image("AAAA"));
    assert!(of(&[gone], &[text("look")]).is_empty());
}
