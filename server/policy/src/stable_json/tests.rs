use expect_test::{Expect, expect};
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn check(args: Value, expected: Expect) {
    let Value::Object(args) = args else {
        panic!("arguments are an object");
    };
    expected.assert_eq(&stable_json(&args).replace('\0', "␀"));
}

#[test]
fn outer_pairs_are_bordered_and_everything_is_sorted() {
    check(
        json!({"b": 2, "a": {"d": [1.0, 1.5, null], "c": true}}),
        expect![[r#"{␀"a":{"c":true,"d":[1,1.5,null]}␀,␀"b":2␀}"#]],
    );
    check(json!({}), expect!["{}"]);
}

#[test]
fn text_is_escaped_as_json() {
    check(
        json!({"command": "echo \"a\\b\"\n\u{1}\0"}),
        expect![[r#"{␀"command":"echo \"a\\b\"\n\u0001\u0000"␀}"#]],
    );
}

proptest! {
    #[test]
    fn a_value_cannot_forge_a_border(text in any::<String>()) {
        let args = Map::from_iter([("content".to_owned(), Value::from(text))]);
        prop_assert_eq!(stable_json(&args).matches('\0').count(), 2);
    }
}
