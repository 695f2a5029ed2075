//! Files of the runtime folder that other programs write too: locked as the twin locks them, replaced as a
//! whole, and readable by their owner only.

mod lock;

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

pub use lock::{FileLock, Patience, lock_file};

/// Whether a replaced file must outlive a power cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Waits for the disk.
    PowerCut,
    /// Outlives the process, which is enough for what is written while somebody waits.
    Process,
}

/// Readers see the old file or the new one, never half of one, also after a crash.
pub fn replace_file(path: &Path, bytes: &[u8], durability: Durability) -> io::Result<()> {
    let temporary = temporary_name(path);
    let written = create_private_file(&temporary).and_then(|mut file| {
        file.write_all(bytes)?;
        if durability == Durability::PowerCut {
            file.sync_all()?;
        }
        std::fs::rename(&temporary, path)
    });
    if written.is_err() {
        // The first error is the one to report.
        let _best_effort = std::fs::remove_file(&temporary);
    }
    written
}

/// Makes a file that did not exist, for its owner only.
pub fn create_private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

/// Makes the folder and those above it, as far as they are missing, for their owner only.
pub fn create_private_folder(path: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(path)
}

fn temporary_name(path: &Path) -> PathBuf {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}-{count}.tmp", std::process::id()));
    PathBuf::from(name)
}
