use std::path::PathBuf;

use expect_test::expect;
use pollux_workspace::FileKind;

use super::*;

#[test]
fn every_hunk_has_its_two_words_above_it() {
    let hunk = |state, line: usize| ShownHunk {
        state,
        lines: line..line + 1,
        removed: "a\n".into(),
        added: "b\n".into(),
        origin: None,
        comments: Vec::new(),
    };
    let file = FileReview {
        path: PathBuf::from("a.rs"),
        kind: FileKind::Changed,
        revision: 7,
        hunks: vec![hunk(HunkState::Proposed, 3), hunk(HunkState::Conflict, 9)],
        comments: Vec::new(),
    };
    let shown: Vec<String> = lenses("file:///p/a.rs", &file)
        .into_iter()
        .map(|lens| {
            let command = lens.command.unwrap();
            let argument = &command.arguments.unwrap()[0];
            let line = lens.range.start.line;
            format!("{line} {} = {} {argument}", command.title, command.command)
        })
        .collect();
    expect![[r#"
        3 Keep = pollux.hunk.keep {"uri":"file:///p/a.rs","revision":7,"index":0}
        3 Reject = pollux.hunk.reject {"uri":"file:///p/a.rs","revision":7,"index":0}
        9 Mine = pollux.conflict.mine {"uri":"file:///p/a.rs","revision":7,"index":1}
        9 Theirs = pollux.conflict.theirs {"uri":"file:///p/a.rs","revision":7,"index":1}"#]]
    .assert_eq(&shown.join("\n"));
}
