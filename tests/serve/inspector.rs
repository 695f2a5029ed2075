//! The official inspector at the door.

use std::process::Stdio;

use pollux_testkit::installed;
use serde_json::{Value, json};

use crate::companion::{decide, finish, hunks, window, write};
use crate::support::{World, snapshot};

const LAUNCHER: &str =
    "mcp-clients/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js";

/// What the inspector prints of one request.
async fn inspect(world: &World, arguments: &[&str]) -> Value {
    // It starts servers with a few variables only.
    let meeting = format!("POLLUX_RUNTIME_DIR={}", world.run().display());
    let output = world
        .command(installed("mcp-clients/node_modules/node/bin/node"))
        .arg(installed(LAUNCHER))
        .args(["--cli", "-e", &meeting])
        .args([env!("CARGO_BIN_EXE_pollux"), "mcp"])
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .await
        .expect("the inspector is installed by `cargo xtask test`");
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{complained}");
    serde_json::from_str(&said).unwrap_or_else(|_| panic!("{said}\n{complained}"))
}

#[tokio::test]
async fn the_inspector_lists_what_there_is_and_calls_it() {
    let world = World::new();
    let path = write(&world, "x.txt", "old\n");
    let (editor, door) = window(&world).await;
    editor
        .open(&world.uri("typed.txt"), "text", "typed\n")
        .await;
    snapshot(&editor).await;
    let listed = inspect(&world, &["--method", "tools/list"]).await;
    assert_eq!(listed["tools"].as_array().unwrap().len(), 10, "{listed}");
    let listed = inspect(&world, &["--method", "resources/list"]).await;
    assert_eq!(listed["resources"][4]["uri"], "pollux://file/typed.txt");
    let listed = inspect(&world, &["--method", "resources/templates/list"]).await;
    assert_eq!(listed["resourceTemplates"].as_array().unwrap().len(), 2);
    let uri = "pollux://file/typed.txt";
    let read = inspect(&world, &["--method", "resources/read", "--uri", uri]).await;
    assert_eq!(read["contents"][0]["text"], "typed\n");
    let call = async |name: &str, arguments: &[&str]| {
        let call = ["--method", "tools/call", "--tool-name", name];
        let pairs = arguments.iter().flat_map(|pair| ["--tool-arg", pair]);
        let all: Vec<&str> = call.into_iter().chain(pairs).collect();
        inspect(&world, &all).await["structuredContent"].clone()
    };
    let open = call("open_files", &[]).await;
    assert_eq!(open["files"][0]["path"], "typed.txt");
    let proposed = call("propose_edit", &["path=x.txt", "text=new"]).await;
    let shown = hunks(&editor, 1).await;
    let id = format!("id={}", proposed["id"].as_str().unwrap());
    // It waits in a process of its own while the person decides.
    let arguments = [id.as_str()];
    let waiting = call("wait_for_decision", &arguments);
    let deciding = decide(&editor, "pollux.hunk.keep", &shown, 0);
    let (outcome, ()) = tokio::join!(waiting, deciding);
    assert_eq!(
        outcome,
        json!({ "state": "kept", "kept": 1, "rejected": 0, "open": 0, "note": null })
    );
    assert_eq!(std::fs::read_to_string(path).unwrap(), "new");
    finish(&world, editor, door).await;
}
