use expect_test::expect;
use serde_json::json;

use super::*;

#[test]
fn an_entry_is_added_and_taken_out_and_everything_else_stays() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("deep").join("settings.json");
    let entry = json!({ "command": "npx", "args": ["-y", "x"] });
    assert_eq!(add(&file, "x", entry.clone()).unwrap(), Done::Added);
    std::fs::write(
        &file,
        r#"{"z": 1, "mcpServers": {"a": {"command": "b"}}, "y": [2]}"#,
    )
    .unwrap();
    assert_eq!(add(&file, "x", entry.clone()).unwrap(), Done::Added);
    assert_eq!(add(&file, "x", entry).unwrap(), Done::Replaced);
    expect![[r#"
        {
          "z": 1,
          "mcpServers": {
            "a": {
              "command": "b"
            },
            "x": {
              "command": "npx",
              "args": [
                "-y",
                "x"
              ]
            }
          },
          "y": [
            2
          ]
        }
    "#]]
    .assert_eq(&std::fs::read_to_string(&file).unwrap());
    assert_eq!(remove(&file, "x").unwrap(), Done::Removed);
    assert_eq!(remove(&file, "x").unwrap(), Done::NotThere);
    assert!(std::fs::read_to_string(&file).unwrap().contains("\"a\""));
}

#[test]
fn a_file_with_comments_is_left_to_its_author() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("settings.json");
    let text = "{ // mine\n}";
    std::fs::write(&file, text).unwrap();
    let refused = add(&file, "x", json!({ "url": "http://x" })).unwrap_err();
    assert!(refused.to_string().contains("by hand"), "{refused}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
}
