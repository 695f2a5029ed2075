use std::fs;

use serde_json::json;

use super::*;
use crate::testing::{MemoryFiles, call_tool_with, config};
use crate::tools::toolset::Offered;
use crate::{Equipment, SessionConfig, ToolSet};

/// A folder whose files are on the disk, where they are found, and in memory, where they are read.
fn session(files: &[(&str, &str)]) -> (tempfile::TempDir, SessionConfig) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let mut config = config(MemoryFiles::new(files));
    config.root = folder.path().canonicalize().unwrap();
    config.tools = ToolSet::built_in(&Equipment {
        many_files: Offered::Yes,
        ..Equipment::default()
    });
    (folder, config)
}

async fn read(config: &SessionConfig, args: serde_json::Value) -> String {
    let call = pollux_model::FunctionCall {
        id: pollux_model::CallId::new("call"),
        name: NAME.to_owned(),
        args: args.as_object().unwrap().clone(),
        signature: None,
    };
    let response = call_tool_with(config, call, &[]).await;
    let output = response["output"].as_str().unwrap_or_default().to_owned();
    output.replace(&config.root.display().to_string(), "<root>")
}

#[tokio::test]
async fn files_come_sorted_once_each_and_with_an_end() {
    let (_folder, config) = session(&[("b.rs", "two\n"), ("a.rs", "one\n"), ("dist/c.rs", "x")]);
    let shown = read(&config, json!({ "include": ["*.rs", "a.rs", "**/*.rs"] })).await;
    assert_eq!(
        shown,
        "--- <root>/a.rs ---\n\none\n\n\n--- <root>/b.rs ---\n\ntwo\n\n\n\n--- End of content ---"
    );
    let shown = read(
        &config,
        json!({ "include": ["**/*.rs"], "exclude": ["a.*"], "useDefaultExcludes": false }),
    )
    .await;
    assert!(
        !shown.contains("a.rs") && shown.contains("dist/c.rs"),
        "{shown}"
    );
}

#[tokio::test]
async fn what_was_not_asked_for_by_name_is_skipped_and_said() {
    let (_folder, config) = session(&[("a.md", "text"), ("b.png", "picture")]);
    let shown = read(&config, json!({ "include": ["*"] })).await;
    assert!(
        shown.contains("[Skipped: b.png (not asked for by name)]"),
        "{shown}"
    );
    let none = read(&config, json!({ "include": ["*.rs"] })).await;
    assert!(none.starts_with("No files matching"), "{none}");
}
