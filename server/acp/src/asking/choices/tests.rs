use std::path::PathBuf;
use std::sync::Arc;

use expect_test::expect;
use pollux_agent::api::{ApprovalId, CallId, OfferedRule};

use super::*;

fn about(subject: Subject, offers: Vec<Offer>) -> Asked {
    Asked::Approval(Arc::new(Approval {
        id: ApprovalId(1),
        call: Some(CallId::new("call")),
        tool: "tool".to_owned(),
        title: "title".to_owned(),
        reason: String::new(),
        rule: None,
        subject,
        offers,
    }))
}

fn shown(choices: &Choices) -> String {
    let line = |(option, choice): &(PermissionOption, Choice)| {
        let kind = serde_json::to_value(option.kind).unwrap();
        let kind = kind.as_str().unwrap().to_owned();
        format!(
            "{kind} {}: {} => {choice:?}\n",
            option.option_id.0, option.name
        )
    };
    choices.0.iter().map(line).collect()
}

#[test]
fn what_can_be_allowed_for_good_says_for_how_long() {
    let command = Subject::Command {
        command: "npm test".to_owned(),
        folder: PathBuf::from("/w"),
        programs: vec!["npm".to_owned()],
        cautions: Vec::new(),
    };
    let offer = Offer {
        label: "npm test".to_owned(),
        scopes: vec![Scope::Session, Scope::Workspace, Scope::User],
        rule: Some(OfferedRule {
            text: "[[rule]]".to_owned(),
            files: vec![(Scope::User, PathBuf::from("/h/auto.toml"))],
        }),
    };
    let choices = Choices::of(&about(command, vec![offer]), true);
    expect![[r#"
        allow_once allow: Allow => Answer(Allow)
        allow_always always-0-session: Always allow npm test in this session => Answer(Always { offer: 0, scope: Session })
        allow_always always-0-workspace: Always allow npm test in this workspace => Answer(Always { offer: 0, scope: Workspace })
        allow_always always-0-user: Always allow npm test everywhere => Answer(Always { offer: 0, scope: User })
        reject_once reject: Reject => Answer(Deny { feedback: None })
        reject_once reject-why: Reject, and say what to do instead… => AskWhy
    "#]]
    .assert_eq(&shown(&choices));
    let options = choices.options();
    let meta = options.iter().rev().nth(2).unwrap().meta.clone().unwrap();
    assert_eq!(meta.get("rule").unwrap(), "[[rule]]");
    assert_eq!(meta.get("file").unwrap(), "/h/auto.toml");
}

#[test]
fn a_plan_and_a_question_have_options_of_their_own() {
    let plan = Subject::Plan {
        path: PathBuf::from("/p.md"),
        text: "do it".to_owned(),
    };
    expect![[r#"
        allow_once carry-out: Carry it out, and ask before edits => Answer(CarryOut(Default))
        allow_always carry-out-edits: Carry it out, edits without asking => Answer(CarryOut(AutoEdit))
        reject_once reject: Go on planning => Answer(Deny { feedback: None })
    "#]]
    .assert_eq(&shown(&Choices::of(&about(plan, Vec::new()), true)));
    let question = |kind| Question {
        text: "Well?".to_owned(),
        header: "Well".to_owned(),
        kind,
        placeholder: None,
        default: None,
        is_optional: false,
    };
    let one = Subject::Questions(vec![question(QuestionKind::YesNo)]);
    expect![[r#"
        allow_once reply-0: Yes => Answer(Replies({0: Words("Yes")}))
        allow_once reply-1: No => Answer(Replies({0: Words("No")}))
        reject_once reject: Leave it => Answer(Deny { feedback: None })
    "#]]
    .assert_eq(&shown(&Choices::of(&about(one, Vec::new()), false)));
    let words = Subject::Questions(vec![question(QuestionKind::Text)]);
    expect![[r#"
        reject_once reject: Answer in the chat => Answer(Deny { feedback: None })
    "#]]
    .assert_eq(&shown(&Choices::of(&about(words, Vec::new()), false)));
}
