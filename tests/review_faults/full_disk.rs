//! Disks without room. A small one is mounted in a mount namespace of its own, which needs root or user namespaces.

use std::fs;
use std::path::Path;
use std::process::Output;

use pollux_testkit::scripted_model::{Reply, Script, ScriptedModel};

use serde_json::json;
use tokio::process::Command;

use super::{left_over, rounds, run_command, writes};
use crate::support::plain::{pending_in, plain_in, review_where};
use crate::support::talk::{Talk, model, says, told, with_model};
use crate::support::world::{World, kill};
use crate::support::{never, snapshot};

/// A model that need not be asked: there may be no room to begin.
async fn forgiving_model(replies: impl IntoIterator<Item = Reply>) -> ScriptedModel {
    ScriptedModel::start(replies.into_iter().fold(Script::new(), Script::reply)).await
}

/// Runs a shell script in a mount namespace of its own.
fn namespaced(world: &World, script: &str) -> Command {
    let mut command = world.command("unshare");
    let by_root = rustix::process::geteuid().is_root();
    command.args(match by_root {
        true => &["--mount"][..],
        false => &["--user", "--map-root-user", "--mount"],
    });
    command.args(["--", "sh", "-c", script, "sh"]);
    command
}

/// Leaves so many KiB of a file system free, as far as one can tell.
const FILL: &str = r#"
fill() { # folder, KiB to leave
    free=$(df --output=avail -k "$1" | tail -n 1)
    count=$((free - $2))
    if [ "$count" -gt 0 ]; then
        dd if=/dev/zero of="$1/filler" bs=1024 count="$count" 2>/dev/null
    fi
}
"#;

/// What a script that ran `pollux` has printed about it.
#[derive(Debug)]
struct Seen {
    code: i32,
    said: String,
    changed: bool,
    undone: bool,
}

fn seen(output: &Output, old: &str) -> Seen {
    let text = String::from_utf8_lossy(&output.stdout);
    let field = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_else(|| panic!("no {name} in {output:?}"))
            .to_owned()
    };
    Seen {
        code: field("code=").parse().unwrap(),
        said: String::from_utf8_lossy(&output.stderr).into_owned(),
        changed: field("after=") != old,
        undone: field("undone=") == old,
    }
}

/// Plays a run on a disk with so many KiB left, gives space back, and undoes the turn.
async fn run_with(world: &World, server: &ScriptedModel, mounted: &Path, left: u64) -> Output {
    let script = format!(
        r#"{FILL}
        set -e
        mount -t tmpfs -o size=2m,mode=0700 none "$1"
        cd "$2"
        printf 'old' > "$2/a.txt"
        fill "$1" {left}
        shift 2
        set +e
        "$@" >/dev/null
        echo "code=$?"
        echo "after=$(cat a.txt)"
        rm -f "$MOUNTED/filler"
        "$3" undo --turn >/dev/null 2>&1
        echo "undone=$(cat a.txt)"
        echo "left=$(ls -A | grep '^\.pollux-')"
        "#
    );
    let run = run_command(world, server);
    let run = run.as_std();
    let mut command = namespaced(world, &script.replace("\"$3\" undo", "\"$POLLUX\" undo"));
    command.arg(mounted).arg(world.work());
    command.arg(run.get_program()).args(run.get_args());
    command.env("MOUNTED", mounted);
    command.env("POLLUX", run.get_program());
    with_model(&mut command, server);
    command.output().await.unwrap()
}

/// Ten levels: nothing, less than anything takes, and so on up to enough.
const LEVELS: [u64; 10] = [0, 4, 8, 12, 16, 24, 32, 48, 96, 1024];

#[tokio::test(flavor = "multi_thread")]
async fn on_a_full_home_an_edit_is_recorded_or_not_made() {
    let mut made = 0;
    for left in LEVELS.repeat(rounds(1, 5)) {
        let world = World::new();
        // Larger than a block, so that the texts of the record need room.
        let new = "new ".repeat(3000);
        let server = forgiving_model([writes("a.txt", &new), says("done")]).await;
        let output = run_with(&world, &server, &world.home(), left).await;
        let seen = seen(&output, "old");
        match seen.changed {
            true => {
                assert!(seen.undone, "{left} KiB: made and lost: {seen:?}");
                made += 1;
            }
            false => {
                assert_eq!(seen.code, 54, "{left} KiB: {seen:?}");
                assert!(!seen.said.trim().is_empty(), "{left} KiB: {seen:?}");
            }
        }
        assert_eq!(left_over(&world), Vec::<String>::new());
    }
    assert!(made > 0, "with room it is made");
}

#[tokio::test(flavor = "multi_thread")]
async fn in_a_full_workspace_a_file_is_whole_and_nothing_is_left_behind() {
    let mut made = 0;
    for left in LEVELS.repeat(rounds(1, 5)) {
        let world = World::new();
        let new = "new ".repeat(6000);
        let server = forgiving_model([writes("a.txt", &new), says("done")]).await;
        let output = run_with(&world, &server, &world.work(), left).await;
        let seen = seen(&output, "old");
        let text = String::from_utf8_lossy(&output.stdout);
        let after = text.lines().find_map(|line| line.strip_prefix("after="));
        assert!(
            after.is_some_and(|after| after == "old" || after == new),
            "{left} KiB: {output:?}"
        );
        assert!(text.lines().any(|line| line == "left="), "{output:?}");
        match seen.changed {
            true => {
                assert!(seen.undone, "{left} KiB: {seen:?}");
                made += 1;
            }
            false => assert_eq!(seen.code, 54, "{left} KiB: {seen:?}"),
        }
    }
    assert!(made > 0, "with room it is made");
}

#[tokio::test(flavor = "multi_thread")]
async fn on_a_full_home_an_editor_is_told_and_hunks_that_exist_survive() {
    let world = World::new();
    for name in ["a.txt", "b.txt"] {
        fs::write(world.work().join(name), "old\n").unwrap();
    }
    let large = "larger than a block\n".repeat(1000);
    let server = model([
        writes("a.txt", "new\n"),
        says("done"),
        writes("b.txt", &large),
        says("it was refused"),
        writes("b.txt", &large),
        says("done"),
    ])
    .await;
    let script = r#"mount -t tmpfs -o size=4m,mode=0700 none "$HOME" && exec "$@""#;
    let mut command = namespaced(&world, script);
    command.args([env!("CARGO_BIN_EXE_pollux"), "lsp"]);
    with_model(&mut command, &server);
    let options = plain_in(world.work().to_str().unwrap());
    let mut talk = Talk::start_with(options, World::start_trusting(command)).await;
    talk.ask("pollux/modeSet", json!({ "mode": "autoEdit" }))
        .await;
    talk.say("change it").await;
    talk.rest_unasked().await;
    pending_in(&talk.editor, "a.txt", 1).await;

    // The test sees the small disk through the process that has it.
    let host = world.host().as_raw_nonzero();
    let home = format!("/proc/{host}/root{}", world.home().display());
    let filler = Path::new(&home).join("filler");
    let mut size = 4 << 20;
    while size > 0 {
        use std::io::Write as _;
        let mut file = fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&filler)
            .unwrap();
        if file.write_all(&vec![0; size]).is_err() {
            size /= 2;
        }
    }
    talk.say("change more").await;
    talk.rest_unasked().await;
    let told = told(&server, 4);
    assert!(told.contains("cannot be recorded"), "{told}");
    assert_eq!(
        fs::read_to_string(world.work().join("b.txt")).unwrap(),
        "old\n"
    );
    loop {
        let message = talk.editor.expect_notification("window/showMessage").await;
        let text = message["message"].as_str().unwrap().to_owned();
        if text.contains("cannot be recorded") {
            break;
        }
    }
    fs::remove_file(&filler).unwrap();
    talk.say("once more").await;
    talk.rest_unasked().await;
    assert_eq!(
        fs::read_to_string(world.work().join("b.txt")).unwrap(),
        large
    );
    // Another host finds all of it.
    let waiting = talk.editor.start_request("pollux/snapshot", never()).await;
    snapshot(&talk.editor).await;
    kill(world.host());
    waiting.result().await.unwrap_err();
    review_where(&talk.editor, |review| {
        review["files"].as_array().unwrap().len() == 2
    })
    .await;
    talk.close().await;
    world.expect_no_process_left().await;
}
