//! Whether a system file can be believed.
//!
//! System settings override the user's own, so a file that somebody other than the administrator could
//! have written is not used. The file, every folder above it, and the same for what links lead to, must
//! belong to root and be writable by root alone.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// What the check asks the disk. A trait, because tests own no files of root, or nothing else.
pub(crate) trait Inspect {
    /// Describes the path itself: a link is not followed.
    fn node(&self, path: &Path) -> io::Result<Node>;
    /// The path with every link on the way followed.
    fn real(&self, path: &Path) -> io::Result<PathBuf>;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) owner: u32,
    pub(crate) mode: u32,
    pub(crate) kind: NodeKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    not(any(unix, test)),
    expect(dead_code, reason = "only Unix can be asked so far")
)]
pub(crate) enum NodeKind {
    Link,
    Other,
}

/// Why a file is not believed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Weakness {
    ForeignOwner(PathBuf),
    Writable(PathBuf),
    Unknown(PathBuf),
}

impl fmt::Display for Weakness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ForeignOwner(path) => write!(f, "{} does not belong to root", path.display()),
            Self::Writable(path) => {
                write!(f, "others than root may write to {}", path.display())
            }
            Self::Unknown(path) => {
                write!(f, "the owner of {} cannot be found out", path.display())
            }
        }
    }
}

/// `Ok` also for a file that does not exist: there is nothing to believe.
pub(crate) fn check(path: &Path, disk: &dyn Inspect) -> Result<(), Weakness> {
    let real = match disk.real(path) {
        Ok(real) => real,
        Err(error) if is_missing(&error) => return Ok(()),
        Err(_) => return Err(Weakness::Unknown(path.to_path_buf())),
    };
    // The way as written shows who may redirect it, the real way who may change what is there.
    for step in path.ancestors().chain(real.ancestors()) {
        if step.as_os_str().is_empty() {
            continue;
        }
        let node = disk
            .node(step)
            .map_err(|_| Weakness::Unknown(step.to_path_buf()))?;
        if node.owner != 0 {
            return Err(Weakness::ForeignOwner(step.to_path_buf()));
        }
        // The mode of a link means nothing.
        if node.kind == NodeKind::Other && node.mode & 0o022 != 0 {
            return Err(Weakness::Writable(step.to_path_buf()));
        }
    }
    Ok(())
}

fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// The real file system.
pub(crate) struct Disk;

impl Inspect for Disk {
    #[cfg(unix)]
    fn node(&self, path: &Path) -> io::Result<Node> {
        use std::os::unix::fs::MetadataExt;

        let metadata = std::fs::symlink_metadata(path)?;
        Ok(Node {
            owner: metadata.uid(),
            mode: metadata.mode(),
            kind: if metadata.is_symlink() {
                NodeKind::Link
            } else {
                NodeKind::Other
            },
        })
    }

    /// Access lists cannot be read with the standard library, and what cannot be checked is not used.
    #[cfg(not(unix))]
    fn node(&self, _path: &Path) -> io::Result<Node> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        std::fs::canonicalize(path)
    }
}

#[cfg(test)]
pub(crate) mod tests;
