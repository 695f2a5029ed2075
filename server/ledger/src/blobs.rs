//! Texts by their content: a folder with one file for each.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use crate::error::LedgerError;
use crate::hash::Hash;
use crate::private::{self, Durability};

/// No text that a person reviews is larger, and no damaged file makes us ask for more memory.
const LARGEST: usize = 256 << 20;
/// Below this a block of the disk is not saved by packing.
const WORTH_PACKING: usize = 4 << 10;
/// How it is stored and how long it is, before the text.
const HEADER: usize = 9;
const PLAIN: u8 = 0;
const PACKED: u8 = 1;

/// A folder of texts. Equal texts are stored once.
#[derive(Debug)]
pub struct BlobStore {
    folder: PathBuf,
    durability: Durability,
    /// What is there, and how much of the disk it takes.
    sizes: BTreeMap<Hash, u64>,
    total: u64,
    /// Texts that are written and not waited for: the files that will be theirs. What has its name has reached the disk.
    waiting: BTreeMap<Hash, PathBuf>,
    /// Texts that were written or read by this process.
    sound: BTreeSet<Hash>,
    /// Names that a power cut would still take away.
    names: Names,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Names {
    Synced,
    Fresh,
}

impl BlobStore {
    /// Opens the folder, or makes it. Whoever calls this is the only one to write to it.
    pub fn open(folder: &Path, durability: Durability) -> Result<Self, LedgerError> {
        let mut store = Self {
            folder: folder.to_path_buf(),
            durability,
            sizes: BTreeMap::new(),
            total: 0,
            waiting: BTreeMap::new(),
            sound: BTreeSet::new(),
            names: Names::Fresh,
        };
        let io = |source| LedgerError::io(folder)(source);
        private::make_folder(folder).map_err(io)?;
        for entry in std::fs::read_dir(folder).map_err(io)? {
            let entry = entry.map_err(io)?;
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            if let Some(hash) = Hash::parse(&name) {
                let size = entry.metadata().map_err(io)?.len();
                store.note(hash, size);
            } else if name.ends_with(private::UNFINISHED) {
                // Its writer was killed. If it cannot be removed it is in nobody's way.
                let _best_effort = std::fs::remove_file(entry.path());
            }
        }
        Ok(store)
    }

    /// Keeps a text. It outlives this process after [`BlobStore::sync`], so that the disk is waited for once for many texts.
    pub fn put(&mut self, bytes: &[u8]) -> Result<Hash, LedgerError> {
        let hash = Hash::of(bytes);
        if self.sizes.contains_key(&hash) {
            // One of an earlier process may be damaged by now.
            if self.sound.contains(&hash) || self.read(&hash).is_ok() {
                self.sound.insert(hash);
                return Ok(hash);
            }
            self.forget(&hash)?;
        }
        if bytes.len() > LARGEST {
            return Err(LedgerError::TooLarge { bytes: bytes.len() });
        }
        let packed = (bytes.len() > WORTH_PACKING)
            .then(|| lz4_flex::block::compress(bytes))
            .filter(|packed| packed.len() < bytes.len() / 10 * 9);
        let (kind, body) = match &packed {
            Some(packed) => (PACKED, packed.as_slice()),
            None => (PLAIN, bytes),
        };
        let length = (bytes.len() as u64).to_le_bytes();
        let unfinished = private::unfinished(&self.path(&hash), &[&[kind], &length, body])
            .map_err(LedgerError::io(&self.folder))?;
        self.waiting.insert(hash, unfinished);
        self.note(hash, (HEADER + body.len()) as u64);
        self.sound.insert(hash);
        Ok(hash)
    }

    /// Reads a text and checks that it is the one that was put there.
    pub fn read(&self, hash: &Hash) -> Result<Vec<u8>, LedgerError> {
        let path = self.path_now(hash);
        let stored = match std::fs::File::open(&path) {
            Ok(file) => {
                let mut stored = Vec::new();
                // A file that somebody has blown up is not read to its end.
                let limit = (LARGEST + HEADER + 1) as u64;
                file.take(limit)
                    .read_to_end(&mut stored)
                    .map_err(LedgerError::io(&path))?;
                stored
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(LedgerError::Missing { hash: *hash });
            }
            Err(error) => return Err(LedgerError::io(&path)(error)),
        };
        unpacked(&stored)
            .filter(|bytes| Hash::of(bytes) == *hash)
            .ok_or(LedgerError::Damaged { hash: *hash })
    }

    pub fn contains(&self, hash: &Hash) -> bool {
        self.sizes.contains_key(hash)
    }

    /// Bytes on the disk.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Makes sure that everything that was put here outlives a power cut.
    pub fn sync(&mut self) -> Result<(), LedgerError> {
        let io = |source| LedgerError::io(&self.folder)(source);
        private::sync_files(&self.folder, self.waiting.values(), self.durability).map_err(io)?;
        while let Some(next) = self.waiting.first_entry() {
            let path = self.folder.join(next.key().to_string());
            std::fs::rename(next.get(), &path).map_err(LedgerError::io(&path))?;
            next.remove();
            self.names = Names::Fresh;
        }
        if self.names == Names::Fresh {
            private::sync_folder(&self.folder, self.durability).map_err(io)?;
            self.names = Names::Synced;
        }
        Ok(())
    }

    /// Removes a text that was found to be damaged or missing, so that it is written anew when it comes again.
    pub fn forget(&mut self, hash: &Hash) -> Result<(), LedgerError> {
        let path = self.path_now(hash);
        self.waiting.remove(hash);
        self.sound.remove(hash);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(LedgerError::io(&path)(error));
            }
            _ => {}
        }
        let size = self.sizes.remove(hash).unwrap_or_default();
        self.total = self.total.saturating_sub(size);
        Ok(())
    }

    /// Removes everything that is not needed.
    pub(crate) fn retain(&mut self, needed: &BTreeSet<Hash>) -> Result<(), LedgerError> {
        let all = self.sizes.keys().copied();
        let doomed: Vec<Hash> = all.filter(|hash| !needed.contains(hash)).collect();
        doomed.iter().try_for_each(|hash| self.forget(hash))
    }

    pub(crate) fn size_of(&self, hash: &Hash) -> u64 {
        self.sizes.get(hash).copied().unwrap_or_default()
    }

    fn note(&mut self, hash: Hash, size: u64) {
        let before = self.sizes.insert(hash, size).unwrap_or_default();
        self.total = self.total.saturating_sub(before).saturating_add(size);
    }

    /// Where a text is while it is not waited for, or for good.
    fn path_now(&self, hash: &Hash) -> PathBuf {
        let waiting = self.waiting.get(hash);
        waiting.cloned().unwrap_or_else(|| self.path(hash))
    }

    fn path(&self, hash: &Hash) -> PathBuf {
        self.folder.join(hash.to_string())
    }
}

fn unpacked(stored: &[u8]) -> Option<Vec<u8>> {
    let (header, body) = stored.split_first_chunk::<HEADER>()?;
    let [kind, length @ ..] = *header;
    let length = usize::try_from(u64::from_le_bytes(length)).ok()?;
    match kind {
        PLAIN => (body.len() == length).then(|| body.to_vec()),
        PACKED if length <= LARGEST => lz4_flex::block::decompress(body, length).ok(),
        _ => None,
    }
}
