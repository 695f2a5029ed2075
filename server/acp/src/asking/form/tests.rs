use agent_client_protocol_schema::v1::ElicitationAcceptAction;
use serde_json::json;

use super::*;

fn questions() -> Vec<Question> {
    let question = |header: &str, kind| Question {
        text: format!("{header}?"),
        header: header.to_owned(),
        kind,
        placeholder: None,
        default: None,
        is_optional: false,
    };
    let choices = |pick| QuestionKind::Choice {
        options: ["a", "b, c"]
            .map(|label| Choice {
                label: label.to_owned(),
                description: "which".to_owned(),
            })
            .to_vec(),
        pick,
    };
    vec![
        question("Words", QuestionKind::Text),
        question("Sure", QuestionKind::YesNo),
        question("One", choices(Pick::One)),
        question("Some", choices(Pick::Several)),
    ]
}

fn both() -> Reply {
    Reply::Chosen(vec!["a".to_owned(), "b, c".to_owned()])
}

#[test]
fn every_kind_of_question_is_a_field() {
    let session = SessionId::new("s");
    let asked = request(&session, &ToolCallId::new("c"), &questions());
    let shown = serde_json::to_value(asked).unwrap();
    assert_eq!(shown.pointer("/toolCallId").unwrap(), "c");
    let kind = |name: &str| {
        let at = format!("/requestedSchema/properties/{name}/type");
        shown.pointer(&at).unwrap().as_str().unwrap().to_owned()
    };
    let kinds = ["question1", "question2", "question3", "question4"].map(kind);
    assert_eq!(kinds, ["string", "boolean", "string", "array"]);
}

#[test]
fn what_stands_there_already_and_what_may_be_left_out_is_told() {
    let mut asked = questions();
    let words = |words: &str| Reply::Words(words.to_owned());
    let defaults = [words("so"), words("Yes"), words("b, c"), both()];
    for (question, default) in asked.iter_mut().zip(defaults) {
        question.default = Some(default);
        question.is_optional = question.header != "One";
    }
    let shown = request(&SessionId::new("s"), &ToolCallId::new("c"), &asked);
    let schema = serde_json::to_value(shown).unwrap()["requestedSchema"].clone();
    let default = |name: &str| schema["properties"][name]["default"].clone();
    let defaults = ["question1", "question2", "question3", "question4"].map(default);
    assert_eq!(json!(defaults), json!(["so", true, "b, c", ["a", "b, c"]]));
    assert_eq!(schema["required"], json!(["question3"]));
    // Emptied is something else than left as it was.
    let content = json!({ "question1": "", "question3": "a" });
    let accepted: ElicitationAcceptAction =
        serde_json::from_value(json!({ "content": content })).unwrap();
    let filled = CreateElicitationResponse::new(ElicitationAction::Accept(accepted));
    let Filled::Replies(replies) = replies(&asked, filled) else {
        panic!("replies");
    };
    assert_eq!(replies, BTreeMap::from([(0, words("")), (2, words("a"))]));
}

#[test]
fn answers_are_words_and_a_list_stays_one() {
    let content = json!({
        "question1": "so",
        "question2": true,
        "question3": "b, c",
        "question4": ["a", "b, c"],
        "question9": "not asked",
    });
    let accepted: ElicitationAcceptAction =
        serde_json::from_value(json!({ "content": content })).unwrap();
    let filled = CreateElicitationResponse::new(ElicitationAction::Accept(accepted));
    let Filled::Replies(replies) = replies(&questions(), filled) else {
        panic!("replies");
    };
    let words = |words: &str| Reply::Words(words.to_owned());
    let wanted = [words("so"), words("Yes"), words("b, c"), both()];
    assert_eq!(replies.into_values().collect::<Vec<_>>(), wanted);
    let declined = CreateElicitationResponse::new(ElicitationAction::Decline);
    assert!(matches!(
        super::replies(&questions(), declined),
        Filled::Declined
    ));
}
