use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use expect_test::{Expect, expect};
use pollux_agent::api::{
    Answer, Approval, ApprovalId, CallId, Choice, Offer, Pick, Question, QuestionKind, Scope,
    Subject,
};
use pollux_workspace::Asked;

use super::words::Choices;

fn check(subject: Subject, offers: Vec<Offer>, expected: Expect) {
    let choices = Choices::of(&Asked::Approval(Arc::new(Approval {
        id: ApprovalId(1),
        call: CallId::new("call"),
        tool: "tool".to_owned(),
        title: "Do it".to_owned(),
        reason: "a rule asks".to_owned(),
        rule: None,
        subject,
        offers,
    })));
    let mut shown = format!("{}\n", choices.message);
    for title in choices.titles() {
        writeln!(shown, "[{title}] {:?}", choices.answer(title).unwrap()).unwrap();
    }
    expected.assert_eq(&shown);
    assert_eq!(choices.answer("no such button"), None::<Answer>);
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
            [Allow] Allow
            [Always allow npm test in this session] Always { offer: 0, scope: Session }
            [Always allow npm test everywhere] Always { offer: 0, scope: User }
            [Deny] Deny { feedback: None }
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
        }]),
        Vec::new(),
        expect![[r#"
            Which database?
            [SQLite] Replies({0: "SQLite"})
            [Postgres] Replies({0: "Postgres"})
            [Leave it] Deny { feedback: None }
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
            [Go on] Allow
            [Stop] Deny { feedback: None }
        "#]],
    );
}
