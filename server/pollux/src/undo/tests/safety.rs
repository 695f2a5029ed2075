//! Nothing is lost on the way back, and nothing is written where it should not be.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use expect_test::expect;
use pollux_agent::Keeper;
use pollux_policy::shell;
use pollux_sessions::project_for;
use pollux_settings::{Environment, Locations};

use super::world::{World, tree};
use crate::undo::command::find;
use crate::undo::keeper::{DiskKeeper, store};
use crate::undo::store::Standing;

#[tokio::test]
async fn an_undo_can_be_undone_and_done_again() {
    let world = World::repository();
    let before = world.tree();
    let id = world.keep_and_run("git clean -fdx").await.unwrap();
    let between = world.tree();
    let outcome = world.undo(None).await;
    assert_eq!(world.tree(), before);
    let outcome = world.undo(outcome.before.as_deref()).await;
    assert_eq!(outcome.failed, []);
    assert_eq!(world.tree(), between);
    let outcome = world.undo(None).await;
    assert_eq!(outcome.id, id);
    assert_eq!(world.tree(), before);
}

#[tokio::test]
async fn what_a_person_wrote_since_is_kept_and_told() {
    let world = World::new();
    world.write("src/a", "first\n");
    world.write("src/b", "same\n");
    world.keep_and_run("rm -r src").await;
    world.write("src/a", "typed since\n");
    world.write("src/mine", "not in the snapshot\n");
    let before = world.tree();
    let outcome = world.undo(None).await;
    expect![[r#"
        Undone: rm -r src
          back     /w/src/a
          back     /w/src/b
        What was in 1 file before is kept.
        To take this back: pollux undo #1
    "#]]
    .assert_eq(&world.told(&outcome));
    assert_eq!(world.read("src/a"), "first\n");
    assert_eq!(world.read("src/mine"), "not in the snapshot\n");
    world.undo(outcome.before.as_deref()).await;
    assert_eq!(world.tree(), before);
}

#[tokio::test]
async fn undoing_again_goes_further_back() {
    let world = World::new();
    for text in ["1", "2", "3"] {
        world.write("a", text);
        world.keep_and_run("echo x > a").await;
    }
    for text in ["3", "2", "1"] {
        world.undo(None).await;
        assert_eq!(world.read("a"), text);
    }
    let snapshots = world.snapshots();
    let waiting = snapshots
        .iter()
        .filter(|snapshot| snapshot.standing == Standing::Waiting);
    assert!(
        waiting
            .clone()
            .all(|snapshot| snapshot.about.undoes.is_some())
    );
    assert_eq!((snapshots.len(), waiting.count()), (6, 3));
}

#[tokio::test]
async fn a_snapshot_whose_maker_was_killed_is_never_offered_and_goes_away() {
    let world = World::new();
    world.write("a", "1");
    let id = world.keep("rm a").await.unwrap();
    let folder = world.store.folder();
    // As it is before the last step, and before the one before that.
    fs::rename(folder.join(&id), folder.join(".making-1")).unwrap();
    fs::write(folder.join(".making-1/lock"), "").unwrap();
    assert_eq!(world.snapshots(), []);
    fs::create_dir(folder.join("20200102-030405-678")).unwrap();
    fs::copy(
        folder.join(".making-1/about.json"),
        folder.join("20200102-030405-678/about.json"),
    )
    .unwrap();
    assert_eq!(world.snapshots(), []);
    world.keep("rm a").await.unwrap();
    assert!(!folder.join(".making-1").exists());
    assert_eq!(world.snapshots().len(), 1);
}

#[tokio::test]
async fn a_snapshot_that_is_being_made_is_left_alone() {
    let world = World::new();
    world.write("a", "1");
    let making = world.store.make().unwrap();
    world.keep("rm a").await.unwrap();
    let hidden = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().contains("making");
    let entries = fs::read_dir(world.store.folder()).unwrap().flatten();
    assert_eq!(entries.filter(hidden).count(), 1);
    drop(making);
    let entries = fs::read_dir(world.store.folder()).unwrap().flatten();
    assert_eq!(entries.filter(hidden).count(), 0);
}

#[tokio::test]
async fn nobody_else_can_read_what_was_kept() {
    let world = World::new();
    world.write("a", "1");
    world.mode("a", 0o666);
    world.keep("rm a").await.unwrap();
    for (name, what) in tree(world.store.folder()) {
        let private = what.starts_with("600 ") || what == "700 folder";
        assert!(private, "{name} {what}");
    }
}

#[tokio::test]
async fn a_folder_that_became_a_link_is_not_written_through() {
    let world = World::new();
    world.write("src/a", "1");
    world.keep_and_run("rm src/a").await;
    let outside = world.base.join("outside");
    fs::create_dir(&outside).unwrap();
    fs::remove_dir(world.root.join("src")).unwrap();
    symlink(&outside, world.root.join("src")).unwrap();
    let outcome = world.undo(None).await;
    assert_eq!(outcome.failed.len(), 1);
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    // What did not come back whole can be tried again.
    assert_eq!(world.undo(None).await.id, outcome.id);
}

#[tokio::test]
async fn a_link_in_place_of_a_kept_folder_makes_way_for_it() {
    let world = World::new();
    world.write("src/a", "1");
    let before = world.tree();
    world.keep_and_run("rm -r src").await;
    let outside = world.base.join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("a"), "theirs").unwrap();
    symlink(&outside, world.root.join("src")).unwrap();
    let between = world.tree();
    let outcome = world.undo(None).await;
    assert_eq!(outcome.failed, []);
    assert_eq!(world.tree(), before);
    assert_eq!(fs::read_to_string(outside.join("a")).unwrap(), "theirs");
    // The link itself was in the way, and nothing behind it.
    let before = world.store.manifest(outcome.before.as_deref().unwrap());
    assert_eq!(before.unwrap().entries.len(), 1);
    world.undo(outcome.before.as_deref()).await;
    assert_eq!(world.tree(), between);
}

#[tokio::test]
async fn a_folder_in_place_of_a_kept_file_is_kept_with_everything_in_it() {
    let world = World::new();
    world.write("a", "1");
    world.keep_and_run("rm a").await;
    world.write("a/deep/b", "2");
    let between = world.tree();
    let outcome = world.undo(None).await;
    assert_eq!(world.read("a"), "1");
    world.undo(outcome.before.as_deref()).await;
    assert_eq!(world.tree(), between);
}

#[tokio::test]
async fn a_link_in_the_store_is_not_followed() {
    let world = World::new();
    world.write("a", "1");
    let id = world.keep_and_run("rm a").await.unwrap();
    let secret = world.base.join("secret");
    fs::write(&secret, "1").unwrap();
    let blob = world.store.folder().join(&id).join("0");
    fs::remove_file(&blob).unwrap();
    symlink(&secret, &blob).unwrap();
    assert_eq!(world.undo(None).await.failed.len(), 1);
    assert!(!world.root.join("a").exists());
}

#[tokio::test]
async fn a_damaged_copy_is_not_put_in_place() {
    let world = World::new();
    world.write("a", "1");
    let id = world.keep("rm a").await.unwrap();
    world.write("a", "2");
    fs::write(world.store.folder().join(&id).join("0"), "?").unwrap();
    let outcome = world.undo(None).await;
    assert_eq!(outcome.failed[0].why, "the kept copy is damaged");
    assert_eq!(world.read("a"), "2");
    assert_eq!(world.tree().len(), 2);
}

#[tokio::test]
async fn modes_and_times_come_back() {
    let world = World::new();
    world.write("locked/run", "1");
    world.mode("locked/run", 0o4751);
    let then = UNIX_EPOCH + Duration::new(1_000_000_000, 123_456_789);
    let file = fs::File::open(world.root.join("locked/run")).unwrap();
    file.set_modified(then).unwrap();
    world.mode("locked", 0o500);
    let before = world.tree();
    world.keep("rm -rf locked").await;
    world.mode("locked", 0o700);
    world.shell("rm -rf locked");
    let outcome = world.undo(None).await;
    assert_eq!(outcome.failed, []);
    assert_eq!(world.tree(), before);
    let found = fs::metadata(world.root.join("locked/run")).unwrap();
    assert_eq!(found.modified().unwrap(), then);
    assert_eq!(found.mode() & 0o7777, 0o4751);
    world.mode("locked", 0o700);
}

#[tokio::test]
async fn names_that_are_no_text_come_back() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let world = World::new();
    let name = OsStr::from_bytes(b"src/\xff\n\"x");
    world.write("src/a", "1");
    fs::write(world.root.join(name), "2").unwrap();
    let before = world.tree();
    world.keep_and_run("rm -r src").await;
    world.undo(None).await;
    assert_eq!(world.tree(), before);
    assert_eq!(fs::read(world.root.join(name)).unwrap(), b"2");
}

#[test]
fn what_a_terminal_would_obey_is_not_printed() {
    let shown = crate::undo::command::shown("rm a # \u{1b}]0;x\u{7}\nls");
    assert_eq!(shown, "rm a # \u{fffd}]0;x\u{fffd}⏎ls");
}

#[tokio::test]
async fn staged_changes_of_now_are_not_traded_for_those_of_then() {
    let world = World::repository();
    world.keep_and_run("git reset --hard").await;
    world.write("fresh", "1");
    world.shell("git add fresh");
    let outcome = world.undo(None).await;
    assert_eq!(outcome.failed, []);
    assert!(world.shell("git status --porcelain").contains("A  fresh"));
    assert_eq!(world.read("src/staged.txt"), "staged, then changed\n");
}

#[tokio::test]
async fn a_private_file_stays_private_while_it_is_brought_back() {
    let world = World::new();
    world.write("key", "secret");
    world.mode("key", 0o600);
    world.keep_and_run("rm key").await;
    world.undo(None).await;
    let found = fs::metadata(world.root.join("key")).unwrap();
    assert_eq!(found.permissions().mode() & 0o777, 0o600);
}

#[tokio::test]
async fn snapshots_are_found_from_any_folder_of_the_workspace() {
    let world = World::new();
    world.write("src/deep/a", "1");
    let variables = world.environment.iter();
    let environment: Environment = variables
        .map(|(name, value)| (name.to_str().unwrap(), value.to_str().unwrap()))
        .collect();
    let locations = Locations::new(&environment, &world.root);
    let project = project_for(&locations, &world.root, SystemTime::now()).unwrap();
    let roots = [world.root.clone()];
    let keeper = DiskKeeper::new(
        store(&locations, &project.slug),
        &roots,
        world.environment.clone(),
    );
    let command = "rm src/deep/a";
    let destructions = shell::destructive(&shell::parse(command).unwrap());
    assert!(find(&world.root, &environment).unwrap().is_none());
    keeper
        .keep(command, &world.root, &destructions)
        .await
        .unwrap();
    let (found, snapshots) = find(&world.root.join("src/deep"), &environment)
        .unwrap()
        .unwrap();
    assert!(found.folder().ends_with(".gemini/pollux/undo/w"));
    assert_eq!(snapshots.len(), 1);
    assert!(find(&world.base, &environment).unwrap().is_none());
}
