//! For tests of crashes: a disk at which the host is killed, at a moment of a write that the test has named.

use std::fs;
use std::path::PathBuf;

use pollux_agent::FileError;
use pollux_workspace::{Disk, Location, Replaced};
use rustix::process::{Signal, getpid, kill_process};

use super::ReviewedDisk;

/// The order, in the folder where host and doors meet.
pub(crate) const ORDER: &str = "kill";

pub(crate) struct KilledDisk {
    /// A file with a moment, a blank and a file name. It goes with the host, so the next one lives.
    pub(crate) order: PathBuf,
}

impl KilledDisk {
    fn reached(&self, moment: &str, at: &Location) {
        let name = at.path.file_name().unwrap_or_default().to_string_lossy();
        let order = fs::read_to_string(&self.order).unwrap_or_default();
        if order == format!("{moment} {name}") && fs::remove_file(&self.order).is_ok() {
            let _cannot_fail = kill_process(getpid(), Signal::KILL);
        }
    }
}

impl Disk for KilledDisk {
    fn read(&self, at: &Location) -> Result<Option<String>, FileError> {
        ReviewedDisk.read(at)
    }

    fn replace(
        &self,
        at: &Location,
        before: Option<&str>,
        after: Option<&str>,
    ) -> Result<Replaced, FileError> {
        self.reached("before", at);
        let replaced = ReviewedDisk.replace(at, before, after);
        self.reached("after", at);
        replaced
    }

    fn clean_up(&self, at: &Location) {
        ReviewedDisk.clean_up(at);
    }

    fn find_moved(&self, at: &Location, text: &str, candidates: &[PathBuf]) -> Option<PathBuf> {
        ReviewedDisk.find_moved(at, text, candidates)
    }

    fn rename(&self, from: &Location, to: &Location) -> Result<(), FileError> {
        ReviewedDisk.rename(from, to)
    }
}
