//! What the arguments of a call stand for, read from the process that makes it.

use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use libc::seccomp_data;

/// A process that waits for the answer to a call.
pub(super) struct Caller<'a> {
    pub(super) process: u32,
    pub(super) data: &'a seccomp_data,
}

impl Caller<'_> {
    pub(super) fn argument(&self, place: usize) -> u64 {
        self.data.args[place]
    }

    /// An argument that is an `int` to the kernel.
    pub(super) fn number(&self, place: usize) -> i32 {
        #[expect(clippy::cast_possible_truncation, reason = "the kernel does the same")]
        let low = self.argument(place) as u32;
        low.cast_signed()
    }

    /// The path that a call names, absolute but not resolved.
    pub(super) fn path(&self, folder: Option<usize>, path: usize) -> Option<PathBuf> {
        let spelled = match self.argument(path) {
            // Some calls mean the open file itself by a path that is not there.
            0 => PathBuf::new(),
            address => PathBuf::from(std::ffi::OsStr::from_bytes(&self.text(address)?)),
        };
        if spelled.is_absolute() {
            return Some(spelled);
        }
        let folder = match folder.map(|place| self.number(place)) {
            None | Some(libc::AT_FDCWD) => fs::read_link(format!("/proc/{}/cwd", self.process)),
            Some(file) => fs::read_link(format!("/proc/{}/fd/{file}", self.process)),
        };
        let folder = folder.ok()?;
        match spelled.as_os_str().is_empty() {
            true => Some(folder),
            false => Some(folder.join(spelled)),
        }
    }

    pub(super) fn open_file(&self, file: i32) -> Option<PathBuf> {
        fs::read_link(format!("/proc/{}/fd/{file}", self.process)).ok()
    }

    /// The words that a program is started with.
    pub(super) fn words(&self, place: usize) -> Vec<String> {
        let mut words = Vec::new();
        let mut address = self.argument(place);
        while let Some(bytes) = self.bytes(address, 8) {
            let pointer = u64::from_ne_bytes(bytes.try_into().unwrap_or_default());
            if pointer == 0 || words.len() > 4000 {
                break;
            }
            let word = self.text(pointer).unwrap_or_default();
            words.push(String::from_utf8_lossy(&word).into_owned());
            address += 8;
        }
        words
    }

    /// The bytes of a text up to its end.
    fn text(&self, address: u64) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        loop {
            // Never across the end of a page, behind which nothing may lie.
            let at = address + text.len() as u64;
            let left = 4096 - (at % 4096);
            let bytes = self.bytes(at, usize::try_from(left).ok()?)?;
            match bytes.iter().position(|byte| *byte == 0) {
                Some(end) => {
                    text.extend(&bytes[..end]);
                    return Some(text);
                }
                None => text.extend(&bytes),
            }
            if text.len() > 256 * 1024 {
                return None;
            }
        }
    }

    pub(super) fn bytes(&self, address: u64, count: usize) -> Option<Vec<u8>> {
        let memory = File::open(format!("/proc/{}/mem", self.process)).ok()?;
        let mut bytes = vec![0; count];
        memory.read_exact_at(&mut bytes, address).ok()?;
        Some(bytes)
    }

    /// Where an open would lead: the pipes that the process has open already, by whichever name, and links followed.
    pub(super) fn opened(&self, path: &Path) -> PathBuf {
        let own = format!("/proc/{}/fd", self.process);
        let file = match path.to_str() {
            Some("/dev/stdin") => Some(0),
            Some("/dev/stdout") => Some(1),
            Some("/dev/stderr") => Some(2),
            Some(text) => ["/dev/fd", "/proc/self/fd", &own]
                .iter()
                .find_map(|folder| text.strip_prefix(folder)?.strip_prefix('/')?.parse().ok()),
            None => None,
        };
        match file {
            Some(file) => self.open_file(file).unwrap_or_else(|| path.to_owned()),
            None => path.canonicalize().unwrap_or_else(|_| path.to_owned()),
        }
    }
}

/// The process that started this one.
pub(super) fn parent_of(process: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
    line.trim().parse().ok()
}

/// The process group; none for what the kernel itself runs.
pub(super) fn group_of(process: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name before it may hold anything, a parenthesis too.
    let (_, after) = status.rsplit_once(')')?;
    after.split_whitespace().nth(2)?.parse().ok()
}
