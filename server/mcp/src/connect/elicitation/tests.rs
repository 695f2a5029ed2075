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
    Form::of(&schema).unwrap()
}

fn replies(replies: &[(usize, &str)]) -> Replies {
    let replies = replies.iter();
    replies
        .map(|(place, reply)| (*place, Reply::Words((*reply).to_owned())))
        .collect()
}

fn picked(labels: &[&str]) -> Reply {
    Reply::Chosen(labels.iter().map(|label| (*label).to_owned()).collect())
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
        count: "How many?" Text
        sure: "sure" YesNo
        many: "many" Choice { options: [Choice { label: "Ex", description: "" }, Choice { label: "Why", description: "" }], pick: Several }
        share: "share" Text"#]]
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
    let form = Form::of(&json!({ "type": "object", "properties": {} })).unwrap();
    assert_eq!(form.questions("Go on?").len(), 1);
    assert_eq!(form.filled(&replies(&[(0, "Yes")])), Ok(Some(json!({}))));
    assert_eq!(form.filled(&replies(&[(0, "No")])), Ok(None));
}

#[test]
fn a_form_that_nobody_could_fill_in_is_none() {
    let nested = json!({ "properties": { "x": { "type": "object" } } });
    assert!(Form::of(&nested).is_none());
    let many: Map<String, Value> = (0..50)
        .map(|place| (place.to_string(), json!({ "type": "string" })))
        .collect();
    assert!(Form::of(&json!({ "properties": many })).is_none());
}

fn with_defaults(required: &[&str]) -> Form {
    let form = Form::of(&json!({
        "properties": {
            "name": { "type": "string", "default": "Ann" },
            "count": { "type": "integer", "default": 3 },
            "share": { "type": "number", "default": 0.5 },
            "sure": { "type": "boolean", "default": false },
            "one": { "enum": ["x", "y"], "enumNames": ["Ex", "Why"], "default": "y" },
            "many": { "type": "array", "items": { "enum": ["x", "y"] }, "default": ["x", "y"] },
            "unfit": { "enum": ["x", "y"], "default": "z" },
        },
        "required": required,
    }));
    form.unwrap()
}

#[test]
fn what_stands_there_already_counts_unless_it_is_emptied() {
    let form = with_defaults(&["count", "name"]);
    let questions = form.questions("Well?");
    let shown: Vec<String> = questions
        .iter()
        .map(|question| {
            let need = match question.is_optional {
                true => "optional",
                false => "needed",
            };
            let Question {
                header,
                default,
                placeholder,
                ..
            } = question;
            format!("{header}: {default:?} {placeholder:?} {need}")
        })
        .collect();
    expect![[r#"
        name: Some(Words("Ann")) None needed
        count: Some(Words("3")) Some("a whole number") needed
        share: Some(Words("0.5")) Some("a number") optional
        sure: Some(Words("No")) None optional
        one: Some(Words("Why")) None optional
        many: Some(Chosen(["x", "y"])) None optional
        unfit: None None optional"#]]
    .assert_eq(&shown.join("\n"));
    let untouched = json!({
        "name": "Ann", "count": 3, "share": 0.5, "sure": false, "one": "y", "many": ["x", "y"],
    });
    assert_eq!(form.filled(&replies(&[])), Ok(Some(untouched.clone())));
    // An editor that says what stands there says the same.
    let said = questions.iter().enumerate();
    let said = said.filter_map(|(place, question)| Some((place, question.default.clone()?)));
    assert_eq!(form.filled(&said.collect()), Ok(Some(untouched)));
    let emptied = form.filled(&replies(&[(2, ""), (3, " "), (4, ""), (5, "")]));
    assert_eq!(emptied, Ok(Some(json!({ "name": "Ann", "count": 3 }))));
    assert_eq!(form.filled(&replies(&[(0, "")])), Err("name".to_owned()));
}

/// Places, of which two have commas in their names and one is the beginning of another.
fn towns() -> Form {
    let form = Form::of(&json!({
        "properties": { "towns": {
            "type": "array",
            "items": { "anyOf": [
                { "const": "PRX", "title": "Paris, Texas" },
                { "const": "CDG", "title": "Paris" },
                { "const": "TX", "title": "Texas" },
                { "const": "ROM", "title": "Rome, Italy, Europe" },
            ] },
            "default": ["PRX", "ROM"],
        } },
        "required": ["towns"],
    }));
    form.unwrap()
}

#[test]
fn a_label_with_commas_is_one_choice_wherever_it_is_picked() {
    let form = towns();
    let told = form.questions("Where?").remove(0);
    let both = picked(&["Paris, Texas", "Rome, Italy, Europe"]);
    assert_eq!(told.default.as_ref(), Some(&both));
    let filled = |reply: Reply| form.filled(&Replies::from([(0, reply)]));
    let towns = |towns: &[&str]| Ok(Some(json!({ "towns": towns })));
    assert_eq!(filled(both), towns(&["PRX", "ROM"]));
    assert_eq!(filled(picked(&["Paris"])), towns(&["CDG"]));
    assert_eq!(filled(told.picked("Paris, Texas")), towns(&["PRX"]));
    assert_eq!(filled(picked(&["Paris", "Texas"])), towns(&["CDG", "TX"]));
    assert_eq!(filled(picked(&["Lyon"])), Err("towns".to_owned()));
    assert_eq!(filled(picked(&[])), Err("towns".to_owned()));
}

#[test]
fn words_that_name_several_choices_are_taken_apart_by_their_labels() {
    let form = towns();
    let filled = |words: &str| form.filled(&replies(&[(0, words)]));
    let towns = |towns: &[&str]| Ok(Some(json!({ "towns": towns })));
    assert_eq!(filled("Paris, Texas"), towns(&["PRX"]));
    assert_eq!(filled("Texas , CDG"), towns(&["TX", "CDG"]));
    assert_eq!(
        filled(" Rome, Italy, Europe,Paris,  PRX, "),
        towns(&["ROM", "CDG", "PRX"])
    );
    for words in ["Rome", "Parisian", "Paris; Rome, Italy, Europe", ","] {
        assert_eq!(filled(words), Err("towns".to_owned()), "{words}");
    }
}
