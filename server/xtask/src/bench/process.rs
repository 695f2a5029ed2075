//! Looking at running processes: are they there, and how much memory do they hold.

use std::fs;
use std::ops::Add;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

#[cfg(test)]
mod tests;

/// How often a condition is looked at that nobody announces.
const LOOK_AGAIN: Duration = Duration::from_millis(2);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Memory {
    /// Everything in memory, shared pages counted in full.
    pub(super) resident: u64,
    /// Shared pages divided among those who share them.
    pub(super) proportional: u64,
    /// What would be free again if this process ended.
    pub(super) private: u64,
}

impl Memory {
    /// The ways to count, by name.
    pub(super) fn kinds(self) -> [(&'static str, u64); 3] {
        [
            ("resident", self.resident),
            ("Pss", self.proportional),
            ("private", self.private),
        ]
    }
}

impl Add for Memory {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            resident: self.resident + other.resident,
            proportional: self.proportional + other.proportional,
            private: self.private + other.private,
        }
    }
}

/// In bytes. Linux only: other systems do not say it in a file.
pub(super) fn memory(pid: u32) -> Result<Memory> {
    let pages = fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))
        .with_context(|| format!("the memory of process {pid} cannot be read here"))?;
    memory_in(&pages)
}

/// Of the process and of all that it started, as far as they are there.
pub(super) fn memory_of_tree(pid: u32) -> Result<Memory> {
    memory_of_all(&tree(pid)?)
}

pub(super) fn memory_of_all(pids: &[u32]) -> Result<Memory> {
    pids.iter()
        .try_fold(Memory::default(), |all, pid| Ok(all + memory(*pid)?))
}

/// The process and all that it started, as far as they are there.
pub(super) fn tree(pid: u32) -> Result<Vec<u32>> {
    let path = format!("/proc/{pid}/task/{pid}/children");
    let children = fs::read_to_string(&path).with_context(|| path)?;
    let mut all = vec![pid];
    for child in children.split_whitespace() {
        all.extend(tree(child.parse()?)?);
    }
    Ok(all)
}

/// Whether the process has ended, also when nobody has asked for its exit code yet.
pub(super) fn has_ended(pid: u32) -> bool {
    match fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => is_zombie(&stat),
        Err(_gone) => true,
    }
}

/// Looks until the condition holds; an error when the deadline comes first.
pub(super) fn wait_until(
    what: &str,
    deadline: Duration,
    mut holds: impl FnMut() -> Result<bool>,
) -> Result<()> {
    let end = Instant::now() + deadline;
    while !holds()? {
        if Instant::now() > end {
            bail!("waited {deadline:?} until {what}");
        }
        thread::park_timeout(LOOK_AGAIN);
    }
    Ok(())
}

/// The sums of one process. `VmRSS` of its `status` is not one: the kernel counts it per thread and adds up late.
fn memory_in(pages: &str) -> Result<Memory> {
    Ok(Memory {
        resident: field(pages, "Rss:")?,
        proportional: field(pages, "Pss:")?,
        private: field(pages, "Private_Clean:")? + field(pages, "Private_Dirty:")?,
    })
}

fn field(text: &str, name: &str) -> Result<u64> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(name))
        .with_context(|| format!("there is no {name}"))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kilobytes * 1024)
}

/// `17 (a name) Z 1 …`; the name may hold anything, so the state is looked for from the end.
fn is_zombie(stat: &str) -> bool {
    stat.rsplit_once(')')
        .is_some_and(|(_, rest)| rest.trim_start().starts_with('Z'))
}
