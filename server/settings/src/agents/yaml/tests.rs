use expect_test::{Expect, expect};
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn outcome(text: &str) -> String {
    match parse(text) {
        Ok(value) => value.to_string(),
        Err(error) => format!("{}:{}: {}", error.line, error.column, error.message),
    }
}

fn check(texts: &[&str], expected: Expect) {
    let lines: Vec<String> = texts.iter().map(|text| outcome(text)).collect();
    expected.assert_eq(&lines.join("\n"));
}

#[test]
fn words_without_quotes_are_what_the_core_schema_says() {
    check(
        &[
            "[a, 1, -2, +3, 0x1F, 0o17, 1.5, .5, 1e3, true, False, null, ~, '', \"1\", !!str 2]",
            "[yes, on, 2024-01-02, 1_000, .inf, nan, inf, 0xZZ, 1-2, +, '~', 010]",
            "a:\n  - b: |\n      one\n      two\n    c: >-\n      folded\n      text\n",
            "1: one\ntrue: two\n",
            "",
        ],
        expect![[r#"
            ["a",1,-2,3,31,15,1.5,0.5,1000.0,true,false,null,null,"","1","2"]
            ["yes","on","2024-01-02","1_000",".inf","nan","inf","0xZZ","1-2","+","~",10]
            {"a":[{"b":"one\ntwo\n","c":"folded text"}]}
            {"1":"one","true":"two"}
            null"#]],
    );
}

#[test]
fn a_value_may_be_named_and_used_again() {
    check(
        &["a: &x [1, 2]\nb: *x\n", "a: &x\n  b: *x\n", "a: *nothing\n"],
        expect![[r#"
            {"a":[1,2],"b":[1,2]}
            2:6: an alias stands for something that contains it
            1:4: YAML: while parsing node, found unknown anchor"#]],
    );
}

#[test]
fn what_is_no_single_plain_document_is_refused_with_its_place() {
    check(
        &[
            "a: 1\na: 2\n",
            "? [a]\n: 1\n",
            "a: !other b\n",
            "a: 1\n...\n---\nb: 2\n",
            "a: [1\n",
            "a:\n\tb: 1\n",
            "description: text: more\n",
        ],
        expect![[r#"
            2:4: the same key stands here twice
            1:5: a key is a word and nothing else
            1:4: this tag is not known
            3:1: there is more than one YAML document
            2:1: YAML: while parsing a flow sequence, expected ',' or ']'
            2:2: YAML: tabs disallowed within this context (block indentation)
            1:18: YAML: mapping values are not allowed in this context"#]],
    );
}

#[test]
fn aliases_of_aliases_do_not_grow_beyond_the_limit() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let before = level - 1;
        let again = format!("*a{before}, ").repeat(9);
        bomb.push_str(&format!("a{level}: &a{level} [{again}*a{before}]\n"));
    }
    assert!(outcome(&bomb).ends_with("there are too many values"));
    let wide = format!(
        "a: &a [{}x]\nb: [{}*a]\n",
        "x, ".repeat(99),
        "*a, ".repeat(999)
    );
    assert!(outcome(&wide).ends_with("there are too many values"));
}

#[test]
fn nesting_ends_before_the_stack_does() {
    for deep in [
        "[".repeat(100_000),
        "- ".repeat(100_000),
        "a: {".repeat(50_000),
    ] {
        let outcome = outcome(&deep);
        assert!(outcome.contains(':'), "{outcome}");
    }
    let nested = format!("{}{}", "[".repeat(DEEPEST + 1), "]".repeat(DEEPEST + 1));
    assert!(outcome(&nested).ends_with("this is nested too deeply"));
}

proptest! {
    #[test]
    fn arbitrary_text_never_panics(text in any::<String>()) {
        outcome(&text);
    }

    #[test]
    fn near_yaml_never_panics_and_every_error_has_a_place(
        text in r#"[\-\[\]\{\}:,'"&*!|>?%@#~a1 \n\r\té]{0,60}"#
    ) {
        if let Err(error) = parse(&text) {
            prop_assert!(error.line >= 1 && error.line <= text.matches(['\n', '\r']).count() + 2);
            prop_assert!(error.column >= 1 && error.column <= text.chars().count() + 2);
        }
    }

    /// JSON is YAML.
    #[test]
    fn what_json_writes_is_read_as_it_was(value in json()) {
        prop_assert_eq!(parse(&value.to_string()).unwrap(), value);
    }
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        r#"[a-z:#\-"\\ \n]{0,8}"#.prop_map(Value::from),
    ];
    let tree = leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(r#"[a-c:#" ]{0,3}"#, inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    });
    proptest::collection::btree_map("[a-d]{1,3}", tree, 0..4).prop_map(|map| json!(map))
}
