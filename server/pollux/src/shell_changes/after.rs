//! The look after a command: which files are not as they were.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pollux_agent::{Content, FileThen};
use pollux_search::{Stamp, StampKind};

use super::before::{Before, Held, Looking, Seen};
use super::copies;
use super::repository;

/// A file that may have changed.
pub(super) struct Candidate {
    pub(super) before: Option<(Stamp, Held)>,
    pub(super) after: Option<Now>,
}

/// What a file is now.
pub(super) struct Now {
    pub(super) stamp: Stamp,
    /// Nothing where it cannot be read or is too large.
    pub(super) content: Option<Content>,
}

/// What may have changed, and what was too much to look at.
#[derive(Default)]
pub(super) struct Candidates {
    pub(super) files: BTreeMap<PathBuf, Candidate>,
    pub(super) beyond: Vec<PathBuf>,
}

/// Compares the stamps, and reads what is there now of each file that differs. Nothing when the look was cut short.
pub(super) fn look(looking: &Looking<'_>, mut before: Before) -> Option<Candidates> {
    let scan = looking.scan();
    if scan.stopped.is_some() {
        return None;
    }
    let mut stamps: Vec<(PathBuf, Option<Stamp>)> = Vec::new();
    let mut new = Vec::new();
    for (path, stamp) in scan.files {
        let is_hot = before.is_hot(&stamp);
        match before.files.get_mut(path.as_os_str()) {
            Some(file) => {
                file.seen = Seen::Again;
                if file.stamp != stamp || is_hot {
                    stamps.push((path, Some(stamp)));
                }
            }
            None => new.push((path, stamp)),
        }
    }
    let mut gone = BTreeSet::new();
    for (path, file) in &before.files {
        if file.seen == Seen::Again {
            continue;
        }
        // It may only be ignored by now.
        let path = PathBuf::from(path);
        let stamp = fs::symlink_metadata(&path)
            .ok()
            .and_then(|metadata| Stamp::of(&metadata));
        if stamp.is_none() {
            gone.insert(file.stamp.inode);
        }
        if stamp != Some(file.stamp) {
            stamps.push((path, stamp));
        }
    }
    let mut arrivals = Arrivals::new(looking.root, &before);
    if has_other_rules(looking, &before, &stamps, &new) {
        // What looks new may have been there, and been ignored.
        new.retain(|(path, stamp)| {
            before.is_hot(stamp) || gone.contains(&stamp.inode) || arrivals.is_in_one(path)
        });
    }
    stamps.extend(new.into_iter().map(|(path, stamp)| (path, Some(stamp))));
    stamps.sort_unstable_by(|(left, _), (right, _)| left.cmp(right));
    Some(candidates(looking, before, stamps))
}

/// Whether other files may be ignored now than before.
fn has_other_rules(
    looking: &Looking<'_>,
    before: &Before,
    changed: &[(PathBuf, Option<Stamp>)],
    new: &[(PathBuf, Stamp)],
) -> bool {
    let paths = changed.iter().map(|(path, _)| path);
    let mut paths = paths.chain(new.iter().map(|(path, _)| path));
    let custom: Vec<PathBuf> = looking
        .rules
        .custom
        .iter()
        .map(|file| looking.root.join(file))
        .collect();
    let is_rule_file = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default();
        name == ".gitignore" || name == ".geminiignore" || custom.contains(path)
    };
    let repository = repository::find(looking.root).map(|found| found.root);
    repository != before.repository || paths.any(is_rule_file)
}

/// Folders that have come as a whole: nothing about the files in them tells.
struct Arrivals<'a> {
    root: &'a Path,
    since: &'a Before,
    known: HashMap<PathBuf, Arrived>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Arrived {
    Yes,
    No,
}

impl<'a> Arrivals<'a> {
    fn new(root: &'a Path, since: &'a Before) -> Self {
        Self {
            root,
            since,
            known: HashMap::new(),
        }
    }

    fn is_in_one(&mut self, path: &Path) -> bool {
        let folders = path.ancestors().skip(1);
        let mut below_root = folders.take_while(|folder| *folder != self.root);
        below_root.any(|folder| {
            if let Some(known) = self.known.get(folder) {
                return *known == Arrived::Yes;
            }
            let changed = fs::symlink_metadata(folder).map(|metadata| changed_at(&metadata));
            let arrived = match changed.is_ok_and(|changed| self.since.is_since(changed)) {
                true => Arrived::Yes,
                false => Arrived::No,
            };
            self.known.insert(folder.to_path_buf(), arrived);
            arrived == Arrived::Yes
        })
    }
}

#[cfg(unix)]
fn changed_at(metadata: &fs::Metadata) -> i64 {
    use std::os::unix::fs::MetadataExt;
    metadata
        .ctime()
        .saturating_mul(1_000_000_000)
        .saturating_add(metadata.ctime_nsec())
}

#[cfg(not(unix))]
fn changed_at(metadata: &fs::Metadata) -> i64 {
    metadata.modified().map_or(0, super::before::nanoseconds)
}

fn candidates(
    looking: &Looking<'_>,
    mut before: Before,
    stamps: Vec<(PathBuf, Option<Stamp>)>,
) -> Candidates {
    let mut found = Candidates::default();
    let mut budget = looking.limits.changed;
    let mut wanted = Vec::new();
    for (path, after) in stamps {
        let then = before.files.remove(path.as_os_str());
        let sizes = [then.as_ref().map(|file| file.stamp), after];
        let bytes = sizes.into_iter().flatten().map(|stamp| stamp.size).sum();
        match budget.take(bytes) {
            true => wanted.push((path, then.map(|file| (file.stamp, file.held)), after)),
            false => found.beyond.push(path),
        }
    }
    let longest = looking.limits.changed_file;
    let places: Vec<(&Path, Option<Stamp>)> = wanted
        .iter()
        .map(|(path, _, after)| (path.as_path(), *after))
        .collect();
    let mut contents: BTreeMap<usize, Content> =
        copies::in_parallel(&places, looking.threads, |(path, stamp)| {
            read(path, stamp.as_ref()?, longest)
        })
        .into_iter()
        .filter_map(|(place, content)| Some((place, content?)))
        .collect();
    for (place, (path, before, after)) in wanted.into_iter().enumerate() {
        let after = after.map(|stamp| Now {
            stamp,
            content: contents.remove(&place),
        });
        found.files.insert(path, Candidate { before, after });
    }
    found
}

fn read(path: &Path, stamp: &Stamp, longest: u64) -> Option<Content> {
    match stamp.kind {
        StampKind::File => copies::read(path, longest).ok().map(Content::Bytes),
        StampKind::Link => fs::read_link(path).ok().map(Content::Link),
    }
}

impl Now {
    pub(super) fn file(&self) -> Option<FileThen> {
        Some(FileThen {
            content: self.content.clone()?,
            mode: self.stamp.mode,
        })
    }
}

/// What a file was, if that is at hand without asking git.
pub(super) fn held(held: &Held) -> Option<Content> {
    match held {
        Held::Editor(text) => Some(Content::Text(Arc::clone(text))),
        Held::Copy(bytes) => Some(Content::Bytes(Arc::clone(bytes))),
        Held::Link(target) => Some(Content::Link(target.clone())),
        Held::Git(_) | Held::Nowhere(_) => None,
    }
}
