//! Files that other programs act on are asked about in every mode, however the command reaches them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Stdio;

use pollux_testkit::scripted_model::{Call, Reply};
use serde_json::{Value, json};

use super::{expect_asked_in, files};
use crate::support::talk::{MODEL, Talk, calls, model, runs, says, with_model};
use crate::support::world::World;

/// Commands that reach a guarded file by a way of their own.
const COMMANDS: &[&str] = &[
    "cd .gemini && echo x > settings.json",
    "cd .git/hooks && printf x > post-commit",
    "cd .git; cd hooks; printf x > post-commit",
    "pushd .git/hooks && printf x > post-commit",
    "(cd .git/hooks; printf x > post-commit)",
    "cd .git/hooks && printf x > \"$name\"",
    "cd .git/hooks && ./generate",
    "cd $x && printf x > post-commit",
    "cd sub && echo x >> rc",
    "echo x > dangling",
    "cp a dangling",
    "cp --target-directory .git/hooks a",
    "cp -t .git/hooks a",
    "cp a .g{it,x}/hooks/post-commit",
    "cp a .gi?/hooks/post-commit",
    "d=.git; cp a \"$d/hooks/post-commit\"",
    "mv a .git/hooks/post-commit",
    "ln -s a .envrc",
    "install -m 755 a .git/hooks/post-commit",
    "tar xf a.tar -C .git/hooks",
    "unzip a.zip -d .git/hooks",
    "wget -P .git/hooks http://127.0.0.1:9/x",
    "cd .git/hooks && curl -O http://127.0.0.1:9/post-commit",
    "git config core.hooksPath x",
    "git config alias.st '!touch made'",
    "git mv a .envrc",
    "sed -n 'w .git/hooks/post-commit' a",
    "sed -i s/a/b/ .vscode/tasks.json",
    "awk '{ print > \".git/hooks/post-commit\" }' a",
    "tee .cargo/config.toml < a",
    "dd if=a of=.npmrc",
    "split -b 1 a .git/hooks/x",
    "touch .mcp.json",
    "mkdir -p .claude/commands",
    "chmod +x .git/hooks/pre-commit",
    "echo x > justfile",
    "echo x > gradlew",
    "echo x > app.code-workspace",
    "echo x > new/folder/.pre-commit-config.yaml",
];

/// Files that are written by a tool.
const FILES: &[&str] = &[
    ".cargo/config.toml",
    "app.code-workspace",
    ".npmrc",
    ".mcp.json",
    ".claude/settings.json",
    ".pre-commit-config.yaml",
    ".nvim.lua",
    ".exrc",
    ".dir-locals.el",
    "justfile",
    "gradlew",
    "new/folder/.git/hooks/pre-commit",
    ".husky/pre-commit",
    ".gemini/settings.json",
    "sub/../.envrc",
    "sub/rc",
    "dangling",
];

fn furnish(world: &World) {
    let work = world.work();
    for folder in [".git/hooks", ".gemini", ".vscode", "sub"] {
        fs::create_dir_all(work.join(folder)).unwrap();
    }
    fs::write(work.join("a"), "one\n").unwrap();
    fs::write(work.join(".vscode/tasks.json"), "a\n").unwrap();
    fs::write(work.join(".git/hooks/pre-commit"), "").unwrap();
    fs::write(world.home().join(".bashrc"), "").unwrap();
    symlink(world.home().join(".bashrc"), work.join("sub/rc")).unwrap();
    symlink(world.home().join(".profile"), work.join("dangling")).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_that_reach_guarded_files_are_asked_about_even_in_yolo() {
    for mode in ["yolo", "autoEdit"] {
        let world = World::new();
        furnish(&world);
        expect_asked_in(&world, mode, COMMANDS).await;
        let bashrc = fs::read_to_string(world.home().join(".bashrc")).unwrap();
        assert_eq!(bashrc, "");
        assert!(!world.home().join(".profile").exists());
    }
}

/// One run in which every call fails, and nothing changes.
async fn expect_nothing_done(world: &World, mode: &str, calls: Vec<Reply>) {
    let count = calls.len();
    let before = files(&world.work());
    let server = model(calls.into_iter().chain([says("then not")])).await;
    let mut command = world.pollux(&["run", "--skip-trust", "-m", MODEL, "-o", "stream-json"]);
    with_model(&mut command, &server);
    command.args(["--approval-mode", mode, "-p", "go on"]);
    let output = command.stdin(Stdio::null()).output().await.unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let printed = String::from_utf8(output.stdout).unwrap();
    let lines = printed
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let results: Vec<Value> = lines.filter(|line| line["type"] == "tool_result").collect();
    assert_eq!(results.len(), count, "{printed}");
    for result in &results {
        assert_eq!(result["status"], "error", "{result}");
    }
    assert_eq!(files(&world.work()), before);
    assert!(!world.home().join(".profile").exists());
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_to_ask_means_no_change_of_guarded_files_in_any_mode() {
    let write = |path: &&str| calls("write_file", json!({ "file_path": path, "content": "x\n" }));
    for mode in ["yolo", "auto_edit", "default"] {
        let world = World::new();
        furnish(&world);
        expect_nothing_done(&world, mode, FILES.iter().map(write).collect()).await;
    }
    let world = World::new();
    furnish(&world);
    let together = |chunk: &[&str]| {
        let calls = chunk
            .iter()
            .map(|command| Call::new("run_shell_command", json!({ "command": command })));
        calls.fold(Reply::new(), Reply::call).finish("STOP")
    };
    let before = files(&world.work());
    let replies: Vec<Reply> = COMMANDS.chunks(10).map(together).collect();
    let server = model(replies.into_iter().chain([says("then not")])).await;
    let mut command = world.pollux(&["run", "--skip-trust", "-m", MODEL, "--yolo", "-p", "go on"]);
    with_model(&mut command, &server);
    let output = command.stdin(Stdio::null()).output().await.unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said.matches("not done: ").count(), COMMANDS.len(), "{said}");
    assert_eq!(files(&world.work()), before);
}

/// Edits of the agent in auto-edit stay in the workspace, links included.
#[tokio::test(flavor = "multi_thread")]
async fn auto_edit_edits_nothing_outside_of_the_workspace() {
    let world = World::new();
    let outside = world.tmp().join("outside");
    fs::create_dir(&outside).unwrap();
    symlink(&outside, world.work().join("link")).unwrap();
    symlink(outside.join("new"), world.work().join("dangling")).unwrap();
    let absolute = outside.join("c");
    let paths = [
        "../tmp/outside/a",
        "link/b",
        absolute.to_str().unwrap(),
        "dangling",
    ];
    let write = |path: &&str| calls("write_file", json!({ "file_path": path, "content": "x\n" }));
    expect_nothing_done(&world, "auto_edit", paths.iter().map(write).collect()).await;
    assert_eq!(files(&outside).len(), 0);
}

/// The person takes their time, and meanwhile a folder of the path becomes a link.
#[tokio::test(flavor = "multi_thread")]
async fn a_path_that_leads_elsewhere_by_the_time_it_is_allowed_is_not_written() {
    let world = World::new();
    let work = world.work();
    let outside = world.tmp().join("outside");
    for folder in [&work.join("docs"), &work.join(".vscode"), &outside] {
        fs::create_dir(folder).unwrap();
    }
    let write = |path: &str| calls("write_file", json!({ "file_path": path, "content": "x\n" }));
    let server = model([
        write("docs/tasks.json"),
        says("then not"),
        write("docs/tasks.json"),
        says("then not"),
        runs("touch docs/made"),
        says("then not"),
    ])
    .await;
    let mut talk = Talk::start(&world, &server).await;
    for to in [&work.join(".vscode"), &outside] {
        talk.say("write it").await;
        let edit = talk.event("editProposed").await;
        assert_eq!(edit["path"], "docs/tasks.json");
        swap(&work, to);
        talk.answer(&edit, json!({ "kind": "allow" })).await;
        talk.rest_unasked().await;
        fs::remove_file(work.join("docs")).unwrap();
        fs::create_dir(work.join("docs")).unwrap();
    }
    talk.say("run it").await;
    let question = talk.event("approvalRequested").await;
    swap(&work, &work.join(".vscode"));
    talk.answer(&question, json!({ "kind": "allow" })).await;
    talk.rest_unasked().await;
    talk.close().await;
    for folder in [&work.join(".vscode"), &outside] {
        assert_eq!(files(folder).len(), 0, "{}", folder.display());
    }
}

fn swap(work: &Path, to: &Path) {
    fs::remove_dir(work.join("docs")).unwrap();
    symlink(to, work.join("docs")).unwrap();
}

/// What the agent writes is a hook for whoever runs next.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_registers_hooks_is_asked_about_and_what_it_names_is_not_run() {
    let world = World::new();
    let hook = json!({ "hooks": { "BeforeTool": [{ "hooks": [
        { "type": "command", "command": "touch made" },
    ] }] } });
    let write = json!({ "file_path": ".gemini/settings.json", "content": hook.to_string() });
    let server = model([
        calls("write_file", write.clone()),
        calls("list_directory", json!({ "dir_path": "." })),
        says("then not"),
    ])
    .await;
    let mut talk = Talk::start(&world, &server).await;
    talk.ask("pollux/modeSet", json!({ "mode": "yolo" })).await;
    talk.say("go on").await;
    let edit = talk.event("editProposed").await;
    assert_eq!(edit["path"], ".gemini/settings.json");
    talk.answer(&edit, json!({ "kind": "deny" })).await;
    talk.rest_unasked().await;
    talk.close().await;
    assert_eq!(files(&world.work()).len(), 0);
    world.expect_no_process_left().await;
}
