use serde_json::{Value, json};

use super::{parse_json, replace_lone_surrogates};

#[test]
fn half_of_a_surrogate_pair_becomes_the_replacement_character() {
    for (written, read) in [
        (r#"{"a":"x\ud83d"}"#, "x\u{fffd}"),
        (r#"{"a":"\uD83Dx"}"#, "\u{fffd}x"),
        (r#"{"a":"\ude00"}"#, "\u{fffd}"),
        (r#"{"a":"\ud83d\ud83d\ude00"}"#, "\u{fffd}😀"),
        (r#"{"a":"\ud83d\n"}"#, "\u{fffd}\n"),
        (r#"{"a":"\\\ud83d"}"#, "\\\u{fffd}"),
        (r#"{"a":"\\ud83d \ude00"}"#, "\\ud83d \u{fffd}"),
        (r#"{"a":"é\ud83dé"}"#, "é\u{fffd}é"),
    ] {
        let value: Value = parse_json(written).unwrap();
        assert_eq!(value, json!({ "a": read }), "{written}");
    }
}

#[test]
fn what_is_well_written_stays_as_it_is() {
    for text in [
        r#"{"a":"\ud83d\ude00"}"#,
        r#"{"a":"\\ud83d"}"#,
        r#"{"a":"\u00e9"}"#,
        r#"{"a":"b"}"#,
    ] {
        assert_eq!(replace_lone_surrogates(text), text);
    }
}

#[test]
fn what_is_broken_otherwise_stays_broken() {
    for text in [
        r#"{"a":"\ud83"#,
        r#"{"a":"\ud83d"#,
        r#"{"a":"\x"}"#,
        "\\",
        "\\é",
        "\\u",
        "{\\ud83d}",
    ] {
        assert!(parse_json::<Value>(text).is_err(), "{text}");
    }
}
