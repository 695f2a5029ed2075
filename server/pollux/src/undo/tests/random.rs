//! Small trees of any shape, and any of the commands.

use proptest::prelude::*;

use super::world::World;

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c d", "-e", ".f", "ä"]).prop_map(str::to_owned)
}

#[derive(Clone, Debug)]
enum Thing {
    File(Vec<u8>, u32),
    Link(String),
    Folder(u32),
}

fn thing() -> impl Strategy<Value = (Vec<String>, Thing)> {
    let bytes = prop::collection::vec(any::<u8>(), 0..20);
    let file = (
        bytes,
        prop::sample::select(vec![0o644, 0o600, 0o755, 0o444]),
    );
    let thing = prop_oneof![
        3 => file.prop_map(|(bytes, mode)| Thing::File(bytes, mode)),
        1 => name().prop_map(Thing::Link),
        1 => prop::sample::select(vec![0o755, 0o700]).prop_map(Thing::Folder),
    ];
    (prop::collection::vec(name(), 1..4), thing)
}

fn plant(world: &World, things: &[(Vec<String>, Thing)]) {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    for (path, thing) in things {
        let path = path
            .iter()
            .fold(world.root.clone(), |path, name| path.join(name));
        let Some(Ok(())) = path.parent().map(fs::create_dir_all) else {
            continue;
        };
        if fs::symlink_metadata(&path).is_ok() {
            continue;
        }
        let mode = fs::Permissions::from_mode;
        match thing {
            Thing::File(bytes, bits) => {
                fs::write(&path, bytes).unwrap();
                fs::set_permissions(&path, mode(*bits)).unwrap();
            }
            Thing::Link(target) => symlink(target, &path).unwrap(),
            Thing::Folder(bits) => {
                fs::create_dir(&path).unwrap();
                fs::set_permissions(&path, mode(*bits)).unwrap();
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_tree_comes_back(
        committed in prop::collection::vec(thing(), 0..6),
        changed in prop::collection::vec(thing(), 0..6),
        since in prop::collection::vec(thing(), 0..3),
        command in prop::sample::select(vec![
            "git reset --hard", "git checkout -- .", "git clean -fdx", "rm -rf ./a ./b", "rm -rf ./*", "mv -fT ./a ./b",
            "mv -f ./a ./b", "echo x > ./a", "cp -r ./a ./b",
        ]),
    ) {
        let threads = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        threads.block_on(async {
            let world = World::new();
            world.shell("git init -q");
            plant(&world, &committed);
            world.shell("git add -A && git commit -q --allow-empty -m x");
            // As if the person had gone on: other files, and some of the old ones gone.
            world.shell("rm -rf ./b");
            plant(&world, &changed);
            let before = world.tree();
            let kept = world.keep(command).await;
            // Some of them fail, which is fine.
            world.shell(&format!("{command} 2> ../errors; true"));
            let between = world.tree();
            if kept.is_none() {
                let lost = before.iter().any(|(name, what)| between.get(name) != Some(what));
                assert!(!lost, "{command} lost something that was not kept");
                return;
            }
            plant(&world, &since);
            let with_since = world.tree();
            let outcome = world.undo(None).await;
            assert_eq!(outcome.failed, []);
            let after = world.tree();
            for (name, what) in &before {
                assert_eq!(after.get(name), Some(what), "{name}");
            }
            if with_since == between && !command.starts_with("cp") {
                assert_eq!(after, before);
            }
            if let Some(id) = outcome.before {
                let outcome = world.undo(Some(&id)).await;
                assert_eq!(outcome.failed, []);
                assert_eq!(world.tree(), with_since);
            }
        });
    }
}
