use pollux_text::{Position, Range};

use super::*;

fn view(door: u64, text: &str) -> View {
    View {
        door: DoorId::new(door),
        uri: "file:///a".into(),
        language: "text".into(),
        version: 1,
        text: Buffer::from(text),
        sync: SyncState::Synced,
    }
}

fn insert_at_line(line: u32) -> Edit {
    let start = Position { line, character: 0 };
    Edit::Splice {
        range: Range { start, end: start },
        text: "x".to_owned(),
    }
}

#[test]
fn a_text_out_of_step_takes_nothing_but_a_whole_text() {
    let mut view = view(1, "a");
    let encoding = PositionEncoding::Utf16;
    view.change(2, &[insert_at_line(9)], encoding).unwrap_err();
    view.change(3, &[insert_at_line(0)], encoding).unwrap();
    assert_eq!(
        (view.sync, view.text.to_string()),
        (SyncState::Desynced, "a".to_owned())
    );
    let whole = Edit::Replace("b".to_owned());
    // The first edit would not fit either, but the whole text after it makes it meaningless.
    view.change(4, &[insert_at_line(9), whole, insert_at_line(0)], encoding)
        .unwrap();
    assert_eq!(
        (view.sync, view.version, view.text.to_string()),
        (SyncState::Synced, 4, "xb".to_owned())
    );
}

#[test]
fn the_view_that_changed_last_is_the_latest_and_each_door_sees_its_own() {
    let mut document = Document::default();
    document.open(view(1, "one"));
    document.open(view(2, "two"));
    document.touch(DoorId::new(1)).unwrap();
    let text = |view: Option<&View>| view.unwrap().text.to_string();
    assert_eq!(text(document.latest()), "one");
    assert_eq!(text(document.seen_from(DoorId::new(2))), "two");
    assert_eq!(text(document.seen_from(DoorId::new(3))), "one");
    document.close(DoorId::new(1));
    assert_eq!(text(document.latest()), "two");
}
