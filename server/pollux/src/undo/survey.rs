//! What there is to keep, found on disk within limits.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use pollux_search::{IgnoreRules, Kind, Respect, RuleFiles};

use super::manifest::{KeptPath, LeftOut};
use super::platform;
use super::scope::real_place;

/// How much one snapshot may hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) inside: Budget,
    /// For what lies outside the workspace: a word too much must not copy a home folder.
    pub(crate) outside: Budget,
    /// For what can be made again or is not lost. It is left out when it is more.
    pub(crate) expendable: Budget,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    pub(crate) bytes: u64,
    pub(crate) files: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            inside: Budget {
                bytes: 512 << 20,
                files: 20_000,
            },
            outside: Budget {
                bytes: 32 << 20,
                files: 1_000,
            },
            expendable: Budget {
                bytes: 64 << 20,
                files: 2_000,
            },
        }
    }
}

impl Budget {
    /// Nobody has to be spared what a person asked for.
    pub(crate) const ENDLESS: Self = Self {
        bytes: u64::MAX,
        files: usize::MAX,
    };

    fn take(&mut self, bytes: u64) -> bool {
        let left = (self.bytes.checked_sub(bytes), self.files.checked_sub(1));
        match left {
            (Some(bytes), Some(files)) => {
                *self = Self { bytes, files };
                true
            }
            _ => false,
        }
    }
}

/// What is at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    File,
    Link(PathBuf),
    Folder {
        mode: u32,
    },
    Absent,
    /// Something that is absent would be in it.
    NoFolder,
}

impl Found {
    pub(crate) fn is_something(&self) -> bool {
        !matches!(self, Self::Absent | Self::NoFolder)
    }
}

/// Everything to keep so far.
pub(crate) struct Survey {
    roots: Vec<IgnoreRules>,
    /// Where the snapshots are.
    store: PathBuf,
    limits: Limits,
    pub(crate) found: BTreeMap<PathBuf, Found>,
    pub(crate) left_out: Vec<LeftOut>,
    /// What is looked at when all that matters more has been.
    later: Vec<(PathBuf, Why)>,
}

/// Why something is kept only if it is small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Why {
    Ignored,
    Moved,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ignored => "it is large, and can be made again",
            Self::Moved => "it is large, and was moved and not destroyed",
        })
    }
}

/// How a walk ended.
enum Walked {
    Whole,
    TooMuch,
}

impl Survey {
    /// The roots and the store must be without links.
    pub(crate) fn new(roots: &[PathBuf], store: &Path, limits: Limits) -> Self {
        // What only the agent is not to see is no less worth keeping.
        let files = RuleFiles {
            gemini: Respect::No,
            ..RuleFiles::default()
        };
        let rules = roots.iter().map(|root| IgnoreRules::new(root, &files));
        Self {
            roots: rules.collect(),
            store: store.to_owned(),
            limits,
            found: BTreeMap::new(),
            left_out: Vec::new(),
            later: Vec::new(),
        }
    }

    /// A file, or a folder with everything in it. What is not there is noted too.
    pub(crate) fn whole(&mut self, path: &Path) -> Result<()> {
        let place = real_place(path);
        if self.store.starts_with(&place) || place.starts_with(&self.store) {
            bail!(
                "{} holds what was kept of earlier commands; remove it in a terminal of your own if you mean to",
                place.display()
            );
        }
        // Nothing there is a file, whatever it looks like.
        if ["/dev", "/proc"]
            .iter()
            .any(|made_up| place.starts_with(made_up))
        {
            return Ok(());
        }
        if self.is_expendable(&place) {
            self.later.push((place, Why::Ignored));
            return Ok(());
        }
        self.within_limits(&place, Expendable::Later)
    }

    /// The same for what git says is precious, whatever the ignore files say.
    pub(crate) fn precious(&mut self, path: &Path) -> Result<()> {
        self.within_limits(&real_place(path), Expendable::Now)
    }

    /// Whatever is at a place that is known to have no links in its path, however large it is.
    pub(crate) fn as_it_is(&mut self, place: &Path) -> Result<()> {
        self.within_limits(place, Expendable::Now)
    }

    fn within_limits(&mut self, place: &Path, expendable: Expendable) -> Result<()> {
        let inside = self
            .roots
            .iter()
            .any(|rules| place.starts_with(rules.root()));
        let mut budget = match inside {
            true => self.limits.inside,
            false => self.limits.outside,
        };
        let walked = self.walk(place, &mut budget, expendable)?;
        match inside {
            true => self.limits.inside = budget,
            false => self.limits.outside = budget,
        }
        match walked {
            Walked::Whole => Ok(()),
            Walked::TooMuch => Err(too_much(place, inside)),
        }
    }

    /// A file, and the one behind it if it is a link.
    pub(crate) fn written(&mut self, path: &Path) -> Result<()> {
        // No system follows more.
        const LINKS: usize = 40;
        let mut place = real_place(path);
        for _ in 0..LINKS {
            self.whole(&place)?;
            // A link that leads nowhere makes a file there.
            let Ok(target) = fs::read_link(&place) else {
                break;
            };
            let folder = place.parent().unwrap_or(&place);
            place = real_place(&folder.join(target));
        }
        Ok(())
    }

    /// A folder and not what is in it.
    pub(crate) fn bare(&mut self, path: &Path) {
        let place = real_place(path);
        if let Ok(metadata) = fs::symlink_metadata(&place)
            && metadata.is_dir()
        {
            let mode = platform::mode_of(&metadata);
            self.found.insert(place, Found::Folder { mode });
        }
    }

    /// Something that goes elsewhere.
    pub(crate) fn moved(&mut self, path: &Path) {
        self.later.push((real_place(path), Why::Moved));
    }

    /// Something that git does not want to know of.
    pub(crate) fn ignored(&mut self, path: &Path) {
        self.later.push((real_place(path), Why::Ignored));
    }

    /// The folders that a path is in, up to a root which is not noted itself.
    pub(crate) fn folders_above(&mut self, path: &Path, root: &Path) {
        let above = path.ancestors().skip(1);
        for folder in above.take_while(|folder| folder.starts_with(root) && *folder != root) {
            if self.found.contains_key(folder) {
                break;
            }
            self.bare(folder);
        }
    }

    /// The folders that a path is in and that do not exist.
    fn no_folders_above(&mut self, path: &Path) {
        for folder in path.ancestors().skip(1) {
            match fs::symlink_metadata(folder) {
                Err(error) if is_gone(&error) => {
                    let known = self.found.entry(folder.to_owned());
                    known.or_insert(Found::NoFolder);
                }
                _ => break,
            }
        }
    }

    /// The folders below one that hold no file at all, apart from what git ignores.
    pub(crate) fn empty_folders(&mut self, root: &Path) {
        let mut folders = vec![root.to_owned()];
        while let Some(folder) = folders.pop() {
            let Ok(entries) = fs::read_dir(&folder) else {
                continue;
            };
            let mut is_empty = true;
            for entry in entries.flatten() {
                is_empty = false;
                let path = entry.path();
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                if is_folder && entry.file_name() != ".git" && !self.is_expendable(&path) {
                    folders.push(path);
                }
            }
            if is_empty && folder != root {
                self.bare(&folder);
                self.folders_above(&folder, root);
            }
        }
    }

    /// Looks at what is kept only if it is small: files first, because a `.env` weighs little and means much.
    pub(crate) fn finish(&mut self) -> Result<()> {
        let mut later = std::mem::take(&mut self.later);
        later.sort_by_key(|(path, why)| {
            let is_folder = fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
            (is_folder, *why, path.clone())
        });
        later.dedup();
        let mut only_copy_moves = false;
        for (path, why) in later {
            let mut budget = self.limits.expendable;
            match self.walk(&path, &mut budget, Expendable::Now)? {
                Walked::Whole => self.limits.expendable = budget,
                Walked::TooMuch => {
                    only_copy_moves |= why == Why::Moved;
                    self.left_out.push(LeftOut {
                        path: KeptPath::from(path.as_path()),
                        why: why.to_string(),
                    });
                }
            }
        }
        if only_copy_moves {
            // Where it goes there is nothing now, and undoing must not remove it from there.
            self.found.retain(|_, found| found.is_something());
        }
        Ok(())
    }

    /// Notes a path and everything below it, or nothing.
    fn walk(&mut self, path: &Path, budget: &mut Budget, expendable: Expendable) -> Result<Walked> {
        let mut found = Vec::new();
        let mut later = Vec::new();
        let mut special = Vec::new();
        let mut paths = vec![path.to_owned()];
        while let Some(path) = paths.pop() {
            let unreadable = || format!("{} cannot be read", path.display());
            let metadata = match fs::symlink_metadata(&path) {
                Ok(metadata) => metadata,
                Err(error) if is_gone(&error) => {
                    found.push((path, Found::Absent));
                    continue;
                }
                Err(error) => return Err(error).with_context(unreadable),
            };
            let bytes = match metadata.is_file() {
                true => metadata.len(),
                false => 0,
            };
            if !budget.take(bytes) {
                return Ok(Walked::TooMuch);
            }
            let what = what_is(&path, &metadata).with_context(unreadable)?;
            if metadata.is_dir() {
                for entry in fs::read_dir(&path).with_context(unreadable)? {
                    let below = entry.with_context(unreadable)?.path();
                    if below == self.store {
                        continue;
                    }
                    match expendable == Expendable::Later && self.is_expendable(&below) {
                        true => later.push((below, Why::Ignored)),
                        false => paths.push(below),
                    }
                }
            }
            match what {
                Some(what) => found.push((path, what)),
                None => special.push(path),
            }
        }
        for (path, found) in found {
            if found == Found::Absent {
                self.no_folders_above(&path);
            }
            self.found.insert(path, found);
        }
        self.later.extend(later);
        self.left_out.extend(special.iter().map(|path| LeftOut {
            path: KeptPath::from(path.as_path()),
            why: "it is a pipe, a socket or a device".to_owned(),
        }));
        Ok(Walked::Whole)
    }

    /// Whether something is ignored by git or is known to be made from other files.
    fn is_expendable(&self, path: &Path) -> bool {
        let Ok(metadata) = fs::symlink_metadata(path) else {
            return false;
        };
        let kind = match metadata.is_dir() {
            true => Kind::Folder,
            false => Kind::File,
        };
        if metadata.is_dir() && is_made_again(path) {
            return true;
        }
        self.roots.iter().any(|rules| {
            path.starts_with(rules.root()) && path != rules.root() && rules.is_ignored(path, kind)
        })
    }
}

/// What a walk does with things that can be made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expendable {
    Later,
    Now,
}

/// What is at a path; nothing for what has no contents to keep.
pub(crate) fn what_is(path: &Path, metadata: &Metadata) -> io::Result<Option<Found>> {
    Ok(if metadata.is_symlink() {
        Some(Found::Link(fs::read_link(path)?))
    } else if metadata.is_dir() {
        let mode = platform::mode_of(metadata);
        Some(Found::Folder { mode })
    } else if metadata.is_file() {
        Some(Found::File)
    } else {
        None
    })
}

/// Folders that package managers and build tools fill, also where there is no git.
fn is_made_again(folder: &Path) -> bool {
    let named = folder
        .file_name()
        .is_some_and(|name| name == "node_modules" || name == "__pycache__");
    named || folder.join("CACHEDIR.TAG").is_file()
}

pub(crate) fn is_gone(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

fn too_much(path: &Path, inside: bool) -> anyhow::Error {
    let path = path.display();
    match inside {
        true => anyhow::anyhow!(
            "{path} is too large to be kept; destroy less at a time, or let the person run the command in a terminal"
        ),
        false => anyhow::anyhow!(
            "{path} is outside the workspace and too large to be kept; name less, or let the person run the command in a \
             terminal"
        ),
    }
}
