use serde_json::{Value, json};

use super::Typist;
use crate::bench::frame;

const TEXT: &str = "one\nzwölf\n\nthree and more\n";

/// Applies the messages to plain lines, as a server would.
fn replay(mut messages: &[u8]) -> (Vec<String>, i64) {
    let mut lines: Vec<String> = TEXT.lines().map(str::to_owned).collect();
    let mut version = 0;
    while let Some(message) = frame::read(&mut messages).unwrap() {
        let number = |path: &str| message.pointer(path).and_then(Value::as_i64).unwrap();
        let start = "/params/contentChanges/0/range/start";
        let line = usize::try_from(number(&format!("{start}/line"))).unwrap();
        let character = usize::try_from(number(&format!("{start}/character"))).unwrap();
        version = number("/params/textDocument/version");
        lines[line].insert(character, 'x');
    }
    (lines, version)
}

#[test]
fn every_keystroke_lands_inside_the_text() {
    let (mut typist, _opening) = Typist::open("file:///a".to_owned(), TEXT);
    let (lines, version) = replay(&typist.keystrokes(500));
    let added: usize = lines.join("").matches('x').count();
    assert_eq!(added, 500);
    assert_eq!(version, 501);
    assert!(lines.iter().all(|line| line.contains('x')));
}

#[test]
fn the_snapshot_must_show_every_keystroke() {
    let (mut typist, _opening) = Typist::open("file:///a".to_owned(), TEXT);
    typist.keystrokes(2);
    let snapshot = |version: i32, sync: &str| {
        json!({"documents": [
            {"uri": "file:///b"},
            {"uri": "file:///a", "version": version, "bytes": TEXT.len() + 2, "sync": sync},
        ]})
    };
    assert!(typist.agrees_with(&snapshot(3, "synced")));
    assert!(!typist.agrees_with(&snapshot(2, "synced")));
    assert!(!typist.agrees_with(&snapshot(3, "desynced")));
    assert!(!typist.agrees_with(&json!({})));
}

#[test]
fn two_typists_type_the_same() {
    let (mut one, opening) = Typist::open("file:///a".to_owned(), TEXT);
    let (mut other, same_opening) = Typist::open("file:///a".to_owned(), TEXT);
    assert_eq!(opening, same_opening);
    assert_eq!(one.keystrokes(50), other.keystrokes(50));
}
