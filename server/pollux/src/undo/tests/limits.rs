//! How much is kept, and what happens when it is too much.

use std::fs;

use super::world::World;
use crate::undo::store::Retention;
use crate::undo::survey::Budget;

const SMALL: Budget = Budget {
    bytes: 100,
    files: 5,
};

fn small() -> World {
    let mut world = World::new();
    world.limits.inside = SMALL;
    world.limits.outside = SMALL;
    world.limits.expendable = SMALL;
    world
}

#[tokio::test]
async fn too_much_stops_the_command_in_a_sentence() {
    let world = small();
    world.write("data/large", "x".repeat(101));
    let refused = world.try_keep("rm -r data").await.unwrap_err();
    assert_eq!(
        refused.replace(world.base.to_str().unwrap(), ""),
        "/w/data is too large to be kept; destroy less at a time, or let the person run the command in a terminal"
    );
    for name in 0..6 {
        world.write(&format!("many/{name}"), "");
    }
    world.try_keep("rm -r many").await.unwrap_err();
    assert_eq!(world.snapshots(), []);
    // A few of them are few enough.
    assert!(world.try_keep("rm many/0 many/1").await.is_ok());
}

#[tokio::test]
async fn what_can_be_made_again_does_not_stop_a_command() {
    let world = small();
    world.shell("git init -q");
    world.write(".gitignore", "/out/\n.env\n");
    world.write(".env", "KEY=1");
    world.write("out/large", "x".repeat(101));
    world.write("node_modules/x/large", "x".repeat(101));
    world.write("cache/CACHEDIR.TAG", "");
    world.write("cache/large", "x".repeat(101));
    assert_eq!(world.keep("rm -rf out node_modules cache").await, None);
    world.keep("rm -rf out .env").await.unwrap();
    world.shell("rm -rf out .env");
    let outcome = world.undo(None).await;
    assert_eq!(world.read(".env"), "KEY=1");
    let told = world.told(&outcome);
    assert!(
        told.contains("/w/out was not kept: it is large, and can be made again."),
        "{told}"
    );
}

#[tokio::test]
async fn something_large_that_is_moved_is_not_removed_from_where_it_went() {
    let world = small();
    world.write("large", "x".repeat(101));
    world.write("small", "1");
    world.keep_and_run("mv large elsewhere && rm small").await;
    world.undo(None).await;
    assert_eq!(world.read("elsewhere").len(), 101);
    assert_eq!(world.read("small"), "1");
}

#[tokio::test]
async fn outside_the_workspace_little_is_kept_and_much_is_refused() {
    let world = small();
    let outside = world.base.join("outside");
    fs::write(&outside, "1").unwrap();
    let command = format!("rm {}", outside.display());
    world.keep_and_run(&command).await;
    world.undo(None).await;
    assert_eq!(fs::read_to_string(&outside).unwrap(), "1");
    let refused = world.try_keep("rm -rf /usr").await.unwrap_err();
    assert!(
        refused.starts_with("/usr is outside the workspace"),
        "{refused}"
    );
}

#[tokio::test]
async fn what_was_kept_is_not_destroyed_by_the_next_command() {
    let world = World::new();
    world.write("a", "1");
    world.keep("rm a").await.unwrap();
    for path in [world.store.folder(), &world.base] {
        let command = format!("rm -rf {}", path.display());
        let refused = world.try_keep(&command).await.unwrap_err();
        assert!(refused.contains("holds what was kept"), "{refused}");
    }
}

#[tokio::test]
async fn a_command_that_destroys_nothing_leaves_no_snapshot() {
    let world = World::new();
    world.write("a", "1");
    for command in [
        "echo x > new",
        "rm -f none",
        "cp a b",
        "rm *.o",
        "git reset --hard",
    ] {
        assert_eq!(world.keep(command).await, None, "{command}");
    }
    assert!(!world.store.folder().exists());
}

#[tokio::test]
async fn devices_and_pipes_are_not_read() {
    let world = World::new();
    world.shell("mkfifo pipe && echo 1 > a");
    assert_eq!(world.keep("echo x > /dev/null > /dev/stderr").await, None);
    world.keep_and_run("rm pipe a").await.unwrap();
    let outcome = world.undo(None).await;
    assert_eq!(world.read("a"), "1\n");
    assert_eq!(outcome.left_out.len(), 1);
}

#[tokio::test]
async fn the_oldest_make_room() {
    let mut world = World::new();
    world.retention = Retention {
        snapshots: 3,
        bytes: 10,
    };
    world.write("a", "1");
    let mut kept = Vec::new();
    for _ in 0..5 {
        kept.push(world.keep("rm a").await.unwrap());
    }
    let ids = |world: &World| -> Vec<String> {
        let snapshots = world.snapshots().into_iter();
        snapshots.map(|snapshot| snapshot.id).collect()
    };
    let newest: Vec<String> = kept.into_iter().rev().take(3).collect();
    assert_eq!(ids(&world), newest);
    world.write("b", "x".repeat(11));
    let large = world.keep("rm b").await.unwrap();
    assert_eq!(ids(&world), [large]);
}
