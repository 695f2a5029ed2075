//! Commands that go on while the model does something else.

use serde_json::{Value, json};

use crate::support::{Stage, Wishes, gone, in_time, inner, run};

const TOOL: &str = "run_shell_command";
const LIST: &str = "list_background_processes";
const READ: &str = "read_background_output";

/// Waits until a command in the background has printed this.
async fn printed(stage: &Stage, text: &str) -> u32 {
    let (id, mut live) = {
        let background = stage.setup.background.lock().await;
        let id = background.list().first().unwrap().id;
        (id, background.get(id).unwrap().live())
    };
    in_time(async {
        while !live.tail(1_000).contains(text) {
            live.more().await.unwrap();
        }
    })
    .await;
    id
}

#[tokio::test]
async fn a_command_in_the_background_goes_on_until_the_session_ends() {
    let command = "seq 1 150; echo ready; tail -f /dev/null";
    let start = json!({ "command": command, "is_background": true, "delay_ms": 0 });
    let rounds: [&[_]; 4] = [
        &[(TOOL, start)],
        &[],
        // The model cannot know the number, and does not need to in this test.
        &[(LIST, json!({})), (READ, json!({ "pid": 1 }))],
        &[],
    ];
    let mut stage = Stage::start(Wishes::default(), &rounds).await;
    stage.turn().await;
    let id = printed(&stage, "ready").await;
    let started = stage.result(1);
    let expected = format!("Command is running in background. PID: {id}. Initial output:\n");
    assert!(started.output().starts_with(&expected), "{started:?}");
    stage.turn().await;
    assert_eq!(
        stage.result(2).output(),
        format!("[PID {id}] running: {command}")
    );
    assert_eq!(stage.result(3).response["error_type"], "execution_failed");
    drop(stage);
    gone(id).await;
}

#[tokio::test]
async fn a_command_that_ends_at_once_is_told_like_any_other() {
    let args = json!({ "command": "echo bad; exit 3", "is_background": true, "delay_ms": 60_000 });
    let (stage, result) = run(args).await;
    assert_eq!(inner(result.output()), "Output: bad\nExit Code: 3");
    assert!(stage.setup.background.lock().await.list().is_empty());
}

#[tokio::test]
async fn what_a_command_leaves_running_is_told_and_kept() {
    let (stage, result) = run(json!({ "command": "tail -f /dev/null & echo started" })).await;
    let told = inner(result.output());
    let lines: Vec<&str> = told.lines().collect();
    let [output, pids, group] = lines[..] else {
        panic!("{told}");
    };
    assert_eq!(output, "Output: started");
    let left: u32 = pids
        .strip_prefix("Background PIDs: ")
        .unwrap()
        .parse()
        .unwrap();
    assert!(group.starts_with("Process Group PGID: "));
    assert_eq!(stage.setup.background.lock().await.list().len(), 1);
    drop(stage);
    gone(left).await;
}

#[tokio::test]
async fn the_last_lines_are_read_back_and_marked_as_text_from_outside() {
    let command = "seq 1 150; echo ready; tail -f /dev/null";
    let start = json!({ "command": command, "is_background": true, "delay_ms": 0 });
    let mut stage = Stage::start(Wishes::default(), &[&[(TOOL, start)]]).await;
    stage.turn().await;
    let id = printed(&stage, "ready").await;
    // A session of its own, with the same commands in the background.
    for (args, expected) in [
        (json!({ "pid": id, "lines": 2 }), "150\nready\n".to_owned()),
        (json!({ "pid": id }), {
            let lines: Vec<String> = (52..=150).map(|line: u32| format!("{line}\n")).collect();
            format!("{}ready\n", lines.concat())
        }),
    ] {
        let result = read(&stage, args).await;
        assert_eq!(inner(&result), expected);
    }
}

async fn read(stage: &Stage, args: Value) -> String {
    let mut reader = Stage::start_with(
        Wishes::default(),
        &[&[(READ, args)]],
        stage.setup.background.clone(),
    )
    .await;
    reader.turn().await;
    reader.result(1).output().to_owned()
}
