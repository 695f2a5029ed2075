//! Visits every file below a folder that is not ignored, on several threads.
//!
//! Why not the walker of the `ignore` crate: it cannot let the agent's ignore files bring back what git's ignore, and it
//! visits in no order. Here folders are taken in the order of their paths, roughly, which lets a search that has
//! enough leave out everything behind it.

mod queue;
#[cfg(test)]
mod tests;

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::closed::closed_name;
use crate::rules::{FolderRules, Holds, Kind};
use crate::{Excludes, Stopped, Tree};
use queue::Queue;

/// So many files of one folder are visited by one thread in a row.
const BATCH: usize = 64;

/// Sees the files. Every thread has its own.
pub(crate) trait Visitor: Send {
    /// Whether what is in a folder can be of interest; asked before it is read.
    fn enters(&mut self, place: Place<'_>) -> bool;
    fn file(&mut self, file: Found<'_>);
}

/// A path, in the ways it is needed.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) path: &'a Path,
    /// From where the walk started.
    pub(crate) below_start: &'a Path,
    /// How many folders below the start; its own entries are at zero.
    pub(crate) depth: usize,
}

pub(crate) struct Found<'a> {
    pub(crate) place: Place<'a>,
    pub(crate) entry: &'a DirEntry,
    pub(crate) kind: FileKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    Regular,
    /// To a file or a folder, or to nothing. Never followed.
    Link,
}

/// A folder that was not ignored.
struct Folder {
    path: PathBuf,
    below_start: PathBuf,
    depth: usize,
    rules: FolderRules,
}

enum Task {
    Read(Folder),
    /// Some of a large folder's files.
    Files(Arc<Folder>, Vec<(OsString, DirEntry)>),
}

/// Walks everything below `start`, an absolute path of a folder in the tree's project.
///
/// Gives back the visitors, and why the walk stopped if it did. Folders that cannot be read have no files.
pub(crate) fn walk<V: Visitor>(
    tree: &Tree<'_>,
    start: &Path,
    excludes: &Excludes,
    visitor: impl Fn() -> V + Sync,
) -> (Vec<V>, Option<Stopped>) {
    let Some(rules) = start_rules(tree, start) else {
        return (Vec::new(), None);
    };
    let first = Task::Read(Folder {
        path: start.to_path_buf(),
        below_start: PathBuf::new(),
        depth: 0,
        rules,
    });
    let queue = Queue::new(first);
    let done = Mutex::new((Vec::new(), None));
    let work = || {
        let mut worker = Worker {
            tree,
            excludes,
            queue: &queue,
            visitor: visitor(),
            path: PathBuf::new(),
            below_start: PathBuf::new(),
            stopped: None,
        };
        queue.work(|task| worker.run(task));
        let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
        done.0.push(worker.visitor);
        done.1 = done.1.or(worker.stopped);
    };
    std::thread::scope(|scope| {
        for _ in 1..tree.threads {
            scope.spawn(work);
        }
        work();
    });
    done.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// The rules for what is in the folder where a walk starts; none if the folder is ignored.
fn start_rules(tree: &Tree<'_>, start: &Path) -> Option<FolderRules> {
    match tree.rules.relative(start) {
        Some(relative) if tree.rules.leads_to_ignored(&relative, Kind::Folder) => None,
        Some(relative) => tree.rules.folder(&relative),
        // Outside the project no rule holds.
        None => Some(FolderRules::default()),
    }
}

struct Worker<'a, V> {
    tree: &'a Tree<'a>,
    excludes: &'a Excludes,
    queue: &'a Queue<Task>,
    visitor: V,
    /// Reused for every entry, because a walk is mostly the making of paths.
    path: PathBuf,
    below_start: PathBuf,
    stopped: Option<Stopped>,
}

impl<V: Visitor> Worker<'_, V> {
    fn run(&mut self, task: Task) {
        match task {
            Task::Read(folder) => {
                let place = Place {
                    path: &folder.path,
                    below_start: &folder.below_start,
                    depth: folder.depth,
                };
                if !self.is_stopped() && self.visitor.enters(place) {
                    self.read(folder);
                }
            }
            Task::Files(folder, entries) => self.visit(&folder, &entries),
        }
    }

    fn read(&mut self, mut folder: Folder) {
        let Ok(entries) = fs::read_dir(&folder.path) else {
            return;
        };
        let mut files = Vec::new();
        let mut folders = Vec::new();
        let mut holds = Holds::default();
        for entry in entries.flatten() {
            let name = entry.file_name();
            holds.repository |= name == OsStr::new(".git");
            holds.ignore_file |= name == OsStr::new(".gitignore");
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(name),
                Ok(kind) if kind.is_file() || kind.is_symlink() => files.push((name, entry)),
                // A socket, a pipe, a device.
                _ => {}
            }
        }
        // The start's own rules are known already.
        if folder.depth > 0 {
            folder.rules = self.tree.rules.enter(&folder.rules, &folder.path, holds);
        }
        // The last in the queue is taken first.
        folders.sort_unstable_by(|left, right| right.cmp(left));
        self.copy_paths(&folder);
        let mut tasks = Vec::new();
        for name in folders {
            self.path.push(&name);
            self.below_start.push(&name);
            if self.is_open(&folder.rules, &name) {
                tasks.push(Task::Read(Folder {
                    path: self.path.clone(),
                    below_start: self.below_start.clone(),
                    depth: folder.depth + 1,
                    rules: folder.rules.clone(),
                }));
            }
            self.path.pop();
            self.below_start.pop();
        }
        let folder = Arc::new(folder);
        while files.len() > BATCH {
            let rest = files.split_off(files.len() - BATCH);
            tasks.push(Task::Files(Arc::clone(&folder), rest));
        }
        self.queue.add(tasks);
        self.visit(&folder, &files);
    }

    fn visit(&mut self, folder: &Folder, files: &[(OsString, DirEntry)]) {
        self.copy_paths(folder);
        for (name, entry) in files {
            if self.is_stopped() {
                return;
            }
            self.path.push(name);
            self.below_start.push(name);
            if let Some(kind) = self.wanted(&folder.rules, entry, name) {
                self.visitor.file(Found {
                    place: Place {
                        path: &self.path,
                        below_start: &self.below_start,
                        depth: folder.depth,
                    },
                    entry,
                    kind,
                });
            }
            self.path.pop();
            self.below_start.pop();
        }
    }

    fn is_open(&self, rules: &FolderRules, name: &OsStr) -> bool {
        closed_name(name).is_none()
            && !self.excludes.has_folder(name, &self.below_start)
            && !self
                .tree
                .rules
                .is_entry_ignored(rules, &self.path, Kind::Folder)
    }

    fn wanted(&self, rules: &FolderRules, entry: &DirEntry, name: &OsStr) -> Option<FileKind> {
        let is_out = closed_name(name).is_some()
            || self.excludes.has_file(name, &self.below_start)
            || self
                .tree
                .rules
                .is_entry_ignored(rules, &self.path, Kind::File);
        if is_out {
            return None;
        }
        Some(match entry.file_type() {
            Ok(kind) if kind.is_symlink() => FileKind::Link,
            _ => FileKind::Regular,
        })
    }

    fn is_stopped(&mut self) -> bool {
        if self.stopped.is_none() {
            self.stopped = self.tree.cancel.reason();
            if self.stopped.is_some() {
                self.queue.clear();
            }
        }
        self.stopped.is_some()
    }

    fn copy_paths(&mut self, folder: &Folder) {
        self.path.clone_from(&folder.path);
        self.below_start.clone_from(&folder.below_start);
    }
}

/// Whether a file that is only in an editor would be visited by such a walk.
pub(crate) fn would_visit(tree: &Tree<'_>, start: &Path, path: &Path, excludes: &Excludes) -> bool {
    let Ok(below_start) = path.strip_prefix(start) else {
        return false;
    };
    let Some(name) = below_start.file_name() else {
        return false;
    };
    let mut folders = below_start.ancestors().skip(1);
    let is_excluded = excludes.has_file(name, below_start)
        || folders.any(|folder| {
            folder
                .file_name()
                .is_some_and(|name| excludes.has_folder(name, folder))
        });
    crate::closed_segment(below_start).is_none()
        && !is_excluded
        && !tree.rules.is_ignored(path, Kind::File)
}
