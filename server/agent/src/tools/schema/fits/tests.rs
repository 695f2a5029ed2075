use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::json;

use super::*;

/// Names are few, so that schemas and values meet.
fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c"]).prop_map(str::to_owned)
}

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3_i64..4).prop_map(Value::from),
        Just(json!(1.0)),
        Just(json!(0.5)),
        Just(json!(u64::MAX)),
        "[aé]{0,3}".prop_map(Value::from),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map(name(), inner, 0..4).prop_map(|all| Value::Object(all.into_iter().collect())),
        ]
    })
}

/// One word and what it is given, now and then something that makes no sense.
fn word(schema: BoxedStrategy<Value>) -> impl Strategy<Value = (String, Value)> {
    let kinds = vec![
        "object", "array", "string", "integer", "number", "boolean", "null", "thing",
    ];
    let limits = vec![
        "minItems",
        "maxItems",
        "minLength",
        "maxLength",
        "minimum",
        "maximum",
    ];
    let named = |word: &'static str| move |value: Value| (word.to_owned(), value);
    let properties = btree_map(name(), schema.clone(), 0..3)
        .prop_map(|all| Value::Object(all.into_iter().collect()));
    prop_oneof![
        prop::sample::select(kinds)
            .prop_map(Value::from)
            .prop_map(named("type")),
        vec(leaf(), 1..4)
            .prop_map(Value::from)
            .prop_map(named("enum")),
        properties.prop_map(named("properties")),
        vec(name(), 0..2)
            .prop_map(Value::from)
            .prop_map(named("required")),
        schema.clone().prop_map(named("additionalProperties")),
        schema.clone().prop_map(named("items")),
        schema.prop_map(named("not")),
        (prop::sample::select(limits), -1_i64..4)
            .prop_map(|(word, limit)| (word.to_owned(), json!(limit))),
        leaf().prop_map(named("description")),
    ]
}

fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![Just(json!({})), any::<bool>().prop_map(Value::from)];
    leaf.prop_recursive(3, 16, 4, |inner| {
        vec(word(inner.boxed()), 0..4).prop_map(|words| Value::Object(words.into_iter().collect()))
    })
}

fn assert_accepted(schema: &Value, value: &Value) {
    for draft in [jsonschema::Draft::Draft7, jsonschema::Draft::Draft202012] {
        // A schema that makes no sense checks nothing.
        let Ok(validator) = jsonschema::options().with_draft(draft).build(schema) else {
            continue;
        };
        assert!(validator.is_valid(value), "{schema} does not take {value}");
    }
}

/// Every word with every limit against every value, because chance seldom brings a limit and its neighbour together.
#[test]
fn no_word_alone_is_taken_more_lightly_than_by_the_real_checker() {
    let mut schemas = Vec::new();
    for limit in -1..4 {
        for word in [
            "minItems",
            "maxItems",
            "minLength",
            "maxLength",
            "minimum",
            "maximum",
        ] {
            schemas.push(json!({ word: limit }));
        }
        schemas.push(json!({ "enum": [limit, "a"] }));
        schemas.push(json!({ "items": { "minimum": limit } }));
        schemas.push(json!({ "properties": { "a": { "maximum": limit } } }));
        schemas.push(json!({ "additionalProperties": { "maximum": limit } }));
    }
    for kind in [
        "object", "array", "string", "integer", "number", "boolean", "null",
    ] {
        schemas.push(json!({ "type": kind }));
    }
    schemas.push(json!({ "required": ["a"] }));
    schemas.push(json!({ "properties": { "a": true }, "additionalProperties": false }));

    let mut values = vec![
        json!(null),
        json!(true),
        json!(0.5),
        json!(1.0),
        json!(u64::MAX),
        json!({}),
    ];
    for number in -2..5 {
        values.push(json!(number));
        values.push(json!([number]));
        values.push(json!({ "a": number }));
        values.push(json!({ "b": number }));
    }
    for length in 0..5 {
        values.push(json!("é".repeat(length)));
        values.push(json!(vec!["a"; length]));
    }
    let mut fitted = 0;
    for schema in &schemas {
        for value in &values {
            if fits(schema, Instance::from(value)) {
                fitted += 1;
                assert_accepted(schema, value);
            }
        }
    }
    assert!(fitted > 200, "{fitted}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn what_surely_fits_is_accepted_by_the_real_checker(schema in schema(), value in value()) {
        if fits(&schema, Instance::from(&value)) {
            assert_accepted(&schema, &value);
        }
    }
}

#[test]
fn everyday_arguments_surely_fit() {
    let schema = json!({
        "type": "object",
        "properties": {
            "path": { "type": "string", "minLength": 1, "description": "Where." },
            "line": { "type": "integer", "minimum": 1 },
            "kind": { "type": "string", "enum": ["file", "folder"] },
            "names": { "type": "array", "items": { "type": "string" }, "maxItems": 2 },
        },
        "required": ["path"],
        "additionalProperties": false,
    });
    let verdict = |args: Value| surely(&schema, args.as_object().unwrap());
    assert!(verdict(json!({ "path": "a" })));
    assert!(verdict(
        json!({ "path": "a", "line": 3, "kind": "file", "names": ["x"] })
    ));
    assert!(!verdict(json!({ "path": "" })));
    assert!(!verdict(json!({ "path": "a", "line": 0 })));
    assert!(!verdict(json!({ "path": "a", "kind": "pipe" })));
    assert!(!verdict(json!({ "path": "a", "names": ["x", "y", "z"] })));
    assert!(!verdict(json!({ "path": "a", "more": 1 })));
    assert!(!verdict(json!({ "line": 1 })));
}
