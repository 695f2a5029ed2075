//! The disk, with clients in front of it that hold files: what they have not saved counts, and what is written goes by their
//! hands, because they format it and show it.

#[cfg(test)]
#[cfg(unix)]
mod tests;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pollux_agent::{FileError, MAX_FILE_BYTES};
use pollux_text::{Bom, Charset, decode};
use pollux_workspace::{
    ClientFailure, Delivery, Disk, FileClient, FileClients, Location, Replaced, SessionId,
};
use tokio_util::sync::CancellationToken;

use super::reviewed::{path, target};
use super::{read_bytes, resolve_new};

pub(crate) struct AttendedDisk {
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) clients: Arc<FileClients>,
}

/// A file on the disk, for somebody who speaks text and nothing else.
enum Plain {
    /// The text is all there is to it; nothing stands for no file.
    Yes(Option<String>),
    /// A charset, a byte order mark or line ends would be lost.
    No,
}

impl Disk for AttendedDisk {
    fn read(&self, at: &Location) -> Result<Option<String>, FileError> {
        self.disk.read(at)
    }

    fn replace(
        &self,
        at: &Location,
        before: Option<&str>,
        after: Option<&str>,
    ) -> Result<Replaced, FileError> {
        self.disk.replace(at, before, after)
    }

    fn clean_up(&self, at: &Location) {
        self.disk.clean_up(at);
    }

    fn find_moved(&self, at: &Location, text: &str, candidates: &[PathBuf]) -> Option<PathBuf> {
        self.disk.find_moved(at, text, candidates)
    }

    fn rename(&self, from: &Location, to: &Location) -> Result<(), FileError> {
        self.disk.rename(from, to)
    }

    fn hand_over(
        &self,
        at: &Location,
        before: Option<&str>,
        after: Option<&str>,
        delivery: &Delivery,
    ) -> Result<Replaced, FileError> {
        let client = self.clients.writer(&at.root, delivery.session.as_ref());
        let client = client.filter(|_| after.is_none_or(is_plain));
        let Some(client) = client else {
            return self.disk.replace(at, before, after);
        };
        let Plain::Yes(on_disk) = plain(at)? else {
            return self.disk.replace(at, before, after);
        };
        let found = client.latest(&at.path, on_disk.as_deref(), &delivery.stopped);
        if found.as_deref() != before {
            return Ok(Replaced::Differs(found));
        }
        let Some(after) = after else {
            // No client takes files away. What it holds was compared; what the disk has may be older.
            return self.disk.replace(at, on_disk.as_deref(), None);
        };
        self.write(&client, at, before, after, &delivery.stopped)
    }

    fn unsaved(&self, at: &Location, session: &SessionId) -> Option<String> {
        let client = self.clients.reader(&at.root, Some(session))?;
        let Ok(Plain::Yes(on_disk)) = plain(at) else {
            return None;
        };
        let text = client.latest(&at.path, on_disk.as_deref(), &CancellationToken::new())?;
        (on_disk.as_ref() != Some(&text)).then_some(text)
    }

    fn all_unsaved(&self, root: &Path, session: &SessionId) -> Vec<(PathBuf, String)> {
        let Some(client) = self.clients.reader(root, Some(session)) else {
            return Vec::new();
        };
        let asked = client.unsaved(root).into_iter().filter_map(|path| {
            let at = Location {
                root: root.to_owned(),
                path: path.clone(),
            };
            Some((path, self.unsaved(&at, session)?))
        });
        asked.collect()
    }
}

impl AttendedDisk {
    fn write(
        &self,
        client: &FileClient,
        at: &Location,
        before: Option<&str>,
        after: &str,
        stopped: &CancellationToken,
    ) -> Result<Replaced, FileError> {
        if before.is_none() {
            make_folder(at)?;
        }
        let written = client.write(&at.path, after, stopped);
        let on_disk = self.disk.read(at)?;
        if let Err(failure) = written {
            // Whatever it says: what the file holds is what counts.
            return match on_disk.as_deref() == Some(after) {
                true => Ok(Replaced::Taken(after.to_owned())),
                false => Err(not_written(failure)),
            };
        }
        match client.afterwards(&at.path, on_disk.as_deref()) {
            // It has said yes, and done nothing.
            None => Err(FileError::NotTaken),
            Some(now) if Some(now.as_str()) == before && now != after => Err(FileError::NotTaken),
            Some(now) => Ok(Replaced::Taken(now)),
        }
    }
}

/// Errors are the same as those of any other way to the file, so that no client is asked about one that is closed to tools.
fn plain(at: &Location) -> Result<Plain, FileError> {
    let target = match target(at) {
        Err(FileError::NotFound) => {
            resolve_new(&at.root, &path(at)?)?;
            return Ok(Plain::Yes(None));
        }
        target => target?,
    };
    let bytes = read_bytes(&target, MAX_FILE_BYTES)?;
    Ok(match decode(&bytes) {
        Ok(decoded)
            if decoded.charset == Charset::UTF_8
                && decoded.bom == Bom::Absent
                && is_plain(&decoded.text) =>
        {
            Plain::Yes(Some(decoded.text))
        }
        _ => Plain::No,
    })
}

/// Editors have line ends of their own, and put the file's back as they see fit.
fn is_plain(text: &str) -> bool {
    !text.contains('\r')
}

/// Not every client makes folders.
fn make_folder(at: &Location) -> Result<(), FileError> {
    let target = resolve_new(&at.root, &path(at)?)?;
    let folder = target.parent().unwrap_or(&at.root);
    fs::create_dir_all(folder).map_err(|source| FileError::Unwritable { source })
}

fn not_written(failure: ClientFailure) -> FileError {
    match failure {
        ClientFailure::Stopped => FileError::Stopped,
        ClientFailure::NoAnswer => FileError::NotTaken,
        ClientFailure::Refused(reason) => FileError::Unwritable {
            source: io::Error::other(reason),
        },
    }
}
