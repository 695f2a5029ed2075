use expect_test::expect;
use serde_json::json;

use super::*;

fn form() -> Form {
    let schema = json!({
        "type": "object",
        "properties": {
            "colour": { "type": "string", "enum": ["red", "blue"], "enumNames": ["Red!", "Blue!"] },
            "count": { "type": "integer", "description": "How many?" },
            "sure": { "type": "boolean" },
            "many": { "type": "array", "items": { "anyOf": [
                { "const": "x", "title": "Ex" }, { "const": "y", "title": "Why" },
            ] } },
            "share": { "type": "number" },
        },
        "required": ["colour"],
    });
    Form::of("Choose", &schema).unwrap()
}

fn replies(replies: &[(usize, &str)]) -> Replies {
    let replies = replies.iter();
    replies
        .map(|(place, reply)| (*place, (*reply).to_owned()))
        .collect()
}

#[test]
fn fields_are_questions_in_their_order() {
    let questions = form().questions("Choose");
    let shown: Vec<String> = questions
        .iter()
        .map(|question| {
            format!(
                "{}: {:?} {:?}",
                question.header, question.text, question.kind
            )
        })
        .collect();
    expect![[r#"
        colour: "Choose\ncolour" Choice { options: [Choice { label: "Red!", description: "" }, Choice { label: "Blue!", description: "" }], pick: One }
        count: "Choose\nHow many?" Text
        sure: "Choose\nsure" YesNo
        many: "Choose\nmany" Choice { options: [Choice { label: "Ex", description: "" }, Choice { label: "Why", description: "" }], pick: Several }
        share: "Choose\nshare" Text"#]]
    .assert_eq(&shown.join("\n"));
}

#[test]
fn answers_have_the_types_that_the_server_wants() {
    let filled = form().filled(&replies(&[
        (0, "Red!"),
        (1, " 3 "),
        (2, "Yes"),
        (3, "Ex, y"),
        (4, "0.5"),
    ]));
    assert_eq!(
        filled,
        Ok(Some(
            json!({ "colour": "red", "count": 3, "sure": true, "many": ["x", "y"], "share": 0.5 })
        ))
    );
}

#[test]
fn what_is_missing_or_does_not_fit_is_named() {
    assert_eq!(form().filled(&replies(&[])), Err("colour".to_owned()));
    assert_eq!(
        form().filled(&replies(&[(0, "green")])),
        Err("colour".to_owned())
    );
    assert_eq!(
        form().filled(&replies(&[(0, "red"), (1, "many")])),
        Err("count".to_owned())
    );
    assert_eq!(
        form().filled(&replies(&[(0, "red")])),
        Ok(Some(json!({ "colour": "red" })))
    );
}

#[test]
fn a_form_without_fields_asks_for_a_yes() {
    let form = Form::of("Go on?", &json!({ "type": "object", "properties": {} })).unwrap();
    assert_eq!(form.questions("Go on?").len(), 1);
    assert_eq!(form.filled(&replies(&[(0, "Yes")])), Ok(Some(json!({}))));
    assert_eq!(form.filled(&replies(&[(0, "No")])), Ok(None));
}

#[test]
fn a_form_that_nobody_could_fill_in_is_none() {
    let nested = json!({ "properties": { "x": { "type": "object" } } });
    assert!(Form::of("?", &nested).is_none());
    let many: Map<String, Value> = (0..50)
        .map(|place| (place.to_string(), json!({ "type": "string" })))
        .collect();
    assert!(Form::of("?", &json!({ "properties": many })).is_none());
}
