use std::path::Path;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::prompt::{EditorContext, EntryKind, HunkDecision, Problem, Reading, Visibility};

/// What is around a session: the editor a person sits at, and the files a prompt may name.
pub trait Surroundings: Send + Sync {
    /// What the person looks at now, unsaved text included. Nothing where there is no editor.
    fn editor(&self) -> BoxFuture<'_, Option<EditorContext>>;

    /// The errors and warnings that the editor shows.
    fn problems(&self) -> BoxFuture<'_, Vec<Problem>> {
        Box::pin(async { Vec::new() })
    }

    /// What the person has decided about the session's edits since this was last asked.
    fn decisions(&self) -> BoxFuture<'_, Vec<HunkDecision>> {
        Box::pin(async { Vec::new() })
    }

    fn reading(&self) -> &dyn Reading;

    /// What the ignore files say now. Reads a few small files.
    fn ignoring(&self) -> Arc<Ignoring> {
        Arc::new(|_, _| Visibility::Visible)
    }
}

/// Whether a path may be shown to a model.
pub type Ignoring = dyn Fn(&Path, EntryKind) -> Visibility + Send + Sync;
