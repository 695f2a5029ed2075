//! The pages that several processes hold together, each counted once.
//!
//! Resident memory counts a page of the binary once per process that has it mapped, although the machine holds it once;
//! Pss divides it also among programs that are not ours. This is what the machine would hold less without ours, if
//! nobody else used the C library.

use std::collections::HashSet;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use anyhow::{Context, Result};

#[cfg(test)]
mod tests;

const PAGE: u64 = 4096;
/// One number per page.
const ENTRY: u64 = 8;
const IN_MEMORY: u64 = 1 << 63;
/// Of a file, or shared in another way; any other page belongs to one process alone.
const OF_A_FILE: u64 = 1 << 61;

/// A stretch of addresses, from one line of `/proc/PID/maps`.
#[derive(Debug, PartialEq, Eq)]
struct Mapping {
    start: u64,
    end: u64,
    /// Device and inode, when there is a file behind it.
    file: Option<(String, u64)>,
    /// Where in the file it begins.
    offset: u64,
}

/// Pages of files by their place in the file, and how many others there are.
#[derive(Default)]
struct Seen {
    of_files: HashSet<(String, u64, u64)>,
    alone: u64,
}

/// In bytes. Linux only.
pub(super) fn of_all(processes: &[u32]) -> Result<u64> {
    let mut seen = Seen::default();
    for process in processes {
        let maps = std::fs::read_to_string(format!("/proc/{process}/maps"))
            .with_context(|| format!("the memory of process {process} cannot be read here"))?;
        let mut table = File::open(format!("/proc/{process}/pagemap"))?;
        for mapping in maps.lines().filter_map(mapping) {
            let pages = (mapping.end - mapping.start) / PAGE;
            let mut entries = Vec::new();
            table.seek(SeekFrom::Start(mapping.start / PAGE * ENTRY))?;
            Read::by_ref(&mut table)
                .take(pages * ENTRY)
                .read_to_end(&mut entries)?;
            seen.add(&mapping, &entries);
        }
    }
    Ok(seen.bytes())
}

impl Seen {
    fn add(&mut self, mapping: &Mapping, entries: &[u8]) {
        let (entries, _) = entries.as_chunks();
        for (place, entry) in (mapping.offset / PAGE..).zip(entries) {
            let entry = u64::from_le_bytes(*entry);
            if entry & IN_MEMORY == 0 {
                continue;
            }
            match &mapping.file {
                Some((device, inode)) if entry & OF_A_FILE != 0 => {
                    self.of_files.insert((device.clone(), *inode, place));
                }
                _ => self.alone += 1,
            }
        }
    }

    fn bytes(&self) -> u64 {
        (self.of_files.len() as u64 + self.alone) * PAGE
    }
}

/// `START-END PERMISSIONS OFFSET DEVICE INODE NAME`. Nothing for the page of the kernel that no process owns.
fn mapping(line: &str) -> Option<Mapping> {
    let mut words = line.split_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let _permissions = words.next()?;
    let offset = words.next()?;
    let device = words.next()?;
    let inode = words.next()?.parse().ok()?;
    if words.next() == Some("[vsyscall]") {
        return None;
    }
    let hexadecimal = |digits| u64::from_str_radix(digits, 16).ok();
    Some(Mapping {
        start: hexadecimal(start)?,
        end: hexadecimal(end)?,
        file: (inode != 0).then(|| (device.to_owned(), inode)),
        offset: hexadecimal(offset)?,
    })
}
