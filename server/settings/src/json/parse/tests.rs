use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;
use crate::source::tests::source;

fn outcome(bytes: &[u8]) -> String {
    match source(bytes).and_then(parse) {
        Ok(document) => Value::Object(document.object).to_string(),
        Err(problem) => problem.to_string(),
    }
}

fn check(table: &[&str], expected: Expect) {
    let rows: Vec<String> = table
        .iter()
        .map(|text| format!("{text:?}\n    {}", outcome(text.as_bytes())))
        .collect();
    expected.assert_eq(&rows.join("\n"));
}

#[test]
fn good_files() {
    check(
        &[
            "{}",
            "// c\n{\"a\": 1 /* b */}\r\n// end",
            "\u{feff}{\"a\": []}",
            r#"{"a": "// no comment"}"#,
        ],
        expect![[r#"
            "{}"
                {}
            "// c\n{\"a\": 1 /* b */}\r\n// end"
                {"a":1}
            "\u{feff}{\"a\": []}"
                {"a":[]}
            "{\"a\": \"// no comment\"}"
                {"a":"// no comment"}"#]],
    );
}

#[test]
fn a_broken_file_is_one_message_with_its_place() {
    check(
        &[
            "{\n  \"a\": 1\n  \"b\": 2\n}",
            "{\r\n  /* é */ \"a\": 1,\r\n}",
            "[1,]",
            "{\"l\": [1, 2,\n // c,\n ]}",
            "{'a': 1}",
            "{\"a\": 'x'}",
            "{\"a\": tru}",
            "{\"a\": nul\n}",
            "{\"a\": \"C:\\dir\"}",
            "{\"a\": \"x\n\"}",
            "{\"a\": \"x",
            "{\"a\": {\"b\": 1}\n\n",
            "{\"a\": [1",
            "{\"a\":",
            "",
            "// only a comment\n",
            "{} x",
            "{} /* é",
            "{\"a\" 1} /* x",
            "{\"é\": x}",
            "{\"a\": 01}",
            "{\"a\": 1e999}",
        ],
        expect![[r#"
            "{\n  \"a\": 1\n  \"b\": 2\n}"
                /f:3:3: expected ',' or '}' (add the comma that is missing before this)
            "{\r\n  /* é */ \"a\": 1,\r\n}"
                /f:2:17: a comma may not stand before a closing bracket: comments are allowed here, trailing commas are not (remove the comma)
            "[1,]"
                /f:1:3: a comma may not stand before a closing bracket: comments are allowed here, trailing commas are not (remove the comma)
            "{\"l\": [1, 2,\n // c,\n ]}"
                /f:1:12: a comma may not stand before a closing bracket: comments are allowed here, trailing commas are not (remove the comma)
            "{'a': 1}"
                /f:1:2: a key must be a string in double quotes
            "{\"a\": 'x'}"
                /f:1:7: a string must be in double quotes
            "{\"a\": tru}"
                /f:1:10: expected true, false or null
            "{\"a\": nul\n}"
                /f:1:10: expected true, false or null
            "{\"a\": \"C:\\dir\"}"
                /f:1:11: unknown escape sequence in a string (write a backslash as \\)
            "{\"a\": \"x\n\"}"
                /f:1:9: a string may not contain a line break or another control character (close the quote, or write \n)
            "{\"a\": \"x"
                /f:1:9: the file ends before a string is closed (add the missing quote)
            "{\"a\": {\"b\": 1}\n\n"
                /f:1:15: the file ends before an object is closed (add the missing '}')
            "{\"a\": [1"
                /f:1:9: the file ends before a list is closed (add the missing ']')
            "{\"a\":"
                /f:1:6: the file ends where a value is expected
            ""
                /f:1:1: holds no JSON (write {} or remove the file)
            "// only a comment\n"
                /f:1:1: holds no JSON (write {} or remove the file)
            "{} x"
                /f:1:4: nothing may follow the settings object
            "{} /* é"
                /f:1:4: the comment that starts here is never closed (add */)
            "{\"a\" 1} /* x"
                /f:1:6: expected ':'
            "{\"é\": x}"
                /f:1:7: expected a value
            "{\"a\": 01}"
                /f:1:8: invalid number
            "{\"a\": 1e999}"
                /f:1:11: number out of range"#]],
    );
}

#[test]
fn the_top_level_must_be_an_object() {
    check(
        &["[]", "\n \"text\"", "5 // n", "null", "true /* x"],
        expect![[r#"
            "[]"
                /f:1:1: is not a valid JSON object: the top level is a list (put the settings between { and })
            "\n \"text\""
                /f:2:2: is not a valid JSON object: the top level is a string (put the settings between { and })
            "5 // n"
                /f:1:1: is not a valid JSON object: the top level is a number (put the settings between { and })
            "null"
                /f:1:1: is not a valid JSON object: the top level is null (put the settings between { and })
            "true /* x"
                /f:1:6: the comment that starts here is never closed (add */)"#]],
    );
}

#[test]
fn nesting_without_end_is_a_message_and_not_a_crash() {
    let deep = format!("{{\"a\": {}", "[".repeat(100_000));
    expect!["/f:1:133: nested deeper than 128 levels"].assert_eq(&outcome(deep.as_bytes()));
}

#[test]
fn bytes_that_are_no_text_are_a_message() {
    expect!["/f:2:7: this byte is not valid UTF-8 (save the file as UTF-8)"]
        .assert_eq(&outcome(b"{\n\"a\": \"\x80\"}"));
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        outcome(&bytes);
    }

    #[test]
    fn near_json_never_panics_and_every_error_has_a_place_in_the_file(
        text in r#"[\{\}\[\]:,"'\\/*a1\-e.tn\n\r é]{0,40}"#
    ) {
        if let Err(problem) = source(text.as_bytes()).and_then(parse) {
            let place = problem.place.unwrap();
            let lines = 1 + text.matches(['\n', '\r']).count();
            prop_assert!(place.line >= 1 && place.line <= lines);
            prop_assert!(place.column >= 1 && place.column <= text.chars().count() + 1);
        }
    }

    #[test]
    fn without_comments_the_result_is_that_of_plain_json(object in json_object()) {
        let text = serde_json::to_string_pretty(&object).unwrap();
        let document = source(text.as_bytes()).and_then(parse).unwrap();
        prop_assert_eq!(Value::Object(document.object), object);
        prop_assert_eq!(document.blanked.text, text);
    }

    #[test]
    fn every_value_is_found_where_it_stands(object in json_object()) {
        let text = serde_json::to_string_pretty(&object).unwrap();
        let document = source(text.as_bytes()).and_then(parse).unwrap();
        for member in document.members() {
            let value: Value = serde_json::from_str(&text[member.value.clone()]).unwrap();
            prop_assert_eq!(&value, &object[&member.name]);
            let key: String = serde_json::from_str(&text[member.key.clone()]).unwrap();
            prop_assert_eq!(&key, &member.name);
        }
    }
}

fn json_object() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        r#"[a-z/*"\\ \n]{0,8}"#.prop_map(Value::from),
    ];
    let tree = leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(r#"[a-c/*" ]{0,3}"#, inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    });
    proptest::collection::btree_map("[a-d\"]{0,3}", tree, 0..4)
        .prop_map(|map| Value::Object(map.into_iter().collect()))
}
