//! A glob pattern, and which folders it can have files in.

use std::path::{Component, Path};

use globset::{GlobBuilder, GlobMatcher};

use super::{Case, GlobQuery};
use crate::SearchError;

pub(super) struct Pattern {
    matcher: GlobMatcher,
    case: Case,
    /// The folders a path must start with, as far as they are spelled out.
    folders: Vec<String>,
    /// How many folders deep a file that fits can lie.
    depth: Option<usize>,
}

impl Pattern {
    pub(super) fn new(query: &GlobQuery<'_>) -> Result<Self, SearchError> {
        let written = below_folder(query.pattern, query.folder);
        let is_a_file = query.folder.join(written).symlink_metadata().is_ok();
        let glob = if is_a_file {
            globset::escape(written)
        } else {
            written.to_owned()
        };
        let matcher = GlobBuilder::new(&glob)
            .literal_separator(true)
            .case_insensitive(query.case == Case::Insensitive)
            .empty_alternates(true)
            .build()
            .map_err(|error| SearchError::Glob {
                glob: query.pattern.to_owned(),
                reason: error.kind().to_string(),
            })?
            .compile_matcher();
        let folders = if is_a_file {
            spelled_out(written, |_| true)
        } else {
            spelled_out(written, |segment| {
                !segment.contains(['*', '?', '[', ']', '{', '}', '\\'])
            })
        };
        // An alternative may hold a slash, so with one the depth is not known.
        let is_bounded = is_a_file || !(glob.contains("**") || glob.contains('{'));
        let depth = is_bounded.then(|| written.matches('/').count());
        Ok(Self {
            matcher,
            case: query.case,
            folders,
            depth,
        })
    }

    pub(super) fn fits(&self, below_start: &Path) -> bool {
        self.matcher.is_match(below_start)
    }

    /// Whether a file in this folder, or further down, can fit.
    pub(super) fn can_fit_below(&self, folder: &Path, depth: usize) -> bool {
        if self.depth.is_some_and(|most| depth > most) {
            return false;
        }
        let mut segments = folder.components();
        self.folders.iter().all(|wanted| match segments.next() {
            Some(Component::Normal(name)) => {
                let name = name.to_string_lossy();
                match self.case {
                    Case::Sensitive => name == *wanted,
                    Case::Insensitive => name.to_lowercase() == wanted.to_lowercase(),
                }
            }
            // Not that deep yet.
            _ => true,
        })
    }
}

/// Without what only repeats where to look.
fn below_folder<'a>(pattern: &'a str, folder: &Path) -> &'a str {
    let folder = folder.to_string_lossy();
    let inside = pattern
        .strip_prefix(folder.as_ref())
        .and_then(|rest| rest.strip_prefix('/'));
    let mut pattern = inside.unwrap_or(pattern);
    while let Some(rest) = pattern.strip_prefix("./") {
        pattern = rest;
    }
    pattern
}

fn spelled_out(pattern: &str, is_plain: impl Fn(&str) -> bool) -> Vec<String> {
    let mut segments: Vec<&str> = pattern.split('/').collect();
    // The file's own.
    segments.pop();
    segments
        .into_iter()
        .take_while(|segment| is_plain(segment))
        .map(str::to_owned)
        .collect()
}
