use expect_test::{Expect, expect};
use serde_json::{Value, json};

use super::{shape, types};

fn check(schema: &Value, expected: Expect) {
    expected.assert_eq(&format!("{:?}", shape(schema)));
}

#[test]
fn the_plain_types_are_read() {
    check(&json!(true), expect!["Anything"]);
    check(&json!({"type": "string"}), expect!["Text"]);
    check(
        &json!({"type": "array", "items": {"$ref": "#/$defs/Range"}}),
        expect![[r#"List(Reference("Range"))"#]],
    );
    check(
        &json!({"type": "object", "additionalProperties": {"type": "integer"}}),
        expect!["Table(Integer)"],
    );
}

#[test]
fn nullable_is_a_choice_however_it_is_spelled() {
    check(
        &json!({"type": ["array", "null"], "items": {"type": "boolean"}}),
        expect!["Choice([List(Boolean), Null])"],
    );
    check(
        &json!({"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}]}),
        expect![[r#"Choice([Reference("A"), Null])"#]],
    );
}

#[test]
fn a_reference_with_a_description_stays_a_reference() {
    check(
        &json!({"$ref": "#/$defs/A", "description": "the A"}),
        expect![[r#"Reference("A")"#]],
    );
}

#[test]
fn an_object_knows_which_fields_may_be_left_out() {
    check(
        &json!({
            "type": "object",
            "properties": {"a": {"type": "number"}, "b": {"type": "null", "description": "why"}},
            "required": ["a"]
        }),
        expect![[
            r#"Object([Field { name: "a", docs: "", shape: Number, presence: Required }, Field { name: "b", docs: "why", shape: Null, presence: Optional }])"#
        ]],
    );
}

#[test]
fn tagged_objects_keep_their_common_fields() {
    check(
        &json!({
            "type": "object",
            "properties": {"id": {"type": "string"}},
            "required": ["id"],
            "oneOf": [{"type": "object", "properties": {"kind": {"const": "a"}}, "required": ["kind"]}]
        }),
        expect![[
            r#"Both([Object([Field { name: "id", docs: "", shape: Text, presence: Required }]), Object([Field { name: "kind", docs: "", shape: Literal { value: String("a"), docs: "" }, presence: Required }])])"#
        ]],
    );
}

#[test]
fn types_come_in_the_order_of_their_names() {
    let definitions = json!({"B": true, "A": true});
    let names: Vec<String> = types(definitions.as_object().unwrap())
        .into_iter()
        .map(|found| found.name)
        .collect();
    assert_eq!(names, ["A", "B"]);
}
