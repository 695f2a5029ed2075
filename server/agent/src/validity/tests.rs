use pollux_model::{CallId, FunctionCall, Thought};
use proptest::prelude::*;
use serde_json::Map;

use super::*;

fn text(text: &str) -> Part {
    Part::Text(text.to_owned())
}

fn thought() -> Part {
    Part::Thought(Thought::default())
}

fn call() -> Part {
    Part::FunctionCall(FunctionCall {
        id: CallId::new("1"),
        name: "read".to_owned(),
        args: Map::new(),
        signature: None,
    })
}

fn judged(parts: &[Part], finish: Option<FinishReason>, to: AnswerTo) -> &'static str {
    let finish = finish.as_ref();
    match check(&Answer { parts, finish, to }) {
        Ok(()) => "valid",
        Err(invalid) => invalid.name(),
    }
}

#[test]
fn an_answer_to_a_person_is_judged_by_every_rule() {
    use FinishReason::*;
    let other = || Other("LANGUAGE".to_owned());
    let cases = [
        (vec![text("hi")], Some(Stop), "valid"),
        (vec![thought(), text("hi")], Some(Stop), "valid"),
        (vec![text("hi")], Some(MaxTokens), "valid"),
        (vec![text("hi")], Some(Safety), "valid"),
        (vec![text("hi")], None, "NO_FINISH_REASON"),
        (vec![], None, "NO_FINISH_REASON"),
        (
            vec![text("hi")],
            Some(MalformedFunctionCall),
            "MALFORMED_FUNCTION_CALL",
        ),
        (
            vec![text("hi")],
            Some(UnexpectedToolCall),
            "UNEXPECTED_TOOL_CALL",
        ),
        (vec![], Some(MaxTokens), "MAX_TOKENS_EXCEEDED"),
        (vec![thought()], Some(MaxTokens), "MAX_TOKENS_EXCEEDED"),
        (vec![], Some(Safety), "SAFETY_BLOCKED"),
        (vec![], Some(Recitation), "RECITATION_BLOCKED"),
        (vec![], Some(other()), "OTHER_BLOCKED"),
        (vec![thought()], Some(Stop), "THINKING_ONLY_RESPONSE"),
        (
            vec![thought(), text(" \n")],
            Some(Stop),
            "THINKING_ONLY_RESPONSE",
        ),
        (vec![], Some(Stop), "NO_RESPONSE_TEXT"),
        (vec![text("\u{200B}")], Some(Stop), "NO_RESPONSE_TEXT"),
        (
            vec![text("<!-- nothing -->\n")],
            Some(Stop),
            "NO_RESPONSE_TEXT",
        ),
    ];
    for (parts, finish, expected) in cases {
        let shown = format!("{parts:?} {finish:?}");
        assert_eq!(
            judged(&parts, finish, AnswerTo::Person),
            expected,
            "{shown}"
        );
    }
}

#[test]
fn a_function_call_makes_any_answer_valid() {
    for finish in [
        None,
        Some(FinishReason::MalformedFunctionCall),
        Some(FinishReason::Safety),
    ] {
        assert_eq!(judged(&[call()], finish, AnswerTo::Person), "valid");
    }
}

#[test]
fn after_tools_an_answer_may_be_empty_but_not_blocked() {
    use FinishReason::*;
    let cases = [
        (vec![], None, "valid"),
        (vec![], Some(Stop), "valid"),
        (vec![thought()], Some(Stop), "THINKING_ONLY_RESPONSE"),
        (vec![], Some(Safety), "SAFETY_BLOCKED"),
        (
            vec![],
            Some(MalformedFunctionCall),
            "MALFORMED_FUNCTION_CALL",
        ),
    ];
    for (parts, finish, expected) in cases {
        assert_eq!(judged(&parts, finish, AnswerTo::FunctionResponse), expected);
    }
}

#[test]
fn only_silence_is_nudged() {
    use InvalidStream::*;
    for silence in [ThinkingOnlyResponse, NoResponseText] {
        assert_eq!(silence.nudge(), Nudge::Add);
    }
    for other in [
        NoFinishReason,
        MalformedFunctionCall,
        UnexpectedToolCall,
        MaxTokensExceeded,
        SafetyBlocked,
        RecitationBlocked,
        OtherBlocked,
    ] {
        assert_eq!(other.nudge(), Nudge::None);
    }
}

#[test]
fn three_retries_wait_one_two_and_four_seconds() {
    let delays: Vec<_> = (1..=5).map(delay_after).collect();
    let seconds = |count| Some(Duration::from_secs(count));
    assert_eq!(delays, [seconds(1), seconds(2), seconds(4), None, None]);
}

#[test]
fn comments_and_zero_width_characters_are_not_visible() {
    let cases: [(&[&str], bool); 12] = [
        (&[""], false),
        (&["\u{FEFF} \u{200D}\n"], false),
        (&["<!-- a --> <!-- b\n -->"], false),
        (&["<!-- a --> b"], true),
        (&["<!-- never closed"], true),
        (&["<!", "-- in ", "pieces --", ">"], false),
        (&["<!", "-- in ", "pieces --", "> and text"], true),
        (&["<", "b>"], true),
        (&["<"], true),
        (&["--> closed without being opened"], true),
        (&["<!---->"], false),
        (&[" ", "a"], true),
    ];
    for (texts, expected) in cases {
        let parts: Vec<_> = texts.iter().map(|piece| text(piece)).collect();
        assert_eq!(has_visible_text(&parts), expected, "{texts:?}");
    }
}

proptest! {
    #[test]
    fn visibility_does_not_depend_on_the_cut(
        whole in "[ a\u{200B}]{0,3}(<!--|-->|<|[ \u{200B}]|-){0,8}[a ]{0,1}",
        cut in 0..40_usize,
    ) {
        let cut = whole.char_indices().map(|(place, _)| place).nth(cut).unwrap_or(whole.len());
        let (front, back) = whole.split_at(cut);
        prop_assert_eq!(has_visible_text(&[text(front), text(back)]), has_visible_text(&[text(&whole)]));
    }
}
