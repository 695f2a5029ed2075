//! Who has a record open, for processes that want it too.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::folder::folder_of;
use crate::private::{self, Durability};

const NAME: &str = "holder.json";

/// The process that has a record open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    pub process: u32,
    /// Where it takes edits of other processes, if it does.
    pub socket: Option<PathBuf>,
}

/// Who has the record of a workspace open, as far as they have said so. Whoever was killed cannot take it back.
pub fn holder_of(base: &Path, root: &Path) -> Option<Holder> {
    read(&folder_of(base, root))
}

pub(crate) fn read(folder: &Path) -> Option<Holder> {
    let text = std::fs::read(folder.join(NAME)).ok()?;
    serde_json::from_slice(&text).ok()
}

/// The word about a holder, which goes with it.
#[derive(Debug)]
pub(crate) struct Announcement(PathBuf);

impl Announcement {
    /// Only for the one that has the lock. On a full disk nobody is told; they wait for the lock then.
    pub(crate) fn make(folder: &Path, holder: &Holder) -> Option<Self> {
        let path = folder.join(NAME);
        let text = serde_json::to_vec(holder).ok()?;
        private::replace(&path, &[&text], Durability::Process).ok()?;
        Some(Self(path))
    }
}

impl Drop for Announcement {
    fn drop(&mut self) {
        // A stale one is no harm: nobody answers at its socket.
        let _best_effort = std::fs::remove_file(&self.0);
    }
}
