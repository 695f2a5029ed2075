use expect_test::{Expect, expect};
use pollux_lsp::protocol::{Direction, Kind, Method};
use serde_json::{Value, json};

use super::{comment, declaration, map, names};
use crate::codegen::shape::shape;

fn check(schema: &Value, expected: Expect) {
    expected.assert_eq(&declaration("T", &shape(schema)));
}

#[test]
fn an_object_becomes_an_interface() {
    check(
        &json!({
            "type": "object",
            "properties": {
                "uri": {"type": "string", "description": "Where."},
                "ranges": {"type": "array", "items": {"$ref": "#/$defs/Range"}},
                "active": {"anyOf": [{"$ref": "#/$defs/File"}, {"type": "null"}]},
                "x-y": {"type": ["integer", "null"], "description": "Two\nlines."},
                "nested": {"type": "object", "properties": {"deep": {"type": "boolean"}}}
            },
            "required": ["uri", "ranges"]
        }),
        expect![[r#"
            export interface T {
              /** Where. */
              uri: string;
              ranges: Range[];
              active?: File | null;
              /**
               * Two
               * lines.
               */
              "x-y"?: number | null;
              nested?: {
                deep?: boolean;
              };
            }
        "#]],
    );
}

#[test]
fn an_enum_becomes_a_union_of_its_words() {
    check(
        &json!({"oneOf": [
            {"type": "string", "const": "synced", "description": "Equal."},
            {"type": "string", "const": "desynced"}
        ]}),
        expect![[r#"
            export type T =
              /** Equal. */
              | "synced"
              | "desynced";
        "#]],
    );
    check(
        &json!({"type": "string", "enum": ["a", "b"]}),
        expect![[r#"
            export type T =
              | "a"
              | "b";
        "#]],
    );
}

#[test]
fn lists_of_choices_get_their_brackets() {
    check(
        &json!({"type": "array", "items": {"type": ["string", "null"]}}),
        expect![[r#"
            export type T = (string | null)[];
        "#]],
    );
}

#[test]
fn an_object_without_fields_accepts_none() {
    check(
        &json!({"type": "object"}),
        expect![[r#"
            export type T = Record<string, never>;
        "#]],
    );
}

#[test]
fn methods_are_listed_by_name_and_by_type() {
    let methods = [Method {
        name: "pollux/snapshot",
        direction: Direction::ClientToServer,
        kind: Kind::Request {
            result: "SnapshotResult".to_owned(),
        },
        summary: "The room.",
        params: "SnapshotParams".to_owned(),
    }];
    expect![[r#"

        /** Names of the methods, as they stand on the wire. */
        export const method = {
          /** The room. */
          snapshot: "pollux/snapshot",
        } as const;

        /** What each method carries. */
        export interface Methods {
          "pollux/snapshot": {
            direction: "clientToServer";
            kind: "request";
            params: SnapshotParams;
            result: SnapshotResult;
          };
        }
    "#]]
    .assert_eq(&(names(&methods) + &map(&methods)));
}

#[test]
fn a_comment_cannot_be_closed_from_inside() {
    expect![[r#"
        /** a *\/ b */
    "#]]
    .assert_eq(&comment("a */ b", ""));
}
