//! A home whose disk is full or read-only: the reason is named, the exit code says which, and nothing is lost in silence.

use std::fs;
use std::process::Output;

use serde_json::json;

use crate::support::asked_in;
use crate::support::world::World;

/// The words of a run that needs nothing but a place for its session.
const RUN: &str = "run --skip-trust -m demo -p hello";

/// Runs a script in which `home` is a disk of its own, of so many kilobytes, and `$pollux` the program.
async fn on_small_disk(world: &World, kilobytes: usize, script: &str) -> Output {
    let mut command = world.command("unshare");
    let script =
        format!("mount -t tmpfs -o size={kilobytes}k tmpfs \"$HOME\" || exit 99\n{script}");
    command.args(["-rm", "sh", "-c", &script]);
    command.env("pollux", env!("CARGO_BIN_EXE_pollux"));
    let output = command.stdin(std::process::Stdio::null()).output().await;
    output.unwrap()
}

/// Fills the disk up but for so many kilobytes.
fn fill(free: usize) -> String {
    format!(
        "dd if=/dev/zero of=\"$HOME/fill\" bs=1k 2>/dev/null; truncate -s -{free}k \"$HOME/fill\"\n"
    )
}

const READ_ONLY: &str = "mount -o remount,ro \"$HOME\" || exit 98\n";

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[tokio::test]
async fn a_run_without_room_for_its_session_ends_with_54_and_says_why() {
    for begun in [
        "",
        "$pollux run --skip-trust -m demo -p first >/dev/null 2>&1 || exit 97\n",
    ] {
        let world = World::new();
        let script = format!("{begun}{}exec $pollux {RUN}", fill(0));
        let output = on_small_disk(&world, 256, &script).await;
        let said = said(&output);
        assert_eq!(output.status.code(), Some(54), "{begun}: {said}");
        assert!(said.contains("the disk is full"), "{said}");
    }
}

#[tokio::test]
async fn a_run_in_a_home_that_is_read_only_ends_with_52_and_says_why() {
    for begun in [
        "",
        "$pollux run --skip-trust -m demo -p first >/dev/null 2>&1 || exit 97\n",
    ] {
        for resume in ["", " -r latest"] {
            let world = World::new();
            let script = format!("{begun}{READ_ONLY}exec $pollux {RUN}{resume}");
            let output = on_small_disk(&world, 256, &script).await;
            let said = said(&output);
            assert_eq!(output.status.code(), Some(52), "{begun}{resume}: {said}");
            assert!(said.contains("read-only"), "{said}");
        }
    }
}

#[tokio::test]
async fn at_every_fill_level_a_run_is_recorded_whole_or_says_that_it_is_not() {
    for free in [0, 4, 8, 12, 16, 24, 32, 48, 64, 96] {
        let world = World::new();
        let first = "$pollux run --skip-trust -m demo -p first >/dev/null 2>&1 || exit 97\n";
        let copy = "cp -r \"$HOME/.gemini/tmp\" \"$TMPDIR/copy\"";
        let script = format!(
            "{first}{}$pollux {RUN}; code=$?; {copy}; exit $code",
            fill(free)
        );
        let output = on_small_disk(&world, 256, &script).await;
        let said = said(&output);
        match output.status.code() {
            Some(54) => assert!(said.contains("the disk is full"), "{free}: {said}"),
            Some(0) => {
                let projects = fs::read_dir(world.tmp().join("copy")).unwrap();
                let chats = projects.map(|entry| entry.unwrap().path().join("chats"));
                let files = chats.filter_map(|chats| fs::read_dir(chats).ok()).flatten();
                let texts = files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
                let answered =
                    |text: &String| text.contains("hello") && text.contains("\"type\":\"gemini\"");
                assert!(texts.filter(answered).count() == 1, "{free}: {said}");
            }
            code => panic!("{free} kB: {code:?}, {said}"),
        }
    }
}

#[tokio::test]
async fn a_session_that_an_editor_wants_is_refused_with_the_reason() {
    for (what, reason) in [
        (fill(0).as_str(), "the disk is full"),
        (READ_ONLY, "read-only"),
    ] {
        let world = World::new();
        let mut command = world.command("unshare");
        let script = format!(
            "mount -t tmpfs -o size=256k tmpfs \"$HOME\" || exit 99\n{what}exec $pollux lsp --no-share"
        );
        command.args(["-rm", "sh", "-c", &script]);
        command.env("pollux", env!("CARGO_BIN_EXE_pollux"));
        let (editor, mut door) = World::start_trusting(command);
        editor.ignore("window/showMessage");
        editor.ignore("window/logMessage");
        editor
            .initialize(asked_in(world.work().to_str().unwrap()))
            .await;
        let refused = editor.request("pollux/sessionStart", json!({})).await;
        let refused = refused.unwrap_err();
        assert!(refused.message.contains(reason), "{refused}");
        assert!(refused.message.contains("cannot use"), "{refused}");
        editor.finish().await;
        assert!(door.ended().await.success());
    }
}
