use super::*;
use crate::shell_changes::{ChangedFile, Content, FileThen, NotReversible};

fn then(text: &str) -> Option<FileThen> {
    Some(FileThen {
        content: Content::Bytes(text.as_bytes().into()),
        mode: 0o644,
    })
}

fn file(path: &str, before: Option<FileThen>, after: Option<FileThen>) -> ChangedFile {
    ChangedFile {
        path: path.into(),
        moved_from: None,
        before,
        after,
    }
}

#[test]
fn the_model_is_told_which_files_changed_and_how() {
    let moved = ChangedFile {
        moved_from: Some("/w/old.rs".into()),
        ..file("/w/new.rs", then("x"), then("x"))
    };
    let changes = Changes {
        files: vec![
            file("/w/a.rs", then("a"), then("b")),
            file("/w/made", None, then("b")),
            file("/w/gone\n", then("a"), None),
            moved,
        ],
        not_reversible: vec![NotReversible {
            path: "/w/big.bin".into(),
            reason: "it is too large to be kept".to_owned(),
        }],
    };
    let told = told(&changes, Path::new("/w"));
    assert_eq!(
        told.as_deref(),
        Some(
            "Changed: a.rs, made (new), gone? (deleted), new.rs (was old.rs)\n\
             Changed, not reversible: big.bin (it is too large to be kept)"
        )
    );
    assert_eq!(summary(&changes).as_deref(), Some("5 files changed"));
}

#[test]
fn many_files_are_counted_and_none_are_not_mentioned() {
    let file = |number: usize| file(&format!("/w/{number}"), None, then("x"));
    let changes = Changes {
        files: (0..25).map(file).collect(),
        not_reversible: Vec::new(),
    };
    let told = told(&changes, Path::new("/w")).unwrap();
    assert!(told.ends_with("19 (new) and 5 more"), "{told}");
    assert_eq!(super::told(&Changes::default(), Path::new("/w")), None);
    assert_eq!(summary(&Changes::default()), None);
}
