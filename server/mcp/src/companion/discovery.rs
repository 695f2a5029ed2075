//! The file that agents find a room by.
//!
//! It lies where gemini-cli looks, in the folder for temporary files, which others may write to. So every folder on the way
//! must be the user's own, a file is made under a name nobody could have taken and then moved into place, and nobody else
//! can read it: it holds the key.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use tracing::{debug, warn};

/// What a file of ours has and no other, so that only ours are cleaned up.
const MARK: &str = "pollux";

/// What a file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Notice {
    pub(super) port: u16,
    pub(super) workspace_path: String,
    pub(super) token: String,
    pub(super) editor: Option<Arc<str>>,
    pub(super) temporary_folders: Vec<PathBuf>,
    /// Counts what was said of one port. They are written side by side, and the last one counts.
    pub(super) edition: u64,
}

/// The files of this process.
#[derive(Debug, Default)]
pub(super) struct Discovery {
    up: BTreeMap<u16, Vec<PathBuf>>,
    cleaned: BTreeSet<PathBuf>,
    /// What was written last of each port, by its key: a port that has ended may be given to another room.
    editions: BTreeMap<u16, (String, u64)>,
    /// The keys that count no more: what was put on its way before must not come after the end.
    ended: BTreeSet<String>,
    hidden: bool,
}

impl Discovery {
    /// Writes what an agent is to find, in place of what it said before.
    pub(super) fn put_up(&mut self, notice: &Notice) {
        let newest = self.editions.get(&notice.port);
        let is_late = newest
            .is_some_and(|(token, edition)| *token == notice.token && *edition > notice.edition);
        if self.hidden || is_late || self.ended.contains(&notice.token) {
            return;
        }
        let newest = (notice.token.clone(), notice.edition);
        self.editions.insert(notice.port, newest);
        let mut written = Vec::new();
        for temporary in &notice.temporary_folders {
            let folder = match own_folder(temporary) {
                Ok(folder) => folder,
                Err(error) => {
                    warn!(folder = %temporary.display(), %error, "agents outside are not told of this room there");
                    continue;
                }
            };
            if self.cleaned.insert(folder.clone()) {
                clean(&folder);
            }
            let name = format!(
                "gemini-ide-server-{}-{}.json",
                std::process::id(),
                notice.port
            );
            let path = folder.join(name);
            match write(&folder, &path, &notice.text()) {
                Ok(()) => written.push(path),
                Err(error) => {
                    warn!(file = %path.display(), %error, "agents outside are not told of this room")
                }
            }
        }
        let before = self.up.insert(notice.port, written.clone());
        let left = before.into_iter().flatten();
        for path in left.filter(|path| !written.contains(path)) {
            remove(&path);
        }
    }

    /// A room has ended. Its port may have another room by now, whose file stays.
    pub(super) fn take_down(&mut self, port: u16, token: &str) {
        self.ended.insert(token.to_owned());
        let newest = self.editions.get(&port);
        if newest.is_some_and(|(newest, _)| newest != token) {
            return;
        }
        self.editions.remove(&port);
        for path in self.up.remove(&port).into_iter().flatten() {
            remove(&path);
        }
    }

    /// Nothing is put up after this.
    pub(super) fn remove_all(&mut self) {
        self.hidden = true;
        for path in std::mem::take(&mut self.up).into_values().flatten() {
            remove(&path);
        }
    }
}

impl Drop for Discovery {
    fn drop(&mut self) {
        self.remove_all();
    }
}

impl Notice {
    fn text(&self) -> String {
        let shown = self.editor.as_deref().unwrap_or("Pollux");
        let name = shown.to_lowercase().replace(' ', "-");
        let value = json!({
            "port": self.port,
            "workspacePath": self.workspace_path,
            "authToken": self.token,
            "ideInfo": { "name": name, "displayName": shown },
            MARK: { "version": env!("CARGO_PKG_VERSION") },
        });
        value.to_string()
    }
}

/// `gemini/ide` in a folder for temporary files, made if it is not there. Refused if any of it is somebody else's.
fn own_folder(temporary: &Path) -> io::Result<PathBuf> {
    let gemini = temporary.join("gemini");
    let folder = gemini.join("ide");
    for folder in [&gemini, &folder] {
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        match builder.create(folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            Ok(()) | Err(_) => check_owner(folder)?,
        }
    }
    Ok(folder)
}

#[cfg(unix)]
fn check_owner(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    // Not followed if it is a link: somebody else could have put it there.
    let found = fs::symlink_metadata(folder)?;
    let is_ours = found.is_dir() && found.uid() == rustix::process::getuid().as_raw();
    // Everybody may write to the folder above, and the sticky bit keeps them from this one; nothing would in here.
    match is_ours && found.mode() & 0o002 == 0 {
        true => Ok(()),
        false => Err(io::Error::other(format!(
            "{} belongs to somebody else or can be written by all",
            folder.display()
        ))),
    }
}

#[cfg(not(unix))]
fn check_owner(folder: &Path) -> io::Result<()> {
    match fs::symlink_metadata(folder)?.is_dir() {
        true => Ok(()),
        false => Err(io::ErrorKind::NotADirectory.into()),
    }
}

/// A reader finds the old file or the new one. Only the user can read it.
fn write(folder: &Path, path: &Path, text: &str) -> io::Result<()> {
    let mut temporary = tempfile::Builder::new()
        .prefix(".pollux-")
        .tempfile_in(folder)?;
    temporary.write_all(text.as_bytes())?;
    temporary.persist(path)?;
    Ok(())
}

fn remove(path: &Path) {
    if let Err(error) = fs::remove_file(path) {
        debug!(file = %path.display(), %error, "not removed");
    }
}

/// Removes what processes of ours have left that are not there any more, or that had our number before us.
fn clean(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        let owner = path.file_name().and_then(|name| owner_of(name.to_str()?));
        if let Some(owner) = owner
            && (owner == std::process::id() || !is_alive(owner))
            && is_ours(&path)
        {
            debug!(file = %path.display(), "left by a host that has gone");
            remove(&path);
        }
    }
}

/// `gemini-ide-server-<pid>-<port>.json`
fn owner_of(name: &str) -> Option<u32> {
    let numbers = name
        .strip_prefix("gemini-ide-server-")?
        .strip_suffix(".json")?;
    let (owner, port) = numbers.split_once('-')?;
    let _any: u16 = port.parse().ok()?;
    owner.parse().ok()
}

fn is_ours(path: &Path) -> bool {
    let is_file =
        fs::symlink_metadata(path).is_ok_and(|found| found.is_file() && found.len() < 64 * 1024);
    let text = is_file.then(|| fs::read(path).ok()).flatten();
    let value: Option<Value> = text.and_then(|text| serde_json::from_slice(&text).ok());
    value.is_some_and(|value| value.get(MARK).is_some())
}

#[cfg(unix)]
fn is_alive(process: u32) -> bool {
    let pid = i32::try_from(process)
        .ok()
        .and_then(rustix::process::Pid::from_raw);
    let signalled = pid.map(rustix::process::test_kill_process);
    // One that may not be signalled is there. One that only waits for its parent to notice is not.
    matches!(signalled, Some(Ok(()) | Err(rustix::io::Errno::PERM))) && !is_zombie(process)
}

#[cfg(unix)]
fn is_zombie(process: u32) -> bool {
    // "12 (any name) Z …"; elsewhere than on Linux there is no such file, and nobody who looks closer.
    let about = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = about.rsplit_once(") ").map(|(_, rest)| rest);
    state.is_some_and(|state| state.starts_with(['Z', 'X']))
}

#[cfg(not(unix))]
fn is_alive(_process: u32) -> bool {
    true
}
