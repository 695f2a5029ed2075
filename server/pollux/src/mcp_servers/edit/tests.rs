use std::path::PathBuf;

use expect_test::expect;
use proptest::prelude::*;
use serde_json::{Map, json};
use tempfile::TempDir;

use super::*;

fn file(text: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("settings.json");
    std::fs::write(&file, text).unwrap();
    (folder, file)
}

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap()
}

#[test]
fn a_new_file_gets_a_plain_layout() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("deep").join("settings.json");
    let entry = json!({ "command": "npx", "args": ["-y", "x"], "trust": true, "timeout": 5 });
    assert_eq!(add(&file, "x", entry).unwrap(), Done::Added);
    expect![[r#"
        {
          "mcpServers": {
            "x": {
              "command": "npx",
              "args": ["-y", "x"],
              "trust": true,
              "timeout": 5
            }
          }
        }
    "#]]
    .assert_eq(&read(&file));
}

#[test]
fn comments_and_layout_stay_as_they_are() {
    let text = r#"// mine
{
    "z": 1,   // last letter
    "mcpServers": {
        // the good one
        "a": {"command": "b"} /* keep */
    },
    "y": [2]
}
"#;
    let (_folder, file) = file(text);
    let entry = json!({ "url": "http://x", "type": "http" });
    assert_eq!(add(&file, "x", entry).unwrap(), Done::Added);
    let entry = json!({ "url": "http://y", "type": "http" });
    assert_eq!(add(&file, "x", entry).unwrap(), Done::Replaced);
    expect![[r#"
        // mine
        {
            "z": 1,   // last letter
            "mcpServers": {
                // the good one
                "a": {"command": "b"}, /* keep */
                "x": {
                    "url": "http://y",
                    "type": "http"
                }
            },
            "y": [2]
        }
    "#]]
    .assert_eq(&read(&file));
    assert_eq!(remove(&file, "x").unwrap(), Done::Removed);
    assert_eq!(read(&file), text);
    assert_eq!(remove(&file, "x").unwrap(), Done::NotThere);
    assert_eq!(read(&file), text);
}

#[test]
fn what_the_settings_could_not_be_read_from_is_left_alone() {
    for text in ["[1]", "{,}", "{\"a\": 1,}", "{a: 1}", "{\"mcpServers\": 3}"] {
        let (_folder, file) = file(text);
        let refused = add(&file, "x", json!({ "url": "http://x" }));
        assert!(refused.is_err(), "{text}");
        assert_eq!(read(&file), text);
    }
}

#[test]
fn of_several_with_one_name_none_is_left() {
    let (_folder, file) = file(r#"{"mcpServers": {"x": {"url": "1"}, "x": {"url": "2"}}}"#);
    assert_eq!(
        add(&file, "x", json!({ "url": "3" })).unwrap(),
        Done::Replaced
    );
    let settings: Value = serde_json::from_str(&read(&file)).unwrap();
    assert_eq!(settings["mcpServers"]["x"]["url"], "3");
    assert_eq!(remove(&file, "x").unwrap(), Done::Removed);
    let settings: Value = serde_json::from_str(&read(&file)).unwrap();
    assert_eq!(settings["mcpServers"], json!({}));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_is_added_is_read_again_and_the_rest_stays(
        name in any::<String>(),
        words in proptest::collection::vec(any::<String>(), 0..4),
        others in proptest::collection::btree_map("[a-z\"\\\\]{1,3}", any::<i32>(), 0..4),
    ) {
        let others: Map<String, Value> = others
            .into_iter()
            .filter(|(other, _)| *other != name)
            .map(|(other, number)| (other, json!({ "timeout": number })))
            .collect();
        let mut expected = json!({ "mcpServers": others, "more": [1] });
        let (_folder, file) = file(&expected.to_string());
        let entry = json!({ "command": "c", "args": words });
        prop_assert_eq!(add(&file, &name, entry.clone()).unwrap(), Done::Added);
        let before = expected.clone();
        expected["mcpServers"][&name] = entry;
        prop_assert_eq!(serde_json::from_str::<Value>(&read(&file)).unwrap(), expected);
        prop_assert_eq!(remove(&file, &name).unwrap(), Done::Removed);
        prop_assert_eq!(serde_json::from_str::<Value>(&read(&file)).unwrap(), before);
    }
}

#[test]
fn names_are_read_from_whatever_is_there() {
    let (_folder, file) =
        file("{ // mine\n \"mcpServers\": { \"b\": {}, \"a\": 5, \"\\u001b[2J\": {} } }");
    assert_eq!(names(&file), ["b", "a"]);
    for broken in ["", "{", "[]", "{ \"mcpServers\": [] }"] {
        std::fs::write(&file, broken).unwrap();
        assert!(names(&file).is_empty(), "{broken}");
    }
}
