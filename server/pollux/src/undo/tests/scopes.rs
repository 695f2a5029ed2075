//! A command is not made to keep more than it can touch.

use pollux_policy::shell;

use super::world::World;
use crate::undo::scope::{Target, real_place, targets};

fn of(world: &World, command: &str) -> Vec<String> {
    let destructions = shell::destructive(&shell::parse(command).unwrap());
    let found = targets(command, &world.root, &destructions);
    let base = world.base.to_str().unwrap();
    let name = |target: Target| match target {
        Target::Whole(path) => format!("whole {}", path.display()),
        Target::Written(path) => format!("written {}", path.display()),
        Target::Bare(path) => format!("bare {}", path.display()),
        Target::Moved(path) => format!("moved {}", path.display()),
        Target::WorkTree(tree) => format!("tree {} {:?}", tree.folder.display(), tree.within),
        Target::Stashes(path) => format!("stashes {}", path.display()),
    };
    let lines = found.into_iter().map(name);
    lines.map(|line| line.replace(base, "")).collect()
}

#[test]
fn words_tell_what_is_touched() {
    let world = World::repository();
    for (command, expected) in [
        ("rm *.txt", &["whole /w/a.txt"] as &[&str]),
        ("rm -r s?c", &["whole /w/src"]),
        ("rm src", &["bare /w/src"]),
        ("mv a.txt src", &["whole /w/src/a.txt", "moved /w/a.txt"]),
        (
            "mv src/* .",
            &[
                "whole /w/./b.txt",
                "whole /w/./staged.txt",
                "moved /w/src/b.txt",
                "moved /w/src/staged.txt",
            ],
        ),
        ("cp -r src/. new", &["written /w/new"]),
        ("cp a.txt new", &["written /w/new/a.txt"]),
        ("rm $X", &["tree /w []"]),
        ("git stash drop", &["stashes /w"]),
        ("git -C src reset --hard", &["tree /w/src []"]),
        ("git checkout -- ':!x'", &["tree /w []"]),
        ("git checkout -- src", &["tree /w [\"/w/src\"]"]),
        (
            "cd src && rm b.txt",
            &["whole /w/b.txt", "whole /w/src/b.txt"],
        ),
        ("rm [ab].txt", &["whole /w/."]),
    ] {
        assert_eq!(of(&world, command), expected, "{command}");
    }
}

#[test]
fn a_place_has_no_links_on_the_way() {
    let world = World::repository();
    std::os::unix::fs::symlink("src", world.root.join("s")).unwrap();
    for (path, real) in [
        ("s/b.txt", "src/b.txt"),
        ("s", "s"),
        ("s/", "src"),
        ("s/..", ""),
        ("./new/../a.txt", "a.txt"),
        ("none/at/../all", "none/all"),
    ] {
        assert_eq!(
            real_place(&world.root.join(path)),
            world.root.join(real),
            "{path}"
        );
    }
}
