use expect_test::expect;
use pollux_lsp::protocol::{Direction, Kind, Method};
use serde_json::json;

use super::{insert, print};
use crate::codegen::shape::types;

#[test]
fn methods_come_first_and_the_types_they_share_after_them() {
    let definitions = json!({
        "OpenParams": {
            "type": "object",
            "description": "What to\nopen.",
            "properties": {
                "at": {"$ref": "#/$defs/Place"},
                "mode": {"anyOf": [{"$ref": "#/$defs/Mode"}, {"type": "null"}], "description": "a | b"}
            },
            "required": ["at"]
        },
        "OpenResult": {"type": "object"},
        "Place": {"type": "object", "properties": {"line": {"type": "integer"}}, "required": ["line"]},
        "Mode": {"description": "How.", "oneOf": [{"const": "a", "description": "First."}, {"const": "b"}]}
    });
    let methods = [Method {
        name: "pollux/open",
        direction: Direction::ClientToServer,
        kind: Kind::Request {
            result: "OpenResult".to_owned(),
        },
        summary: "Opens.",
        params: "OpenParams".to_owned(),
    }];
    expect![[r#"
        ## Methods

        ### `pollux/open`

        Request, client → server. Opens.

        Parameters: `OpenParams`. What to open.

        | field | type | |
        |---|---|---|
        | `at` | [Place](#place) |  |
        | `mode?` | [Mode](#mode) or null | a \| b |

        Result: `OpenResult`.

        No fields.

        ## Types

        ### Mode

        How.

        | one of | |
        |---|---|
        | `"a"` | First. |
        | `"b"` |  |

        ### Place

        | field | type | |
        |---|---|---|
        | `line` | integer |  |
    "#]]
    .assert_eq(&print(&methods, &types(definitions.as_object().unwrap())));
}

#[test]
fn what_is_written_by_hand_stays() {
    let document = "# Title\n\n<!-- generated: begin (cargo xtask codegen) -->\nold\n<!-- generated: end -->\n\nmore\n";
    expect![[r#"
        # Title

        <!-- generated: begin (cargo xtask codegen) -->

        new

        <!-- generated: end -->

        more
    "#]]
    .assert_eq(&insert(document, "new\n").unwrap());
}

#[test]
fn a_document_without_the_marks_is_refused() {
    let error = insert("# Title\n", "new\n").unwrap_err();
    expect!["the line `<!-- generated: begin (cargo xtask codegen) -->` is missing"]
        .assert_eq(&error.to_string());
}
