use serde_json::json;

use super::*;

#[test]
fn files_that_are_renamed_are_told_and_other_documents_are_not() {
    let params = json!({ "files": [
        { "oldUri": "file:///p/a.rs", "newUri": "file:///p/b%20c.rs" },
        { "oldUri": "untitled:one", "newUri": "file:///p/d.rs" },
    ] });
    let Some(Input::FilesRenamed(names)) = renamed(params).unwrap() else {
        panic!("nothing is told");
    };
    assert_eq!(names, [("/p/a.rs".into(), "/p/b c.rs".into())]);
    assert!(renamed(json!({ "files": [] })).unwrap().is_none());
}
