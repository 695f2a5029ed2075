mod naive;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn args(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

/// A letter per call; says at which call and how the detector spoke.
fn check_calls(calls: &str, expected: &[(usize, &str)]) {
    let mut detector = LoopDetector::new();
    let mut spoken = Vec::new();
    for (place, name) in calls.chars().enumerate() {
        let verdict = detector.on_tool_call(&name.to_string(), &args(json!({ "path": "a" })));
        match verdict {
            Verdict::Fine => {}
            Verdict::Recover(Loop::ToolCalls { cycle, .. }) => {
                spoken.push((place + 1, format!("recover {cycle}")));
            }
            Verdict::Stop(Loop::ToolCalls { cycle, .. }) => {
                spoken.push((place + 1, format!("stop {cycle}")));
            }
            other => panic!("{other:?}"),
        }
    }
    let spoken: Vec<_> = spoken
        .iter()
        .map(|(place, said)| (*place, said.as_str()))
        .collect();
    assert_eq!(spoken, expected, "{calls}");
}

fn first_verdict(text: &str, chunk: usize) -> Option<usize> {
    let chars: Vec<char> = text.chars().collect();
    let mut detector = LoopDetector::new();
    for (index, piece) in chars.chunks(chunk).enumerate() {
        let piece: String = piece.iter().collect();
        if detector.on_text(&piece) != Verdict::Fine {
            return Some(index);
        }
    }
    None
}

/// The place of the first verdict, however the text is cut.
fn place_of_chant(text: &str) -> Option<usize> {
    first_verdict(text, 1)
}

#[test]
fn cycles_of_one_to_five_calls_are_found_in_their_fifth_round() {
    check_calls("aaaa", &[]);
    check_calls("aaaaa", &[(5, "recover 1")]);
    check_calls("aaaaaa", &[(5, "recover 1"), (6, "stop 1")]);
    check_calls("ababababa", &[]);
    check_calls("ababababab", &[(10, "recover 2")]);
    check_calls("abcabcabcabcabc", &[(15, "recover 3")]);
    check_calls("abcdabcdabcdabcdabcd", &[(20, "recover 4")]);
    check_calls("xyzabcdeabcdeabcdeabcdeabcde", &[(28, "recover 5")]);
    check_calls(&"abcdef".repeat(10), &[]);
    check_calls("aaaabaaaab", &[]);
}

#[test]
fn other_arguments_make_another_call() {
    let mut detector = LoopDetector::new();
    for line in 0..20 {
        let args = args(json!({ "path": "a", "line": line }));
        assert_eq!(detector.on_tool_call("read", &args), Verdict::Fine);
    }
}

#[test]
fn a_loop_is_described_within_a_cap() {
    let mut detector = LoopDetector::new();
    let huge = args(json!({ "content": "ü".repeat(10_000) }));
    let mut verdict = Verdict::Fine;
    for _ in 0..5 {
        verdict = detector.on_tool_call("write_file", &huge);
    }
    let Verdict::Recover(found) = verdict else {
        panic!("{verdict:?}");
    };
    assert!(found.to_string().chars().count() < 300, "{found}");
}

#[test]
fn a_repeated_sentence_is_a_chant() {
    let sentence = "I will now look at the file once more and then I will answer. ";
    assert_eq!(place_of_chant(&sentence.repeat(8)), None);
    // Windows start to repeat in the second round: the tenth occurrence of the first window ends in the tenth.
    let expected = Some(sentence.len() * 9 + 49);
    assert_eq!(place_of_chant(&sentence.repeat(12)), expected);
}

#[test]
fn the_second_chant_stops_and_says_what_repeats() {
    let mut detector = LoopDetector::new();
    let text = "ja ".repeat(100);
    let Verdict::Recover(Loop::Chanting { text: shown }) = detector.on_text(&text) else {
        panic!("no chant");
    };
    assert_eq!(shown, "ja ".repeat(17).trim_end()[..].trim());
    let verdict = detector.on_text(&text);
    assert!(matches!(verdict, Verdict::Stop(_)), "{verdict:?}");
}

#[test]
fn the_average_distance_may_be_250_and_not_more() {
    let window = "w".repeat(49) + "!";
    // Filler of the same text each time: one period.
    let stream = |distance: usize| {
        let counting: String = (100..300).map(|number| format!("{number},")).collect();
        let filler = &counting[..distance - 50];
        format!("{window}{filler}").repeat(10)
    };
    assert!(place_of_chant(&stream(250)).is_some());
    assert_eq!(place_of_chant(&stream(251)), None);
}

#[test]
fn five_different_periods_are_a_chant_and_six_are_a_list() {
    let stream = |different: usize| {
        let mut text = String::new();
        for round in 0..11 {
            text.push_str("This sentence is common to all of the items, and it is long. ");
            let tail = char::from(b'a' + u8::try_from(round % different).unwrap());
            text.extend(std::iter::repeat_n(tail, 20));
        }
        text
    };
    assert!(place_of_chant(&stream(5)).is_some());
    assert_eq!(place_of_chant(&stream(6)), None);
}

#[test]
fn markup_between_repetitions_starts_the_search_anew() {
    let sentence = "I will now look at the file once more and then I will answer.";
    let cases = [
        "\n- ",
        "\n* ",
        "\n+ ",
        "\n12. ",
        "\n## ",
        "\n> ",
        "\n|a|b|\n",
        "\n---\n",
        "\n___\n",
        "\n===\n",
        "\n────\n",
        "\n  - ",
        "\n```\ncode\n```\n",
        "\n+---+\n",
    ];
    for marker in cases {
        let text = format!("{sentence}{marker}").repeat(20);
        assert_eq!(place_of_chant(&text), None, "{marker:?}");
    }
    for no_marker in ["\n-", "\n12 ", " - ", " | ", "\n#", "\n", "\n--", "`x`"] {
        let text = format!("{sentence}{no_marker}").repeat(20);
        assert!(place_of_chant(&text).is_some(), "{no_marker:?}");
    }
}

#[test]
fn code_and_dividers_may_repeat() {
    let code = format!(
        "Look:\n```rust\n{}```\n",
        "let same = line();\n".repeat(100)
    );
    assert_eq!(place_of_chant(&code), None);
    assert_eq!(place_of_chant(&"═".repeat(1_000)), None);
    // A fence that is never closed hides the rest, as in the twin.
    assert_eq!(place_of_chant(&format!("```{}", "ja ".repeat(500))), None);
}

#[test]
fn a_tool_call_and_a_restart_end_a_chant() {
    let half = "I will now look at the file once more and then I will answer. ".repeat(7);
    let mut detector = LoopDetector::new();
    assert_eq!(detector.on_text(&half), Verdict::Fine);
    detector.on_tool_call("read", &args(json!({})));
    assert_eq!(detector.on_text(&half), Verdict::Fine);
    detector.restart_text();
    assert_eq!(detector.on_text(&half), Verdict::Fine);
    assert!(matches!(detector.on_text(&half), Verdict::Recover(_)));
}

#[test]
fn a_disabled_detector_finds_nothing() {
    let mut detector = LoopDetector::disabled();
    assert_eq!(detector.on_text(&"ja ".repeat(1_000)), Verdict::Fine);
    for _ in 0..10 {
        assert_eq!(detector.on_tool_call("a", &args(json!({}))), Verdict::Fine);
    }
}

/// Prose whose words come from a generator: it repeats words, not sentences.
fn prose(chars: usize) -> String {
    let words = [
        "the ", "file ", "has ", "a ", "test ", "which ", "calls ", "it ", "and ",
    ];
    let mut state = 7_u64;
    let mut text = String::new();
    while text.len() < chars {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        text.push_str(words[(state >> 33) as usize % words.len()]);
    }
    text
}

#[test]
fn the_work_per_character_does_not_grow() {
    let shared_prefix: String = (0..2_000)
        .map(|item| format!("This sentence is common to all items, which are many: {item} "))
        .collect();
    for text in [prose(100_000), shared_prefix] {
        let mut detector = LoopDetector::new();
        let mut chars = 0;
        for piece in text.as_bytes().chunks(20) {
            let before = detector.chant.steps;
            assert_eq!(
                detector.on_text(std::str::from_utf8(piece).unwrap()),
                Verdict::Fine
            );
            chars += piece.len() as u64;
            let steps = detector.chant.steps - before;
            assert!(steps <= 20 * 20, "{steps} steps for one piece");
        }
        assert!(
            detector.chant.steps <= chars * 12,
            "{}",
            detector.chant.steps
        );
    }
}

fn repetitive_text() -> impl Strategy<Value = String> {
    let phrase = prop_oneof![
        4 => "[ab你🦀 .]{1,12}",
        4 => "[a-f ]{40,90}",
        1 => "[a-c `|*\\-\n]{1,30}",
    ];
    let separator = prop_oneof![
        6 => Just(String::new()),
        4 => "[xyz]{1,3}",
        1 => prop::sample::select(vec![
            "\n", "\n- ", "```", "\n```\n", "``", "\n---\n", "\n1. ", "\n| a | b |", "\n# ", "\n> ", "\n═══", " - ",
        ]).prop_map(str::to_owned),
    ];
    let run = (phrase, prop::collection::vec(separator, 1..8), 1..16_usize).prop_map(
        |(phrase, separators, times)| {
            let mut text = String::new();
            for (_, separator) in (0..times).zip(separators.iter().cycle()) {
                text.push_str(&phrase);
                text.push_str(separator);
            }
            text
        },
    );
    prop::collection::vec(run, 1..8).prop_map(|runs| runs.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn the_verdict_is_that_of_the_rules_however_the_text_is_cut(
        text in repetitive_text(),
        cuts in prop::collection::vec(1..60_usize, 1..20),
    ) {
        let expected = naive::first_chant(&text);
        prop_assert_eq!(place_of_chant(&text), expected);

        let mut detector = LoopDetector::new();
        let mut rest: Vec<char> = text.chars().collect();
        let mut done = 0;
        let mut cuts = cuts.iter().cycle();
        while !rest.is_empty() {
            let cut = (*cuts.next().unwrap()).min(rest.len());
            let piece: String = rest.drain(..cut).collect();
            let spoke = detector.on_text(&piece) != Verdict::Fine;
            let due = expected.is_some_and(|place| (done..done + cut).contains(&place));
            prop_assert_eq!(spoke, due);
            if spoke {
                break;
            }
            done += cut;
        }
    }
}
