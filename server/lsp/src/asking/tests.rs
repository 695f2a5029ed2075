use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use expect_test::{Expect, expect};
use pollux_agent::api::{
    AllEdits, Approval, ApprovalId, CallId, Choice, Offer, Pick, Proposal, ProposalId, Question,
    QuestionKind, Scope, Subject, Target,
};
use pollux_agent::{SessionHandle, WorkspacePath};
use pollux_workspace::{Asked, Asker, OpenQuestion};
use tokio::sync::mpsc;

use super::words::{Button, Choices};
use crate::connection::ClientTraits;

fn check(subject: Subject, offers: Vec<Offer>, expected: Expect) {
    let asked = Asked::Approval(Arc::new(Approval {
        id: ApprovalId(1),
        call: Some(CallId::new("call")),
        tool: "tool".to_owned(),
        title: "Do it".to_owned(),
        reason: "a rule asks".to_owned(),
        rule: None,
        subject,
        offers,
    }));
    let choices = choices(asked, Asker::Session, ClientTraits::default());
    expected.assert_eq(&shown(&choices));
    assert_eq!(choices.answer("no such button"), None);
}

fn choices(asked: Asked, asker: Asker, client: ClientTraits) -> Choices {
    let (ops, _nobody) = mpsc::channel(1);
    let question = OpenQuestion {
        session: "session".into(),
        asker,
        folder: PathBuf::from("/home/me/project"),
        handle: SessionHandle::of(ops),
        asked,
    };
    Choices::of(&question, client)
}

fn shown(choices: &Choices) -> String {
    let mut shown = format!("{}\n", choices.message);
    for title in choices.titles() {
        match choices.answer(title).unwrap() {
            Button::Answer(answer) => writeln!(shown, "[{title}] {answer:?}").unwrap(),
            Button::Show => writeln!(shown, "[{title}] goes there").unwrap(),
        }
    }
    shown
}

#[test]
fn an_edit_of_an_agent_outside_bears_its_name_and_can_be_gone_to() {
    let proposal = Proposal {
        id: ProposalId(7),
        call: CallId::new("call"),
        path: WorkspacePath::new(Path::new("/home/me/project"), "src/a.rs").unwrap(),
        target: Target::File,
        base: "a\nb\nc\n".into(),
        proposed: "a\nB\nc\n".into(),
        hunks: pollux_text::hunks("a\nb\nc\n", "a\nB\nc\n").into(),
        above: 0,
        all_edits: AllEdits::NotOffered,
    };
    let asked = Asked::Edit(Arc::new(proposal));
    let guest = Asker::Guest("gemini-cli".into());
    let plain = choices(asked.clone(), guest.clone(), ClientTraits::default());
    expect![[r#"
        gemini-cli wants to edit src/a.rs:
        @@ line 2
        -b
        +B
        [Reject] Deny { feedback: None }
        [Keep] Allow
    "#]]
    .assert_eq(&shown(&plain));
    let rich = ClientTraits {
        hunks: true,
        shows_documents: true,
        ..ClientTraits::default()
    };
    expect![[r#"
        gemini-cli wants to edit src/a.rs (1 hunk).
        [Reject] Deny { feedback: None }
        [Show] goes there
        [Keep] Allow
    "#]]
    .assert_eq(&shown(&choices(asked, guest, rich)));
}

#[test]
fn a_command_is_shown_whole_with_its_folder_and_what_always_would_mean() {
    check(
        Subject::Command {
            command: "npm test && rm -rf build".to_owned(),
            folder: PathBuf::from("/home/me/project"),
            programs: vec!["npm".to_owned(), "rm".to_owned()],
            cautions: vec!["it removes `build` with everything in it".to_owned()],
        },
        vec![Offer {
            label: "npm test".to_owned(),
            scopes: vec![Scope::Session, Scope::User],
            rule: None,
        }],
        expect![[r#"
            Pollux wants to run in /home/me/project:
            npm test && rm -rf build
            ⚠ it removes `build` with everything in it
            [Deny] Deny { feedback: None }
            [Allow] Allow
            [Always allow npm test in this session] Always { offer: 0, scope: Session }
            [Always allow npm test everywhere] Always { offer: 0, scope: User }
        "#]],
    );
}

#[test]
fn a_question_with_choices_has_a_button_for_each() {
    let option = |label: &str| Choice {
        label: label.to_owned(),
        description: String::new(),
    };
    check(
        Subject::Questions(vec![Question {
            text: "Which database?".to_owned(),
            header: "Database".to_owned(),
            kind: QuestionKind::Choice {
                options: vec![option("SQLite"), option("Postgres")],
                pick: Pick::One,
            },
            placeholder: None,
            default: None,
            is_optional: false,
        }]),
        Vec::new(),
        expect![[r#"
            Which database?
            [Leave it] Deny { feedback: None }
            [SQLite] Replies({0: Words("SQLite")})
            [Postgres] Replies({0: Words("Postgres")})
        "#]],
    );
}

#[test]
fn a_failing_call_can_go_on_or_stop() {
    check(
        Subject::Stuck {
            error: "the text to replace is not in the file".to_owned(),
            times: 3,
        },
        Vec::new(),
        expect![[r#"
            Do it failed 3 times: the text to replace is not in the file
            [Stop] Deny { feedback: None }
            [Go on] Allow
        "#]],
    );
}
