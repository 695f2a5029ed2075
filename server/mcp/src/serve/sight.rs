//! What of the room a client may see: the files of its folders, without those that are closed to tools or ignored.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use pollux_agent::prompt::{EntryKind, Visibility};
use pollux_agent::{FileError, Ignoring, WorkspacePath};
use pollux_text::Buffer;
use pollux_workspace::{Disk, DocumentKey, Location, Snapshot, SyncState};

use super::front::ReadRules;
use crate::companion::place::{Place, Refused};
use crate::companion::room::Room;

/// Nobody is there to be asked.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("no editor has this folder open; open it in an editor that runs Pollux, and try again")]
pub(super) struct Blind;

/// Why a file is not shown. The words are for the client.
#[derive(Debug, thiserror::Error)]
pub(super) enum Hidden {
    #[error("{0}: {1}")]
    Refused(String, Refused),
    #[error("{0}: ignore rules keep it from tools")]
    Ignored(String),
    #[error("{0}: there is no such file")]
    Missing(String),
}

/// A room at one moment.
#[derive(Clone)]
pub(super) struct Sight {
    pub(super) room: Room,
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) disk: Arc<dyn Disk>,
    pub(super) rules: Rules,
}

/// The ignore rules of the folders. They are read once for each look.
#[derive(Clone)]
pub(super) struct Rules {
    read: Arc<ReadRules>,
    known: Arc<Mutex<BTreeMap<PathBuf, Arc<Ignoring>>>>,
}

impl Rules {
    pub(super) fn new(read: &Arc<ReadRules>) -> Self {
        Self {
            read: Arc::clone(read),
            known: Arc::default(),
        }
    }

    fn of(&self, root: &Path) -> Arc<Ignoring> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let rules = known
            .entry(root.to_owned())
            .or_insert_with(|| (self.read)(root));
        Arc::clone(rules)
    }
}

/// A file with its text as the editor has it.
pub(super) struct Found {
    pub(super) place: Place,
    pub(super) text: Option<String>,
}

impl Sight {
    /// How a file is called: within its folder if there is only one, whole otherwise.
    pub(super) fn name(&self, path: &Path) -> String {
        let within = match &*self.snapshot.roots {
            [root] => path.strip_prefix(root).unwrap_or(path),
            _ => path,
        };
        within.to_string_lossy().into_owned()
    }

    /// Looks at the disk, as everything below does.
    pub(super) fn find(&self, spelled: &str) -> Result<Found, Hidden> {
        let place = self.place(spelled)?;
        let text = match self.shown(&place.key) {
            Some(shown) => {
                // What is refused on disk is refused in the editor too: a link may lead out.
                self.refuse_strangers(&place, spelled)?;
                Some(shown.to_string())
            }
            None => place
                .read(&*self.disk)
                .map_err(|refused| Hidden::Refused(spelled.to_owned(), refused))?,
        };
        Ok(Found { place, text })
    }

    /// The text of a file that has to be there.
    pub(super) fn read(&self, spelled: &str) -> Result<(Place, String), Hidden> {
        let Found { place, text } = self.find(spelled)?;
        let text = text.ok_or_else(|| Hidden::Missing(spelled.to_owned()))?;
        Ok((place, text))
    }

    fn refuse_strangers(&self, place: &Place, spelled: &str) -> Result<(), Hidden> {
        match place.read(&*self.disk) {
            Err(refused @ (Refused::Outside | Refused::File(FileError::OutsideWorkspace))) => {
                Err(Hidden::Refused(spelled.to_owned(), refused))
            }
            // Whatever else is wrong with the disk: the editor's text is the truth.
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Where a file lies that the client names by its whole path or within one of the folders.
    fn place(&self, spelled: &str) -> Result<Place, Hidden> {
        let refused = |refused| Hidden::Refused(spelled.to_owned(), refused);
        let roots = &self.snapshot.roots;
        let place = match Path::new(spelled).is_absolute() {
            true => Place::find(roots, spelled).map_err(refused)?,
            false => {
                let whole = roots.iter().map(|root| root.join(spelled));
                let mut whole: Vec<PathBuf> = whole.collect();
                let known = whole.iter().position(|path| self.knows(path));
                let first = match known {
                    Some(at) => whole.swap_remove(at),
                    None => whole.into_iter().next().unwrap_or_default(),
                };
                let whole = first.to_str().ok_or_else(|| refused(Refused::Outside))?;
                Place::find(roots, whole).map_err(refused)?
            }
        };
        match self.is_ignored(&place.at.root, &place.at.path) {
            true => Err(Hidden::Ignored(spelled.to_owned())),
            false => Ok(place),
        }
    }

    fn knows(&self, path: &Path) -> bool {
        let key = DocumentKey::File(path.to_owned());
        self.snapshot.documents.contains_key(&key) || path.exists()
    }

    fn is_ignored(&self, root: &Path, path: &Path) -> bool {
        self.rules.of(root)(path, EntryKind::File) == Visibility::Ignored
    }

    /// Whether a path that the room knows may be told.
    pub(super) fn may_tell(&self, path: &Path) -> bool {
        let roots = self.snapshot.roots.iter();
        let Some(root) = roots.filter(|root| path.starts_with(root)).max() else {
            return false;
        };
        let spelled = path.to_str().unwrap_or_default();
        WorkspacePath::new(root, spelled).is_ok() && !self.is_ignored(root, path)
    }

    /// What the disk has of a file of the room.
    pub(super) fn on_disk(&self, path: &Path) -> Option<String> {
        let roots = self.snapshot.roots.iter();
        let root = roots.filter(|root| path.starts_with(root)).max()?;
        let at = Location {
            root: root.clone(),
            path: path.to_owned(),
        };
        self.disk.read(&at).ok().flatten()
    }

    /// The editor's text of a file, if one has it open and the text can be relied on.
    pub(super) fn shown(&self, key: &DocumentKey) -> Option<&Buffer> {
        let view = self.snapshot.documents.get(key)?.latest()?;
        (view.sync == SyncState::Synced).then_some(&view.text)
    }
}
