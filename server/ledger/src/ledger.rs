//! The record of one workspace, open for writing.

mod cap;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::blobs::BlobStore;
use crate::compact;
use crate::damage;
use crate::entry::{
    Comment, CommentId, Draft, Entry, FileKey, FileState, GroupId, HunkText, OpId, Operation,
    Origin, Rejected, RejectedId, VERSION, millis,
};
use crate::error::LedgerError;
use crate::folder::{folder_of, real};
use crate::hash::Hash;
use crate::holder::{Announcement, Holder};
use crate::lock::Lock;
use crate::log::{self, Lines, Problem, Understood, Urgency, Writer};
use crate::private::{self, Durability};
use crate::record::{Record, Status};

pub(crate) const LOG: &str = "log.jsonl";
const TEXTS: &str = "texts";
/// Hunks up to this many bytes are in the log itself.
const SHORT_HUNK: usize = 1 << 10;

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes on the disk for one workspace. What is pending stays, however much it is.
    pub bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 512 << 20 }
    }
}

pub struct Ledger {
    folder: PathBuf,
    blobs: BlobStore,
    log: Writer,
    record: Record,
    limits: Limits,
    /// Texts that were put here for a line that is still to come.
    unnamed: BTreeSet<Hash>,
    /// Texts that lines no longer name which a power cut could still take back.
    stale: BTreeSet<Hash>,
    /// Goes before the lock does, so that nobody removes the word of the next holder.
    announcement: Option<Announcement>,
    lock: Lock,
}

/// How a log is damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogDamage {
    /// So many lines could not be read, or made no sense without others.
    pub lines: usize,
    /// Its end is missing.
    pub is_cut: bool,
}

/// What was found when a record was opened.
#[derive(Debug, Default)]
pub struct Opened {
    /// Lines that were passed over.
    pub problems: Vec<Problem>,
    /// What is wrong with the log, besides what a killed process leaves.
    pub damage: Option<LogDamage>,
    /// Operations that were cut off. Each wants to be looked at, and to be called done or abandoned.
    pub open: Vec<OpId>,
}

impl Ledger {
    /// Opens the record of the workspace `root` below the folder of all records, or begins it.
    pub fn open(
        base: &Path,
        root: &Path,
        limits: Limits,
        durability: Durability,
    ) -> Result<(Self, Opened), LedgerError> {
        let folder = folder_of(base, root);
        let lock = Lock::take(&folder)?;
        let path = folder.join(LOG);
        let lines = log::read(&path)?;
        let (record, problems) = added_up(&lines, &folder)?;
        let is_cut = log::is_cut(&path);
        // A torn end alone is what a killed process leaves, and says nothing of what was done.
        let broken = problems.len() - usize::from(lines.is_torn && !problems.is_empty());
        let is_damaged = is_cut || (broken > 0 && lines.understood == Understood::All);
        if is_damaged {
            let _best_effort = damage::keep_copy(&folder, &path);
        }
        if lines.understood == Understood::All {
            let shorter = match problems.is_empty() && !is_cut {
                true => compact::shortened(&lines.entries, &record),
                // So that what was told is not told again.
                false => Some(compact::shortest(&lines.entries, &record)),
            };
            if let Some(shorter) = shorter.filter(|_| !lines.entries.is_empty()) {
                log::forget_length(&path);
                // On a full disk the long one does as well: hunks that are pending must be found.
                let _best_effort = replace_log(&path, &shorter, durability);
            } else if is_cut {
                log::forget_length(&path);
            }
        }
        let mut ledger = Self {
            folder: folder.clone(),
            blobs: BlobStore::open(&folder.join(TEXTS), durability)?,
            log: Writer::open(&path, durability)?,
            record,
            limits,
            unnamed: BTreeSet::new(),
            stale: BTreeSet::new(),
            announcement: None,
            lock,
        };
        if lines.entries.is_empty() {
            ledger.write(
                vec![Entry::Started {
                    version: VERSION,
                    root: real(root),
                    next: 1,
                    forgotten: Vec::new(),
                }],
                Urgency::Now,
            )?;
            for folder in [&folder, base] {
                private::sync_folder(folder, durability).map_err(LedgerError::io(folder))?;
            }
        }
        // Texts whose line was never written. A version that knows more lines may need them.
        if lines.understood == Understood::All {
            ledger.drop_unneeded()?;
        }
        match ledger.keep_within_limits() {
            // It is tried again with the next text, and what is there can be read all the same.
            Ok(()) | Err(LedgerError::Io { .. }) => {}
            Err(error) => return Err(error),
        }
        let opened = Opened {
            damage: is_damaged.then_some(LogDamage {
                lines: broken,
                is_cut,
            }),
            problems,
            open: ledger.record.open().map(|operation| operation.id).collect(),
        };
        Ok((ledger, opened))
    }

    /// The folder of the record.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Keeps what is left of a text that cannot be read, and forgets that it was there.
    pub fn set_aside(&mut self, hash: &Hash) -> Result<(), LedgerError> {
        let path = self.folder.join(TEXTS).join(hash.to_string());
        damage::keep_copy(&self.folder, &path).map_err(LedgerError::io(&self.folder))?;
        self.blobs.forget(hash)
    }

    /// Forgets an operation that cannot be read and all before it.
    pub fn forget_through(&mut self, op: OpId) -> Result<(), LedgerError> {
        self.write(vec![Entry::Forgotten { through: op }], Urgency::Later)
    }

    /// Has people told of a damage, now or when somebody is there.
    pub fn add_untold(&self, text: &str) -> Result<(), LedgerError> {
        damage::add_untold(&self.folder, text).map_err(LedgerError::io(&self.folder))
    }

    /// What people were not told yet.
    pub fn untold(&self) -> Vec<String> {
        damage::untold(&self.folder)
    }

    pub fn told(&self) {
        damage::told(&self.folder);
    }

    /// Whether the record is where it was opened. Somebody may have removed it, and what is written now would be lost.
    pub fn is_there(&self) -> bool {
        self.lock.holds()
    }

    /// Tells processes that want this record who has it.
    pub fn announce(&mut self, holder: &Holder) {
        self.announcement = Announcement::make(&self.folder, holder);
    }

    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Keeps a text, to be named in what is recorded next.
    pub fn put(&mut self, text: &[u8]) -> Result<Hash, LedgerError> {
        let hash = self.blobs.put(text)?;
        self.unnamed.insert(hash);
        Ok(hash)
    }

    /// A text of a rejected hunk, as it was put.
    pub fn hunk_text(&self, text: &HunkText) -> Result<Vec<u8>, LedgerError> {
        match text {
            HunkText::Here { text } => Ok(text.clone().into_bytes()),
            HunkText::Apart(hash) => self.text(hash),
        }
    }

    /// Keeps a text of a hunk that is rejected next.
    pub fn put_hunk(&mut self, text: &str) -> Result<HunkText, LedgerError> {
        match text.len() <= SHORT_HUNK {
            true => Ok(HunkText::Here {
                text: text.to_owned(),
            }),
            false => Ok(HunkText::Apart(self.put(text.as_bytes())?)),
        }
    }

    pub fn text(&self, hash: &Hash) -> Result<Vec<u8>, LedgerError> {
        self.blobs.read(hash)
    }

    /// Writes down what is about to be done, as one decision. When this returns, the files may be touched.
    pub fn intend(&mut self, drafts: Vec<Draft>, now: SystemTime) -> Result<Intended, LedgerError> {
        self.intend_by(drafts, now, Urgency::Now)
    }

    /// The same for one decision of many: the disk is waited for once, by [`Ledger::sync`], and until then no file may be
    /// touched.
    pub fn intend_unsynced(
        &mut self,
        drafts: Vec<Draft>,
        now: SystemTime,
    ) -> Result<Intended, LedgerError> {
        self.intend_by(drafts, now, Urgency::Later)
    }

    fn intend_by(
        &mut self,
        drafts: Vec<Draft>,
        now: SystemTime,
        urgency: Urgency,
    ) -> Result<Intended, LedgerError> {
        let group = GroupId(self.record.next());
        let operations: Vec<Arc<Operation>> = drafts
            .into_iter()
            .zip(group.0 + 1..)
            .map(|(draft, id)| Arc::new(operation(draft, OpId(id), group, now)))
            .collect();
        self.require(operations.iter().flat_map(|operation| operation.hashes()))?;
        let ids = operations.iter().map(|operation| operation.id).collect();
        self.write(
            operations.into_iter().map(Entry::Intended).collect(),
            urgency,
        )?;
        self.keep_within_limits()?;
        Ok(Intended { group, ids })
    }

    /// The file is now as it was to be, and so is its review.
    pub fn done(&mut self, op: OpId) -> Result<(), LedgerError> {
        self.require_open(op)?;
        self.write(vec![Entry::Done { op }], Urgency::Later)
    }

    /// The file was not touched, and will not be.
    pub fn abandon(&mut self, op: OpId) -> Result<(), LedgerError> {
        self.require_open(op)?;
        self.write(vec![Entry::Abandoned { op }], Urgency::Later)
    }

    /// Notes how a review stands after something that was no operation, such as a person's typing.
    pub fn hold(&mut self, state: FileState) -> Result<(), LedgerError> {
        self.require(state.texts.hashes())?;
        self.write(vec![Entry::FileState(state)], Urgency::Later)?;
        self.keep_within_limits()
    }

    /// Nothing of the file is pending any more.
    pub fn settle(&mut self, key: FileKey) -> Result<(), LedgerError> {
        match self.record.pending_of(&key) {
            Some(_) => self.write(vec![Entry::Settled { key }], Urgency::Later),
            None => Ok(()),
        }
    }

    pub fn comment(
        &mut self,
        key: FileKey,
        line: usize,
        text: String,
    ) -> Result<CommentId, LedgerError> {
        let id = CommentId(self.record.next());
        let comment = Comment {
            id,
            key,
            line,
            text,
        };
        self.write(vec![Entry::Commented(comment)], Urgency::Now)?;
        Ok(id)
    }

    /// Its line has moved with the text around it.
    pub fn move_comment(&mut self, id: CommentId, line: usize) -> Result<(), LedgerError> {
        let known = self.record.comments().find(|comment| comment.id == id);
        match known.cloned() {
            Some(comment) if comment.line != line => {
                let comment = Comment { line, ..comment };
                self.write(vec![Entry::Commented(comment)], Urgency::Later)
            }
            _ => Ok(()),
        }
    }

    /// Comments that were sent or taken back. What is not there is gone already.
    pub fn remove_comments(&mut self, ids: &[CommentId]) -> Result<(), LedgerError> {
        let known = self.record.comments().map(|comment| comment.id);
        let known = known.filter(|id| ids.contains(id));
        let lines: Vec<Entry> = known.map(|id| Entry::CommentRemoved { id }).collect();
        self.write(lines, Urgency::Later)
    }

    /// Keeps a hunk that was turned down.
    pub fn keep_rejected(&mut self, hunk: NewRejected) -> Result<RejectedId, LedgerError> {
        let id = RejectedId(self.record.next());
        let rejected = Rejected {
            id,
            key: hunk.key,
            path: hunk.path,
            line: hunk.line,
            removed: hunk.removed,
            added: hunk.added,
            origin: hunk.origin,
        };
        self.require(rejected.hashes())?;
        self.write(vec![Entry::Rejected(rejected)], Urgency::Later)?;
        self.keep_within_limits()?;
        Ok(id)
    }

    /// A rejected hunk that was applied after all, or that nobody wants to see any more.
    pub fn remove_rejected(&mut self, id: RejectedId) -> Result<(), LedgerError> {
        match self.record.rejected_hunk(id) {
            Some(_) => self.write(vec![Entry::RejectedRemoved { id }], Urgency::Later),
            None => Ok(()),
        }
    }

    /// Makes everything safe from a power cut, before the process ends or when there is time.
    pub fn sync(&mut self) -> Result<(), LedgerError> {
        self.blobs.sync()?;
        self.log.sync()?;
        self.drop_stale()
    }

    /// The texts are there, and will be after a power cut.
    fn require(&mut self, texts: impl Iterator<Item = Hash>) -> Result<(), LedgerError> {
        for hash in texts {
            if !self.blobs.contains(&hash) {
                return Err(LedgerError::Missing { hash });
            }
            self.unnamed.remove(&hash);
        }
        self.blobs.sync()
    }

    fn require_open(&self, op: OpId) -> Result<(), LedgerError> {
        match self.record.operation(op) {
            Some((_, Status::Open)) => Ok(()),
            _ => Err(LedgerError::NotOpen { op }),
        }
    }

    fn write(&mut self, entries: Vec<Entry>, urgency: Urgency) -> Result<(), LedgerError> {
        if entries.is_empty() {
            return Ok(());
        }
        self.log.append(&entries, urgency)?;
        for entry in &entries {
            self.stale.extend(self.record.replaced_by(entry));
            let sense = self.record.apply(entry);
            debug_assert_eq!(sense, Ok(()), "we write what we can read");
        }
        match urgency {
            Urgency::Now => self.drop_stale(),
            Urgency::Later => Ok(()),
        }
    }
}

/// The names under which operations were written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intended {
    pub group: GroupId,
    /// In the order of the drafts.
    pub ids: Vec<OpId>,
}

/// A hunk that was turned down, as it is handed in.
#[derive(Clone, Debug)]
pub struct NewRejected {
    pub key: FileKey,
    pub path: PathBuf,
    pub line: usize,
    pub removed: HunkText,
    pub added: HunkText,
    pub origin: Option<Origin>,
}

/// Looks at the record of a workspace that somebody else may be writing.
pub fn read_record(base: &Path, root: &Path) -> Result<(Record, Vec<Problem>), LedgerError> {
    let folder = folder_of(base, root);
    added_up(&log::read(&folder.join(LOG))?, &folder)
}

pub(crate) fn added_up(
    lines: &Lines,
    folder: &Path,
) -> Result<(Record, Vec<Problem>), LedgerError> {
    let mut record = Record::default();
    let mut problems = lines.problems.clone();
    for (line, entry) in &lines.entries {
        if matches!(entry, Entry::Started { version, .. } if *version > VERSION) {
            return Err(LedgerError::Newer {
                folder: folder.to_path_buf(),
            });
        }
        if let Err(what) = record.apply(entry) {
            problems.push(Problem {
                line: *line,
                what: what.to_owned(),
            });
        }
    }
    problems.sort_by_key(|problem| problem.line);
    Ok((record, problems))
}

fn replace_log(path: &Path, entries: &[Entry], durability: Durability) -> Result<(), LedgerError> {
    log::text_of(entries)
        .and_then(|text| private::replace(path, &[&text], durability))
        .map_err(LedgerError::io(path))?;
    let folder = path.parent().unwrap_or(path);
    private::sync_folder(folder, durability).map_err(LedgerError::io(folder))
}

fn operation(draft: Draft, id: OpId, group: GroupId, now: SystemTime) -> Operation {
    Operation {
        id,
        group,
        at: millis(now),
        key: draft.key,
        path: draft.path,
        what: draft.what,
        origin: draft.origin,
        target: draft.target,
        before: draft.before,
        after: draft.after,
        detail: draft.detail,
        words: draft.words,
    }
}
