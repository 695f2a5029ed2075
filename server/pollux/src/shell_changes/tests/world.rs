//! A workspace in which commands are run under watch.

use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pollux_agent::{ChangedFile, Changes, Content, FileThen, ShellWatch, Upcoming};
use pollux_search::{RuleFiles, Stamp};

use crate::shell_changes::DiskWatch;
use crate::shell_changes::before::STILL;
use crate::shell_changes::limits::Limits;
use crate::testing::Folder;

pub(super) struct World {
    pub(super) folder: Folder,
    pub(super) limits: Limits,
    pub(super) known: Vec<(PathBuf, Arc<str>)>,
}

impl Deref for World {
    type Target = Folder;

    fn deref(&self) -> &Folder {
        &self.folder
    }
}

impl World {
    pub(super) fn new() -> Self {
        Self {
            folder: Folder::new(),
            limits: Limits::default(),
            known: Vec::new(),
        }
    }

    /// A repository with clean files, a dirty one, an untracked one and an ignored one. What is clean is old enough
    /// for git's index to be believed.
    pub(super) fn repository() -> Self {
        let world = Self::new();
        world.write("clean.txt", "clean\n");
        world.write("src/deep.txt", "deep\n");
        world.write("dirty.txt", "committed\n");
        world.write(".gitignore", "*.log\n");
        for name in ["clean.txt", "src/deep.txt", "dirty.txt", ".gitignore"] {
            world.age(name);
        }
        world.write("noise.log", "ignored\n");
        world.shell("git init -q -b main && git add . && git commit -qm first");
        world.until_later_than("noise.log");
        world.write("dirty.txt", "dirty\n");
        world.write("untracked.txt", "untracked\n");
        world
    }

    /// An hour ago, so that nothing depends on how coarse the clock is.
    fn age(&self, path: &str) {
        let file = fs::File::options().append(true).open(self.root.join(path));
        let then = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
        file.unwrap().set_modified(then).unwrap();
    }

    /// Until the clock of the file system has moved on so far that the file counts as old. A quick git does not take
    /// that long.
    fn until_later_than(&self, path: &str) {
        let changed = |path: &Path| Stamp::of(&fs::metadata(path).unwrap()).unwrap().changed;
        let then = changed(&self.root.join(path));
        let clock = self.base.join("clock");
        loop {
            fs::write(&clock, "x").unwrap();
            if changed(&clock) > then + 2 * STILL {
                return;
            }
            std::thread::yield_now();
        }
    }

    pub(super) fn watch(&self) -> DiskWatch {
        let rules = RuleFiles::default();
        let watch = DiskWatch::new(&self.root, rules, self.environment.clone(), None);
        watch.with_limits(self.limits)
    }

    pub(super) async fn changes(&self, command: &str) -> Changes {
        let upcoming = Upcoming {
            command,
            folder: &self.root,
            known: self.known.clone(),
        };
        let watching = self.watch().before(upcoming).await.unwrap();
        self.shell(command);
        watching.after().await
    }

    /// The changes in words: a line for each file.
    pub(super) async fn told(&self, command: &str) -> String {
        let changes = self.changes(command).await;
        let files = changes.files.iter().map(|file| self.line(file));
        let lost = changes.not_reversible.iter();
        let lost = lost.map(|lost| format!("{}: lost, {}\n", self.name(&lost.path), lost.reason));
        files.chain(lost).collect()
    }

    fn line(&self, file: &ChangedFile) -> String {
        let name = self.name(&file.path);
        let from = file.moved_from.as_ref();
        let from = from.map_or(String::new(), |from| format!(" (was {})", self.name(from)));
        let then = |then: &Option<FileThen>| match then {
            None => "nothing".to_owned(),
            Some(FileThen { content, mode }) => match (content, mode) {
                (Content::Link(_), _) | (_, 0o644) => format!("{content:?}"),
                _ => format!("{content:?} {mode:o}"),
            },
        };
        format!(
            "{name}{from}: {} => {}\n",
            then(&file.before),
            then(&file.after)
        )
    }

    fn name(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap().display().to_string()
    }
}
