//! A room as it was at one moment.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use crate::{Configuration, Document, DocumentKey, DoorId, EditorState, Reviews};

/// Counts the changes of a room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Revision(pub u64);

impl Revision {
    /// Where a new room starts: beyond whatever an earlier host came to, so that a client that
    /// follows the room by its last revision does not wait for a number the new one never reaches. No room changes ten thousand
    /// times a second, and the number has 14 digits: Neovim before 0.12 sends no more of any number.
    pub(crate) fn first() -> Self {
        let now = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
        Self((now.as_micros() / 100).try_into().unwrap_or_default())
    }
}

/// Everything a reader may want to know, frozen. Cheap to make, free to keep: the room copies a
/// part only when it changes it while somebody still looks.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub revision: Revision,
    pub roots: Arc<[PathBuf]>,
    pub documents: Arc<BTreeMap<DocumentKey, Arc<Document>>>,
    /// The editors that are connected, and what each of them shows.
    pub editors: Arc<BTreeMap<DoorId, EditorState>>,
    pub configuration: Arc<Configuration>,
    /// What the agent changed and nobody has decided about yet.
    pub reviews: Arc<Reviews>,
}

impl Snapshot {
    /// The files that people have open, as far as their editors tell. An editor that does not say which files it shows
    /// shows those whose documents it holds.
    pub fn open_files(&self) -> Vec<PathBuf> {
        let mut open: Vec<PathBuf> = Vec::new();
        let mut seen = BTreeSet::new();
        // The newest editor is the one a person has turned to last.
        for editor in self.editors.values().rev() {
            for path in editor.open_files.iter().flatten() {
                if seen.insert(path.clone()) {
                    open.push(path.clone());
                }
            }
        }
        for (key, document) in self.documents.iter() {
            let DocumentKey::File(path) = key else {
                continue;
            };
            let tells = |door: DoorId| {
                let editor = self.editors.get(&door);
                editor.is_some_and(|editor| editor.open_files.is_some())
            };
            let is_shown = document.views().iter().any(|view| !tells(view.door));
            if is_shown && seen.insert(path.clone()) {
                open.push(path.clone());
            }
        }
        open
    }
}
