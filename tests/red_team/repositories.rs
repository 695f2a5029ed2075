//! Git in folders that somebody else has made: as clones bring them along, and as archives do.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::json;

use super::files;
use crate::support::talk::{Talk, calls, model, says};
use crate::support::world::World;

async fn git(world: &World, folder: &Path, arguments: &[&str]) {
    let mut command = world.command("git");
    command
        .args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
        .args(["-c", "init.defaultBranch=main"])
        .args(arguments)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .current_dir(folder);
    let output = command.output().await.unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
}

/// A repository with a commit and a file that has changed since.
async fn repository(world: &World, folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    git(world, folder, &["init", "-q"]).await;
    fs::write(folder.join("a.txt"), "one\n").unwrap();
    git(world, folder, &["add", "a.txt"]).await;
    git(world, folder, &["commit", "-q", "-m", "one"]).await;
    fs::write(folder.join("a.txt"), "two\n").unwrap();
}

fn program(path: &Path) {
    fs::write(path, "#!/bin/sh\ntouch \"$MADE\"\n: > made\ncat\n").unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Each call is asked about and refused.
async fn expect_asked(world: &World, commands: &[(&str, &str)]) {
    let before = files(&world.work());
    let replies = commands
        .iter()
        .map(|(folder, command)| match *folder {
            "" => calls("run_shell_command", json!({ "command": command })),
            folder => calls(
                "run_shell_command",
                json!({ "command": command, "dir_path": folder }),
            ),
        })
        .chain([says("then not")]);
    let server = model(replies.collect::<Vec<_>>()).await;
    let mut talk = Talk::start(world, &server).await;
    talk.say("go on").await;
    for (folder, command) in commands {
        let question = talk.event("approvalRequested").await;
        assert_eq!(
            question["subject"]["command"], *command,
            "{folder}: {question}"
        );
        talk.answer(&question, json!({ "kind": "deny" })).await;
    }
    talk.rest_unasked().await;
    talk.close().await;
    world.expect_no_process_left().await;
    assert_eq!(files(&world.work()), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bare_repository_among_the_files_is_asked_about_wherever_git_starts() {
    let world = World::new();
    let work = world.work();
    repository(&world, &work).await;
    fs::create_dir(work.join("docs")).unwrap();
    git(&world, &work.join("docs"), &["init", "-q", "--bare"]).await;
    program(&work.join("docs/x"));
    let settings = "[core]\n\tbare = true\n[diff \"x\"]\n\ttextconv = ./x\n";
    fs::write(work.join("docs/config"), settings).unwrap();
    fs::write(work.join("docs/info/attributes"), "* diff=x\n").unwrap();
    let commands = [
        ("docs", "git show"),
        ("docs/objects", "git log -p"),
        ("", "cd docs && git show"),
        ("", "pushd docs && git log -p"),
        ("", "(cd docs; git diff)"),
        ("", "git -C docs show"),
        ("", "git --git-dir=docs show"),
        ("", "for d in docs; do cd $d; git show; done"),
        ("", "cd \"$d\" && git status"),
        ("", "GIT_DIR=docs git show"),
    ];
    expect_asked(&world, &commands).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_hooks_and_submodules_that_name_programs_are_asked_about() {
    for (file, text) in [
        (".git/config", "[diff \"x\"]\n\ttextconv = ./x\n"),
        (".git/config", "[diff \"a]\"] command = ./x\n"),
        (".git/config", "[filter \"x\"]\n\tclean = ./x\n"),
        (".git/config", "[core]\n\tfsmonitor = ./x\n"),
        (".git/config", "[include]\n\tpath = ../settings\n"),
        (".git/config", "[pager]\n\tlog = ./x\n"),
        (".git/hooks/post-index-change", "#!/bin/sh\ntouch made\n"),
        (".git/commondir", "../elsewhere\n"),
    ] {
        let world = World::new();
        let work = world.work();
        repository(&world, &work).await;
        program(&work.join("x"));
        let place = work.join(file);
        let kept = fs::read_to_string(&place).unwrap_or_default();
        fs::write(&place, kept + text).unwrap();
        expect_asked(&world, &[("", "git status"), ("", "git diff")]).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_inside_another_is_looked_at_before_git_looks_into_it() {
    let world = World::new();
    let work = world.work();
    repository(&world, &work).await;
    let inner = work.join("inner");
    repository(&world, &inner).await;
    git(&world, &work, &["add", "inner"]).await;
    program(&inner.join("x"));
    let settings = fs::read_to_string(inner.join(".git/config")).unwrap();
    fs::write(
        inner.join(".git/config"),
        settings.clone() + "[core]\n\tfsmonitor = ./x\n",
    )
    .unwrap();
    expect_asked(&world, &[("", "git status"), ("", "git diff")]).await;

    fs::write(inner.join(".git/config"), settings).unwrap();
    let status = calls("run_shell_command", json!({ "command": "git status" }));
    let server = model([status, says("done")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("look").await;
    talk.rest_unasked().await;
    talk.close().await;
}
