//! What systems do differently: modes, links, and opening without following them.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

/// The permission bits, where there are any.
#[cfg(unix)]
pub(super) fn mode_of(metadata: &Metadata) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o7777
}

#[cfg(not(unix))]
pub(super) fn mode_of(metadata: &Metadata) -> u32 {
    match metadata.permissions().readonly() {
        true => 0o444,
        false => 0o644,
    }
}

#[cfg(unix)]
pub(super) fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o7777))
}

#[cfg(not(unix))]
pub(super) fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    let mut permissions = fs::metadata(path)?.permissions();
    permissions.set_readonly(mode & 0o200 == 0);
    fs::set_permissions(path, permissions)
}

#[cfg(unix)]
pub(super) fn make_link(target: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

#[cfg(windows)]
pub(super) fn make_link(target: &Path, link: &Path) -> io::Result<()> {
    let from = link.parent().unwrap_or(Path::new("."));
    match from.join(target).is_dir() {
        true => std::os::windows::fs::symlink_dir(target, link),
        false => std::os::windows::fs::symlink_file(target, link),
    }
}

/// Opens a regular file; one that has become a link or a pipe meanwhile is refused.
pub(crate) fn open_plain(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
    }
    let file = options.open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("it is no longer a regular file")),
    }
}

pub(super) fn modified(metadata: &Metadata) -> Option<u64> {
    let since = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(since.as_nanos()).ok()
}

pub(super) fn set_modified(file: &File, nanoseconds: u64) -> io::Result<()> {
    file.set_modified(UNIX_EPOCH + Duration::from_nanos(nanoseconds))
}
