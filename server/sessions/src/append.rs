//! A file that only grows, by whole records, and that one writer has to itself.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use pollux_settings::create_private_folder;

use crate::error::SessionError;

/// Whoever asks whether a file is recorded to holds its lock for a moment, and is no writer.
const LOCK_ATTEMPTS: u32 = 100;

/// What records are written to: a file, or in tests something that fails.
pub(crate) trait Sink: Write + Send {
    /// Whether nobody will find again what is written here.
    fn is_deleted(&self) -> bool;
}

/// Keeps the file locked until it is dropped.
pub(crate) struct Appender {
    sink: Box<dyn Sink>,
    path: PathBuf,
    end: End,
}

/// How the file ends now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    AfterLine,
    /// A record was cut off, by a crash or by a full disk. The next one must not continue its line.
    InLine,
}

impl Appender {
    /// Makes the file, and the folder it is in.
    pub(crate) fn create(path: &Path) -> Result<Self, SessionError> {
        if let Some(folder) = path.parent() {
            create_private_folder(folder).map_err(SessionError::io(folder))?;
        }
        let file = options()
            .create_new(true)
            .open(path)
            .map_err(SessionError::io(path))?;
        lock(&file, path)?;
        Ok(Self::new(Box::new(file), path, End::AfterLine))
    }

    /// Continues an existing file.
    pub(crate) fn open(path: &Path) -> Result<Self, SessionError> {
        let mut file =
            options().read(true).open(path).map_err(|error| {
                match is_sharing_violation(&error) {
                    true => in_use(path),
                    false => SessionError::io(path)(error),
                }
            })?;
        lock(&file, path)?;
        let end = end_of(&mut file).map_err(SessionError::io(path))?;
        Ok(Self::new(Box::new(file), path, end))
    }

    fn new(sink: Box<dyn Sink>, path: &Path, end: End) -> Self {
        Self {
            sink,
            path: path.to_path_buf(),
            end,
        }
    }

    #[cfg(test)]
    pub(crate) fn to_sink(sink: Box<dyn Sink>, path: &Path) -> Self {
        Self::new(sink, path, End::AfterLine)
    }

    /// Appends whole lines with one call to the system, so that a killed process leaves all or nothing of
    /// them, and a reader meets no half of them.
    pub(crate) fn append(&mut self, lines: &[u8]) -> Result<(), SessionError> {
        if self.sink.is_deleted() {
            return Err(SessionError::Vanished {
                path: self.path.clone(),
            });
        }
        let written = match self.end {
            End::AfterLine => write_all(self.sink.as_mut(), lines),
            End::InLine => write_all(self.sink.as_mut(), &[b"\n", lines].concat()),
        };
        match written {
            Ok(()) => {
                self.end = End::AfterLine;
                Ok(())
            }
            Err(source) => {
                self.end = End::InLine;
                Err(SessionError::io(&self.path)(source))
            }
        }
    }
}

impl Sink for File {
    #[cfg(unix)]
    fn is_deleted(&self) -> bool {
        use std::os::unix::fs::MetadataExt;
        self.metadata().is_ok_and(|metadata| metadata.nlink() == 0)
    }

    #[cfg(not(unix))]
    fn is_deleted(&self) -> bool {
        false
    }
}

/// Whether somebody records to the file right now.
pub(crate) fn is_recorded_to(path: &Path) -> bool {
    if cfg!(windows) {
        let opened = OpenOptions::new().append(true).open(path);
        return opened.is_err_and(|error| is_sharing_violation(&error));
    }
    File::open(path)
        .is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Files take what they are given in one call; only a disk that fills up takes less.
fn write_all(sink: &mut dyn Sink, mut rest: &[u8]) -> io::Result<()> {
    while !rest.is_empty() {
        match sink.write(rest) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(count) => rest = rest.get(count..).unwrap_or_default(),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.append(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    #[cfg(windows)]
    {
        use std::os::windows::fs::OpenOptionsExt;
        // Others may read and delete. A lock would keep readers out here, this keeps out writers only.
        const READ_AND_DELETE: u32 = 1 | 4;
        options.share_mode(READ_AND_DELETE);
    }
    options
}

fn lock(file: &File, path: &Path) -> Result<(), SessionError> {
    if cfg!(windows) {
        return Ok(());
    }
    for _ in 0..LOCK_ATTEMPTS {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => std::thread::yield_now(),
            // Some network file systems have no locks, and a session there is still worth recording.
            Err(TryLockError::Error(_unsupported)) => return Ok(()),
        }
    }
    Err(in_use(path))
}

fn in_use(path: &Path) -> SessionError {
    SessionError::InUse {
        path: path.to_path_buf(),
    }
}

fn is_sharing_violation(error: &io::Error) -> bool {
    cfg!(windows) && error.raw_os_error() == Some(32)
}

fn end_of(file: &mut File) -> io::Result<End> {
    if file.metadata()?.len() == 0 {
        return Ok(End::AfterLine);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0_u8];
    file.read_exact(&mut last)?;
    Ok(match last {
        [b'\n'] => End::AfterLine,
        _ => End::InLine,
    })
}
