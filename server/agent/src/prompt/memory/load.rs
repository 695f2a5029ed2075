//! Turns candidate paths into the text that a model sees, once per file and within the budget.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::discovery::project_root;
use super::import::Importer;
use super::{MAX_MEMORY_FILE_BYTES, MemoryFile, MemorySettings, Tier};
use crate::prompt::cap::{clip, clip_with_note, one_line};
use crate::prompt::reading::{FileIdentity, FileKind, Reading};

/// Bytes that are left for a group of files.
pub(super) struct Budget(usize);

impl Budget {
    pub(super) fn new(bytes: usize) -> Self {
        Self(bytes)
    }
}

pub(super) struct Loader<'a> {
    reading: &'a dyn Reading,
    settings: &'a MemorySettings,
    budget: Budget,
    files: Vec<MemoryFile>,
    /// Files not to load (again), imported ones included.
    seen: BTreeSet<FileIdentity>,
    /// What this loader added to `seen`.
    added: BTreeSet<FileIdentity>,
}

/// A file whose imports are in place.
struct Processed {
    path: PathBuf,
    identity: FileIdentity,
    text: String,
    imported: BTreeSet<FileIdentity>,
}

impl<'a> Loader<'a> {
    pub(super) fn new(
        reading: &'a dyn Reading,
        settings: &'a MemorySettings,
        budget: Budget,
    ) -> Self {
        Self {
            reading,
            settings,
            budget,
            files: Vec::new(),
            seen: BTreeSet::new(),
            added: BTreeSet::new(),
        }
    }

    pub(super) fn skip<'b>(&mut self, identities: impl Iterator<Item = &'b FileIdentity>) {
        self.seen.extend(identities.cloned());
    }

    /// The files that were loaded, and every identity that is in front of the model now.
    pub(super) fn finish(self) -> (Vec<MemoryFile>, BTreeSet<FileIdentity>) {
        (self.files, self.added)
    }

    /// Reads those of the candidates that exist, in this order.
    pub(super) async fn load(&mut self, candidates: Vec<PathBuf>, tier: Tier) -> String {
        let mut processed = Vec::new();
        let mut here = BTreeSet::new();
        for path in candidates {
            let Ok(found) = self.reading.look(&path).await else {
                continue;
            };
            let fresh = found.kind == FileKind::File
                && !self.seen.contains(&found.identity)
                && here.insert(found.identity.clone());
            if fresh && let Some(file) = self.process(path, found.identity).await {
                processed.push(file);
            }
        }
        drop_imported(&mut processed);
        let mut blocks: Vec<String> = Vec::new();
        for file in processed {
            let block = self.block(&file.path, &file.text);
            if block.is_empty() {
                continue;
            }
            self.files.push(MemoryFile {
                path: file.path,
                tier,
                bytes: file.text.len(),
            });
            let shown = file.imported.into_iter().chain([file.identity]);
            for identity in shown {
                self.seen.insert(identity.clone());
                self.added.insert(identity);
            }
            blocks.push(block);
        }
        blocks.join("\n\n")
    }

    async fn process(&self, path: PathBuf, identity: FileIdentity) -> Option<Processed> {
        let head = self.reading.head(&path, MAX_MEMORY_FILE_BYTES).await.ok()?;
        let text = String::from_utf8_lossy(&head.bytes).into_owned();
        let folder = path.parent().unwrap_or(&path);
        let root = project_root(self.reading, &self.settings.boundary_markers, folder).await;
        let mut importer = Importer::new(self.reading, root, MAX_MEMORY_FILE_BYTES);
        let format = self.settings.import_format;
        let text = importer.run(&text, &path, &identity, format).await;
        let text = text.trim();
        if text.is_empty() {
            return None;
        }
        let note = format!(
            "\n[Cut: only the first {MAX_MEMORY_FILE_BYTES} bytes of this file and its imports are shown.]"
        );
        let text = match head.is_whole() {
            true => clip_with_note(text, MAX_MEMORY_FILE_BYTES, &note),
            false => {
                let room = MAX_MEMORY_FILE_BYTES.saturating_sub(note.len());
                format!("{}{note}", clip(text, room))
            }
        };
        Some(Processed {
            path,
            identity,
            text,
            imported: importer.into_imported(),
        })
    }

    /// The block of one file, within what is left of the budget; empty when nothing is.
    fn block(&mut self, path: &Path, text: &str) -> String {
        let name = one_line(&path.display().to_string());
        let head = format!("--- Context from: {name} ---\n");
        let tail = format!("\n--- End of Context from: {name} ---");
        // Blocks are joined by a blank line.
        let frame = head.len() + tail.len() + 2;
        let note = "\n[Cut: the limit for all context files together is reached.]";
        let Some(room @ 1..) = self.budget.0.checked_sub(frame + note.len()) else {
            return String::new();
        };
        let text = clip_with_note(text, room + note.len(), note);
        self.budget.0 = self.budget.0.saturating_sub(frame + text.len());
        format!("{head}{text}{tail}")
    }
}

/// A file that another one imports is shown there, so it need not be shown twice. Of two that import each other
/// the second stays.
fn drop_imported(files: &mut Vec<Processed>) {
    let mut index = 0;
    while let Some(file) = files.get(index) {
        let elsewhere = files
            .iter()
            .enumerate()
            .any(|(other, importer)| other != index && importer.imported.contains(&file.identity));
        match elsewhere {
            true => {
                files.remove(index);
            }
            false => index += 1,
        }
    }
}
