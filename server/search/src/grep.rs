//! Lines by their text.
//!
//! Which matches are shown when there are more than wanted? The first in the order of paths, whichever thread found
//! them. Threads walk roughly in that order, and as soon as enough is found everything behind the last wanted file is
//! left out, folders unread. So a frequent text is found quickly, and twice the same way.

mod file;
mod format;
mod found;
mod include;
mod pattern;
mod sink;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use grep_regex::RegexMatcher;

use crate::rules::Kind;
use crate::walk::{self, FileKind, Place, Visitor};
use crate::{Case, Excludes, SearchError, Stopped, Tree};
use file::{FileSearch, Outcome};
use found::Collected;
use include::Include;

/// Around a single match a model wants to see more than around the third.
const AROUND_ONE: usize = 50;
const AROUND_FEW: usize = 15;
const FEW: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    Regex,
    /// Every character stands for itself.
    Literal,
}

/// What is wanted of a file that matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Report {
    Lines,
    /// That it matches; its first match is kept.
    Names,
}

/// How many lines around a match are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    /// None, unless there are very few matches.
    Automatic,
    Lines {
        before: usize,
        after: usize,
    },
}

/// What to search for. Which ignore files count is said by the tree's rules; `no_ignore` is rules and excludes that
/// know nothing.
#[derive(Clone, Debug)]
pub struct GrepQuery<'a> {
    pub pattern: &'a str,
    pub syntax: Syntax,
    pub case: Case,
    /// A folder or a file, absolute.
    pub at: &'a Path,
    /// A glob as in an ignore file: without a slash it is for names, with one for paths below the root or the folder.
    pub include: Option<&'a str>,
    /// A regular expression; lines that match it are no matches.
    pub exclude_lines: Option<&'a str>,
    pub report: Report,
    pub context: Context,
    pub most_per_file: Option<usize>,
    /// The most matches; of files, if names are wanted.
    pub limit: usize,
    pub excludes: &'a Excludes,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrepResult {
    /// In the order of paths, folder by folder.
    pub files: Vec<FileMatches>,
    /// How many lines match, without context.
    pub matches: usize,
    pub ending: Ending,
    /// How many files were looked into.
    pub searched: usize,
    /// How many of them could not be read to the end.
    pub unreadable: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// There are no other matches.
    Complete,
    /// There are more than the query's limit.
    Limited,
    /// There may be more: not everything was looked into.
    Stopped(Stopped),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileMatches {
    pub path: PathBuf,
    pub lines: Vec<Line>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The first is 1.
    pub number: u64,
    /// Without its end, and without what is beyond 2000 characters.
    pub text: String,
    pub is_context: bool,
}

/// Searches a file or every file of a folder. Binary files have no lines.
pub fn grep(tree: &Tree<'_>, query: &GrepQuery<'_>) -> Result<GrepResult, SearchError> {
    let matcher = pattern::line_matcher(query.pattern, query.syntax, query.case)?;
    let excluded = query
        .exclude_lines
        .map(|lines| pattern::line_matcher(lines, Syntax::Regex, query.case))
        .transpose()?;
    let search = Search {
        tree,
        query,
        include: Include::new(query.include, query.at, tree.rules.root())?,
        matcher,
        excluded,
        // One more than wanted tells whether there are more.
        collected: Collected::new(query.limit.saturating_add(1)),
    };
    search.run()
}

struct Search<'a> {
    tree: &'a Tree<'a>,
    query: &'a GrepQuery<'a>,
    include: Include,
    matcher: RegexMatcher,
    excluded: Option<RegexMatcher>,
    collected: Collected,
}

impl Search<'_> {
    fn run(self) -> Result<GrepResult, SearchError> {
        let at = self.query.at;
        let mut scanners = Vec::new();
        let mut stopped = None;
        let is_in_editor = self.tree.overlay.text(at).is_some();
        match at.metadata() {
            Ok(found) if found.is_dir() => {
                (scanners, stopped) =
                    walk::walk(self.tree, at, self.query.excludes, || self.scanner());
                scanners.push(self.scan_unsaved());
            }
            Ok(_) => scanners.push(self.scan_one(at)),
            Err(_) if is_in_editor => scanners.push(self.scan_one(at)),
            Err(_) => {
                return Err(SearchError::Missing {
                    path: at.to_path_buf(),
                });
            }
        }
        let searched = scanners.iter().map(|scanner| scanner.searched).sum();
        let unreadable = scanners.iter().map(|scanner| scanner.unreadable).sum();
        stopped = stopped.or_else(|| scanners.iter().find_map(|scanner| scanner.stopped));
        drop(scanners);

        let Self {
            tree,
            query,
            matcher,
            excluded,
            collected,
            ..
        } = self;
        let (mut files, is_limited) = collected.into_first(query.limit, query.after());
        let matches = count(&files);
        if let Some(lines) = automatic_context(query, matches) {
            let file_search = FileSearch::new(query, matcher, excluded, tree.cancel, lines, lines);
            add_context(tree, file_search, &mut files);
        }
        let ending = match stopped {
            Some(stopped) => Ending::Stopped(stopped),
            None if is_limited => Ending::Limited,
            None => Ending::Complete,
        };
        Ok(GrepResult {
            files,
            matches,
            ending,
            searched,
            unreadable,
        })
    }

    fn scanner(&self) -> Scanner<'_> {
        let (before, after) = (self.query.before(), self.query.after());
        // Threads that share a matcher wait for each other.
        let (matcher, excluded) = (self.matcher.clone(), self.excluded.clone());
        let cancel = self.tree.cancel;
        Scanner {
            search: self,
            file_search: FileSearch::new(self.query, matcher, excluded, cancel, before, after),
            searched: 0,
            unreadable: 0,
            stopped: None,
        }
    }

    /// The files that are in editors only.
    fn scan_unsaved(&self) -> Scanner<'_> {
        let mut scanner = self.scanner();
        let (at, excludes) = (self.query.at, self.query.excludes);
        for (path, _) in self.tree.overlay.only_here_below(at) {
            if walk::would_visit(self.tree, at, path, excludes) {
                scanner.scan(path);
            }
        }
        scanner
    }

    fn scan_one(&self, path: &Path) -> Scanner<'_> {
        let mut scanner = self.scanner();
        let is_closed = self
            .tree
            .rules
            .relative(path)
            .is_some_and(|below| crate::closed_segment(&below).is_some());
        if !is_closed && !self.tree.rules.is_ignored(path, Kind::File) {
            scanner.scan(path);
        }
        scanner
    }
}

/// What one thread searches with.
struct Scanner<'a> {
    search: &'a Search<'a>,
    file_search: FileSearch<'a>,
    searched: usize,
    unreadable: usize,
    stopped: Option<Stopped>,
}

impl Visitor for Scanner<'_> {
    fn enters(&mut self, place: Place<'_>) -> bool {
        !self.search.collected.is_behind(place.path)
    }

    fn file(&mut self, found: walk::Found<'_>) {
        // What a link leads to is searched where it lies.
        if found.kind == FileKind::Regular {
            self.scan(found.place.path);
        }
    }
}

impl Scanner<'_> {
    fn scan(&mut self, path: &Path) {
        let Search {
            tree,
            include,
            collected,
            ..
        } = self.search;
        if !include.has(path) || collected.is_behind(path) {
            return;
        }
        self.searched += 1;
        match self.file_search.search(path, tree.overlay.text(path)) {
            Outcome::Matches(lines) => collected.add(path, lines),
            Outcome::Nothing => {}
            Outcome::Unreadable => self.unreadable += 1,
            Outcome::Stopped(reason) => self.stopped = Some(reason),
        }
    }
}

impl GrepQuery<'_> {
    fn before(&self) -> usize {
        match self.context {
            Context::Automatic => 0,
            Context::Lines { before, .. } => before,
        }
    }

    fn after(&self) -> usize {
        match self.context {
            Context::Automatic => 0,
            Context::Lines { after, .. } => after,
        }
    }
}

fn count(files: &[FileMatches]) -> usize {
    let lines = files.iter().flat_map(|file| &file.lines);
    lines.filter(|line| !line.is_context).count()
}

fn automatic_context(query: &GrepQuery<'_>, matches: usize) -> Option<usize> {
    if query.report == Report::Names || query.context != Context::Automatic {
        return None;
    }
    match matches {
        1 => Some(AROUND_ONE),
        2..=FEW => Some(AROUND_FEW),
        _ => None,
    }
}

/// Searches the few files again, now with the lines around.
fn add_context(tree: &Tree<'_>, mut file_search: FileSearch<'_>, files: &mut [FileMatches]) {
    for file in files {
        let text = tree.overlay.text(&file.path);
        if let Outcome::Matches(lines) = file_search.search(&file.path, text)
            // The file may have changed meanwhile, or the limit may have cut it.
            && lines.iter().filter(|line| !line.is_context).eq(&file.lines)
        {
            file.lines = lines;
        }
    }
}
