use expect_test::{Expect, expect};
use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::json;
use crate::source::tests::source;

fn edited(text: &str, key: &str) -> String {
    let document = source(text.as_bytes()).and_then(json::parse).unwrap();
    set(&document, key, "NEW", |member| member.name == key)
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&edited(text, "/k"));
}

#[test]
fn an_entry_is_added_in_the_layout_of_the_file() {
    check(
        "{}",
        expect![[r#"
        {
          "/k": "NEW"
        }"#]],
    );
    assert_eq!(edited("{ }", "/k"), "{ \n  \"/k\": \"NEW\"\n}");
    check(r#"{"/a": "X"}"#, expect![[r#"{"/a": "X", "/k": "NEW"}"#]]);
    check(
        "{\n\t\"/a\": \"X\"\n}\n",
        expect![[r#"
        {
        	"/a": "X",
        	"/k": "NEW"
        }
    "#]],
    );
    check(
        "{\n    \"/a\": \"X\" }",
        expect![[r#"
        {
            "/a": "X", "/k": "NEW" }"#]],
    );
}

#[test]
fn comments_stay_with_their_entries() {
    check(
        "// mine\n{\n  \"/a\": \"X\", // why a\n  \"/b\": \"Y\" // why b, {\n  // the end }\n}\n",
        expect![[r#"
            // mine
            {
              "/a": "X", // why a
              "/b": "Y", // why b, {
              "/k": "NEW"
              // the end }
            }
        "#]],
    );
    check(
        "{\n  \"/a\": \"X\" /* long\n  comment */\n}",
        expect![[r#"
            {
              "/a": "X", /* long
              comment */
              "/k": "NEW"
            }"#]],
    );
    check(
        "{ // nothing yet\n}",
        expect![[r#"
        { // nothing yet
          "/k": "NEW"
        }"#]],
    );
    assert_eq!(
        edited("{ /* a\n b */ }", "/k"),
        "{ /* a\n b */ \n  \"/k\": \"NEW\"\n}"
    );
    check(
        "{\n} // }",
        expect![[r#"
        {
          "/k": "NEW"
        } // }"#]],
    );
}

#[test]
fn an_existing_entry_changes_in_place() {
    check(
        "{ \"/k\" /* c */ : /* d */ \"OLD\" , \"/z\": \"Z\" }",
        expect![[r#"{ "/k" /* c */ : /* d */ "NEW" , "/z": "Z" }"#]],
    );
    check(
        r#"{"/k": "A", "/k": "B"}"#,
        expect![[r#"{"/k": "NEW", "/k": "NEW"}"#]],
    );
    check(r#"{"\u002fk": "A"}"#, expect![[r#"{"\u002fk": "NEW"}"#]]);
}

#[test]
fn line_ends_and_the_byte_order_mark_are_kept() {
    assert_eq!(
        edited("\u{feff}{\r\n  \"/a\": \"X\"\r\n}\r\n", "/k"),
        "\u{feff}{\r\n  \"/a\": \"X\",\r\n  \"/k\": \"NEW\"\r\n}\r\n"
    );
    assert_eq!(edited("{\r\n}", "/k"), "{\r\n  \"/k\": \"NEW\"\r\n}");
    assert_eq!(
        edited("{\r  \"/a\": \"X\"\r}", "/k"),
        "{\r  \"/a\": \"X\",\r  \"/k\": \"NEW\"\r}"
    );
}

/// White space and comments that may stand between any two tokens.
fn filler() -> impl Strategy<Value = String> {
    proptest::collection::vec(
        prop_oneof![
            Just(" ".to_owned()),
            Just("\n".to_owned()),
            Just("\r\n".to_owned()),
            Just("\t".to_owned()),
            "// [a-z{}\",é]{0,6}\n",
            "/\\* [a-z{}\",\n]{0,6}\\*/",
        ],
        0..3,
    )
    .prop_map(|parts| parts.concat())
}

prop_compose! {
    fn rules_text()(
        entries in proptest::collection::vec(("/[a-c]{0,2}", filler(), filler(), filler(), filler()), 0..4),
        first in filler(),
        last in filler(),
        inner in filler(),
    ) -> String {
        let members: Vec<String> = entries
            .iter()
            .map(|(key, a, b, c, d)| format!("{a}\"{key}\"{b}:{c}\"OLD\"{d}"))
            .collect();
        format!("{first}{{{inner}{}}}{last}", members.join(","))
    }
}

proptest! {
    #[test]
    fn every_other_byte_and_entry_is_kept(text in rules_text(), key in "/[a-c]{0,2}") {
        let before = source(text.as_bytes()).and_then(json::parse).unwrap();
        let after = edited(&text, &key);
        let mut expected = before.object.clone();
        let added = expected.insert(key.clone(), Value::from("NEW")).is_none();
        let parsed = source(after.as_bytes()).and_then(json::parse).unwrap();
        prop_assert_eq!(parsed.object, expected);
        if added {
            prop_assert!(is_subsequence(text.as_bytes(), after.as_bytes()));
        } else {
            let old = format!("\"{key}\"");
            let restored = after.replace("\"NEW\"", "\"OLD\"");
            prop_assert!(text.contains(&old));
            prop_assert_eq!(restored, text);
        }
    }
}

fn is_subsequence(needle: &[u8], text: &[u8]) -> bool {
    let mut text = text.iter();
    needle.iter().all(|wanted| text.any(|byte| byte == wanted))
}
