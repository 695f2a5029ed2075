use expect_test::{Expect, expect};
use pollux_lsp::protocol::QuestionOption;

use super::*;
use crate::terminal::Colour;

fn command(text: &str) -> Question {
    let offer = |label: &str| ApprovalOffer {
        label: label.to_owned(),
        scopes: vec![
            ApprovalScope::Session,
            ApprovalScope::Workspace,
            ApprovalScope::User,
        ],
        rule: None,
    };
    Question::Call(ApprovalRequest {
        approval: 7,
        call: Some("c".to_owned()),
        tool: "run_shell_command".to_owned(),
        title: "Run it".to_owned(),
        reason: "no rule allows it".to_owned(),
        rule: None,
        subject: ApprovalSubject::Command {
            command: text.to_owned(),
            folder: "/work".to_owned(),
            programs: Vec::new(),
            cautions: vec!["it removes files".to_owned()],
        },
        offers: vec![offer("rm made"), offer("rm")],
    })
}

fn edit() -> Question {
    let hunk = |line, removed: &str, added: &str| ProposedHunk {
        base_line: line,
        removed: removed.to_owned(),
        line,
        added: added.to_owned(),
    };
    Question::Edit(ProposedEdit {
        proposal: 3,
        call: "c".to_owned(),
        path: "a.rs".to_owned(),
        hunks: vec![hunk(0, "one\n", "eins\n"), hunk(8, "nine", "neun\u{1b}[A")],
        all_edits: vec![ApprovalScope::Session],
    })
}

fn questions() -> Question {
    let question = |text: &str, answer| UserQuestion {
        text: text.to_owned(),
        header: "Which".to_owned(),
        answer,
        placeholder: None,
        default: None,
        optional: false,
    };
    let option = |label: &str| QuestionOption {
        label: label.to_owned(),
        description: String::new(),
    };
    let choice = QuestionForm::Choice {
        options: vec![option("red"), option("blue")],
        several: false,
    };
    let mut asked = command("");
    if let Question::Call(request) = &mut asked {
        request.subject = ApprovalSubject::Questions {
            questions: vec![
                question("What colour?", choice),
                question("Sure?", QuestionForm::YesNo),
            ],
        };
    }
    asked
}

fn shows(question: &Question, expected: Expect) {
    let mut screen = Screen::new(Vec::new(), Colour::Off);
    question.show(&mut screen, &BTreeMap::new()).unwrap();
    let shown = String::from_utf8(std::mem::take(screen.out())).unwrap();
    let keys = question.keys(&BTreeMap::new()).join(" · ");
    expected.assert_eq(&format!("{shown}[{keys}]\n"));
}

fn means(question: &Question, line: &str) -> Understood {
    question.understand(line, &mut BTreeMap::new())
}

fn answers(question: &Question, line: &str, expected: ApprovalAnswer) {
    let expected = Understood::Reply(Reply::Answer(expected));
    assert_eq!(means(question, line), expected, "{line}");
}

#[test]
fn a_command_is_shown_whole_and_no_line_of_it_can_pass_for_ours() {
    shows(
        &command("rm made\ny once\u{202e}\u{1b}[2K\r"),
        expect![[r#"
            Run this in /work?
              │ rm made
              │ y once\u{202e}\u{1b}[2K\r
              ⚠ it removes files
              no rule allows it
              s  in this session: rm made
              w  in this workspace: rm made
              a  always: rm made
              s2 in this session: rm
              w2 in this workspace: rm
              a2 always: rm
            [y once · s in this session · w in this workspace · a always · s2 in this session · w2 in this workspace · a2 always · n reject · n WHY and say what to do instead]
        "#]],
    );
}

#[test]
fn an_edit_is_shown_hunk_by_hunk() {
    shows(
        &edit(),
        expect![[r#"
            Keep this edit of a.rs?
              @@ line 1 @@  hunk 1 of 2
              -one
              +eins
              @@ line 9 @@  hunk 2 of 2
              -nine
              \ no newline at the end of the file
              +neun\u{1b}[A
              \ no newline at the end of the file
            [y keep · 1 2 … keep only these hunks · s all edits of this session · n reject · n WHY and say what to do instead]
        "#]],
    );
}

#[test]
fn only_what_is_offered_is_an_answer() {
    let asked = command("rm made");
    answers(&asked, "y", ApprovalAnswer::Allow);
    let always = |offer, scope| ApprovalAnswer::Always { offer, scope };
    answers(&asked, "s", always(0, ApprovalScope::Session));
    answers(&asked, " w2 ", always(1, ApprovalScope::Workspace));
    answers(&asked, "a", always(0, ApprovalScope::User));
    answers(&asked, "n", ApprovalAnswer::Deny { feedback: None });
    let why = Some("keep it, please".to_owned());
    answers(
        &asked,
        "no, keep it, please",
        ApprovalAnswer::Deny { feedback: why },
    );
    for line in ["", "yy", "s3", "1", "nothing", "ok"] {
        assert_eq!(means(&asked, line), Understood::Nothing, "{line}");
    }
}

#[test]
fn hunks_are_kept_by_their_numbers() {
    use HunkDecision::{Keep, Reject};
    let hunks = |decisions: &[HunkDecision]| Understood::Reply(Reply::Hunks(decisions.to_vec()));
    assert_eq!(means(&edit(), "2"), hunks(&[Reject, Keep]));
    assert_eq!(means(&edit(), "1, 2"), hunks(&[Keep, Keep]));
    for line in ["0", "3", "1 x", "w"] {
        assert_eq!(means(&edit(), line), Understood::Nothing, "{line}");
    }
}

#[test]
fn several_questions_are_answered_one_after_the_other() {
    let asked = questions();
    let mut answered = BTreeMap::new();
    assert_eq!(asked.understand("3", &mut answered), Understood::Nothing);
    assert_eq!(asked.understand("2", &mut answered), Understood::Next);
    assert_eq!(
        asked.understand("perhaps", &mut answered),
        Understood::Nothing
    );
    let replies = BTreeMap::from([
        ("0".to_owned(), words("blue")),
        ("1".to_owned(), words("Yes")),
    ]);
    let expected = Understood::Reply(Reply::Answer(ApprovalAnswer::Replies { replies }));
    assert_eq!(asked.understand("y", &mut answered), expected);
    answers(&questions(), "-", ApprovalAnswer::Deny { feedback: None });
}

#[test]
fn an_empty_line_is_the_default_or_no_answer_where_there_may_be_none() {
    let question = |default: Option<&str>, optional| UserQuestion {
        text: "Which?".to_owned(),
        header: "Which".to_owned(),
        answer: QuestionForm::Text,
        placeholder: None,
        default: default.map(words),
        optional,
    };
    let reply = |question: UserQuestion| super::reply_to(&question, "");
    assert_eq!(reply(question(Some("blue"), false)), Some(words("blue")));
    assert_eq!(reply(question(None, true)), Some(words("")));
    assert_eq!(reply(question(None, false)), None);
}

#[test]
fn several_choices_stay_apart_whatever_their_labels_have_in_them() {
    let option = |label: &str| QuestionOption {
        label: label.to_owned(),
        description: String::new(),
    };
    let chosen = |labels: &[&str]| {
        let labels = labels.iter().map(|label| (*label).to_owned());
        QuestionReply::Chosen(labels.collect())
    };
    let mut question = UserQuestion {
        text: "Which towns?".to_owned(),
        header: "Towns".to_owned(),
        answer: QuestionForm::Choice {
            options: vec![option("Paris, Texas"), option("Rome"), option("Paris")],
            several: true,
        },
        placeholder: None,
        default: Some(chosen(&["Paris, Texas", "Rome"])),
        optional: false,
    };
    let reply = |question: &UserQuestion, line: &str| super::reply_to(question, line);
    let both = Some(chosen(&["Paris, Texas", "Rome"]));
    assert_eq!(reply(&question, "1, 2"), both);
    assert_eq!(reply(&question, ""), both);
    assert_eq!(reply(&question, "3"), Some(chosen(&["Paris"])));
    assert_eq!(reply(&question, "1 4"), None);
    // What is typed is taken apart by whoever knows what the labels stand for.
    let typed = "Paris, Texas, Rome";
    assert_eq!(reply(&question, typed), Some(words(typed)));
    assert_eq!(
        super::question_keys(Some(&question)),
        [
            "numbers, or your own words",
            "Enter for Paris, Texas, Rome",
            "- leave it"
        ]
    );
    question.default = Some(chosen(&[]));
    assert_eq!(reply(&question, ""), Some(chosen(&[])));
}
