//! A real editor that plays a script and reports what happened, a line for each step; and the files that it is played with.

use std::fs;
use std::process::Stdio;

use expect_test::Expect;
use pollux_testkit::scripted_model::{Reply, ScriptedModel};
use serde_json::json;
use tokio::process::Command;

use super::talk::{calls, with_model};
use super::world::World;

/// Runs an editor of this world to its end, and compares what it reports. Returns what it says besides.
pub(crate) async fn check(
    world: &World,
    server: &ScriptedModel,
    mut editor: Command,
    wanted: Expect,
) -> String {
    with_model(&mut editor, server);
    let output = editor
        .env("POLLUX_BINARY", env!("CARGO_BIN_EXE_pollux"))
        .env("POLLUX_WORK", world.work())
        .env("GEMINI_CLI_TRUST_WORKSPACE", "true")
        .env("LANG", "C.UTF-8")
        .stdin(Stdio::null())
        .output()
        .await
        .expect("the editors are installed by `cargo xtask test`");
    let printed = String::from_utf8_lossy(&output.stdout);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{printed}\n{said}");
    wanted.assert_eq(&printed);
    world.expect_no_process_left().await;
    said
}

pub(crate) fn world_with(name: &str, text: &str) -> World {
    let world = World::new();
    fs::write(world.work().join(name), text).unwrap();
    world
}

/// A file of 30 lines in which these are the agent's. Its change of line 10 brings one line more.
pub(crate) fn changed(name: &str, lines: &[usize]) -> String {
    let line = |line: usize| match (lines.contains(&line), line) {
        (true, 10) => format!("{name} new 10\n{name} more\n"),
        (true, _) => format!("{name} new {line}\n"),
        (false, _) => format!("{name} old {line}\n"),
    };
    (0..30).map(line).collect()
}

/// A reply that changes three places of such a file.
pub(crate) fn rewrites(name: &str) -> Reply {
    let content = changed(name, &[2, 10, 20]);
    calls(
        "write_file",
        json!({ "file_path": name, "content": content }),
    )
}
