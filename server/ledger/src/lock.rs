//! One writer per record.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::error::LedgerError;
use crate::holder;
use crate::private;

const NAME: &str = "lock";
/// Somebody who removes an old record may do so while we open it.
const ATTEMPTS: u32 = 20;

/// Held until it is dropped, or its process ends in whatever way.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
    path: PathBuf,
}

impl Lock {
    /// Makes the folder where it is missing.
    pub(crate) fn take(folder: &Path) -> Result<Self, LedgerError> {
        let path = folder.join(NAME);
        for _ in 0..ATTEMPTS {
            private::make_folder(folder).map_err(LedgerError::io(folder))?;
            let opened = private::options().append(true).create(true).open(&path);
            let file = match opened {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                opened => opened.map_err(LedgerError::io(&path))?,
            };
            match file.try_lock() {
                // The lock of a folder that was removed meanwhile locks nothing.
                Ok(()) if is_still(&file, &path) => return Ok(Self { file, path }),
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => break,
                // Some network file systems have no locks.
                Err(TryLockError::Error(_unsupported)) => return Ok(Self { file, path }),
            }
        }
        Err(LedgerError::InUse {
            folder: folder.to_path_buf(),
            holder: holder::read(folder),
        })
    }

    /// Whether it still locks what is there: somebody may have removed the folder.
    pub(crate) fn holds(&self) -> bool {
        is_still(&self.file, &self.path)
    }
}

#[cfg(unix)]
fn is_still(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let same = |ours: std::fs::Metadata, there: std::fs::Metadata| {
        (ours.dev(), ours.ino()) == (there.dev(), there.ino())
    };
    file.metadata()
        .is_ok_and(|ours| std::fs::symlink_metadata(path).is_ok_and(|there| same(ours, there)))
}

#[cfg(not(unix))]
fn is_still(_file: &File, _path: &Path) -> bool {
    true
}
