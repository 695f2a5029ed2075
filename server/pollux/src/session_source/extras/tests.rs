use std::collections::BTreeMap;

use pollux_text::{Position, Range};

use super::*;

#[test]
fn what_was_sent_comes_back() {
    let start = Position {
        line: 1,
        character: 2,
    };
    let items = vec![
        SentItem {
            kind: SentKind::Selection,
            label: "a.rs 2".to_owned(),
            path: Some(PathBuf::from("/w/a.rs")),
            range: Some(Range { start, end: start }),
            bytes: 12,
        },
        SentItem {
            kind: SentKind::Memory,
            label: "GEMINI.md".to_owned(),
            path: None,
            range: None,
            bytes: 3,
        },
    ];
    let how = Said::Asked {
        turn: TurnId(4),
        items: &items,
        editor: Some("the editor shows"),
    };
    let expected = Recalled {
        how: How::Asked,
        turn: Some(TurnId(4)),
        items: items.clone(),
        editor: Some("the editor shows".to_owned()),
    };
    assert_eq!(recalled(&said(&how)), expected);
    assert_eq!(recalled(&said(&Said::Steered)).how, How::Steered);
    assert_eq!(recalled(&said(&Said::Told)).how, How::Told);
    assert_eq!(recalled(&Map::new()), Recalled::default());
}

#[test]
fn what_is_known_of_a_call_comes_back() {
    let answers = [
        Answer::Allow,
        Answer::Always {
            offer: 1,
            scope: Scope::Workspace,
        },
        Answer::AlwaysBy {
            rule: "[[rule]]".to_owned(),
            scope: Scope::User,
        },
        Answer::Deny {
            feedback: Some("not that".to_owned()),
        },
        Answer::Replies(BTreeMap::from([
            (0, Reply::Words("yes".to_owned())),
            (2, Reply::Chosen(vec!["a, b".to_owned(), "c".to_owned()])),
        ])),
        Answer::CarryOut(ApprovalMode::AutoEdit),
    ];
    for answer in answers {
        let known = CallFacts {
            took: Duration::from_millis(1_234),
            edited: Some(EditedFile {
                path: "src/a.rs".to_owned(),
                added: 3,
                removed: 1,
            }),
            edit: None,
            exit: Some(CommandExit::Code(3)),
            given: Some(Given {
                answer,
                reason: "default".to_owned(),
            }),
        };
        assert_eq!(facts(&call(&known)), known);
    }
}

#[test]
fn an_end_that_can_be_told_in_a_word_comes_back() {
    for end in [
        TurnOutcome::Cancelled,
        TurnOutcome::Declined,
        TurnOutcome::Interrupted,
        TurnOutcome::Unattended,
        TurnOutcome::StoppedByHook {
            reason: "enough".to_owned(),
        },
        TurnOutcome::LoopDetected("twice".to_owned()),
    ] {
        assert_eq!(ended(&outcome(&end)), Some(end));
    }
    assert_eq!(ended(&outcome(&TurnOutcome::Completed)), None);
}
