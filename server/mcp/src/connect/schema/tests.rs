use proptest::prelude::*;
use serde_json::json;

use super::*;

fn adapt(schema: Value) -> Result<Value, SchemaError> {
    adapted(schema.as_object().unwrap())
}

#[test]
fn mcp_client_10_a_type_or_null_is_a_nullable_type() {
    let schema = json!({
        "type": "object",
        "properties": {
            "a": { "type": ["string", "null"] },
            "b": { "type": "array", "items": { "type": ["null", "integer"] } },
            "c": { "type": ["string", "integer"] },
            "d": { "type": ["string", "integer", "null"] },
        },
    });
    assert_eq!(
        adapt(schema).unwrap(),
        json!({
            "type": "object",
            "properties": {
                "a": { "type": "string", "nullable": true },
                "b": { "type": "array", "items": { "type": "integer", "nullable": true } },
                "c": { "type": ["string", "integer"] },
                "d": { "type": ["string", "integer", "null"] },
            },
        })
    );
}

#[test]
fn an_empty_schema_takes_an_object() {
    assert_eq!(
        adapt(json!({})).unwrap(),
        json!({ "type": "object", "properties": {} })
    );
}

#[test]
fn a_schema_may_speak_of_itself() {
    let tree = json!({
        "type": "object",
        "properties": { "next": { "$ref": "#" }, "leaf": { "$ref": "#/definitions/leaf" } },
        "definitions": { "leaf": { "type": "array", "items": { "$ref": "#/definitions/leaf" } } },
    });
    assert!(adapt(tree).is_ok());
}

#[test]
fn a_few_lines_that_stand_for_billions_are_refused() {
    let mut definitions = Map::new();
    definitions.insert("d0".to_owned(), json!({ "type": "string" }));
    for depth in 1..40 {
        let below = json!({ "$ref": format!("#/definitions/d{}", depth - 1) });
        definitions.insert(
            format!("d{depth}"),
            json!({ "allOf": [below.clone(), below] }),
        );
    }
    let bomb = json!({ "definitions": definitions, "properties": { "x": { "$ref": "#/definitions/d39" } } });
    assert_eq!(adapt(bomb), Err(SchemaError::Values));
}

#[test]
fn what_is_too_deep_or_too_large_is_refused() {
    let mut deep = json!({ "type": "string" });
    for _ in 0..60 {
        deep = json!({ "type": "array", "items": deep });
    }
    assert_eq!(
        adapt(json!({ "properties": { "x": deep } })),
        Err(SchemaError::Depth)
    );
    let large = json!({ "description": "x".repeat(LARGEST) });
    assert_eq!(adapt(large), Err(SchemaError::Size));
    let many: Vec<u32> = (0..30_000).collect();
    assert_eq!(
        adapt(json!({ "enum": many })).err(),
        Some(SchemaError::Size)
    );
}

proptest! {
    /// A schema without lists of types is not touched.
    #[test]
    fn what_needs_no_change_stays(names in proptest::collection::vec("[a-z]{1,8}", 0..6)) {
        let properties: Map<String, Value> = names
            .iter()
            .map(|name| (name.clone(), json!({ "type": "string", "description": name })))
            .collect();
        let schema = json!({ "type": "object", "properties": properties, "required": names });
        prop_assert_eq!(adapt(schema.clone()).unwrap(), schema);
    }
}
