//! What is around a session: the files it works on, what its person looks at, and who takes in what its commands change.

use std::path::PathBuf;
use std::sync::Arc;

use pollux_agent::api::HunkCounts;
use pollux_agent::prompt::Audience;
use pollux_agent::{Files, ShellChanges, Surroundings, Unwatched};
use pollux_settings::Loaded;
use pollux_workspace::{SessionId, SessionRequest};
use tokio::sync::mpsc;

use super::Configured;
use crate::disk_files::DiskFiles;
use crate::disk_surroundings::{DiskSurroundings, Ignored};
use crate::equipment;
use crate::headless_view::HeadlessView;
use crate::room_view::{Places, RoomView};

/// What is around a session.
pub(super) struct Around {
    pub(super) files: Arc<dyn Files>,
    pub(super) surroundings: Arc<dyn Surroundings>,
    pub(super) changes: Arc<dyn ShellChanges>,
}

impl Configured {
    /// `listener` is told what is decided about the session's edits, where there is a room to decide in.
    pub(super) fn around(
        &self,
        loaded: &Loaded,
        request: &SessionRequest,
        id: &SessionId,
        scratch: PathBuf,
        listener: mpsc::UnboundedSender<HunkCounts>,
    ) -> Around {
        let folder = request.folder.clone();
        let ignored = Ignored {
            root: folder.clone(),
            files: equipment::search(loaded).ignore,
        };
        let places = Places {
            own: scratch,
            beside: request.wishes.places.clone(),
        };
        let Some(rooms) = &self.rooms else {
            let files = DiskFiles::new(folder).and_in([vec![places.own], places.beside].concat());
            return Around {
                files: Arc::new(files),
                surroundings: Arc::new(DiskSurroundings { ignored }),
                changes: Arc::new(Unwatched),
            };
        };
        if self.audience == Audience::Headless {
            let view = HeadlessView::new(Arc::clone(rooms), id.clone(), folder, places);
            let view = Arc::new(view);
            return Around {
                files: view.clone(),
                // There is no editor to tell of.
                surroundings: Arc::new(DiskSurroundings { ignored }),
                changes: view,
            };
        }
        let view = RoomView::new(rooms, id.clone(), folder, places, ignored);
        let view = Arc::new(view);
        view.listen(listener);
        Around {
            files: view.clone(),
            surroundings: view.clone(),
            changes: view,
        }
    }
}
