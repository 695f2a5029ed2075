//! The snapshots of one project: a folder for each, named by the time it was made.
//!
//! A snapshot is made in a folder with a hidden name and gets its real one when everything is in it. A lock tells a
//! snapshot that is being made from one whose maker was killed.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, bail};
use pollux_sessions::iso;
use pollux_settings::{Durability, create_private_file, create_private_folder, replace_file};
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use super::manifest::{About, Manifest, State};
use super::platform;

const ABOUT: &str = "about.json";
const MANIFEST: &str = "manifest.json";
const UNDONE: &str = "undone";
const LOCK: &str = "lock";
const MAKING: &str = ".making-";

/// How much is kept of a project. The newest snapshot stays, however large it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Retention {
    pub(crate) snapshots: usize,
    pub(crate) bytes: u64,
}

impl Default for Retention {
    fn default() -> Self {
        Self {
            snapshots: 50,
            bytes: 2 << 30,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Store {
    folder: PathBuf,
}

/// A snapshot that can be brought back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Snapshot {
    pub(crate) id: String,
    pub(crate) about: About,
    pub(crate) standing: Standing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    Waiting,
    /// It was brought back already.
    Undone,
}

impl Store {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// All finished snapshots, the newest first.
    pub(crate) fn list(&self) -> Result<Vec<Snapshot>> {
        let mut ids = self.ids()?;
        ids.reverse();
        let found = ids.into_iter().filter_map(|id| {
            let folder = self.folder.join(&id);
            // Somebody may remove old ones meanwhile.
            let about = read_json(&folder.join(ABOUT)).ok()?;
            fs::symlink_metadata(folder.join(MANIFEST)).ok()?;
            let standing = match fs::symlink_metadata(folder.join(UNDONE)) {
                Ok(_) => Standing::Undone,
                Err(_) => Standing::Waiting,
            };
            Some(Snapshot {
                id,
                about,
                standing,
            })
        });
        Ok(found.collect())
    }

    pub(crate) fn manifest(&self, id: &str) -> Result<Manifest> {
        read_json(&self.folder.join(id).join(MANIFEST))
            .with_context(|| format!("the snapshot {id} cannot be read"))
    }

    /// The bytes stored under a number.
    pub(crate) fn blob(&self, id: &str, number: usize) -> io::Result<File> {
        platform::open_plain(&self.folder.join(id).join(number.to_string()))
    }

    pub(crate) fn mark(&self, id: &str, standing: Standing) -> io::Result<()> {
        let mark = self.folder.join(id).join(UNDONE);
        match standing {
            Standing::Undone => replace_file(&mark, b"", Durability::Process),
            Standing::Waiting => match fs::remove_file(mark) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            },
        }
    }

    /// Starts a snapshot. It is gone again unless it is finished.
    pub(crate) fn make(&self) -> Result<Making<'_>> {
        create_private_folder(&self.folder)
            .with_context(|| format!("{} cannot be made", self.folder.display()))?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(MAKING);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let folder = builder
            .tempdir_in(&self.folder)
            .with_context(|| format!("{} cannot be written", self.folder.display()))?;
        let lock = create_private_file(&folder.path().join(LOCK))?;
        lock.lock()?;
        Ok(Making {
            store: self,
            folder,
            lock,
            blobs: 0,
            bytes: 0,
        })
    }

    /// Removes what is too old or too much, and what a killed process has left. `needed` stays.
    pub(crate) fn tidy(&self, retention: Retention, needed: &[&str]) -> Result<()> {
        let mut bytes: u64 = 0;
        for (place, snapshot) in self.list()?.into_iter().enumerate() {
            bytes = bytes.saturating_add(snapshot.about.bytes);
            let is_over = place >= retention.snapshots || bytes > retention.bytes;
            if is_over && place > 0 && !needed.contains(&snapshot.id.as_str()) {
                fs::remove_dir_all(self.folder.join(&snapshot.id))?;
            }
        }
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let name = entry.file_name();
            if name.to_str().is_some_and(|name| name.starts_with(MAKING))
                && is_abandoned(&entry.path())
            {
                fs::remove_dir_all(entry.path())?;
            }
        }
        Ok(())
    }

    fn ids(&self) -> Result<Vec<String>> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => {
                return Err(error).context(format!("{} cannot be read", self.folder.display()));
            }
        };
        let mut ids: Vec<String> = entries
            .flatten()
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| digits(name).is_some())
            .collect();
        ids.sort_unstable();
        Ok(ids)
    }
}

/// A snapshot that nobody can see yet.
pub(crate) struct Making<'a> {
    store: &'a Store,
    folder: tempfile::TempDir,
    /// Held for as long as this process makes the snapshot.
    lock: File,
    blobs: usize,
    bytes: u64,
}

impl Making<'_> {
    /// Copies a regular file, and says what it was.
    pub(crate) fn file(&mut self, path: &Path) -> io::Result<State> {
        let mut source = platform::open_plain(path)?;
        let metadata = source.metadata()?;
        let (blob, size, hash) = self.copy(&mut source)?;
        Ok(State::File {
            blob,
            size,
            mode: platform::mode_of(&metadata),
            modified: platform::modified(&metadata),
            hash,
        })
    }

    /// Copies bytes that are not one of the person's files.
    pub(crate) fn other(&mut self, path: &Path) -> io::Result<usize> {
        let (blob, ..) = self.copy(&mut platform::open_plain(path)?)?;
        Ok(blob)
    }

    fn copy(&mut self, source: &mut File) -> io::Result<(usize, u64, String)> {
        let blob = self.blobs;
        let path = self.folder.path().join(blob.to_string());
        let mut target = create_private_file(&path)?;
        // Lets the file system share the blocks where it can.
        let size = io::copy(source, &mut target)?;
        self.blobs += 1;
        self.bytes += size;
        Ok((blob, size, hash(&mut File::open(&path)?)?))
    }

    /// Gives the snapshot its name, and with that makes it real.
    pub(crate) fn finish(self, mut about: About, manifest: &Manifest) -> Result<String> {
        about.bytes = self.bytes;
        about.files = manifest
            .entries
            .iter()
            .filter(|entry| matches!(entry.state, State::File { .. } | State::Link { .. }))
            .count();
        let made = self.folder.path();
        replace_file(
            &made.join(ABOUT),
            &serde_json::to_vec(&about)?,
            Durability::Process,
        )?;
        replace_file(
            &made.join(MANIFEST),
            &serde_json::to_vec(manifest)?,
            Durability::PowerCut,
        )?;
        let naming = naming_lock(&self.store.folder)?;
        let newest = self.store.ids()?.pop();
        let id = next_id(newest.as_deref(), SystemTime::now());
        fs::rename(made, self.store.folder.join(&id))?;
        drop(naming);
        let Self { folder, lock, .. } = self;
        // Its old name is gone, so there is nothing left to remove.
        let _renamed = folder.keep();
        let _not_needed = fs::remove_file(self.store.folder.join(&id).join(LOCK));
        drop(lock);
        Ok(id)
    }
}

/// Of everything that can still be read.
pub(crate) fn hash(file: &mut File) -> io::Result<String> {
    let mut digest = Sha256::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        digest.update(buffer.get(..count).unwrap_or_default());
    }
    let bytes = digest.finalize();
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Two snapshots never get one name.
fn naming_lock(folder: &Path) -> io::Result<File> {
    let path = folder.join(".lock");
    let lock = match create_private_file(&path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => File::open(&path)?,
        created => created?,
    };
    lock.lock()?;
    Ok(lock)
}

/// `20260102-030405-678`, and always after the newest, whatever the clock does.
fn next_id(newest: Option<&str>, now: SystemTime) -> String {
    let now: u64 = digits(&iso(now)).unwrap_or_default();
    let after = newest.and_then(digits).map_or(0, |newest| newest + 1);
    let digits = format!("{:017}", now.max(after));
    let (day, time) = digits.split_at(8);
    let (time, rest) = time.split_at(6);
    format!("{day}-{time}-{rest}")
}

/// The seventeen digits of an id or a time; none for anything else.
fn digits(name: &str) -> Option<u64> {
    if name.contains(|c: char| !c.is_ascii_digit() && !"-:.TZ".contains(c)) {
        return None;
    }
    let digits: String = name.chars().filter(char::is_ascii_digit).collect();
    (digits.len() == 17).then(|| digits.parse().ok()).flatten()
}

/// Whether nobody makes this snapshot any more.
fn is_abandoned(folder: &Path) -> bool {
    match File::open(folder.join(LOCK)).map(|lock| lock.try_lock()) {
        Ok(Ok(())) => true,
        Ok(Err(TryLockError::WouldBlock | TryLockError::Error(_))) => false,
        // It was made a moment ago, or its maker was killed in that moment: an empty folder hurts nobody.
        Err(_) => false,
    }
}

fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let mut text = Vec::new();
    platform::open_plain(path)?.read_to_end(&mut text)?;
    match serde_json::from_slice(&text) {
        Ok(value) => Ok(value),
        Err(error) => bail!("{} is damaged: {error}", path.display()),
    }
}
