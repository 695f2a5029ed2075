//! The matches of one file.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use grep_matcher::{LineTerminator, Matcher};
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, MmapChoice, Searcher, SearcherBuilder};

use super::sink::Lines;
use super::{GrepQuery, Line, Report};
use crate::{Cancel, Stopped, UnsavedText};

/// A file up to this size is read at once; almost every source file is smaller.
const AT_ONCE: usize = 256 * 1024;

/// A longer line, with its context, is not worth the memory.
const MOST_HEAP: usize = 64 * 1024 * 1024;

/// Made once per thread: its buffers are worth keeping.
pub(super) struct FileSearch<'a> {
    searcher: Searcher,
    matcher: RegexMatcher,
    excluded: Option<RegexMatcher>,
    buffer: Vec<u8>,
    cancel: Cancel<'a>,
    before: usize,
    after: usize,
    most_matches: usize,
}

pub(super) enum Outcome {
    Matches(Vec<Line>),
    Nothing,
    Unreadable,
    Stopped(Stopped),
}

impl<'a> FileSearch<'a> {
    pub(super) fn new(
        query: &GrepQuery<'_>,
        matcher: RegexMatcher,
        excluded: Option<RegexMatcher>,
        cancel: Cancel<'a>,
        before: usize,
        after: usize,
    ) -> Self {
        let searcher = SearcherBuilder::new()
            .line_terminator(
                matcher
                    .line_terminator()
                    .unwrap_or(LineTerminator::byte(b'\n')),
            )
            .line_number(true)
            .binary_detection(BinaryDetection::quit(0))
            .memory_map(MmapChoice::never())
            .heap_limit(Some(MOST_HEAP))
            .before_context(before)
            .after_context(after)
            .build();
        let most_matches = match query.report {
            Report::Names => 1,
            Report::Lines => {
                let most_of_all = query.limit.saturating_add(1);
                query.most_per_file.unwrap_or(usize::MAX).min(most_of_all)
            }
        };
        Self {
            searcher,
            matcher,
            excluded,
            buffer: vec![0; AT_ONCE],
            cancel,
            before,
            after,
            most_matches,
        }
    }

    /// Searches the file, or the text an editor has of it.
    pub(super) fn search(&mut self, path: &Path, unsaved: Option<&dyn UnsavedText>) -> Outcome {
        let mut lines = Lines::new(
            self.excluded.as_ref(),
            self.cancel,
            self.before,
            self.after,
            self.most_matches,
        );
        let with = With {
            searcher: &mut self.searcher,
            matcher: &self.matcher,
            buffer: &mut self.buffer,
            cancel: self.cancel,
        };
        let result = match unsaved {
            Some(text) => with.search(text.reader(), &mut lines),
            None => File::open(path).and_then(|file| with.search(file, &mut lines)),
        };
        match (lines.stopped(), result) {
            (Some(stopped), _) => Outcome::Stopped(stopped),
            (None, Err(_)) => match self.cancel.reason() {
                Some(stopped) => Outcome::Stopped(stopped),
                None => Outcome::Unreadable,
            },
            (None, Ok(())) => match lines.into_lines() {
                lines if lines.is_empty() => Outcome::Nothing,
                lines => Outcome::Matches(lines),
            },
        }
    }
}

/// What one text is searched with.
struct With<'a> {
    searcher: &'a mut Searcher,
    matcher: &'a RegexMatcher,
    buffer: &'a mut [u8],
    cancel: Cancel<'a>,
}

impl With<'_> {
    fn search(self, mut text: impl Read, lines: &mut Lines<'_>) -> io::Result<()> {
        let start = fill(&mut text, self.buffer)?;
        if start.len() < AT_ONCE {
            return self.searcher.search_slice(self.matcher, start, lines);
        }
        let whole = start.chain(Interruptible(text, self.cancel));
        self.searcher.search_reader(self.matcher, whole, lines)
    }
}

/// Reads until the end or until the buffer is full.
fn fill<'b>(file: &mut impl Read, buffer: &'b mut [u8]) -> io::Result<&'b [u8]> {
    let mut filled = 0;
    while let Some(free) = buffer.get_mut(filled..)
        && !free.is_empty()
    {
        match file.read(free) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(buffer.get(..filled).unwrap_or_default())
}

/// A long file is left in the middle when somebody cancels.
struct Interruptible<'a, R>(R, Cancel<'a>);

impl<R: Read> Read for Interruptible<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.1.reason().is_some() {
            return Err(io::Error::other("the search was stopped"));
        }
        self.0.read(buffer)
    }
}
