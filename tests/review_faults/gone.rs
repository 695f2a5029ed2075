//! Files that vanish or move under a pending hunk, files of other users, and what killed processes leave behind.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};

use serde_json::{Value, json};

use super::{editor, end, left_over, run_command, run_writes, writes};
use crate::support::plain::{pending_in, review, review_where, run};
use crate::support::talk::{model, says, with_model};
use crate::support::world::World;

/// Some user that is not the one who runs the tests.
const NOBODY: u32 = 65_534;

fn files(review: &Value) -> Vec<String> {
    let files = review["files"].as_array().unwrap().iter();
    files
        .map(|file| file["path"].as_str().unwrap().to_owned())
        .collect()
}

async fn tells_of(editor: &pollux_testkit::fake_editor::FakeEditor, world: &World, names: &[&str]) {
    let changes: Vec<Value> = names
        .iter()
        .map(|name| {
            let kind = match world.work().join(name).exists() {
                true => 1,
                false => 3,
            };
            json!({ "uri": world.uri(name), "type": kind })
        })
        .collect();
    editor
        .notify(
            "workspace/didChangeWatchedFiles",
            json!({ "changes": changes }),
        )
        .await;
}

/// With and without a word of the editor about it.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_was_deleted_stays_deleted_and_nothing_of_it_is_left_to_decide() {
    for is_told in [true, false] {
        let world = World::new();
        let file = world.work().join("a.txt");
        fs::write(&file, "old\nsame\n").unwrap();
        let (editor, door) = editor(&world).await;
        run_writes(&world, "a.txt", "new\nsame\n").await;
        pending_in(&editor, "a.txt", 1).await;
        fs::remove_file(&file).unwrap();
        if is_told {
            tells_of(&editor, &world, &["a.txt"]).await;
            pending_in(&editor, "a.txt", 0).await;
        }
        let reject = json!({ "command": "pollux.all.reject", "arguments": [] });
        let params = json!({ "command": reject["command"], "arguments": [] });
        let rejected = editor.request("workspace/executeCommand", params).await;
        assert_eq!(rejected.is_err(), is_told, "{rejected:?}");
        let now = review_where(&editor, |review| files(review).is_empty()).await;
        assert_eq!(now["rejected"].as_array().unwrap().len(), 0, "{now}");
        assert!(!file.exists(), "told: {is_told}");

        // With the same text it is the same file, and its hunks are there again.
        fs::write(&file, "new\nsame\n").unwrap();
        tells_of(&editor, &world, &["a.txt"]).await;
        pending_in(&editor, "a.txt", 1).await;
        run(&editor, &reject).await;
        pending_in(&editor, "a.txt", 0).await;
        assert_eq!(fs::read_to_string(&file).unwrap(), "old\nsame\n");
        end(&world, editor, door).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_file_is_not_made_by_undoing_the_turn() {
    let world = World::new();
    let file = world.work().join("a.txt");
    fs::write(&file, "old\nsame\n").unwrap();
    run_writes(&world, "a.txt", "new\nsame\n").await;
    fs::remove_file(&file).unwrap();
    let undone = world.pollux(&["undo", "--turn"]).output().await.unwrap();
    assert_eq!(undone.status.code(), Some(0), "{undone:?}");
    assert!(!file.exists());
    let (editor, door) = editor(&world).await;
    assert_eq!(files(&review(&editor).await), Vec::<String>::new());
    end(&world, editor, door).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_was_moved_takes_its_hunks_along() {
    for to in ["z.txt", "sub/z.txt"] {
        let world = World::new();
        fs::create_dir(world.work().join("sub")).unwrap();
        fs::write(world.work().join("a.txt"), "old\nsame\n").unwrap();
        let (editor, door) = editor(&world).await;
        run_writes(&world, "a.txt", "new\nsame\n").await;
        pending_in(&editor, "a.txt", 1).await;
        fs::rename(world.work().join("a.txt"), world.work().join(to)).unwrap();
        tells_of(&editor, &world, &["a.txt", to]).await;
        pending_in(&editor, to, 1).await;
        assert_eq!(files(&review(&editor).await), [to]);
        let reject = json!({ "command": "pollux.all.reject", "arguments": [] });
        run(&editor, &reject).await;
        pending_in(&editor, to, 0).await;
        let text = fs::read_to_string(world.work().join(to)).unwrap();
        assert_eq!(text, "old\nsame\n");
        assert!(!world.work().join("a.txt").exists());
        end(&world, editor, door).await;
    }
}

/// Nobody was there to see it.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_was_moved_between_two_hosts_is_found_beside_where_it_was() {
    let world = World::new();
    fs::write(world.work().join("a.txt"), "old\nsame\n").unwrap();
    run_writes(&world, "a.txt", "new\nsame\n").await;
    fs::rename(world.work().join("a.txt"), world.work().join("z.txt")).unwrap();
    let (editor, door) = editor(&world).await;
    pending_in(&editor, "z.txt", 1).await;
    end(&world, editor, door).await;
}

/// A run as somebody else than the owner of the file, in a folder of their own.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_somebody_else_keeps_its_owner_and_is_written_only_by_those_who_may() {
    if !rustix::process::geteuid().is_root() {
        // Only root can make files of two users; a user that tests as themselves has one of root in every system.
        return owned_by_root_is_refused();
    }
    for (mode, code, text) in [(0o644, None, "old\n"), (0o666, Some(0), "new\n")] {
        let world = World::new();
        let file = world.work().join("a.txt");
        fs::write(&file, "old\n").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        world.give_to(NOBODY);
        chown(&file, Some(0), Some(0)).unwrap();
        let server = model([writes("a.txt", "new\n"), says("done")]).await;
        // Where tests are built, others may not look.
        let program = world.tmp().join("pollux");
        fs::copy(env!("CARGO_BIN_EXE_pollux"), &program).unwrap();
        let run = run_command(&world, &server);
        let mut command = world.command(&program);
        command.args(run.as_std().get_args());
        with_model(&mut command, &server);
        command.uid(NOBODY).gid(NOBODY);
        let output = command.output().await.unwrap();
        if let Some(code) = code {
            assert_eq!(output.status.code(), Some(code), "{output:?}");
        }
        assert_eq!(
            fs::read_to_string(&file).unwrap(),
            text,
            "{mode:o}: {output:?}"
        );
        let now = fs::metadata(&file).unwrap();
        assert_eq!((now.uid(), now.gid(), now.mode() & 0o777), (0, 0, mode));
        assert_eq!(left_over(&world), Vec::<String>::new());
    }
    // Root may write everything, and a file stays its owner's.
    let world = World::new();
    let file = world.work().join("a.txt");
    fs::write(&file, "old\n").unwrap();
    chown(&file, Some(NOBODY), Some(NOBODY)).unwrap();
    run_writes(&world, "a.txt", "new\n").await;
    assert_eq!(fs::read_to_string(&file).unwrap(), "new\n");
    let now = fs::metadata(&file).unwrap();
    assert_eq!((now.uid(), now.gid()), (NOBODY, NOBODY));
}

fn owned_by_root_is_refused() {
    let hosts = fs::metadata("/etc/hosts").unwrap();
    assert_eq!(hosts.uid(), 0);
    assert!(
        fs::OpenOptions::new()
            .write(true)
            .open("/etc/hosts")
            .is_err()
    );
}

/// A process that was killed left this; the next edit in the folder removes it, and nothing that only looks like it.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_killed_process_left_is_removed_and_nothing_of_a_person() {
    let world = World::new();
    let mut killed = world.command("true").spawn().unwrap();
    let number = killed.id().unwrap();
    killed.wait().await.unwrap();
    let abandoned = format!(".pollux-{number}-aB3dE6.tmp");
    let living = format!(".pollux-{}-aB3dE6.tmp", std::process::id());
    let named = [
        ".pollux-notes",
        ".pollux-abcdef",
        &format!(".pollux-{number}-mine.tmp"),
        &format!(".pollux-{number}-aB3dE6.tmp.txt"),
    ]
    .map(str::to_owned);
    for name in named.iter().chain([&abandoned, &living]) {
        fs::write(world.work().join(name), "text").unwrap();
    }
    fs::write(world.work().join("a.txt"), "old\n").unwrap();
    run_writes(&world, "a.txt", "new\n").await;
    let mut left = left_over(&world);
    left.sort();
    let mut expected: Vec<String> = named.into_iter().chain([living]).collect();
    expected.sort();
    assert_eq!(left, expected);
}
