//! What editors have of their files.

use std::path::{Path, PathBuf};

use pollux_workspace::{DocumentKey, Rooms, SyncState};

/// Of one file, or of all that are open in the room of a folder.
pub(super) async fn open_texts(
    rooms: &Rooms,
    root: &Path,
    path: Option<&Path>,
) -> Vec<(PathBuf, String)> {
    let Some(snapshot) = rooms.snapshot_of(root).await else {
        return Vec::new();
    };
    let documents = snapshot.documents.iter();
    let texts = documents.filter_map(|(key, document)| {
        let DocumentKey::File(file) = key else {
            return None;
        };
        let is_wanted = path.is_none_or(|path| path == file);
        let view = document.latest().filter(|_| is_wanted)?;
        (view.sync == SyncState::Synced).then(|| (file.clone(), view.text.to_string()))
    });
    texts.collect()
}
