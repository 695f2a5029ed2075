//! What a command printed, in bounded memory however much it was.
//!
//! The beginning and the end are kept here, as plain text. The whole goes into a file, up to a
//! limit. Beyond that limit nothing is read as text any more until the end is known, so that a
//! flood costs no more than copying it.

mod plain;
mod ring;

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use self::plain::Plain;
use self::ring::Ring;

/// How much of the beginning decides whether this is text.
const SNIFFED: usize = 4096;

/// How many bytes are kept where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Of the beginning, in memory.
    pub head: usize,
    /// Of the end, in memory.
    pub tail: usize,
    /// Of the whole, in the file.
    pub file: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            head: 256 * 1024,
            tail: 256 * 1024,
            file: 64 * 1024 * 1024,
        }
    }
}

/// The file for the whole output. The caller makes its folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spool {
    /// No file: what memory cannot hold is gone.
    Nowhere,
    /// Made when the output no longer fits into memory.
    WhenLarge(PathBuf),
    /// Made with the first byte: a log that somebody may follow.
    Always(PathBuf),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputKind {
    Text,
    /// Its beginning is not text; the captured text is of little use.
    Binary,
}

/// The output, as plain text without escape sequences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Captured {
    /// The beginning; everything, if nothing was left out.
    pub head: String,
    /// Bytes of output between `head` and `tail`.
    pub left_out: u64,
    pub tail: String,
    /// What was printed, escape sequences and all.
    pub total_bytes: u64,
    pub kind: OutputKind,
    pub file: Option<Spooled>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spooled {
    pub path: PathBuf,
    /// Why the file lacks something, if it does.
    pub cut: Option<Cut>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cut {
    AtTheLimit,
    /// It could not be written.
    Failed(String),
}

impl Captured {
    /// Everything, if nothing was left out.
    pub fn whole(&self) -> Option<String> {
        (self.left_out == 0).then(|| format!("{}{}", self.head, self.tail))
    }
}

/// What somebody else has run and read, as if it had been run here.
pub fn captured(output: &[u8], spool: Spool) -> Captured {
    let mut capture = Capture::new(Limits::default(), spool);
    capture.feed(output);
    capture.finish();
    capture.captured()
}

pub(crate) struct Capture {
    limits: Limits,
    plain: Plain,
    kept: Kept,
    total: u64,
    beginning: Vec<u8>,
    /// Bytes after the limit of the file, not read as text yet.
    unread: Option<Ring>,
}

/// The plain text, distributed.
struct Kept {
    head: String,
    head_limit: usize,
    tail: Ring,
    /// Once one piece went to the tail, all later ones do.
    head_is_full: bool,
    written: u64,
    file_limit: u64,
    spool: Spool,
    file: Option<File>,
    failed: Option<String>,
}

impl Capture {
    pub(crate) fn new(limits: Limits, spool: Spool) -> Capture {
        Capture {
            limits,
            plain: Plain::default(),
            kept: Kept {
                head: String::new(),
                head_limit: limits.head,
                tail: Ring::new(limits.tail),
                head_is_full: false,
                written: 0,
                file_limit: limits.file,
                spool,
                file: None,
                failed: None,
            },
            total: 0,
            beginning: Vec::new(),
            unread: None,
        }
    }

    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = SNIFFED.saturating_sub(self.beginning.len());
        self.beginning
            .extend_from_slice(bytes.get(..room.min(bytes.len())).unwrap_or_default());
        // The place of the cut must not depend on how the bytes were cut into calls.
        let budget = self
            .limits
            .file
            .saturating_sub(self.total - bytes.len() as u64);
        let read = bytes
            .len()
            .min(usize::try_from(budget).unwrap_or(usize::MAX));
        let (read, unread) = bytes.split_at(read);
        self.plain.feed(read, |text| self.kept.keep(text));
        if !unread.is_empty() {
            self.unread
                .get_or_insert_with(|| Ring::new(self.limits.tail))
                .push(unread);
        }
    }

    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// What there is so far; the line that is being written included.
    pub(crate) fn captured(&self) -> Captured {
        let mut head = self.kept.head.clone();
        let mut tail = self.kept.tail.text();
        let mut left_out = self.kept.tail.dropped();
        match &self.unread {
            None if self.kept.head_is_full => tail.push_str(&self.plain.unfinished()),
            None => head.push_str(&self.plain.unfinished()),
            Some(unread) => {
                let end = read_late(unread);
                if unread.dropped() > 0 {
                    left_out += unread.dropped() + tail.len() as u64;
                    tail = end;
                } else {
                    tail.push_str(&self.plain.unfinished());
                    tail.push_str(&end);
                }
            }
        }
        Captured {
            head,
            left_out,
            tail,
            total_bytes: self.total,
            kind: kind_of(&self.beginning),
            file: self.kept.spooled(self.unread.is_some()),
        }
    }

    /// The end of the text, at most this long.
    pub(crate) fn tail(&self, longest: usize) -> String {
        let captured = self.captured();
        let mut text = captured.tail;
        if text.len() < longest && captured.left_out == 0 {
            text.insert_str(0, &captured.head);
        }
        let start = text.ceil_char_boundary(text.len().saturating_sub(longest));
        text.split_off(start)
    }

    /// The lines that ended since a position, at most this much of their end, and the position behind them.
    pub(crate) fn lines_since(&self, position: u64, longest: usize) -> (String, u64) {
        let head = self.kept.head.len() as u64;
        let tail = self.kept.tail.text();
        let end = head + self.kept.tail.dropped() + tail.len() as u64;
        let fresh = usize::try_from(end.saturating_sub(position)).unwrap_or(usize::MAX);
        let fresh = fresh.min(longest);
        let mut text = match fresh <= tail.len() {
            true => tail,
            false => format!("{}{tail}", self.kept.head),
        };
        let start = text.ceil_char_boundary(text.len().saturating_sub(fresh));
        (text.split_off(start), end)
    }

    /// The line that is being written.
    pub(crate) fn unfinished(&self) -> String {
        self.plain.unfinished()
    }

    /// Nothing more will come: the file gets the line that never ended.
    pub(crate) fn finish(&mut self) {
        if self.unread.is_none() && self.kept.file.is_some() {
            let last = self.plain.unfinished();
            self.kept.write(last.as_bytes());
        }
    }
}

impl Kept {
    fn keep(&mut self, text: &str) {
        if let Spool::Always(_) = self.spool {
            self.make_file();
        }
        if !self.head_is_full && self.head.len() + text.len() > self.head_limit {
            self.head_is_full = true;
            self.make_file();
            // The head takes what fits, so that it does not depend on how the text arrived.
            let fits = text.floor_char_boundary(self.head_limit - self.head.len());
            let (fits, rest) = text.split_at(fits);
            self.head.push_str(fits);
            self.tail.push(rest.as_bytes());
        } else if self.head_is_full {
            self.tail.push(text.as_bytes());
        } else {
            self.head.push_str(text);
        }
        self.write(text.as_bytes());
    }

    /// Makes the file, with what was kept before there was one.
    fn make_file(&mut self) {
        let (Spool::WhenLarge(path) | Spool::Always(path)) = &self.spool else {
            return;
        };
        if self.file.is_some() || self.failed.is_some() {
            return;
        }
        match create(path) {
            Ok(file) => {
                self.file = Some(file);
                let before = self.head.clone();
                self.write(before.as_bytes());
            }
            Err(error) => self.failed = Some(error.to_string()),
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        let Some(file) = &mut self.file else { return };
        let room = usize::try_from(self.file_limit - self.written).unwrap_or(usize::MAX);
        let bytes = bytes.get(..room.min(bytes.len())).unwrap_or_default();
        match file.write_all(bytes) {
            Ok(()) => self.written += bytes.len() as u64,
            Err(error) => {
                self.failed = Some(error.to_string());
                self.file = None;
            }
        }
    }

    fn spooled(&self, beyond_the_limit: bool) -> Option<Spooled> {
        let (Spool::WhenLarge(path) | Spool::Always(path)) = &self.spool else {
            return None;
        };
        let cut = match &self.failed {
            Some(why) => Some(Cut::Failed(why.clone())),
            None if beyond_the_limit || self.written == self.file_limit => Some(Cut::AtTheLimit),
            None => None,
        };
        (self.file.is_some() || self.failed.is_some()).then(|| Spooled {
            path: path.clone(),
            cut,
        })
    }
}

/// Only the user may read what a command printed, and a link in the file's place is not followed.
fn create(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let no_follow = rustix::fs::OFlags::NOFOLLOW.bits();
        options.mode(0o600).custom_flags(no_follow.cast_signed());
    }
    options.open(path)
}

/// Text of bytes whose beginning is not known: from the first line break on, where an escape
/// sequence can hardly have been under way.
fn read_late(bytes: &Ring) -> String {
    let known = bytes.dropped() == 0;
    let bytes = bytes.to_vec();
    let start = match bytes.iter().position(|byte| *byte == b'\n') {
        Some(line_break) if !known => line_break + 1,
        _ => 0,
    };
    let mut plain = Plain::default();
    let mut text = String::new();
    plain.feed(bytes.get(start..).unwrap_or_default(), |piece| {
        text.push_str(piece);
    });
    text + &plain.unfinished()
}

/// A zero byte settles it. Otherwise it takes many control characters: escape sequences are text.
fn kind_of(beginning: &[u8]) -> OutputKind {
    let odd = |byte: &&u8| matches!(byte, 1..=6 | 14..=26 | 28..=31 | 127);
    let odd = beginning.iter().filter(odd).count();
    if beginning.contains(&0) || odd * 10 > beginning.len() * 3 {
        OutputKind::Binary
    } else {
        OutputKind::Text
    }
}

#[cfg(test)]
mod tests;
