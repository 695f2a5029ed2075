//! What the language servers of an editor know, asked for through it.

use std::collections::BTreeSet;
use std::fs;

use pollux_testkit::fake_editor::{FakeEditor, InitializeOptions};
use serde_json::{Value, json};

use super::client::{Client, answered};
use super::finish;
use crate::companion::{enter, rich, write};
use crate::support::{Door, World, snapshot};

const QUERY: &str = "pollux/editorQuery";

/// An editor whose language servers can be asked.
fn knowing(world: &World) -> InitializeOptions {
    let mut options = rich(world);
    options.capabilities["experimental"]["pollux"]["queries"] =
        json!(["definition", "references", "rename", "something newer"]);
    options
}

async fn knowing_window(world: &World) -> (FakeEditor, Door) {
    let (editor, door) = world.door(&["lsp"]);
    enter(&editor, knowing(world)).await;
    (editor, door)
}

async fn window_and_client(world: &World) -> (FakeEditor, Door, Client) {
    let (editor, door) = knowing_window(world).await;
    let client = Client::start(world, &["mcp"]).await;
    (editor, door, client)
}

async fn leave(editor: FakeEditor, mut door: Door) {
    editor.ignore("pollux/hunks");
    editor.finish().await;
    assert!(door.ended().await.success());
}

/// Waits until hunks are shown in all of these files.
async fn shown_in(editor: &FakeEditor, uris: &[&str]) {
    let mut left: BTreeSet<&str> = uris.iter().copied().collect();
    while !left.is_empty() {
        let shown = editor.expect_notification("pollux/hunks").await;
        if shown["hunks"]
            .as_array()
            .is_some_and(|hunks| !hunks.is_empty())
        {
            left.remove(shown["uri"].as_str().unwrap());
        }
    }
}

fn range(line: u64, start: u64, end: u64) -> Value {
    json!({ "start": { "line": line, "character": start }, "end": { "line": line, "character": end } })
}

fn place(uri: &str, line: u64, start: u64, end: u64) -> Value {
    json!({ "uri": uri, "range": range(line, start, end) })
}

fn places(places: &[Value]) -> Value {
    json!({ "kind": "places", "places": places })
}

/// The edits of one file, each a line, its columns, and the new text.
fn file(uri: &str, version: Option<i64>, edits: &[(u64, u64, u64, &str)]) -> Value {
    let edit = |(line, start, end, text): &(u64, u64, u64, &str)| json!({ "range": range(*line, *start, *end), "newText": text });
    let edits: Vec<Value> = edits.iter().map(edit).collect();
    json!({ "uri": uri, "version": version, "edits": edits })
}

fn edits(files: &[Value]) -> Value {
    json!({ "kind": "edits", "files": files })
}

fn spot(path: &str, line: u64, symbol: &str) -> Value {
    json!({ "path": path, "line": line, "symbol": symbol })
}

fn renaming(path: &str, line: u64, symbol: &str) -> Value {
    json!({ "path": path, "line": line, "symbol": symbol, "new_name": "sum" })
}

#[tokio::test]
async fn places_are_told_with_their_lines_and_counted_as_people_count() {
    let world = World::new();
    write(&world, "lib.ts", "export const add = 1;\n");
    write(&world, ".env", "add=1\n");
    let (editor, door, client) = window_and_client(&world).await;
    let (app, lib) = (world.uri("app.ts"), world.uri("lib.ts"));
    // Typed and not saved: no disk has it.
    editor.open(&app, "typescript", "\n😀😀 add(add)\n").await;
    snapshot(&editor).await;
    let outside = world.home().join("add.ts").display().to_string();
    let asked = client.begin("references", spot("app.ts", 2, "add")).await;
    let (id, params) = editor.expect_request(QUERY).await;
    assert_eq!(
        (&params["uri"], &params["position"], &params["query"]),
        (
            &json!(app),
            // The editor counts in UTF-16.
            &json!({ "line": 1, "character": 5 }),
            &json!({ "kind": "references" })
        )
    );
    let found = places(&[
        place(&lib, 0, 13, 16),
        place(&app, 1, 5, 8),
        place(&app, 1, 9, 12),
        // Two language servers know the same.
        place(&app, 1, 9, 12),
        place(&format!("file://{outside}"), 0, 0, 3),
        place(&world.uri(".env"), 0, 0, 3),
        place("untitled:Untitled-1", 0, 0, 3),
    ]);
    editor.respond(&id, found).await;
    assert_eq!(
        answered(asked).await,
        json!({ "places": [
            { "path": "lib.ts", "line": 1, "column": 14, "text": "export const add = 1;" },
            { "path": "app.ts", "line": 2, "column": 4, "text": "😀😀 add(add)" },
            { "path": "app.ts", "line": 2, "column": 8, "text": "😀😀 add(add)" },
        ], "hidden": 3, "truncated": false })
    );
    // A file that is not open has the name that the disk gives it, and a column does as well as a name.
    let asked = json!({ "path": "lib.ts", "line": 1, "column": 14 });
    editor.answer(QUERY, places(&[place(&lib, 0, 13, 16)]));
    let found = client.call("definition", asked).await;
    assert_eq!(found["places"][0]["column"], 14);
    let asked = &editor.answered(QUERY)[0];
    assert_eq!(
        (&asked["uri"], &asked["query"]["kind"]),
        (&json!(lib), &json!("definition"))
    );
    assert_eq!(asked["position"], json!({ "line": 0, "character": 13 }));
    finish(&world, editor, door, client).await;
}

#[tokio::test]
async fn what_is_too_much_is_cut() {
    let world = World::new();
    let long = format!("{}\n", "x".repeat(5_000));
    write(&world, "long.txt", &long);
    let (editor, door, client) = window_and_client(&world).await;
    let uri = world.uri("long.txt");
    let all: Vec<Value> = (0..300).map(|at| place(&uri, 0, at, at + 1)).collect();
    editor.answer(QUERY, places(&all));
    let asked = json!({ "path": "long.txt", "line": 1, "column": 1 });
    let found = client.call("references", asked).await;
    assert_eq!(found["truncated"], true);
    let told = found["places"].as_array().unwrap();
    assert_eq!(told.len(), 200);
    assert_eq!(told[199]["column"], 200);
    assert_eq!(told[0]["text"].as_str().unwrap().len(), 400);
    finish(&world, editor, door, client).await;
}

#[tokio::test]
async fn a_rename_is_decided_file_by_file_and_nothing_is_written_before() {
    let world = World::new();
    let lib = write(&world, "lib.ts", "export const add = 1;\r\nadd;\r\n");
    write(&world, "app.ts", "on disk\n");
    let (editor, door, client) = window_and_client(&world).await;
    let uri = world.uri("app.ts");
    editor.open(&uri, "typescript", "add(add)\n").await;
    snapshot(&editor).await;
    let renamed = edits(&[
        file(&uri, Some(1), &[(0, 0, 3, "sum"), (0, 4, 7, "sum")]),
        file(&world.uri("lib.ts"), None, &[(1, 0, 3, "sum")]),
        // The same file once more, as some language servers name it.
        file(&world.uri("lib.ts"), None, &[(0, 13, 16, "sum")]),
    ]);
    editor.answer(QUERY, renamed);
    let proposed = client.call("rename", renaming("app.ts", 1, "add")).await;
    let query = &editor.answered(QUERY)[0]["query"];
    assert_eq!(*query, json!({ "kind": "rename", "newName": "sum" }));
    let told = proposed["edits"].as_array().unwrap();
    let names: Vec<&str> = told
        .iter()
        .map(|one| one["path"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["app.ts", "lib.ts"]);
    shown_in(&editor, &[&uri, &world.uri("lib.ts")]).await;
    let pending = client.call("pending_hunks", json!({})).await;
    assert_eq!(pending["files"][0]["hunks"][0]["state"], "proposed");
    assert_eq!(pending["files"][0]["hunks"][0]["added"], "sum(sum)\n");
    assert!(fs::read_to_string(&lib).unwrap().contains("add = 1"));
    // One is kept, the other is not: each has its own answer.
    let keep = |command: &str, name: &str| json!({ "command": command, "arguments": [{ "uri": world.uri(name) }] });
    let command = "workspace/executeCommand";
    editor
        .request(command, keep("pollux.file.reject", "app.ts"))
        .await
        .unwrap();
    editor
        .request(command, keep("pollux.file.keep", "lib.ts"))
        .await
        .unwrap();
    let outcome = async |place: usize| {
        let id = json!({ "id": told[place]["id"] });
        client.call("wait_for_decision", id).await["state"].clone()
    };
    assert_eq!(outcome(0).await, "rejected");
    assert_eq!(outcome(1).await, "kept");
    assert_eq!(
        fs::read_to_string(&lib).unwrap(),
        "export const sum = 1;\r\nsum;\r\n"
    );
    assert_eq!(
        fs::read_to_string(world.work().join("app.ts")).unwrap(),
        "on disk\n"
    );
    finish(&world, editor, door, client).await;
}

#[tokio::test]
async fn a_rename_is_all_or_nothing() {
    let world = World::new();
    write(&world, "lib.ts", "add;\n");
    write(&world, ".env", "add=1\n");
    let (editor, door, client) = window_and_client(&world).await;
    let (app, lib) = (world.uri("app.ts"), world.uri("lib.ts"));
    editor.open(&app, "typescript", "add;\n").await;
    snapshot(&editor).await;
    let good = file(&app, Some(1), &[(0, 0, 3, "sum")]);
    let many: Vec<Value> = (0..33)
        .map(|number| {
            write(&world, &format!("{number}.ts"), "add;\n");
            file(
                &world.uri(&format!("{number}.ts")),
                None,
                &[(0, 0, 3, "sum")],
            )
        })
        .collect();
    let cases = [
        (
            edits(&[
                good.clone(),
                file(&world.uri(".env"), None, &[(0, 0, 3, "sum")]),
            ]),
            "closed to tools",
        ),
        (
            edits(&[file(&app, Some(7), &[(0, 0, 3, "sum")])]),
            "has changed meanwhile",
        ),
        (
            edits(&[file(&lib, None, &[(5, 0, 3, "sum")])]),
            "do not fit",
        ),
        (
            edits(&[file(&lib, None, &[(0, 0, 3, "sum"), (0, 1, 2, "x")])]),
            "do not fit",
        ),
        (edits(&[]), "nothing there that can be renamed"),
        (
            edits(&[file(&lib, None, &[(0, 0, 3, "add")])]),
            "that name already",
        ),
        (edits(&many), "33 files"),
        (
            json!({ "kind": "refused", "reason": "it is a keyword" }),
            "it is a keyword",
        ),
    ];
    for (answer, reason) in cases {
        editor.answer(QUERY, answer);
        let words = client.refused("rename", renaming("lib.ts", 1, "add")).await;
        assert!(words.contains(reason), "{words}");
    }
    let nameless =
        json!({ "path": "lib.ts", "line": 1, "symbol": "add", "new_name": "two\nlines" });
    let words = client.refused("rename", nameless).await;
    assert!(words.contains("one line"), "{words}");
    let pending = client.call("pending_hunks", json!({})).await;
    assert_eq!(pending["files"], json!([]));
    finish(&world, editor, door, client).await;
}

#[tokio::test]
async fn a_place_that_is_none_and_an_editor_that_offers_nothing_are_said_so() {
    let world = World::new();
    write(&world, "lib.ts", "add;\n");
    let (editor, door) = crate::companion::window(&world).await;
    let client = Client::start(&world, &["mcp"]).await;
    for tool in ["definition", "references"] {
        let words = client.refused(tool, spot("lib.ts", 1, "add")).await;
        assert!(
            words.contains("no editor that has this folder open"),
            "{words}"
        );
    }
    let words = client.refused("rename", renaming("lib.ts", 1, "add")).await;
    assert!(words.contains("can rename something"), "{words}");
    let (other, other_door) = knowing_window(&world).await;
    let cases = [
        (spot("lib.ts", 2, "add"), "no line 2"),
        (spot("lib.ts", 1, "ad"), "not in line 1"),
        (spot("missing.ts", 1, "add"), "no such file"),
        (spot("../lib.ts", 1, "add"), "`..`"),
        (json!({ "path": "lib.ts", "line": 1 }), "either"),
        (
            json!({ "path": "lib.ts", "line": 1, "column": 9 }),
            "no column 9",
        ),
    ];
    for (asked, reason) in cases {
        let words = client.refused("definition", asked).await;
        assert!(words.contains(reason), "{words}");
    }
    leave(other, other_door).await;
    finish(&world, editor, door, client).await;
}

#[tokio::test]
async fn an_editor_may_answer_later_and_may_leave_meanwhile() {
    let world = World::new();
    write(&world, "lib.ts", "add;\n");
    let (editor, door, client) = window_and_client(&world).await;
    let lib = world.uri("lib.ts");
    let asked = client.begin("definition", spot("lib.ts", 1, "add")).await;
    let (id, params) = editor.expect_request(QUERY).await;
    editor.respond(&id, json!({ "kind": "later" })).await;
    // Nobody else is kept waiting.
    client.call("open_files", json!({})).await;
    let answer = places(&[place(&lib, 0, 0, 3)]);
    let later = json!({ "id": params["id"], "answer": answer });
    editor.notify("pollux/editorAnswer", later.clone()).await;
    assert_eq!(answered(asked).await["places"][0]["line"], 1);
    // What nobody waits for any more is passed over.
    editor.notify("pollux/editorAnswer", later).await;
    snapshot(&editor).await;
    // The second editor was used last and is asked first; then it goes, and the first one is asked.
    let (second, second_door) = knowing_window(&world).await;
    second.open(&lib, "typescript", "add;\n").await;
    snapshot(&second).await;
    let asked = client.begin("definition", spot("lib.ts", 1, "add")).await;
    second.expect_request(QUERY).await;
    leave(second, second_door).await;
    let (id, _) = editor.expect_request(QUERY).await;
    editor.respond(&id, answer).await;
    assert_eq!(answered(asked).await["places"][0]["path"], "lib.ts");
    finish(&world, editor, door, client).await;
}

#[tokio::test]
async fn the_next_editor_is_asked_where_one_knows_nothing() {
    let world = World::new();
    write(&world, "lib.ts", "add;\n");
    let (editor, door, client) = window_and_client(&world).await;
    let (second, second_door) = knowing_window(&world).await;
    let lib = world.uri("lib.ts");
    second.open(&lib, "typescript", "add;\n").await;
    snapshot(&second).await;
    second.answer(QUERY, places(&[]));
    editor.answer(QUERY, places(&[place(&lib, 0, 0, 3)]));
    let found = client.call("definition", spot("lib.ts", 1, "add")).await;
    assert_eq!(found["places"].as_array().unwrap().len(), 1);
    assert_eq!(second.answered(QUERY).len(), 1);
    // That nobody knows anything is an answer too.
    editor.answer(QUERY, json!({ "kind": "refused", "reason": "no" }));
    let found = client.call("definition", spot("lib.ts", 1, "add")).await;
    assert_eq!(found["places"], json!([]));
    leave(second, second_door).await;
    finish(&world, editor, door, client).await;
}

#[tokio::test]
async fn a_question_can_be_cancelled() {
    let world = World::new();
    write(&world, "lib.ts", "add;\n");
    let (editor, door, client) = window_and_client(&world).await;
    let asked = client.begin("definition", spot("lib.ts", 1, "add")).await;
    let (id, _) = editor.expect_request(QUERY).await;
    asked.cancel(None).await.unwrap();
    editor.respond(&id, places(&[])).await;
    client.call("open_files", json!({})).await;
    finish(&world, editor, door, client).await;
}
