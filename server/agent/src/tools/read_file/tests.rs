use expect_test::{Expect, expect};
use serde_json::{Value, json};

use super::*;
use crate::excerpt::{LONGEST_LINE, LONGEST_OUTPUT};
use crate::testing::{MemoryFiles, Workspace, call_tool};

async fn read(text: &str, args: Value) -> Value {
    let files = MemoryFiles::new(&[("a.txt", text)]);
    call_tool(files, NAME, args, &[]).await
}

async fn check(args: Value, expected: Expect) {
    let response = read("one\r\ntwo\rthree\nfour", args).await;
    expected.assert_eq(&response.to_string());
}

#[tokio::test]
async fn the_whole_file_comes_without_a_banner_and_with_line_feeds() {
    check(
        json!({ "file_path": "a.txt" }),
        expect![[r#"{"output":"one\ntwo\nthree\nfour"}"#]],
    )
    .await;
}

#[tokio::test]
async fn a_range_comes_with_a_banner_that_says_how_to_go_on() {
    check(
        json!({ "file_path": "a.txt", "start_line": 2, "end_line": 3 }),
        expect![[r#"{"output":"These are lines 2-3 of 4. Read on with start_line 4.\n--- FILE CONTENT (truncated) ---\ntwo\nthree\n"}"#]],
    )
    .await;
    check(
        json!({ "file_path": "a.txt", "start_line": 4 }),
        expect![[
            r#"{"output":"These are lines 4-4 of 4.\n--- FILE CONTENT (truncated) ---\nfour"}"#
        ]],
    )
    .await;
    check(
        json!({ "file_path": "a.txt", "start_line": 9 }),
        expect![[r#"{"output":"The file has 4 lines, so there is nothing from line 9 on."}"#]],
    )
    .await;
}

#[tokio::test]
async fn wrong_parameters_are_told_in_one_sentence() {
    check(
        json!({}),
        expect![[
            r#"{"error":"the parameters must have `file_path`","error_type":"invalid_tool_params"}"#
        ]],
    )
    .await;
    check(
        json!({ "file_path": 7 }),
        expect![[
            r#"{"error":"`file_path` must be of type string","error_type":"invalid_tool_params"}"#
        ]],
    )
    .await;
    check(
        json!({ "file_path": "a.txt", "start_line": 0 }),
        expect![[
            r#"{"error":"`start_line` must be at least 1","error_type":"invalid_tool_params"}"#
        ]],
    )
    .await;
    check(
        json!({ "file_path": "a.txt", "start_line": 3, "end_line": 2 }),
        expect![[r#"{"error":"start_line cannot be greater than end_line","error_type":"invalid_tool_params"}"#]],
    )
    .await;
}

#[tokio::test]
async fn a_missing_file_and_a_path_that_leads_out_are_errors() {
    check(
        json!({ "file_path": "b.txt" }),
        expect![[r#"{"error":"there is no such file","error_type":"file_not_found"}"#]],
    )
    .await;
    check(json!({ "file_path": "../a.txt" }), expect![[r#"{"error":"Path not in workspace: Attempted path \"../a.txt\" is refused: the path leads out of the workspace; send one relative to its root, without `..`","error_type":"path_not_in_workspace"}"#]]).await;
}

#[tokio::test]
async fn a_long_file_is_cut_after_its_window() {
    let text = "x\n".repeat(WINDOW + 5);
    let response = read(&text, json!({ "file_path": "a.txt" })).await;
    let output = response["output"].as_str().unwrap();
    assert!(output.starts_with(
        "These are lines 1-2000 of 2005. Read on with start_line 2001.\n--- FILE CONTENT (truncated) ---\nx\n"
    ));
    assert_eq!(output.lines().filter(|line| *line == "x").count(), WINDOW);
}

#[tokio::test]
async fn a_long_line_is_cut_at_a_character() {
    let text = format!("{}\nrest\n", "ä".repeat(LONGEST_LINE + 1));
    let response = read(&text, json!({ "file_path": "a.txt" })).await;
    let expected = format!("{}... [truncated]\nrest\n", "ä".repeat(LONGEST_LINE));
    assert_eq!(response["output"], expected);
}

#[tokio::test]
async fn no_range_gets_around_the_cap_on_the_whole_output() {
    let text = format!("{}\n", "y".repeat(LONGEST_LINE)).repeat(2_000);
    let args = json!({ "file_path": "a.txt", "start_line": 1, "end_line": 2_000 });
    let response = read(&text, args).await;
    let output = response["output"].as_str().unwrap();
    assert!(output.len() < LONGEST_OUTPUT + 2 * LONGEST_LINE);
    assert!(output.starts_with("These are lines 1-500 of 2000. Read on with start_line 501."));
}

#[tokio::test]
async fn tools_1_a_window_of_a_long_file_says_what_it_is_and_how_to_go_on() {
    let text: String = (1..=5_000).map(|line| format!("line {line}\n")).collect();
    let workspace = Workspace::new(&[("a.txt", &text)]);
    let first = workspace.told(NAME, json!({ "file_path": "a.txt" })).await;
    assert!(first.starts_with(
        "These are lines 1-2000 of 5000. Read on with start_line 2001.\n--- FILE CONTENT (truncated) ---\nline 1\n"
    ));
    assert!(first.ends_with("line 2000\n"));
    let args = json!({ "file_path": "a.txt", "start_line": 4_990 });
    let last = workspace.told(NAME, args).await;
    let expected: String = (4_990..=5_000)
        .map(|line| format!("line {line}\n"))
        .collect();
    assert_eq!(
        last,
        format!("These are lines 4990-5000 of 5000.\n--- FILE CONTENT (truncated) ---\n{expected}")
    );
}

#[tokio::test]
async fn numbers_with_a_point_count_as_the_whole_numbers_they_are() {
    check(
        json!({ "file_path": "a.txt", "start_line": 2.0, "end_line": 2.0 }),
        expect![[r#"{"output":"These are lines 2-2 of 4. Read on with start_line 3.\n--- FILE CONTENT (truncated) ---\ntwo\n"}"#]],
    )
    .await;
}

#[tokio::test]
async fn tools_2_a_range_that_ends_before_it_begins_is_an_error() {
    let workspace = Workspace::new(&[("a.txt", "one\n")]);
    let args = json!({ "file_path": "a.txt", "start_line": 10, "end_line": 5 });
    let played = workspace.call(NAME, args).await;
    assert_eq!(played.error_type(), "invalid_tool_params");
    assert_eq!(played.text(), "start_line cannot be greater than end_line");
}

#[tokio::test]
async fn tools_3_closed_files_are_as_good_as_outside_of_the_workspace() {
    let closed = [
        ".env",
        "node_modules/x/index.js",
        "src/.git/config",
        ".GIT/HEAD",
        ".env.",
        "gha-creds-1a.json",
        "GIT~1/config",
    ];
    for path in closed {
        let workspace = Workspace::new(&[(path, "secret\n")]);
        let played = workspace.call(NAME, json!({ "file_path": path })).await;
        assert_eq!(played.error_type(), "path_not_in_workspace", "{path}");
        assert!(!played.response().to_string().contains("secret"), "{path}");
    }
}

#[tokio::test]
async fn tools_4_a_large_file_is_not_read() {
    for name in ["large.txt", "large.png"] {
        let workspace = Workspace::new(&[]);
        let place = workspace.put(name, b"");
        let file = std::fs::File::options().write(true).open(place).unwrap();
        file.set_len(21 * 1024 * 1024).unwrap();
        let played = workspace.call(NAME, json!({ "file_path": name })).await;
        assert_eq!(played.error_type(), "file_too_large");
    }
}

#[tokio::test]
async fn tools_4_an_image_goes_to_the_model_as_it_is() {
    let workspace = Workspace::new(&[]);
    workspace.put("a.PNG", b"\x89PNG\r\n\x1a\n\0\0");
    let played = workspace.call(NAME, json!({ "file_path": "a.PNG" })).await;
    let output = played.end.unwrap();
    let [Part::InlineData(data)] = output.attachments.as_slice() else {
        panic!("{:?}", output.attachments);
    };
    assert_eq!(data.mime_type, "image/png");
    assert_eq!(data.data, "iVBORw0KGgoAAA==");
    assert_eq!(
        output.response["output"],
        "The content of a.PNG (image/png) follows."
    );
}

#[tokio::test]
async fn tools_4_text_in_another_charset_is_text() {
    let workspace = Workspace::new(&[]);
    let text = "größer\r\nals";
    let units = text.encode_utf16().flat_map(u16::to_le_bytes);
    let bytes: Vec<u8> = [0xff, 0xfe].into_iter().chain(units).collect();
    workspace.put("a.txt", &bytes);
    let told = workspace.told(NAME, json!({ "file_path": "a.txt" })).await;
    assert_eq!(told, "größer\nals");
}

#[tokio::test]
async fn tools_4_typescript_is_not_a_video_and_a_video_is_no_text() {
    let workspace = Workspace::new(&[("a.ts", "const a = 1;\n"), ("b.svg", "<svg/>\n")]);
    workspace.put("c.mp4", b"\0\0\0\x18ftyp\0\0\0\0");
    let told = workspace.told(NAME, json!({ "file_path": "a.ts" })).await;
    assert_eq!(told, "const a = 1;\n");
    let told = workspace.told(NAME, json!({ "file_path": "b.svg" })).await;
    assert_eq!(told, "<svg/>\n");
    let played = workspace.call(NAME, json!({ "file_path": "c.mp4" })).await;
    assert_eq!(
        played.text(),
        "Cannot display content of binary file: c.mp4"
    );
    played.end.unwrap();
}

#[tokio::test]
async fn a_large_drawing_is_refused_without_an_error() {
    let workspace = Workspace::new(&[("a.svg", &" ".repeat(LARGEST_DRAWING + 1))]);
    let told = workspace.told(NAME, json!({ "file_path": "a.svg" })).await;
    assert_eq!(
        told,
        "Cannot display content of SVG file larger than 1MB: a.svg"
    );
}

#[tokio::test]
async fn what_the_project_ignores_is_not_read() {
    let workspace = Workspace::new(&[(".geminiignore", "secret/\n"), ("secret/a.txt", "x\n")]);
    let args = json!({ "file_path": "secret/a.txt" });
    let played = workspace.call(NAME, args).await;
    assert_eq!(played.error_type(), "invalid_tool_params");
    assert_eq!(
        played.text(),
        "File path 'secret/a.txt' is ignored by configured ignore patterns."
    );
}

#[tokio::test]
async fn a_folder_and_a_link_that_leads_out_are_errors() {
    let workspace = Workspace::new(&[("src/a.rs", "x\n")]);
    let played = workspace.call(NAME, json!({ "file_path": "src" })).await;
    assert_eq!(played.error_type(), "target_is_directory");
    std::fs::create_dir(workspace.outside()).unwrap();
    std::fs::write(workspace.outside().join("a.txt"), "secret\n").unwrap();
    std::os::unix::fs::symlink(workspace.outside(), workspace.root().join("link")).unwrap();
    let args = json!({ "file_path": "link/a.txt" });
    let played = workspace.call(NAME, args).await;
    assert!(played.end.is_err());
    assert!(!played.text().contains("secret"));
}
