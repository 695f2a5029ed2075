use futures_util::future::BoxFuture;

use crate::prompt::{EditorContext, Reading};

/// What is around a session: the editor a person sits at, and the files a prompt may name.
pub trait Surroundings: Send + Sync {
    /// What the person looks at now, unsaved text included. Nothing where there is no editor.
    fn editor(&self) -> BoxFuture<'_, Option<EditorContext>>;

    fn reading(&self) -> &dyn Reading;
}
