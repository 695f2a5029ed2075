//! Takes what the searcher finds in one file.

use std::collections::VecDeque;
use std::io;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};

use super::Line;
use crate::{Cancel, Stopped};

const MOST_CHARACTERS: usize = 2000;
const CUT: &str = "... [truncated]";

/// Lines that are kept, and lines that will be if a match follows soon enough.
///
/// The searcher knows nothing of lines that are excluded: to it they are matches with context of their own. So which
/// context is kept is decided here.
pub(super) struct Lines<'a> {
    excluded: Option<&'a RegexMatcher>,
    cancel: Cancel<'a>,
    before: u64,
    after: u64,
    most_matches: usize,
    matches: usize,
    kept: Vec<Line>,
    waiting: VecDeque<Line>,
    last_match: Option<u64>,
    stopped: Option<Stopped>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(
        excluded: Option<&'a RegexMatcher>,
        cancel: Cancel<'a>,
        before: usize,
        after: usize,
        most_matches: usize,
    ) -> Self {
        let number = |lines: usize| u64::try_from(lines).unwrap_or(u64::MAX);
        Self {
            excluded,
            cancel,
            before: number(before),
            after: number(after),
            most_matches,
            matches: 0,
            kept: Vec::new(),
            waiting: VecDeque::new(),
            last_match: None,
            stopped: None,
        }
    }

    pub(super) fn stopped(&self) -> Option<Stopped> {
        self.stopped
    }

    pub(super) fn into_lines(self) -> Vec<Line> {
        self.kept
    }

    fn add_match(&mut self, number: u64, bytes: &[u8]) {
        let first = number.saturating_sub(self.before);
        let waiting = self.waiting.drain(..);
        self.kept
            .extend(waiting.filter(|line| line.number >= first));
        self.kept.push(line(number, bytes, false));
        self.last_match = Some(number);
        self.matches += 1;
    }

    fn add_context(&mut self, number: u64, bytes: &[u8]) {
        if self.is_after_match(number) {
            self.kept.push(line(number, bytes, true));
        } else if self.before > 0 {
            self.waiting.push_back(line(number, bytes, true));
            let first = number.saturating_sub(self.before);
            while self
                .waiting
                .front()
                .is_some_and(|line| line.number <= first)
            {
                self.waiting.pop_front();
            }
        }
    }

    fn is_after_match(&self, number: u64) -> bool {
        let last = self.last_match;
        last.is_some_and(|last| number <= last.saturating_add(self.after))
    }

    /// Whether the searcher should go on: another match is wanted, or the context of the last one is not over.
    fn goes_on(&mut self, number: u64) -> bool {
        self.stopped = self.cancel.reason();
        if self.stopped.is_some() {
            return false;
        }
        self.matches < self.most_matches || self.is_after_match(number.saturating_add(1))
    }
}

impl Sink for Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let number = found.line_number().unwrap_or_default();
        let is_excluded = match self.excluded {
            Some(excluded) => excluded.is_match(content(found.bytes()))?,
            None => false,
        };
        if is_excluded || self.matches >= self.most_matches {
            self.add_context(number, found.bytes());
        } else {
            self.add_match(number, found.bytes());
        }
        Ok(self.goes_on(number))
    }

    fn context(&mut self, _searcher: &Searcher, found: &SinkContext<'_>) -> io::Result<bool> {
        let number = found.line_number().unwrap_or_default();
        self.add_context(number, found.bytes());
        Ok(self.goes_on(number))
    }

    fn finish(&mut self, _searcher: &Searcher, end: &SinkFinish) -> io::Result<()> {
        // What looked like text at first was not.
        if end.binary_byte_offset().is_some() {
            self.kept.clear();
        }
        Ok(())
    }
}

fn line(number: u64, bytes: &[u8], is_context: bool) -> Line {
    Line {
        number,
        text: shown(content(bytes)),
        is_context,
    }
}

/// Without the end of the line.
fn content(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    bytes.strip_suffix(b"\r").unwrap_or(bytes)
}

/// Bytes that are no UTF-8 become replacement characters.
fn shown(bytes: &[u8]) -> String {
    // A minified file has lines of megabytes: only what can be shown is looked at.
    let enough = bytes.get(..4 * MOST_CHARACTERS + 4).unwrap_or(bytes);
    let text = String::from_utf8_lossy(enough);
    match text.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("{}{CUT}", text.get(..end).unwrap_or_default()),
        None => text.into_owned(),
    }
}
