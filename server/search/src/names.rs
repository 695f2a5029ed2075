//! The names of all files and folders of a tree, and those that somebody may mean by a few letters.

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use crate::walk::{Found, Place, Visitor, walk};
use crate::{Cancel, Excludes, Kind, Tree};

/// A tree with more files than this is not known whole.
pub const MOST_NAMES: usize = 500_000;

/// So many names are compared between two looks at whether anybody still waits.
const BETWEEN_LOOKS: usize = 4_096;

/// Every name below a folder that is not ignored, relative to it and with forward slashes.
#[derive(Debug, Default)]
pub struct Names {
    names: Vec<Name>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    pub path: String,
    pub kind: Kind,
}

/// What somebody looks for.
#[derive(Clone, Copy, Debug)]
pub struct NameQuery<'a> {
    /// Letters of the path, in order. Nothing means everything.
    pub letters: &'a str,
    /// Paths that come before others that match as well, such as the open files.
    pub first: &'a [String],
    pub limit: usize,
}

impl Names {
    /// Reads the names. Nothing when it was stopped.
    pub fn read(tree: &Tree<'_>, root: &Path) -> Option<Self> {
        let lister = || Lister { files: Vec::new() };
        let (listers, stopped) = walk(tree, root, &Excludes::for_glob(), lister);
        if stopped.is_some() {
            return None;
        }
        let mut files: Vec<String> = listers.into_iter().flat_map(|it| it.files).collect();
        files.sort_unstable();
        files.truncate(MOST_NAMES);
        let mut folders = BTreeSet::new();
        for file in &files {
            let mut rest = file.as_str();
            while let Some((folder, _)) = rest.rsplit_once('/') {
                // Whoever has this one has those above it.
                if !folders.insert(folder.to_owned()) {
                    break;
                }
                rest = folder;
            }
        }
        let name = |kind: Kind| move |path: String| Name { path, kind };
        let mut names: Vec<Name> = files.into_iter().map(name(Kind::File)).collect();
        names.extend(folders.into_iter().map(name(Kind::Folder)));
        Some(Self { names })
    }

    pub fn len(&self) -> usize {
        self.names.len()
    }

    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The best matches, the best first. Nothing when nobody waits any more.
    pub fn find(&self, query: &NameQuery<'_>, cancel: Cancel<'_>) -> Option<Vec<Name>> {
        let first: HashSet<&str> = query.first.iter().map(String::as_str).collect();
        let mut matcher = Matcher::new(Config::DEFAULT.match_paths());
        let pattern = Pattern::new(
            query.letters,
            CaseMatching::Smart,
            Normalization::Smart,
            AtomKind::Fuzzy,
        );
        let mut letters = Vec::new();
        let mut found = Vec::new();
        for (place, name) in self.names.iter().enumerate() {
            if place % BETWEEN_LOOKS == 0 && cancel.reason().is_some() {
                return None;
            }
            let path = Utf32Str::new(&name.path, &mut letters);
            if let Some(score) = pattern.score(path, &mut matcher) {
                let fit = Fit::of(query.letters, &name.path);
                let is_behind = !first.contains(name.path.as_str());
                found.push((fit, is_behind, Reverse(score), name.path.len(), place));
            }
        }
        if found.len() > query.limit {
            found.select_nth_unstable(query.limit);
            found.truncate(query.limit);
        }
        found.sort_unstable();
        let name = |place: usize| self.names.get(place).cloned();
        let places = found.into_iter().map(|(.., place)| place);
        Some(places.filter_map(name).collect())
    }
}

/// How much of a name somebody has typed. Whoever types the beginning of a name means it, whatever else is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Whole,
    Beginning,
    Loose,
}

impl Fit {
    fn of(letters: &str, path: &str) -> Self {
        // Letters with a slash are the beginning of a path, others that of its last name.
        let name = match letters.contains('/') {
            true => path,
            false => path.rsplit('/').next().unwrap_or(path),
        };
        if letters.is_empty() || !begins(name, letters) {
            return Self::Loose;
        }
        let rest = name.get(letters.len()..).unwrap_or_default();
        // Without its ending a name is whole as well.
        match rest.is_empty() || (rest.starts_with('.') && !rest.contains('/')) {
            true => Self::Whole,
            false => Self::Beginning,
        }
    }
}

fn begins(name: &str, letters: &str) -> bool {
    name.get(..letters.len())
        .is_some_and(|head| head.eq_ignore_ascii_case(letters))
}

struct Lister {
    files: Vec<String>,
}

impl Visitor for Lister {
    fn enters(&mut self, _: Place<'_>) -> bool {
        self.files.len() <= MOST_NAMES
    }

    fn file(&mut self, file: Found<'_>) {
        // What is no text cannot be written into a prompt.
        if let Some(path) = file.place.below_start.to_str() {
            self.files.push(match std::path::MAIN_SEPARATOR {
                '/' => path.to_owned(),
                separator => path.replace(separator, "/"),
            });
        }
    }
}
