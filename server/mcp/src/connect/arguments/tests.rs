use proptest::prelude::*;
use serde_json::json;

use super::*;

fn declared(required: &[&str], optional: &[&str]) -> Vec<PromptArgument> {
    let argument = |name: &&str, need| PromptArgument {
        name: (*name).to_owned(),
        description: None,
        need,
    };
    let required = required.iter().map(|name| argument(name, Need::Required));
    let optional = optional.iter().map(|name| argument(name, Need::Optional));
    required.chain(optional).collect()
}

fn check(typed: &str, declared: &[PromptArgument], expected: Value) {
    assert_eq!(
        parse(typed, declared).map(Value::Object),
        Ok(expected),
        "{typed}"
    );
}

#[test]
fn mcp_client_13_arguments_by_place_and_by_name() {
    let two = declared(&["a", "b"], &["c"]);
    check("one two", &two, json!({ "a": "one", "b": "two" }));
    check("--b=2 1", &two, json!({ "a": "1", "b": "2" }));
    check("1 --c=x 2", &two, json!({ "a": "1", "b": "2", "c": "x" }));
    check(
        r#""many words" two"#,
        &two,
        json!({ "a": "many words", "b": "two" }),
    );
    check(
        r#"--a="x y" --b=z\ w"#,
        &two,
        json!({ "a": "x y", "b": "z w" }),
    );
    let one = declared(&["a"], &[]);
    check("many words here", &one, json!({ "a": "many words here" }));
    check("", &one, json!({ "a": "" }));
    check("ignored", &declared(&[], &["c"]), json!({}));
}

#[test]
fn mcp_client_13_what_is_missing_is_named() {
    let two = declared(&["a", "b"], &[]);
    assert_eq!(
        parse("", &two),
        Err("Missing required argument(s): --a, --b".to_owned())
    );
    assert_eq!(
        parse("x", &two),
        Err("Missing required argument(s): --b".to_owned())
    );
}

proptest! {
    #[test]
    fn quoted_words_come_back_whole(values in proptest::collection::vec("[^\\\\]{1,12}", 2..5)) {
        let typed: Vec<String> = values
            .iter()
            .map(|value| format!("\"{}\"", value.replace('"', "\\\"")))
            .collect();
        let names: Vec<String> = (0..values.len()).map(|place| format!("n{place}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        // Words that name an argument are another matter.
        prop_assume!(!values.iter().any(|value| value.starts_with("--")));
        let parsed = parse(&typed.join(" "), &declared(&names, &[])).unwrap();
        let parsed: Vec<&str> = parsed.values().filter_map(Value::as_str).collect();
        prop_assert_eq!(parsed, values);
    }

    #[test]
    fn nothing_that_is_typed_breaks_it(typed in ".{0,60}") {
        let _any = parse(&typed, &declared(&["a", "b"], &["c"]));
    }
}
