//! What a command destroyed comes back: through the real agent, a person's yes, and `pollux undo`.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use serde_json::json;

use crate::support::talk::{Talk, model, runs, says};
use crate::support::world::World;

/// Everything below a folder but git's own files: kind, permissions, and bytes or where a link leads.
fn everything(folder: &Path) -> String {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.ends_with(".git") {
                continue;
            }
            let metadata = fs::symlink_metadata(&path).unwrap();
            let mode = metadata.permissions().mode() & 0o7777;
            let name = path.strip_prefix(folder).unwrap().display().to_string();
            found.push(if metadata.is_symlink() {
                format!("{name} -> {}\n", fs::read_link(&path).unwrap().display())
            } else if metadata.is_dir() {
                folders.push(path);
                format!("{name}/ {mode:o}\n")
            } else {
                format!("{name} {mode:o} {:?}\n", fs::read(&path).unwrap())
            });
        }
    }
    found.sort();
    found.concat()
}

fn write(path: &Path, bytes: &[u8], mode: u32) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// The agent runs the command after somebody said yes, and then they want everything back.
async fn destroy_and_undo(world: &World, command: &str) {
    let before = everything(&world.work());
    let server = model([runs(command), says("it is gone")]).await;
    let mut talk = Talk::start(world, &server).await;
    talk.say("make room").await;
    let question = talk.event("approvalRequested").await;
    assert_eq!(question["subject"]["command"], command);
    assert_eq!(everything(&world.work()), before, "nobody has agreed yet");
    talk.answer(&question, json!({ "kind": "allow" })).await;
    talk.rest_unasked().await;
    let after = everything(&world.work());
    assert_ne!(after, before, "the command has done something");
    talk.close().await;

    let undone = world.pollux(&["undo"]).output().await.unwrap();
    assert_eq!(undone.status.code(), Some(0), "{undone:?}");
    assert_eq!(everything(&world.work()), before, "{undone:?}");
    // What is back cannot be brought back once more.
    let again = world.pollux(&["undo"]).output().await.unwrap();
    assert_ne!(again.status.code(), Some(0), "{again:?}");
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_removed_folder_comes_back_with_bytes_modes_and_links() {
    let world = World::new();
    let old = world.work().join("old");
    write(&old.join("bytes"), &[0, 159, 146, 150, b'\r', b'\n'], 0o644);
    write(&old.join("deep/er/run.sh"), b"#!/bin/sh\n", 0o755);
    write(&old.join("deep/secret"), b"", 0o600);
    write(&world.work().join("kept"), b"kept\n", 0o644);
    fs::create_dir(old.join("empty")).unwrap();
    symlink("deep/secret", old.join("link")).unwrap();
    symlink("../kept", old.join("out")).unwrap();
    symlink("nowhere", old.join("dangling")).unwrap();
    destroy_and_undo(&world, "rm -r old").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_that_a_reset_threw_away_come_back() {
    let world = World::new();
    let work = world.work();
    write(&work.join("changed"), b"one\n", 0o644);
    write(&work.join("script"), b"echo\n", 0o644);
    write(&work.join("link"), b"a file once\n", 0o644);
    for arguments in [
        "init --quiet",
        "add --all",
        "-c user.name=a -c user.email=a@b.c commit --quiet --message=first",
    ] {
        let mut git = world.command("git");
        git.args(arguments.split(' '));
        let done = git.output().await.unwrap();
        assert!(done.status.success(), "{done:?}");
    }
    write(&work.join("changed"), b"two\r\n\xff", 0o644);
    write(&work.join("script"), b"echo\n", 0o755);
    fs::remove_file(work.join("link")).unwrap();
    symlink("script", work.join("link")).unwrap();
    write(&work.join("untracked"), b"mine\n", 0o600);
    destroy_and_undo(&world, "git reset --hard").await;
}
