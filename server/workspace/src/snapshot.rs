//! A room as it was at one moment.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::{Configuration, Document, DocumentKey, DoorId, EditorState};

/// Counts the changes of a room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Revision(pub u64);

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
}
