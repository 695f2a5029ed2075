use std::collections::BTreeMap;
use std::sync::Arc;

use expect_test::expect;
use pollux_policy::{Decision, Presence};

use super::*;
use crate::api::Event;
use crate::testing::{Bench, FixedGate, MemoryFiles, config};
use crate::{Equipment, Offered, ToolSet};

fn bench(policy: Decision, presence: Presence) -> Bench {
    let mut config = config(MemoryFiles::new(&[]));
    config.tools = ToolSet::built_in(&Equipment {
        questions: Offered::Yes,
        ..Equipment::default()
    });
    config.gate = Arc::new(FixedGate {
        others: policy,
        presence,
        ..FixedGate::default()
    });
    Bench::new(config)
}

fn asking() -> Bench {
    bench(Decision::Ask, Presence::Interactive)
}

fn two_questions() -> Value {
    json!({ "questions": [
        { "question": "Which?", "header": "Which", "type": "choice", "multiSelect": true, "options": [
            { "label": "a", "description": "the first" },
            { "label": "b, or both", "description": "the second" },
        ] },
        { "question": "Sure?", "header": "Sure", "type": "yesno", "placeholder": "well" },
    ] })
}

#[tokio::test]
async fn the_answers_are_the_result() {
    let replies = BTreeMap::from([
        (
            0,
            Reply::Chosen(vec!["a".to_owned(), "b, or both".to_owned()]),
        ),
        (1, Reply::Words("yes".to_owned())),
        (7, Reply::Words("to nothing".to_owned())),
    ]);
    let bench = asking().answering(Answer::Replies(replies));
    let response = bench.call(NAME, two_questions()).await;
    expect![[r#"{"output":"{\"answers\":{\"0\":[\"a\",\"b, or both\"],\"1\":\"yes\"}}"}"#]]
        .assert_eq(&response.to_string());
    let events = bench.events();
    let Some(Event::ApprovalRequested(approval)) = events.first() else {
        panic!("{events:?}");
    };
    assert_eq!(approval.title, "Ask you: Which, Sure");
    assert_eq!(approval.offers, []);
    expect![[r#"
        Questions(
            [
                Question {
                    text: "Which?",
                    header: "Which",
                    kind: Choice {
                        options: [
                            Choice {
                                label: "a",
                                description: "the first",
                            },
                            Choice {
                                label: "b, or both",
                                description: "the second",
                            },
                        ],
                        pick: Several,
                    },
                    placeholder: None,
                    default: None,
                    is_optional: false,
                },
                Question {
                    text: "Sure?",
                    header: "Sure",
                    kind: YesNo,
                    placeholder: Some(
                        "well",
                    ),
                    default: None,
                    is_optional: false,
                },
            ],
        )
    "#]]
    .assert_debug_eq(&approval.subject);
}

#[tokio::test]
async fn dismissing_the_questions_is_told() {
    let dismissed = asking().answering(Answer::Deny { feedback: None });
    expect![[r#"{"error":"User dismissed ask_user dialog without answering."}"#]]
        .assert_eq(&dismissed.call(NAME, two_questions()).await.to_string());
    let feedback = Some("decide yourself".to_owned());
    let dismissed = asking().answering(Answer::Deny { feedback });
    expect![[
        r#"{"error":"User dismissed ask_user dialog without answering. They say: decide yourself"}"#
    ]]
    .assert_eq(&dismissed.call(NAME, two_questions()).await.to_string());
}

#[tokio::test]
async fn a_policy_that_allows_the_question_does_not_answer_it() {
    let bench = bench(Decision::Allow, Presence::Interactive);
    expect![[r#"{"error":"there is nobody who could answer","error_type":"execution_failed"}"#]]
        .assert_eq(&bench.call(NAME, two_questions()).await.to_string());
}

#[tokio::test]
async fn without_a_person_nothing_is_asked() {
    let bench = bench(Decision::Ask, Presence::Headless);
    expect![[r#"{"error":"Tool execution for \"ask_user\" requires user confirmation, which is not supported in non-interactive mode.","error_type":"policy_violation"}"#]]
        .assert_eq(&bench.call(NAME, two_questions()).await.to_string());
}

#[tokio::test]
async fn questions_that_cannot_be_asked() {
    let mut told = String::new();
    let option = json!({ "label": "a", "description": "" });
    for questions in [
        json!([]),
        json!([{ "question": "?", "header": "h", "type": "choice" }]),
        json!([{ "question": "?", "header": "h", "type": "choice", "options": [option] }]),
        json!([{ "question": "?", "header": "h", "type": "choice",
                 "options": [option, { "label": " ", "description": "" }] }]),
        json!([{ "question": " ", "header": "h", "type": "text" }]),
        json!([{ "question": "?", "header": "h", "type": "number" }]),
    ] {
        let response = asking().call(NAME, json!({ "questions": questions })).await;
        told += &format!("{}\n", response["error"].as_str().unwrap());
    }
    expect![[r#"
        `questions` must have at least 1 items
        question 1 is a choice, so it must have 2 to 4 `options`
        question 1 is a choice, so it must have 2 to 4 `options`
        every option of question 1 must have a `label`
        question 1 must have `question`, and it must not be empty
        `questions[0].type` must be one of ["choice","text","yesno"]
    "#]]
    .assert_eq(&told);
}
