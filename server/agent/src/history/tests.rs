use pollux_model::{CallId, FunctionResponse, InlineData, Thought};
use proptest::prelude::*;
use serde_json::Map;

use super::*;

/// A turn per line, `u` or `m`, then its parts: `c1` a call, `r1` a response, `s1` a signed call, `i1` an image, `?` a
/// thought, `""` an empty text, anything else a text.
fn parse(fixture: &str) -> Vec<Content> {
    let turn = |line: &str| {
        let mut words = line.split_whitespace();
        let role = match words.next() {
            Some("u") => Role::User,
            _ => Role::Model,
        };
        let parts = words.map(parse_part).collect();
        Content { role, parts }
    };
    fixture
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(turn)
        .collect()
}

fn parse_part(word: &str) -> Part {
    let numbered = word.len() == 2 && word.ends_with(|char: char| char.is_ascii_digit());
    match word.chars().next() {
        Some(kind @ ('c' | 's')) if numbered => Part::FunctionCall(FunctionCall {
            id: CallId::new(&word[1..]),
            name: "tool".to_owned(),
            args: Map::new(),
            signature: (kind == 's').then(|| "real".to_owned()),
        }),
        Some('r') if numbered => Part::FunctionResponse(FunctionResponse {
            id: CallId::new(&word[1..]),
            name: "tool".to_owned(),
            response: Map::new(),
        }),
        Some('i') if numbered => Part::InlineData(InlineData {
            mime_type: "image/png".to_owned(),
            data: word.to_owned(),
        }),
        Some('?') => Part::Thought(Thought::default()),
        _ => Part::Text(word.trim_matches('"').to_owned()),
    }
}

fn show(history: &[Content]) -> String {
    let mut lines = String::new();
    for content in history {
        lines.push(if content.role == Role::User { 'u' } else { 'm' });
        for part in &content.parts {
            lines.push(' ');
            lines.push_str(&show_part(part));
        }
        lines.push('\n');
    }
    lines
}

fn show_part(part: &Part) -> String {
    match part {
        Part::Text(text) if text.is_empty() => "\"\"".to_owned(),
        Part::Text(text) => text.clone(),
        Part::SignedText(signed) => format!("{}+signed", signed.text),
        Part::Thought(_) => "?".to_owned(),
        Part::FunctionCall(call) => match call.signature.as_deref() {
            None => format!("c{}", call.id),
            Some(SYNTHETIC_SIGNATURE) => format!("c{}+synthetic", call.id),
            Some(_) => format!("s{}", call.id),
        },
        Part::FunctionResponse(response) if response.response.contains_key("error") => {
            format!("lost{}", response.id)
        }
        Part::FunctionResponse(response) => format!("r{}", response.id),
        Part::InlineData(data) => data.data.clone(),
    }
}

fn check(rule: impl Fn(&mut Vec<Content>), before: &str, after: &str) {
    let mut history = parse(before);
    rule(&mut history);
    let expected: String = after
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(show(&history), expected, "from {before}");
}

#[test]
fn a_run_of_answers_with_an_invalid_one_is_dropped_whole() {
    check(
        drop_invalid_answers,
        "u a\n m b\n m \"\"\n u c\n m d\n u e\n m\n u \"\"",
        "u a\n u c\n m d\n u e\n u \"\"",
    );
}

#[test]
fn thoughts_are_stripped_with_the_turns_that_hold_nothing_else() {
    check(
        strip_thoughts,
        "u a\n m ? b\n u c\n m ?\n u d",
        "u a\n m b\n u c\n u d",
    );
}

#[test]
fn turns_of_one_side_become_one() {
    check(
        coalesce,
        "u a\n u b\n m c\n m d\n m e\n u f",
        "u a b\n m c d e\n u f",
    );
}

#[test]
fn the_first_call_of_each_turn_since_the_prompt_is_signed() {
    check(
        |history| sign_calls(history),
        "u a\n m c1\n u r1\n m b\n u c\n m d c2 c3\n u r2 r3\n m s4 c5\n u r4 r5\n m c6\n u r6",
        "u a\n m c1\n u r1\n m b\n u c\n m d c2+synthetic c3\n u r2 r3\n m s4 c5\n u r4 r5\n m c6+synthetic\n u r6",
    );
}

#[test]
fn an_interrupted_answer_behind_tool_results_is_marked_once() {
    let marked = format!("u a\n m c1\n u r1\n m {INTERRUPTED}");
    check(mark_interruption, "u a\n m c1\n u r1", &marked);
    check(
        |history| {
            mark_interruption(history);
            mark_interruption(history);
        },
        "u a\n m c1\n u r1",
        &marked,
    );
    check(mark_interruption, "u a\n m b", "u a\n m b");
    check(mark_interruption, "u a", "u a");
}

#[test]
fn a_nudge_joins_the_prompt_and_stays_apart_from_results() {
    check(nudge, "u a", &format!("u a {NUDGE}"));
    check(
        nudge,
        "u a\n m c1\n u r1",
        &format!("u a\n m c1\n u r1\n m {TOOLS_COMPLETED}\n u {NUDGE}"),
    );
}

#[test]
fn a_response_is_kept_once_per_call() {
    check(
        drop_duplicate_responses,
        "u a\n m c1 c2\n u r1 r2\n u r1\n u r2 b",
        "u a\n m c1 c2\n u r1 r2\n u b",
    );
    // Providers without ids of their own count from the start in every turn.
    check(
        drop_duplicate_responses,
        "m c1\n u r1\n m c1\n u r1 r1",
        "m c1\n u r1\n m c1\n u r1",
    );
    check(drop_duplicate_responses, "u r1\n u r1", "u r1");
}

#[test]
fn an_orphan_response_gets_a_call() {
    check(
        adopt_orphan_responses,
        "u a\n m b\n u r1",
        "u a\n m b c1\n u r1",
    );
    check(adopt_orphan_responses, "u r1 r2", "m c1 c2\n u r1 r2");
}

#[test]
fn open_calls_are_answered_in_their_order() {
    check(
        answer_open_calls,
        "u a\n m c1 c2 c3\n u b r3 r1",
        "u a\n m c1 c2 c3\n u r1 lost2 r3 b",
    );
    check(answer_open_calls, "u a\n m c1", "u a\n m c1\n u lost1");
}

#[test]
fn what_a_call_has_shown_stays_behind_its_answer_and_goes_with_it() {
    check(
        answer_open_calls,
        "m c1 c2 c3\n u r2 i2 i3 r1 i1 b i4",
        "m c1 c2 c3\n u r1 i1 r2 i2 i3 lost3 b i4",
    );
    check(
        drop_duplicate_responses,
        "m c1\n u r1 i1\n u r1 i1 b i2",
        "m c1\n u r1 i1\n u b i2",
    );
}

#[test]
fn a_resumed_session_of_the_twin_has_one_response_per_call() {
    check(
        |history| *history = prepare(std::mem::take(history)),
        "u fix\n m ? c1\n u r1\n u r1\n m done\n u thanks",
        "u fix\n m c1\n u r1\n m done\n u thanks",
    );
}

#[test]
fn an_id_that_is_used_again_does_not_make_a_duplicate_welcome() {
    check(
        drop_duplicate_responses,
        "m c2\n u a\n m c2\n u r2\n u r2",
        "m c2\n u a\n m c2\n u r2",
    );
    check(
        drop_duplicate_responses,
        "m c2 c2\n u r2\n u r2",
        "m c2 c2\n u r2\n u r2",
    );
}

#[test]
fn everything_at_once() {
    check(
        |history| *history = prepare(std::mem::take(history)),
        "m lost\n u r9 a\n m \"\"\n u b\n m ? c1 c2\n u r2",
        &format!("u {BEGINNING}\n m lost c9\n u r9 a b\n m c1+synthetic c2\n u lost1 r2"),
    );
}

fn history() -> impl Strategy<Value = Vec<Content>> {
    let model = prop::sample::select(vec!["a", "?", "\"\"", "c1", "c2", "c3", "s4"]);
    let user = prop::sample::select(vec!["a", "b", "r1", "r2", "r3", "r4", "r5", "i1"]);
    let turn = prop_oneof![
        prop::collection::vec(model, 0..4).prop_map(|parts| format!("m {}", parts.join(" "))),
        prop::collection::vec(user, 1..4).prop_map(|parts| format!("u {}", parts.join(" "))),
    ];
    prop::collection::vec(turn, 0..10).prop_map(|turns| parse(&turns.join("\n")))
}

proptest! {
    #[test]
    fn a_prepared_history_keeps_every_law_and_preparing_it_again_changes_nothing(raw in history()) {
        let prepared = prepare(raw);
        let shown = show(&prepared);
        for (place, content) in prepared.iter().enumerate() {
            let expected = if place % 2 == 0 { Role::User } else { Role::Model };
            prop_assert_eq!(content.role, expected, "{}", shown);
            prop_assert!(!content.parts.is_empty(), "{}", shown);
        }
        for pair in prepared.chunks(2).collect::<Vec<_>>().windows(2) {
            let ids = |content: &Content| -> Vec<String> {
                let id = |part: &Part| match part {
                    Part::FunctionCall(call) => Some(call.id.to_string()),
                    Part::FunctionResponse(response) => Some(response.id.to_string()),
                    _ => None,
                };
                content.parts.iter().filter_map(id).collect()
            };
            if let (Some(model), Some(user)) = (pair[0].get(1), pair[1].first()) {
                prop_assert_eq!(ids(model), ids(user), "{}", shown);
            }
        }
        prop_assert!(!shown.contains('?'), "{}", shown);
        prop_assert_eq!(show(&prepare(prepared)), shown);
    }
}
