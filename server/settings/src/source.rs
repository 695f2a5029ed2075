//! Reading a small text file without surprises.
//!
//! A pipe, a device or a huge file in the place of a settings file must not hang or fill the host, and a
//! file in another encoding must say so instead of looking like broken JSON.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use crate::problem::{Place, Problem};

/// No hand-written settings file comes near this.
const SIZE_LIMIT: u64 = 8 * 1024 * 1024;

/// The text of one file. It may begin with a byte order mark, so that offsets are those of the file.
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

impl Source {
    pub(crate) fn place(&self, offset: usize) -> Place {
        Place::of(&self.text, offset)
    }
}

/// `Ok(None)` means that there is no such file.
pub(crate) fn read(path: &Path) -> Result<Option<Source>, Problem> {
    read_up_to(path, SIZE_LIMIT)
}

/// The same, for files that are smaller still.
pub(crate) fn read_up_to(path: &Path, limit: u64) -> Result<Option<Source>, Problem> {
    let unreadable = |error: std::io::Error| {
        Problem::error(path, format!("cannot be read: {error}")).fixed_by("check its permissions")
    };
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if is_missing(error.kind()) => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    if !metadata.is_file() {
        return Err(Problem::error(path, "is not a regular file"));
    }
    let mut bytes = Vec::new();
    let reading = File::open(path).and_then(|file| {
        // The file may grow after its size was asked for.
        file.take(limit + 1).read_to_end(&mut bytes)
    });
    match reading {
        Ok(_) => decode(path, bytes, limit).map(Some),
        Err(error) if is_missing(error.kind()) => Ok(None),
        Err(error) => Err(unreadable(error)),
    }
}

/// A folder that is a file, or a link that leads nowhere, holds no settings either.
fn is_missing(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn decode(path: &Path, bytes: Vec<u8>, limit: u64) -> Result<Source, Problem> {
    if bytes.len() as u64 > limit {
        let limit = limit / (1024 * 1024);
        return Err(Problem::error(path, format!("is larger than {limit} MiB")));
    }
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(Problem::error(path, "is written in UTF-16")
            .at(Place { line: 1, column: 1 })
            .fixed_by("save it as UTF-8"));
    }
    String::from_utf8(bytes)
        .map(|text| Source {
            path: path.to_path_buf(),
            text,
        })
        .map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            let before = String::from_utf8_lossy(error.as_bytes().get(..valid).unwrap_or_default());
            Problem::error(path, "this byte is not valid UTF-8")
                .at(Place::of(&before, valid))
                .fixed_by("save the file as UTF-8")
        })
}

#[cfg(test)]
pub(crate) mod tests;
