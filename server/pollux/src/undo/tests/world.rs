//! A workspace, a store, and trees that can be compared.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Deref;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use pollux_policy::shell;

use crate::testing::Folder;
use crate::undo::command::{chosen, told};
use crate::undo::keeper::DiskKeeper;
use crate::undo::restore::{Restored, Restoring};
use crate::undo::store::{Retention, Snapshot, Store};
use crate::undo::survey::Limits;

pub(super) struct World {
    folder: Folder,
    pub(super) store: Store,
    pub(super) limits: Limits,
    pub(super) retention: Retention,
}

impl Deref for World {
    type Target = Folder;

    fn deref(&self) -> &Folder {
        &self.folder
    }
}

/// Everything below a folder but git's own files: kind, mode, and bytes or target.
pub(super) type Tree = BTreeMap<String, String>;

impl World {
    pub(super) fn new() -> Self {
        let folder = Folder::new();
        Self {
            store: Store::new(folder.base.join("store")),
            folder,
            limits: Limits::default(),
            retention: Retention::default(),
        }
    }

    /// A repository with two commits, and changes of every kind on top.
    pub(super) fn repository() -> Self {
        let world = Self::new();
        world.shell("git init -q -b main");
        world.write("a.txt", "one\n");
        world.write("src/b.txt", "two\n");
        world.write("src/gone.txt", "soon deleted\n");
        world.write("tool.sh", "#!/bin/sh\n");
        world.mode("tool.sh", 0o755);
        world.write(".gitignore", "*.log\n/out/\n");
        world.shell("git add . && git commit -qm first");
        world.write("a.txt", "one and a half\n");
        world.write("later/new.txt", "came with the second commit\n");
        world.shell("git rm -q --cached tool.sh && git add a.txt later && git commit -qm second");
        world.shell("git add tool.sh && git commit -qm third");
        world.write("a.txt", "changed by hand\r\n");
        world.write("src/staged.txt", "staged\n");
        world.shell("git add src/staged.txt");
        world.write("src/staged.txt", "staged, then changed\n");
        fs::remove_file(world.root.join("src/gone.txt")).unwrap();
        world.write("new/deep/untracked.bin", "\0\u{ff}");
        world.mode("new/deep", 0o750);
        world.write("secret.log", "ignored\n");
        world.write("out/built", "made\n");
        std::os::unix::fs::symlink("a.txt", world.root.join("link")).unwrap();
        fs::create_dir_all(world.root.join("empty/inside")).unwrap();
        world.mode("empty", 0o700);
        world
    }

    pub(super) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap()
    }

    pub(super) fn keeper(&self) -> DiskKeeper {
        DiskKeeper::for_test(
            self.store.clone(),
            vec![self.root.clone()],
            self.environment.clone(),
            self.limits,
            self.retention,
        )
    }

    /// Keeps what a command would destroy. The name of the snapshot, if there was anything.
    pub(super) async fn try_keep(&self, command: &str) -> Result<Option<String>, String> {
        let script = shell::parse(command).unwrap();
        let destructions = shell::destructive(&script);
        assert!(!destructions.is_empty(), "`{command}` destroys nothing");
        let keeper = self.keeper();
        let kept = keeper.snapshot(command, &self.root, &destructions).await;
        kept.map_err(|error| format!("{error:#}"))
    }

    pub(super) async fn keep(&self, command: &str) -> Option<String> {
        self.try_keep(command).await.unwrap()
    }

    pub(super) async fn keep_and_run(&self, command: &str) -> Option<String> {
        let kept = self.keep(command).await;
        self.shell(command);
        kept
    }

    pub(super) fn snapshots(&self) -> Vec<Snapshot> {
        self.store.list().unwrap()
    }

    pub(super) async fn undo(&self, id: Option<&str>) -> Restored {
        let snapshots = self.snapshots();
        let snapshot = chosen(&snapshots, id).unwrap();
        let restoring = Restoring {
            store: &self.store,
            environment: &self.environment,
            retention: self.retention,
        };
        restoring.restore(snapshot).await.unwrap()
    }

    /// What a person reads, without what is different each time.
    pub(super) fn told(&self, outcome: &Restored) -> String {
        let snapshots = self.snapshots();
        let snapshot = chosen(&snapshots, Some(&outcome.id)).unwrap();
        let mut text = told(snapshot, outcome).replace(self.base.to_str().unwrap(), "");
        for (number, snapshot) in snapshots.iter().rev().enumerate() {
            text = text.replace(&snapshot.id, &format!("#{number}"));
        }
        text
    }

    pub(super) fn tree(&self) -> Tree {
        tree(&self.root)
    }

    /// Runs a command, undoes it, and compares. What the tree was in between has to differ.
    pub(super) async fn comes_back(&self, command: &str) -> Restored {
        let before = self.tree();
        let kept = self.keep_and_run(command).await;
        assert!(kept.is_some(), "`{command}` left no snapshot");
        assert_ne!(self.tree(), before, "`{command}` changed nothing");
        let outcome = self.undo(None).await;
        assert_eq!(outcome.failed, [], "`{command}`");
        assert_eq!(self.tree(), before, "`{command}`");
        outcome
    }
}

pub(super) fn tree(root: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut paths = vec![root.to_owned()];
    while let Some(path) = paths.pop() {
        let found = fs::symlink_metadata(&path).unwrap();
        let mode = found.permissions().mode() & 0o7777;
        let what = if found.is_symlink() {
            format!("-> {}", fs::read_link(&path).unwrap().display())
        } else if found.is_dir() {
            for entry in fs::read_dir(&path).unwrap() {
                let entry = entry.unwrap();
                if entry.file_name() != ".git" {
                    paths.push(entry.path());
                }
            }
            format!("{mode:o} folder")
        } else {
            format!("{mode:o} {}", fs::read(&path).unwrap().escape_ascii())
        };
        let name = path.strip_prefix(root).unwrap();
        tree.insert(name.display().to_string(), what);
    }
    tree
}
