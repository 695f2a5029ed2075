use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use expect_test::{Expect, expect};
use pollux_agent::api::TurnId;
use pollux_text::PositionEncoding;
use pollux_workspace::{
    Comment, CommentId, CommentSent, Configuration, DocumentKey, DoorId, EditorState, FileKind,
    FileReview, HunkState, Origin, Reviews, Revision, SessionId, ShownHunk, Snapshot,
};
use proptest::prelude::*;
use serde_json::json;

use super::{diagnostics, hunks, place, watching, words};

const DOOR: u64 = 1;

fn hunk(state: HunkState, start: usize, removed: &str, added: &str) -> ShownHunk {
    let standing = match state {
        HunkState::Pending | HunkState::Edited => added,
        HunkState::Proposed | HunkState::Conflict => removed,
    };
    ShownHunk {
        state,
        lines: start..start + pollux_text::lines(standing).len(),
        removed: removed.into(),
        added: added.into(),
        origin: None,
        comments: Vec::new(),
    }
}

fn file(path: &str, revision: u64, hunks: Vec<ShownHunk>) -> Arc<FileReview> {
    Arc::new(FileReview {
        path: PathBuf::from(path),
        kind: FileKind::Changed,
        revision,
        hunks,
        comments: Vec::new(),
    })
}

fn key(path: &str) -> DocumentKey {
    DocumentKey::File(PathBuf::from("/home/me/p").join(path))
}

/// A room with these reviews, in which nobody has opened a file.
fn room(files: &[(&str, &Arc<FileReview>)]) -> Snapshot {
    let files = files
        .iter()
        .map(|(path, file)| (key(path), Arc::clone(file)));
    let editor = EditorState {
        encoding: PositionEncoding::Utf16,
        ..EditorState::default()
    };
    Snapshot {
        revision: Revision(1),
        roots: Arc::from([]),
        documents: Arc::default(),
        editors: Arc::new(BTreeMap::from([(DoorId::new(DOOR), editor)])),
        configuration: Arc::new(Configuration::default()),
        reviews: Arc::new(Reviews {
            files: files.collect(),
            ..Reviews::default()
        }),
    }
}

fn hunk_news(picture: &mut hunks::Picture, snapshot: &Snapshot, again: &[&str]) -> Vec<String> {
    let again: BTreeSet<_> = again.iter().map(|path| key(path)).collect();
    let news = picture.news(snapshot, DoorId::new(DOOR), &again);
    news.iter()
        .map(|params| {
            format!(
                "{} @{}: {}",
                params.uri,
                params.revision,
                params.hunks.len()
            )
        })
        .collect()
}

fn diagnostic_news(picture: &mut diagnostics::Picture, snapshot: &Snapshot) -> Vec<String> {
    let news = picture.news(snapshot, DoorId::new(DOOR), &BTreeSet::new());
    news.iter()
        .map(|params| format!("{}: {}", params.uri, params.diagnostics.len()))
        .collect()
}

#[test]
fn a_hunk_on_the_wire_is_what_the_contract_says() {
    let mut shown = hunk(HunkState::Edited, 4, "old\n", "new\nmore\n");
    shown.origin = Some(Origin {
        session: SessionId::from("s"),
        turn: TurnId(3),
    });
    shown.comments = vec![Comment {
        id: CommentId(1),
        line: 5,
        text: "why?".into(),
        sent: CommentSent::Yes,
    }];
    let review = file("src/a b.rs", 7, vec![shown]);
    let news = hunks::Picture::default().news(
        &room(&[("src/a b.rs", &review)]),
        DoorId::new(DOOR),
        &BTreeSet::new(),
    );
    assert_eq!(
        serde_json::to_value(news).unwrap(),
        json!([{
            "uri": "file:///home/me/p/src/a%20b.rs",
            "path": "src/a b.rs",
            "version": null,
            "revision": 7,
            "hunks": [{
                "index": 0,
                "state": "pending",
                "range": { "start": { "line": 4, "character": 0 }, "end": { "line": 6, "character": 0 } },
                "removed": "old\n",
                "added": "new\nmore\n",
                "session": "s",
                "turn": 3,
                "edited": true,
                "comments": [{ "id": 1, "line": 5, "text": "why?", "sent": true }],
            }],
        }])
    );
}

#[test]
fn comments_are_sent_when_their_hunk_has_gone_and_once_more_when_they_have() {
    let hunk = hunk(HunkState::Pending, 0, "x\n", "y\n");
    let with_hunk = file("a", 1, vec![hunk]);
    let comment = Comment {
        id: CommentId(1),
        line: 5,
        text: "why?".into(),
        sent: CommentSent::NotYet,
    };
    let comments = vec![comment];
    let left = Arc::new(FileReview {
        comments,
        ..(*file("a", 2, Vec::new())).clone()
    });
    let mut picture = hunks::Picture::default();
    let mut told = |review: Option<&Arc<FileReview>>| {
        let files: Vec<_> = review.map(|review| ("a", review)).into_iter().collect();
        let news = picture.news(&room(&files), DoorId::new(DOOR), &BTreeSet::new());
        let counts = news.iter();
        let counts = counts.map(|params| (params.hunks.len(), params.comments.len()));
        counts.collect::<Vec<_>>()
    };
    assert_eq!(told(Some(&with_hunk)), [(1, 0)]);
    assert_eq!(told(Some(&left)), [(0, 1)]);
    assert_eq!(told(Some(&left)), []);
    assert_eq!(told(None), [(0, 0)]);
}

#[test]
fn hunks_are_sent_when_they_move_and_once_more_when_a_client_was_wrong_about_them() {
    let one = file("a", 1, vec![hunk(HunkState::Pending, 0, "x\n", "y\n")]);
    let two = file("b", 1, vec![hunk(HunkState::Pending, 0, "x\n", "y\n")]);
    let mut picture = hunks::Picture::default();
    let both = room(&[("a", &one), ("b", &two)]);
    assert_eq!(
        hunk_news(&mut picture, &both, &[]),
        ["file:///home/me/p/a @1: 1", "file:///home/me/p/b @1: 1"]
    );
    assert_eq!(hunk_news(&mut picture, &both, &[]), [""; 0]);
    assert_eq!(
        hunk_news(&mut picture, &both, &["b"]),
        ["file:///home/me/p/b @1: 1"]
    );
    let moved = file("a", 2, one.hunks.clone());
    assert_eq!(
        hunk_news(&mut picture, &room(&[("a", &moved), ("b", &two)]), &[]),
        ["file:///home/me/p/a @2: 1"]
    );
    // One file is decided, the other has nothing pending but is still known to the room.
    let empty = file("b", 2, Vec::new());
    assert_eq!(
        hunk_news(&mut picture, &room(&[("b", &empty)]), &[]),
        ["file:///home/me/p/a @2: 0", "file:///home/me/p/b @1: 0"]
    );
    assert_eq!(
        hunk_news(&mut picture, &room(&[("b", &empty)]), &[]),
        [""; 0]
    );
    // Whoever names a hunk where nothing is pending is told just that.
    assert_eq!(
        hunk_news(&mut picture, &room(&[]), &["c"]),
        ["file:///home/me/p/c @0: 0"]
    );
}

#[test]
fn diagnostics_are_cleared_when_decided_and_not_repeated_for_a_keystroke() {
    let before = file("a", 1, vec![hunk(HunkState::Edited, 2, "x\n", "y\n")]);
    let mut picture = diagnostics::Picture::default();
    assert_eq!(
        diagnostic_news(&mut picture, &room(&[("a", &before)])),
        ["file:///home/me/p/a: 1"]
    );
    // Typed into the hunk: another review, and the same to be seen but for the end of the line.
    let same = file("a", 2, vec![hunk(HunkState::Edited, 2, "x\n", "z\n")]);
    assert_eq!(
        diagnostic_news(&mut picture, &room(&[("a", &same)])),
        [""; 0]
    );
    assert_eq!(
        diagnostic_news(&mut picture, &room(&[])),
        ["file:///home/me/p/a: 0"]
    );
    assert_eq!(diagnostic_news(&mut picture, &room(&[])), [""; 0]);
}

#[test]
fn a_file_is_watched_by_a_pattern_that_every_editor_reads() {
    let pattern = |path: &str| watching::pattern(std::path::Path::new(path));
    assert_eq!(pattern("src/a.rs"), "**/src/a.rs");
    assert_eq!(pattern("app/[id]/{x}.ts"), "**/app/?id?/?x?.ts");
    assert_eq!(pattern("/elsewhere/a"), "**/elsewhere/a");
}

#[test]
fn no_state_of_a_hunk_is_more_than_information() {
    let states = [
        HunkState::Pending,
        HunkState::Edited,
        HunkState::Proposed,
        HunkState::Conflict,
    ];
    let hunks = states.map(|state| hunk(state, 1, "a\n", "b\n")).to_vec();
    let review = file("a", 1, hunks);
    let snapshot = room(&[("a", &review)]);
    let news = diagnostics::Picture::default().news(&snapshot, DoorId::new(DOOR), &BTreeSet::new());
    for diagnostic in news.iter().flat_map(|params| &params.diagnostics) {
        assert_eq!(
            (diagnostic.severity, diagnostic.source.as_str()),
            (3, "pollux")
        );
    }
    assert_eq!(news[0].diagnostics.len(), states.len());
}

fn check_words(state: HunkState, removed: &str, added: &str, expected: Expect) {
    expected.assert_eq(&words::of(&hunk(state, 0, removed, added)));
}

#[test]
fn a_diagnostic_says_what_was_there_before() {
    use HunkState::{Conflict, Edited, Pending, Proposed};
    let long = format!("\n    let {} = 1;\nnext\n", "x".repeat(80));
    check_words(
        Pending,
        "a = 1;\n",
        "a = 2;\n",
        expect!["Pollux changed 1 line (was: a = 1;)."],
    );
    check_words(
        Pending,
        &long,
        "short\n",
        expect![
            "Pollux changed 3 lines (was: let xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…)."
        ],
    );
    check_words(Pending, "", "a\nb", expect!["Pollux added 2 lines."]);
    check_words(
        Pending,
        "a\nb\n",
        "",
        expect!["Pollux removed 2 lines (was: a…)."],
    );
    check_words(
        Edited,
        "a\n",
        "b\n",
        expect!["Pollux changed 1 line, and you edited it (was: a)."],
    );
    check_words(
        Edited,
        "",
        "b\nc\n",
        expect!["Pollux added 2 lines, and you edited them."],
    );
    check_words(
        Proposed,
        "a\n",
        "b\n",
        expect!["Pollux wants to change 1 line (to: b)."],
    );
    check_words(
        Proposed,
        "",
        "b\n",
        expect!["Pollux wants to add 1 line here: b"],
    );
    check_words(
        Proposed,
        "a\n",
        "",
        expect!["Pollux wants to remove 1 line."],
    );
    check_words(
        Conflict,
        "a\n",
        "b\n",
        expect!["You and Pollux changed the same lines (Pollux wants: b)."],
    );
    check_words(
        Conflict,
        "a\n",
        "",
        expect!["You changed lines here that Pollux wants to remove."],
    );
}

#[test]
fn an_underline_ends_with_its_last_line_in_every_encoding() {
    let shown = hunk(HunkState::Pending, 3, "x\n", "one\nzwei 😀\r\n");
    for (encoding, character) in [
        (PositionEncoding::Utf8, 9),
        (PositionEncoding::Utf16, 7),
        (PositionEncoding::Utf32, 6),
    ] {
        let range = place::underlined(&shown, encoding);
        let ends = [range.start, range.end].map(|place| (place.line, place.character));
        assert_eq!(ends, [(3, 0), (4, character)], "{encoding:?}");
    }
    let gap = hunk(HunkState::Pending, 3, "x\n", "");
    let range = place::underlined(&gap, PositionEncoding::Utf16);
    assert_eq!(range.start, range.end);
}

proptest! {
    #[test]
    fn no_text_makes_the_words_long_or_panic(removed in any::<String>(), added in any::<String>()) {
        for state in [HunkState::Pending, HunkState::Edited, HunkState::Proposed, HunkState::Conflict] {
            let shown = hunk(state, 0, &removed, &added);
            prop_assert!(words::of(&shown).chars().count() < 200);
            for encoding in [PositionEncoding::Utf8, PositionEncoding::Utf16, PositionEncoding::Utf32] {
                let range = place::underlined(&shown, encoding);
                prop_assert!((range.start.line, range.start.character) <= (range.end.line, range.end.character));
            }
        }
    }
}
