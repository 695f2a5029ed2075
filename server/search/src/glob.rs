//! Files by the pattern of their path.

mod best;
mod pattern;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::rules::Kind;
use crate::walk::{self, FileKind, Found, Place, Visitor};
use crate::{Excludes, SearchError, Stopped, Tree};
use best::{Best, Hit};
use pattern::Pattern;

/// Whoever asks for files means those that were just worked on.
const RECENT: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    Sensitive,
    Insensitive,
}

#[derive(Clone, Debug)]
pub struct GlobQuery<'a> {
    /// Relative to the folder. One that is the path of a file is taken literally.
    pub pattern: &'a str,
    /// Where to look, absolute.
    pub folder: &'a Path,
    pub case: Case,
    pub excludes: &'a Excludes,
    /// Files changed less than a day before this come first.
    pub now: SystemTime,
    /// How many paths are wanted; the rest is counted.
    pub limit: usize,
}

/// The files that fit: the recent ones, newest first, then the others by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobResult {
    pub paths: Vec<PathBuf>,
    /// How many fit, shown or not.
    pub total: usize,
    pub stopped: Option<Stopped>,
}

/// Finds the files of a folder whose path fits a pattern. Folders never fit; links to files do and are not followed.
pub fn glob(tree: &Tree<'_>, query: &GlobQuery<'_>) -> Result<GlobResult, SearchError> {
    let pattern = Pattern::new(query)?;
    let (finders, stopped) = walk::walk(tree, query.folder, query.excludes, || Finder {
        tree,
        pattern: &pattern,
        recent_since: query.now.checked_sub(RECENT),
        best: Best::new(query.limit),
    });
    let mut all = finders
        .into_iter()
        .fold(Best::new(query.limit), |mut all, finder| {
            all.join(finder.best);
            all
        });
    for (path, _) in tree.overlay.only_here_below(query.folder) {
        let below = path.strip_prefix(query.folder).unwrap_or(path);
        if pattern.fits(below) && walk::would_visit(tree, query.folder, path, query.excludes) {
            // It is being written, and nothing is more recent.
            all.add(below, Some(query.now));
        }
    }
    let total = all.total();
    let paths = all
        .into_sorted()
        .into_iter()
        .map(|Hit { below, .. }| query.folder.join(below))
        .collect();
    Ok(GlobResult {
        paths,
        total,
        stopped,
    })
}

impl GlobResult {
    /// As it is told to a model.
    pub fn report(&self, query: &GlobQuery<'_>) -> String {
        let (pattern, folder) = (query.pattern, query.folder.display());
        let mut text = if self.total == 0 {
            format!("No files found matching pattern \"{pattern}\" within {folder}")
        } else {
            let shown = ShownOf {
                shown: self.paths.len(),
                total: self.total,
            };
            format!(
                "Found {} file(s) matching \"{pattern}\" within {folder}, sorted by modification time (newest \
                 first){shown}:",
                self.total
            )
        };
        for path in &self.paths {
            text.push('\n');
            text.push_str(&path.to_string_lossy());
        }
        match self.stopped {
            Some(Stopped::TimedOut) => {
                text.push_str("\n(the search ran out of time; there may be more)")
            }
            Some(Stopped::Cancelled) => {
                text.push_str("\n(the search was cancelled; there may be more)")
            }
            None => {}
        }
        text
    }
}

struct ShownOf {
    shown: usize,
    total: usize,
}

impl fmt::Display for ShownOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.shown < self.total {
            write!(f, " (showing the first {})", self.shown)?;
        }
        Ok(())
    }
}

struct Finder<'a> {
    tree: &'a Tree<'a>,
    pattern: &'a Pattern,
    recent_since: Option<SystemTime>,
    best: Best,
}

impl Visitor for Finder<'_> {
    fn enters(&mut self, place: Place<'_>) -> bool {
        self.pattern.can_fit_below(place.below_start, place.depth)
    }

    fn file(&mut self, found: Found<'_>) {
        if !self.pattern.fits(found.place.below_start) {
            return;
        }
        if found.kind == FileKind::Link && !self.is_open_link(found.place.path) {
            return;
        }
        // Only a file that fits is asked for its time.
        let modified = found.entry.metadata().and_then(|data| data.modified()).ok();
        let recent = modified.filter(|time| self.recent_since.is_some_and(|since| *time > since));
        self.best.add(found.place.below_start, recent);
    }
}

impl Finder<'_> {
    fn is_open_link(&self, path: &Path) -> bool {
        path.is_file()
            && self
                .tree
                .rules
                .relative(path)
                .is_none_or(|relative| !self.tree.rules.leads_to_ignored(&relative, Kind::File))
    }
}
