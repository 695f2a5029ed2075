//! The first matches in the order of paths, while several threads find them in any order.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{FileMatches, Line};

pub(super) struct Collected {
    wanted: usize,
    /// Whether a bound is known. Read for every file, so it must not take the lock.
    is_full: AtomicBool,
    first: Mutex<First>,
}

#[derive(Default)]
struct First {
    /// Without the last file there are fewer matches than wanted.
    files: BTreeMap<PathBuf, Vec<Line>>,
    matches: usize,
}

impl Collected {
    pub(super) fn new(wanted: usize) -> Self {
        Self {
            wanted,
            is_full: AtomicBool::new(false),
            first: Mutex::default(),
        }
    }

    pub(super) fn add(&self, path: &Path, lines: Vec<Line>) {
        let mut locked = self.lock();
        let first = &mut *locked;
        first.matches += matches(&lines);
        first.files.insert(path.to_path_buf(), lines);
        while let Some(last) = first.files.last_entry() {
            let of_last = matches(last.get());
            if first.matches - of_last < self.wanted {
                break;
            }
            last.remove();
            first.matches -= of_last;
        }
        if first.matches >= self.wanted {
            self.is_full.store(true, Ordering::Release);
        }
    }

    /// Whether no file at or below this path can be among the first any more. True for a path, it stays true.
    pub(super) fn is_behind(&self, path: &Path) -> bool {
        if !self.is_full.load(Ordering::Acquire) {
            return false;
        }
        let first = self.lock();
        let last = first.files.last_key_value();
        last.is_some_and(|(last, _)| path > last.as_path())
    }

    /// So many matches, and whether there were more. Context of a match that is cut off goes with it.
    pub(super) fn into_first(self, limit: usize, after: usize) -> (Vec<FileMatches>, bool) {
        let first = self.first.into_inner();
        let First { files, matches } = first.unwrap_or_else(PoisonError::into_inner);
        let is_limited = matches > limit;
        let mut left = limit;
        let mut kept = Vec::new();
        for (path, lines) in files {
            if left == 0 {
                break;
            }
            let lines = cut(lines, &mut left, after);
            kept.push(FileMatches { path, lines });
        }
        (kept, is_limited)
    }

    fn lock(&self) -> MutexGuard<'_, First> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn matches(lines: &[Line]) -> usize {
    lines.iter().filter(|line| !line.is_context).count()
}

/// The lines up to the last match there is room for, with what follows it.
fn cut(lines: Vec<Line>, left: &mut usize, after: usize) -> Vec<Line> {
    let after = u64::try_from(after).unwrap_or(u64::MAX);
    let mut end = u64::MAX;
    let mut kept = Vec::new();
    for mut line in lines {
        if line.number > end {
            break;
        }
        if *left == 0 {
            line.is_context = true;
        } else if !line.is_context {
            *left -= 1;
            if *left == 0 {
                end = line.number.saturating_add(after);
            }
        }
        kept.push(line);
    }
    kept
}
