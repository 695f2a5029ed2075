//! A disk in memory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};

use super::reading::{
    Entry, EntryKind, FileHead, FileIdentity, FileKind, Found, ReadError, Reading, Visibility,
};

/// Files by path. Folders are what the paths imply; a path that ends in `/` is an empty folder.
#[derive(Default)]
pub(crate) struct MemoryDisk {
    files: BTreeMap<PathBuf, Vec<u8>>,
    folders: Vec<PathBuf>,
    links: BTreeMap<PathBuf, PathBuf>,
}

impl MemoryDisk {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let mut disk = Self::default();
        for (path, text) in files {
            disk.add(path, text.as_bytes());
        }
        disk
    }

    pub(crate) fn add(&mut self, path: &str, bytes: &[u8]) {
        match path.strip_suffix('/') {
            Some(folder) => self.folders.push(PathBuf::from(folder)),
            None => {
                self.files.insert(PathBuf::from(path), bytes.to_vec());
            }
        }
    }

    pub(crate) fn link(mut self, from: &str, to: &str) -> Self {
        self.links.insert(PathBuf::from(from), PathBuf::from(to));
        self
    }

    fn real(&self, path: &Path) -> PathBuf {
        for (from, to) in &self.links {
            if let Ok(rest) = path.strip_prefix(from) {
                return match rest.as_os_str().is_empty() {
                    true => to.clone(),
                    false => to.join(rest),
                };
            }
        }
        path.to_owned()
    }

    fn is_folder(&self, path: &Path) -> bool {
        let mut below = self.files.keys().chain(&self.folders);
        below.any(|file| file.starts_with(path) && file != path)
            || self.folders.iter().any(|folder| folder == path)
    }

    fn head_now(&self, path: &Path, limit: usize) -> Result<FileHead, ReadError> {
        let path = self.real(path);
        match self.files.get(&path) {
            Some(bytes) => Ok(FileHead {
                bytes: bytes.iter().copied().take(limit).collect(),
                total: bytes.len() as u64,
            }),
            None if self.is_folder(&path) => Err(ReadError::NotAFile),
            None => Err(ReadError::NotFound),
        }
    }

    fn list_now(&self, folder: &Path, limit: usize) -> Result<Vec<Entry>, ReadError> {
        let folder = self.real(folder);
        if !self.is_folder(&folder) {
            return Err(ReadError::NotAFolder);
        }
        let mut entries = BTreeMap::new();
        let paths = self
            .files
            .keys()
            .chain(&self.folders)
            .chain(self.links.keys());
        for path in paths {
            let Ok(rest) = path.strip_prefix(&folder) else {
                continue;
            };
            let Some(name) = rest.iter().next() else {
                continue;
            };
            let child = folder.join(name);
            let kind = match () {
                () if self.links.contains_key(&child) => EntryKind::Link,
                () if self.is_folder(&child) => EntryKind::Folder,
                () => EntryKind::File,
            };
            entries.insert(name.to_string_lossy().into_owned(), kind);
        }
        // Backwards, so that a test sees who sorts and who does not.
        let entries = entries.into_iter().rev().take(limit);
        Ok(entries.map(|(name, kind)| Entry { name, kind }).collect())
    }

    fn look_now(&self, path: &Path) -> Result<Found, ReadError> {
        let real_path = self.real(path);
        let (kind, bytes) = match self.files.get(&real_path) {
            Some(bytes) => (FileKind::File, bytes.len() as u64),
            None if self.is_folder(&real_path) => (FileKind::Folder, 0),
            None => return Err(ReadError::NotFound),
        };
        Ok(Found {
            kind,
            bytes,
            identity: FileIdentity::Path(real_path.clone()),
            real_path,
        })
    }
}

impl Reading for MemoryDisk {
    fn head<'a>(
        &'a self,
        path: &'a Path,
        limit: usize,
    ) -> BoxFuture<'a, Result<FileHead, ReadError>> {
        ready(self.head_now(path, limit)).boxed()
    }

    fn list<'a>(
        &'a self,
        folder: &'a Path,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Entry>, ReadError>> {
        ready(self.list_now(folder, limit)).boxed()
    }

    fn look<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Found, ReadError>> {
        ready(self.look_now(path)).boxed()
    }
}

/// An ignore rule for tests that ignore nothing.
pub(crate) fn all_visible(_: &Path, _: EntryKind) -> Visibility {
    Visibility::Visible
}
