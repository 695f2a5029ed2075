use proptest::prelude::*;
use serde_json::{Map, Value, json};

use pollux_model::{CallId, FunctionCall, FunctionResponse};

use super::*;
use crate::testing::MemoryScratch;

/// A conversation as sessions have it: prompts, answers, and calls with their responses right behind them.
fn conversation() -> impl Strategy<Value = Vec<Content>> {
    let exchange = (
        "[a-z]{1,40}",
        prop::collection::vec((1..4_usize, 0..90_000_usize), 0..4),
        prop::option::of("[a-z]{1,200}"),
    );
    prop::collection::vec(exchange, 0..8).prop_map(|exchanges| {
        let mut contents = Vec::new();
        let mut number = 0;
        for (prompt, rounds, answer) in exchanges {
            contents.push(Content::prompt(prompt));
            for (calls, length) in rounds {
                let ids: Vec<CallId> = (0..calls)
                    .map(|place| CallId::new(format!("{}", number + place)))
                    .collect();
                number += calls;
                let call = |id: &CallId| {
                    Part::FunctionCall(FunctionCall {
                        id: id.clone(),
                        name: "read_file".to_owned(),
                        args: Map::new(),
                        signature: None,
                    })
                };
                let response = |id: &CallId| {
                    let output = ("output".to_owned(), json!("x".repeat(length)));
                    Part::FunctionResponse(FunctionResponse {
                        id: id.clone(),
                        name: "read_file".to_owned(),
                        response: Map::from_iter([output]),
                    })
                };
                contents.push(Content {
                    role: Role::Model,
                    parts: ids.iter().map(call).collect(),
                });
                contents.push(Content {
                    role: Role::User,
                    parts: ids.iter().map(response).collect(),
                });
            }
            if let Some(answer) = answer {
                contents.push(said(Role::Model, answer));
            }
        }
        contents
    })
}

fn ids(contents: &[Content], of: fn(&Part) -> Option<&CallId>) -> Vec<CallId> {
    let parts = contents.iter().flat_map(|content| &content.parts);
    parts.filter_map(of).cloned().collect()
}

fn called(part: &Part) -> Option<&CallId> {
    match part {
        Part::FunctionCall(call) => Some(&call.id),
        _ => None,
    }
}

fn answered(part: &Part) -> Option<&CallId> {
    match part {
        Part::FunctionResponse(response) => Some(&response.id),
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_split_parts_no_call_from_its_response_and_keeps_what_is_open(contents in conversation()) {
        let place = split::split_point(&contents);
        let (old, kept) = contents.split_at(place);
        prop_assert_eq!(ids(old, called), ids(old, answered));
        prop_assert_eq!(ids(kept, called), ids(kept, answered));
        if let Some(first) = kept.first() {
            prop_assert_eq!(first.role, Role::User);
        }
        // The newest prompt goes only when it has its answer.
        let is_answered = contents.last().is_some_and(|last| {
            last.role == Role::Model && ids(std::slice::from_ref(last), called).is_empty()
        });
        prop_assert!(is_answered || contents.is_empty() || !kept.is_empty());
    }

    #[test]
    fn cutting_outputs_never_adds_tokens_and_changes_nothing_else(contents in conversation()) {
        let scratch = MemoryScratch::default();
        let mut saved = 0;
        let cut = futures_util::FutureExt::now_or_never(
            truncate::truncate(&contents, Some(&scratch), &mut saved),
        ).unwrap();
        prop_assert!(TokenEstimate::of_contents(&cut) <= TokenEstimate::of_contents(&contents));
        prop_assert_eq!(ids(&cut, called), ids(&contents, called));
        prop_assert_eq!(ids(&cut, answered), ids(&contents, answered));
        prop_assert_eq!(cut.len(), contents.len());
        prop_assert_eq!(usize::try_from(saved).unwrap(), scratch.sizes().len());
        // Whatever is gone can be read again.
        let changed = cut.iter().zip(&contents).flat_map(|(cut, whole)| cut.parts.iter().zip(&whole.parts));
        let changed = changed.filter(|(cut, whole)| cut != whole).count();
        prop_assert_eq!(changed, scratch.sizes().len());
    }
}

#[test]
fn a_split_is_at_the_first_prompt_behind_seven_tenths() {
    let talk = |lengths: &[usize]| -> Vec<Content> {
        let turn = |(place, length): (usize, &usize)| {
            let role = if place % 2 == 0 {
                Role::User
            } else {
                Role::Model
            };
            said(role, "x".repeat(*length))
        };
        lengths.iter().enumerate().map(turn).collect()
    };
    // Of ten equal turns the ninth is the first prompt with seven before it.
    assert_eq!(split::split_point(&talk(&[100; 10])), 8);
    // No prompt behind the mark, and the model has answered: everything.
    assert_eq!(split::split_point(&talk(&[10, 10, 10, 1_000])), 4);
    // The last prompt is not answered: up to it.
    assert_eq!(split::split_point(&talk(&[10, 10, 1_000])), 2);
    assert_eq!(split::split_point(&talk(&[1_000])), 0);
    assert_eq!(split::split_point(&[]), 0);
}

#[test]
fn names_of_tools_lead_nowhere() {
    assert_eq!(file_name_part("../Über/mcp_Tool"), "____ber_mcp_tool");
    assert_eq!(file_name_part(""), "unknown_tool");
}

#[test]
fn an_output_that_is_hardly_too_long_is_not_cut_for_words_about_it() {
    let answers = |length: usize| Content {
        role: Role::User,
        parts: vec![Part::FunctionResponse(FunctionResponse {
            id: CallId::new("1"),
            name: "read_file".to_owned(),
            response: Map::from_iter([("output".to_owned(), Value::from("é".repeat(length)))]),
        })],
    };
    let scratch = MemoryScratch::default();
    // The newest one takes the whole budget.
    for (length, is_cut) in [(40_001, false), (41_000, false), (41_001, true)] {
        let contents = [answers(length), answers(60_000)];
        let mut saved = 0;
        let cut = truncate::truncate(&contents, Some(&scratch), &mut saved);
        let cut = futures_util::FutureExt::now_or_never(cut).unwrap();
        assert_eq!(cut[0] != contents[0], is_cut, "{length}");
    }
}
