//! The file of lines: read whatever state it is in, and appended to by whole lines.

#[cfg(test)]
mod tests;

mod checksum;

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::entry::Entry;
use crate::error::LedgerError;
use crate::private::{self, Durability};
use checksum::Checked;

/// No line of ours is longer. What claims to be one is passed over without being held in memory.
const LONGEST_LINE: u64 = 16 << 20;

/// A line that says nothing, and was passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Counted from 1.
    pub line: usize,
    pub what: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Understood {
    /// Every line was ours, or broken.
    All,
    /// A line was well formed and means something that this version does not know.
    NotAll,
}

pub(crate) struct Lines {
    pub(crate) entries: Vec<(usize, Entry)>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) understood: Understood,
    /// The last line was cut off, as by a process that was killed while it wrote it.
    pub(crate) is_torn: bool,
}

/// Reads every line that can be read. A file that is not there has none.
pub(crate) fn read(path: &Path) -> Result<Lines, LedgerError> {
    match File::open(path) {
        Ok(file) => read_lines(BufReader::new(file)).map_err(LedgerError::io(path)),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            read_lines(io::empty()).map_err(LedgerError::io(path))
        }
        Err(error) => Err(LedgerError::io(path)(error)),
    }
}

pub(crate) fn read_lines(mut source: impl BufRead) -> io::Result<Lines> {
    let mut lines = Lines {
        entries: Vec::new(),
        problems: Vec::new(),
        understood: Understood::All,
        is_torn: false,
    };
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let mut limited = source.by_ref().take(LONGEST_LINE);
        if limited.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        let ended = line.pop_if(|last| *last == b'\n').is_some();
        if !ended && line.len() as u64 == LONGEST_LINE {
            source.skip_until(b'\n')?;
            lines.pass_over(number, "it is too long".to_owned());
            continue;
        }
        if checksum::of_line(&line) == Checked::Wrong {
            lines.pass_over(number, "its checksum is wrong".to_owned());
            continue;
        }
        match serde_json::from_slice(&line) {
            // No part of a line is a line, so one that lacks nothing but its end counts: the next line will end it.
            Ok(entry) => lines.entries.push((number, entry)),
            Err(_) if line.is_empty() => {}
            Err(error) => {
                if ended && is_newer(&line) {
                    lines.understood = Understood::NotAll;
                }
                lines.is_torn = !ended;
                lines.pass_over(number, error.to_string());
            }
        }
    }
    Ok(lines)
}

impl Lines {
    fn pass_over(&mut self, line: usize, what: String) {
        self.problems.push(Problem { line, what });
    }
}

/// Whether somebody has written this on purpose.
fn is_newer(line: &[u8]) -> bool {
    let value: Option<Value> = serde_json::from_slice(line).ok();
    value.is_some_and(|value| value.get("entry").is_some_and(Value::is_string))
}

/// Appends lines to a log.
pub(crate) struct Writer {
    file: File,
    path: PathBuf,
    end: End,
    /// Up to the end of the last whole line.
    length: u64,
    /// Says how long the log was, so that it is seen when something of it is missing.
    mark: Option<File>,
    durability: Durability,
}

/// How the file ends now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    AfterLine,
    /// A line was cut off. The next one must not continue it.
    InLine,
}

/// Whether a line must be on the disk before anything else happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Urgency {
    Now,
    /// With the next line that is urgent. If it is lost, looking at the file tells the same.
    Later,
}

impl Writer {
    pub(crate) fn open(path: &Path, durability: Durability) -> Result<Self, LedgerError> {
        let mut file = private::options()
            .append(true)
            .read(true)
            .create(true)
            .open(path)
            .map_err(LedgerError::io(path))?;
        let end = end_of(&mut file).map_err(LedgerError::io(path))?;
        let length = file.metadata().map_err(LedgerError::io(path))?.len();
        let mark = private::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(mark_of(path));
        let mut writer = Self {
            file,
            path: path.to_path_buf(),
            end,
            length,
            // Without it, on a full disk, a shorter log is not noticed.
            mark: mark.ok(),
            durability,
        };
        writer.set_mark();
        Ok(writer)
    }

    /// All the lines with one call to the system, so that a killed process leaves all or nothing of them.
    pub(crate) fn append(
        &mut self,
        entries: &[Entry],
        urgency: Urgency,
    ) -> Result<(), LedgerError> {
        let mut bytes = Vec::new();
        if self.end == End::InLine {
            bytes.push(b'\n');
        }
        bytes.extend(text_of(entries).map_err(LedgerError::io(&self.path))?);
        // Until all of it is there, the last line may be half a line.
        let before = std::mem::replace(&mut self.end, End::InLine);
        if let Err(error) = self.file.write_all(&bytes) {
            if self.file.set_len(self.length).is_ok() {
                self.end = before;
            }
            return Err(LedgerError::io(&self.path)(error));
        }
        self.end = End::AfterLine;
        self.length += bytes.len() as u64;
        self.set_mark();
        match urgency {
            Urgency::Now => self.sync(),
            Urgency::Later => Ok(()),
        }
    }

    /// After the lines: a log that is longer than its mark is one whose writer was killed.
    fn set_mark(&mut self) {
        if let Some(mark) = &mut self.mark {
            let text = format!("{:020}", self.length);
            // With an older mark something may go unnoticed, and nothing is wrong.
            let _best_effort = mark
                .seek(SeekFrom::Start(0))
                .and_then(|_| mark.write_all(text.as_bytes()));
        }
    }

    pub(crate) fn sync(&mut self) -> Result<(), LedgerError> {
        match self.durability {
            Durability::PowerCut => self.file.sync_data().map_err(LedgerError::io(&self.path)),
            Durability::Process => Ok(()),
        }
    }
}

pub(crate) fn text_of(entries: &[Entry]) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for entry in entries {
        bytes.extend(checksum::with(serde_json::to_vec(entry)?));
        bytes.push(b'\n');
    }
    Ok(bytes)
}

fn mark_of(log: &Path) -> PathBuf {
    log.with_extension("length")
}

/// Whether a log is shorter than it was when its last writer was done with it.
pub(crate) fn is_cut(log: &Path) -> bool {
    let mark = std::fs::read_to_string(mark_of(log)).unwrap_or_default();
    let length = std::fs::metadata(log).map_or(0, |metadata| metadata.len());
    mark.trim().parse().is_ok_and(|mark: u64| length < mark)
}

/// Before the log is replaced by a shorter one.
pub(crate) fn forget_length(log: &Path) {
    let _not_there = std::fs::remove_file(mark_of(log));
}

fn end_of(file: &mut File) -> io::Result<End> {
    if file.metadata()?.len() == 0 {
        return Ok(End::AfterLine);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0_u8];
    file.read_exact(&mut last)?;
    Ok(match last {
        [b'\n'] => End::AfterLine,
        _ => End::InLine,
    })
}
