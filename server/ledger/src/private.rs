//! Files and folders that only their owner can open, and that are there as a whole or not at all.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// What a write outlives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// The disk is waited for.
    #[default]
    PowerCut,
    /// A killed process, and no more. For tests, and for disks on which waiting takes too long.
    Process,
}

/// From so many files on, everything that the file system holds back is waited for at once. That may be somebody else's too,
/// and is still less than a wait for each.
#[cfg(target_os = "linux")]
const MANY: usize = 32;

/// What is being written has this in its name until it is whole.
pub(crate) const UNFINISHED: &str = ".tmp";

pub(crate) fn make_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(path)
}

/// For its owner only, if the file has to be made.
pub(crate) fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options
}

/// Readers see the old file or the new one. The name is on the disk only after [`sync_folder`].
pub(crate) fn replace(path: &Path, parts: &[&[u8]], durability: Durability) -> io::Result<()> {
    let unfinished = unfinished_name(path);
    let written =
        write(&unfinished, parts, durability).and_then(|()| std::fs::rename(&unfinished, path));
    if written.is_err() {
        // The first error is the one to report.
        let _best_effort = std::fs::remove_file(&unfinished);
    }
    written
}

fn write(path: &Path, parts: &[&[u8]], durability: Durability) -> io::Result<()> {
    let mut file = options().write(true).create_new(true).open(path)?;
    for part in parts {
        file.write_all(part)?;
    }
    match durability {
        Durability::PowerCut => file.sync_all(),
        Durability::Process => Ok(()),
    }
}

/// Writes what is to become the file, and does not wait for the disk. Returns where.
pub(crate) fn unfinished(path: &Path, parts: &[&[u8]]) -> io::Result<PathBuf> {
    let unfinished = unfinished_name(path);
    let written = write(&unfinished, parts, Durability::Process);
    if written.is_err() {
        // The first error is the one to report.
        let _best_effort = std::fs::remove_file(&unfinished);
    }
    written.map(|()| unfinished)
}

/// Makes sure that what these files of a folder hold outlives a power cut.
pub(crate) fn sync_files<'path>(
    folder: &Path,
    mut files: impl ExactSizeIterator<Item = &'path PathBuf>,
    durability: Durability,
) -> io::Result<()> {
    if durability == Durability::Process {
        return Ok(());
    }
    #[cfg(target_os = "linux")]
    if files.len() >= MANY {
        return Ok(rustix::fs::syncfs(File::open(folder)?)?);
    }
    #[cfg(not(target_os = "linux"))]
    let _only_linux_waits_for_all = folder;
    files.try_for_each(|file| options().write(true).open(file)?.sync_all())
}

/// Makes sure that names in a folder outlive a power cut.
pub(crate) fn sync_folder(path: &Path, durability: Durability) -> io::Result<()> {
    // Only Unix opens folders; elsewhere the names are as safe as the system makes them.
    match durability {
        Durability::PowerCut if cfg!(unix) => File::open(path)?.sync_all(),
        _ => Ok(()),
    }
}

fn unfinished_name(path: &Path) -> PathBuf {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}-{count}{UNFINISHED}", std::process::id()));
    PathBuf::from(name)
}
