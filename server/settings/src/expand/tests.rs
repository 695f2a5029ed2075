use expect_test::expect;
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn environment() -> Environment {
    Environment::from_iter([
        ("NAME", "world"),
        ("EMPTY", ""),
        ("NESTED", "$NAME ${NAME}"),
    ])
}

#[test]
fn placeholders_are_replaced_once_and_unset_ones_stay() {
    let table = [
        "hello $NAME!",
        "${NAME}s and $NAMEs",
        "${MISSING:-7}",
        "${MISSING:-}|${NAME:-x}|${EMPTY:-x}",
        "$MISSING ${MISSING}",
        "$NESTED",
        "cost: $ 5, $$NAME, $-",
        "${NAME",
        "${}",
        "${:-x}",
        "${MISSING:-a:-b}",
        "é$NAMEé",
        "a\\$NAME",
    ];
    let rows: Vec<String> = table
        .iter()
        .map(|text| format!("{text} => {}", expand_text(text, &environment())))
        .collect();
    expect![[r#"
        hello $NAME! => hello world!
        ${NAME}s and $NAMEs => worlds and $NAMEs
        ${MISSING:-7} => 7
        ${MISSING:-}|${NAME:-x}|${EMPTY:-x} => |world|
        $MISSING ${MISSING} => $MISSING ${MISSING}
        $NESTED => $NAME ${NAME}
        cost: $ 5, $$NAME, $- => cost: $ 5, $world, $-
        ${NAME => ${NAME
        ${} => ${}
        ${:-x} => ${:-x}
        ${MISSING:-a:-b} => a:-b
        é$NAMEé => éworldé
        a\$NAME => a\world"#]]
    .assert_eq(&rows.join("\n"));
}

#[test]
fn strings_are_expanded_at_every_depth_and_keys_are_not() {
    let mut value = json!({"$NAME": ["$NAME", {"a": "$NAME"}], "n": 1});
    expand(&mut value, &environment());
    assert_eq!(value, json!({"$NAME": ["world", {"a": "world"}], "n": 1}));
}

proptest! {
    #[test]
    fn expansion_never_panics(text in r"[${}:\-NAMEé_ ]{0,40}") {
        expand_text(&text, &environment());
    }

    #[test]
    fn text_without_a_known_name_or_default_stays_as_it_is(text in r"[${}a-z:é ]{0,40}") {
        prop_assert_eq!(expand_text(&text, &environment()), text);
    }
}
