use expect_test::{Expect, expect};
use serde_json::{Value, json};

use super::*;

fn check_args(args: Value, expected: Expect) {
    let schema = json!({
        "type": "object",
        "properties": {
            "path": { "type": "string" },
            "line": { "type": "integer", "minimum": 1 },
            "todos": {
                "type": "array",
                "maxItems": 2,
                "items": {
                    "type": "object",
                    "properties": { "status": { "enum": ["open", "done"] } },
                    "additionalProperties": false,
                },
            },
        },
        "required": ["path"],
    });
    let args = args.as_object().unwrap();
    let told = match check(&schema, args) {
        Ok(()) => "fine".to_owned(),
        Err(error) => error.response()["error"].as_str().unwrap().to_owned(),
    };
    expected.assert_eq(&told);
}

#[test]
fn what_is_wrong_is_named_with_its_place_in_one_sentence() {
    check_args(json!({ "path": "a" }), expect!["fine"]);
    check_args(json!({}), expect!["the parameters must have `path`"]);
    check_args(
        json!({ "path": 7 }),
        expect!["`path` must be of type string"],
    );
    check_args(
        json!({ "path": "a", "line": 0 }),
        expect!["`line` must be at least 1"],
    );
    check_args(
        json!({ "path": "a", "todos": [{ "status": "open" }, { "status": "lost" }] }),
        expect![[r#"`todos[1].status` must be one of ["open","done"]"#]],
    );
    check_args(
        json!({ "path": "a", "todos": [{ "state": "open" }] }),
        expect!["`todos[0]` must not have `state`"],
    );
    check_args(
        json!({ "path": "a", "todos": [{}, {}, {}] }),
        expect!["`todos` must have at most 2 items"],
    );
}

#[test]
fn a_schema_that_makes_no_sense_checks_nothing() {
    let args = json!({ "path": 7 });
    let schema = json!({ "type": "no such type" });
    check(&schema, args.as_object().unwrap()).unwrap();
}
