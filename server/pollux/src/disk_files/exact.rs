//! Files and folders by paths without links, held so that nobody puts a link in between.
//!
//! A path was followed to where it leads and found to be in the workspace. By the time it is opened a folder of it may
//! be a link: then it is not opened, and what is held stays the folder that was meant.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// A folder that stays the same, whatever its path comes to lead to.
pub(super) struct HeldFolder {
    path: PathBuf,
    /// The path above leads to what is open here.
    _open: Option<File>,
}

impl HeldFolder {
    /// Where to make and rename files of the folder.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// Opens a file whose path has no link in it.
#[cfg(target_os = "linux")]
pub(super) fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::OFlags;
    match without_links(path, OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK) {
        Some(opened) => opened,
        None => File::open(path),
    }
}

/// Holds a folder whose path has no link in it.
#[cfg(target_os = "linux")]
pub(super) fn hold(folder: &Path) -> io::Result<HeldFolder> {
    use std::os::fd::AsRawFd;

    use rustix::fs::OFlags;
    let Some(opened) = without_links(folder, OFlags::PATH | OFlags::DIRECTORY) else {
        return Ok(by_name(folder));
    };
    let open = opened?;
    let path = PathBuf::from(format!("/proc/self/fd/{}", open.as_raw_fd()));
    // Without `/proc` only the path is left.
    match path.exists() {
        true => Ok(HeldFolder {
            path,
            _open: Some(open),
        }),
        false => Ok(by_name(folder)),
    }
}

/// `None` on kernels before 5.6, and where a filter does not know the call.
#[cfg(target_os = "linux")]
fn without_links(path: &Path, flags: rustix::fs::OFlags) -> Option<io::Result<File>> {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    use rustix::io::Errno;
    let flags = flags | OFlags::CLOEXEC;
    match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        Ok(opened) => Some(Ok(File::from(opened))),
        Err(Errno::NOSYS | Errno::PERM | Errno::INVAL) => None,
        Err(error) => Some(Err(error.into())),
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn hold(folder: &Path) -> io::Result<HeldFolder> {
    Ok(by_name(folder))
}

fn by_name(folder: &Path) -> HeldFolder {
    HeldFolder {
        path: folder.to_owned(),
        _open: None,
    }
}
