//! What a client is told.

use std::fs;
use std::os::unix::fs::symlink;

use expect_test::expect;
use rmcp::model::{ArgumentInfo, CompleteRequestParams, Reference};
use serde_json::{Value, json};

use super::client::Client;
use super::{finish, looks_at, window_and_client};
use crate::companion::write;
use crate::support::{World, snapshot};

#[tokio::test]
async fn open_files_are_told_with_what_is_typed_and_not_saved() {
    let world = World::new();
    write(&world, "saved.txt", "one\n");
    write(&world, "typed.txt", "old\n");
    write(&world, "closed.txt", "on disk\n");
    let (editor, door, client) = window_and_client(&world).await;
    editor.open(&world.uri("saved.txt"), "text", "one\n").await;
    editor
        .open(&world.uri("typed.txt"), "text", "new\ntext\n")
        .await;
    let typed = looks_at(&world.uri("typed.txt"), 1, 1, 3);
    editor.notify("pollux/editorState", typed).await;
    // A request of the editor is answered after what it has said before.
    snapshot(&editor).await;
    assert_eq!(
        client.call("open_files", json!({})).await,
        json!({ "files": [
            { "path": "saved.txt", "language": "text", "unsaved": false, "active": false },
            { "path": "typed.txt", "language": "text", "unsaved": true, "active": true },
        ], "truncated": false })
    );
    let read = client
        .call("read_file", json!({ "path": "typed.txt" }))
        .await;
    assert_eq!(
        read,
        json!({ "path": "typed.txt", "text": "new\ntext\n", "lines": 2, "first_line": 1, "next_line": null, "open": true })
    );
    let part = json!({ "path": world.work().join("typed.txt"), "first_line": 1, "line_count": 1 });
    let read = client.call("read_file", part).await;
    assert_eq!(
        (&read["text"], &read["next_line"]),
        (&json!("new\n"), &json!(2))
    );
    let read = client
        .call("read_file", json!({ "path": "closed.txt" }))
        .await;
    assert_eq!(
        (&read["text"], &read["open"]),
        (&json!("on disk\n"), &json!(false))
    );
    assert_eq!(
        client.call("selection", json!({})).await,
        json!({ "file": { "path": "typed.txt", "cursor": { "line": 2, "column": 4 }, "selections": [
            { "start": { "line": 2, "column": 2 }, "end": { "line": 2, "column": 4 }, "text": "ex", "truncated": false },
        ] } })
    );
    // The same by address.
    assert_eq!(
        client.read("pollux://file/typed.txt").await.unwrap(),
        "new\ntext\n"
    );
    let listed = client.read("pollux://open-files").await.unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(&listed).unwrap(),
        client.call("open_files", json!({})).await
    );
    let uris: Vec<String> = client
        .peer()
        .list_all_resources()
        .await
        .unwrap()
        .into_iter()
        .map(|one| one.uri)
        .collect();
    expect![[r#"
        [
            "pollux://open-files",
            "pollux://selection",
            "pollux://diagnostics",
            "pollux://hunks",
            "pollux://file/saved.txt",
            "pollux://file/typed.txt",
        ]
    "#]]
    .assert_debug_eq(&uris);
    let template = Reference::for_resource("pollux://file/{+path}");
    let begun = CompleteRequestParams::new(template, ArgumentInfo::new("path", "ty"));
    let found = client.peer().complete(begun).await.unwrap();
    assert_eq!(found.completion.values, ["typed.txt"]);
    finish(&world, editor, door, client).await;
}

#[tokio::test]
async fn problems_are_told_as_the_editor_shows_them() {
    let world = World::new();
    let (editor, door, client) = window_and_client(&world).await;
    let problem = |name: &str, line: u64, severity: &str| json!({ "uri": world.uri(name), "line": line, "severity": severity, "message": format!("{name} is wrong") });
    let problems =
        json!({ "problems": [problem("a.txt", 3, "error"), problem("b.txt", 0, "warning")] });
    editor.notify("pollux/editorState", problems).await;
    snapshot(&editor).await;
    let told = client.call("diagnostics", json!({})).await;
    assert_eq!(told["diagnostics"].as_array().unwrap().len(), 2, "{told}");
    let told = client.call("diagnostics", json!({ "path": "b.txt" })).await;
    assert_eq!(told["diagnostics"][0]["message"], "b.txt is wrong");
    assert_eq!(told["diagnostics"][0]["severity"], "warning");
    assert_eq!(told["diagnostics"].as_array().unwrap().len(), 1);
    finish(&world, editor, door, client).await;
}

#[tokio::test]
async fn nothing_outside_the_workspace_is_told_nor_what_is_closed_to_tools() {
    let world = World::new();
    let outside = world.home().join("secret.txt");
    fs::write(&outside, "secret").unwrap();
    write(&world, ".env", "KEY=secret\n");
    write(&world, ".geminiignore", "ignored.txt\n");
    write(&world, "ignored.txt", "secret\n");
    symlink(&outside, world.work().join("link.txt")).unwrap();
    symlink(world.work().join(".env"), world.work().join("env.txt")).unwrap();
    symlink(world.home(), world.work().join("folder")).unwrap();
    let (editor, door, client) = window_and_client(&world).await;
    for name in [".env", "ignored.txt", "link.txt", "env.txt"] {
        editor.open(&world.uri(name), "text", "secret\n").await;
    }
    editor
        .notify("pollux/editorState", looks_at(&world.uri(".env"), 0, 0, 6))
        .await;
    snapshot(&editor).await;
    let refused = [
        ".env",
        "ignored.txt",
        "link.txt",
        "env.txt",
        "folder/secret.txt",
        "../home/secret.txt",
        outside.to_str().unwrap(),
        "",
    ];
    for path in refused {
        let words = client.refused("read_file", json!({ "path": path })).await;
        assert!(!words.contains("KEY"), "{words}");
        let edit = json!({ "path": path, "text": "mine\n" });
        client.refused("propose_edit", edit).await;
        assert!(
            client.read(&format!("pollux://file/{path}")).await.is_err(),
            "{path}"
        );
    }
    assert_eq!(
        client.call("selection", json!({})).await,
        json!({ "file": null })
    );
    let open = client.call("open_files", json!({})).await;
    assert!(!open.to_string().contains(".env"), "{open}");
    assert!(!open.to_string().contains("ignored"), "{open}");
    assert!(client.read("file:///etc/hostname").await.is_err());
    finish(&world, editor, door, client).await;
}

#[tokio::test]
async fn without_an_editor_it_says_so_at_once_and_one_that_comes_is_seen() {
    let world = World::new();
    write(&world, "a.txt", "on disk\n");
    let client = Client::start(&world, &["mcp"]).await;
    let words = client.refused("open_files", json!({})).await;
    assert!(words.contains("no editor has this folder open"), "{words}");
    let edit = json!({ "path": "a.txt", "text": "new\n" });
    client.refused("propose_edit", edit).await;
    let (editor, door) = crate::companion::window(&world).await;
    let read = client.call("read_file", json!({ "path": "a.txt" })).await;
    assert_eq!(read["text"], "on disk\n");
    finish(&world, editor, door, client).await;
}

#[tokio::test]
async fn every_tool_says_what_it_takes_what_it_gives_and_what_it_does() {
    let world = World::new();
    let client = Client::start(&world, &["mcp", "--no-share"]).await;
    let tools = client.peer().list_all_tools().await.unwrap();
    let told = tools.iter().map(|tool| {
        let hints = tool.annotations.clone().unwrap();
        assert_eq!(tool.input_schema["type"], "object");
        assert_eq!(tool.output_schema.as_ref().unwrap()["type"], "object");
        assert_eq!(hints.open_world_hint, Some(false));
        assert_eq!(hints.destructive_hint, Some(false));
        (tool.name.to_string(), hints.read_only_hint.unwrap())
    });
    let told: Vec<(String, bool)> = told.collect();
    let writing: Vec<&str> = told
        .iter()
        .filter(|(_, reads)| !reads)
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(told.len(), 10);
    assert_eq!(writing, ["rename", "propose_edit"]);
    // An argument that does not fit is refused as such.
    let wrong = client
        .peer()
        .call_tool(rmcp::model::CallToolRequestParams::new("read_file"));
    assert!(wrong.await.unwrap_err().to_string().contains("path"));
    client.finish().await;
    world.expect_no_process_left().await;
}
