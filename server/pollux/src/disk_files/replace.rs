//! Files that are replaced as a whole, and what killed processes leave of that.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use super::exact;

const PREFIX: &str = ".pollux-";
const SUFFIX: &str = ".tmp";

/// Who may read a temporary file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    OwnerOnly,
    /// As any program makes a file: others too, as far as the person's mask lets them.
    AsUsual,
}

/// A reader, or a crash at any point, finds the old text or the new one. The file keeps its owner and its mode.
pub(super) fn write_atomically(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = target.parent().ok_or(io::ErrorKind::InvalidInput)?;
    let name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let held = exact::hold(folder)?;
    let target = &held.path().join(name);
    let metadata = fs::symlink_metadata(target)?;
    if metadata.is_symlink() {
        return Err(io::Error::other("a link has taken the place of the file"));
    }
    // A rename would not mind; the person who made it read-only would.
    if metadata.permissions().readonly() || !may_write(target) {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let mut temporary = temporary_in(held.path(), Access::OwnerOnly)?;
    temporary.write_all(bytes)?;
    if !keep_owner(temporary.as_file(), &metadata)? {
        return write_in_place(target, bytes);
    }
    temporary
        .as_file()
        .set_permissions(metadata.permissions())?;
    temporary.as_file().sync_all()?;
    temporary.persist(target)?;
    sync(folder);
    clean_up(folder);
    Ok(())
}

/// A reader finds the whole file or none. Fails when there is one by now.
pub(super) fn create_atomically(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = target.parent().ok_or(io::ErrorKind::InvalidInput)?;
    let name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    fs::create_dir_all(folder)?;
    let held = exact::hold(folder)?;
    let mut temporary = temporary_in(held.path(), Access::AsUsual)?;
    temporary.write_all(bytes)?;
    temporary.as_file().sync_all()?;
    temporary.persist_noclobber(held.path().join(name))?;
    sync(folder);
    clean_up(folder);
    Ok(())
}

/// The name says which process writes it, and the lock that it is still at it.
fn temporary_in(folder: &Path, access: Access) -> io::Result<NamedTempFile> {
    let prefix = format!("{PREFIX}{}-", std::process::id());
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(SUFFIX);
    #[cfg(unix)]
    if access == Access::AsUsual {
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    let temporary = builder.tempfile_in(folder)?;
    // Without locks the process's number has to do.
    let _unsupported = temporary.as_file().try_lock();
    Ok(temporary)
}

/// The text is in place; a folder that cannot be synced (on some systems none can) does not undo that.
fn sync(folder: &Path) {
    let _best_effort = File::open(folder).and_then(|folder| folder.sync_all());
}

/// As the system sees it: the folder may be the person's and the file somebody else's.
#[cfg(unix)]
fn may_write(target: &Path) -> bool {
    use rustix::fs::{AtFlags, CWD, accessat};
    accessat(CWD, target, rustix::fs::Access::WRITE_OK, AtFlags::EACCESS).is_ok()
}

#[cfg(not(unix))]
fn may_write(_: &Path) -> bool {
    true
}

/// Gives the new file to the owner and the group of the old one. False where this process may not.
#[cfg(unix)]
fn keep_owner(file: &File, old: &fs::Metadata) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let new = file.metadata()?;
    if (new.uid(), new.gid()) == (old.uid(), old.gid()) {
        return Ok(true);
    }
    let (uid, gid) = (
        rustix::fs::Uid::from_raw(old.uid()),
        rustix::fs::Gid::from_raw(old.gid()),
    );
    Ok(rustix::fs::fchown(file, Some(uid), Some(gid)).is_ok())
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &fs::Metadata) -> io::Result<bool> {
    Ok(true)
}

/// For a file of somebody else that the person may write: replaced, it would be theirs. That there is room is known: the text
/// has just been written beside it.
fn write_in_place(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        rustix::fs::OFlags::NOFOLLOW.bits().cast_signed(),
    );
    let mut file = options.open(target)?;
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)?;
    file.sync_all()
}

/// Removes what processes of this user that were killed have left in a folder.
#[cfg(unix)]
pub(super) fn clean_up(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let writer = name.to_str().and_then(writer_of);
        if let Some(writer) = writer
            && is_abandoned(&entry.path(), writer)
        {
            // If it cannot be removed it is there the next time.
            let _best_effort = fs::remove_file(entry.path());
        }
    }
}

#[cfg(not(unix))]
pub(super) fn clean_up(_: &Path) {}

/// The process that a temporary file is of, if the name is one that [`temporary_in`] gives.
#[cfg(unix)]
fn writer_of(name: &str) -> Option<rustix::process::Pid> {
    const RANDOM: usize = 6;
    let (process, random) = name
        .strip_prefix(PREFIX)?
        .strip_suffix(SUFFIX)?
        .split_once('-')?;
    let is_random = random.len() == RANDOM && random.bytes().all(|b| b.is_ascii_alphanumeric());
    let number = process.parse().ok().filter(|_| is_random)?;
    rustix::process::Pid::from_raw(number)
}

/// Whether its writer is gone, by its number and by its lock: another machine or a container may share the folder.
#[cfg(unix)]
fn is_abandoned(path: &Path, writer: rustix::process::Pid) -> bool {
    use rustix::fs::{Mode, OFlags};
    use std::os::unix::fs::MetadataExt;

    let is_gone = rustix::process::test_kill_process(writer) == Err(rustix::io::Errno::SRCH);
    if !is_gone {
        return false;
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(file) = rustix::fs::open(path, flags, Mode::empty()).map(File::from) else {
        return false;
    };
    let own = rustix::process::geteuid().as_raw();
    let is_ours = file
        .metadata()
        .is_ok_and(|found| found.is_file() && found.uid() == own);
    is_ours && !matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock))
}
