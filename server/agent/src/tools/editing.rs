//! What the tools that edit have in common: the file they mean, and the build files they touched.

use std::path::Path;

use pollux_search::find_by_suffix;
use pollux_text::EditError;

use super::searching::SearchSetup;
use super::{Desk, ErrorKind, TailCall, ToolError};
use crate::{FileError, WorkspacePath};

/// The file a call means.
pub(super) enum Meant {
    File {
        path: WorkspacePath,
        text: String,
    },
    Missing(WorkspacePath),
    /// Not the one it names. What is allowed for that name may not be allowed here, so the call is made anew.
    Elsewhere(TailCall),
}

pub(super) async fn file(desk: &Desk<'_>, search: &SearchSetup) -> Result<Meant, ToolError> {
    let path = desk.edited_path()?;
    match desk.or_cancelled(desk.config.files.read(&path)).await? {
        Ok(text) => Ok(Meant::File { path, text }),
        Err(FileError::NotFound) => elsewhere(desk, search, path).await,
        Err(error) => Err(error.into()),
    }
}

/// Models forget the first folders of a path. Where only one file can be meant, it is.
async fn elsewhere(
    desk: &Desk<'_>,
    search: &SearchSetup,
    path: WorkspacePath,
) -> Result<Meant, ToolError> {
    let params = desk.params();
    let is_absolute = Path::new(params.string("file_path")?).is_absolute();
    let is_new = params.string("old_string")?.is_empty();
    if is_absolute || is_new {
        return Ok(Meant::Missing(path));
    }
    let relative = path.as_path().to_owned();
    let found = search
        .look(desk, search.ignore.clone(), move |tree| {
            find_by_suffix(tree, &relative)
        })
        .await?;
    let meant = found
        .and_then(|found| WorkspacePath::new(&desk.config.root, &found.to_string_lossy()).ok());
    match meant {
        Some(meant) if meant != path => {
            let mut args = desk.call.args.clone();
            args.insert("file_path".to_owned(), meant.to_string().into());
            let name = desk.call.name.clone();
            Ok(Meant::Elsewhere(TailCall { name, args }))
        }
        _ => Ok(Meant::Missing(path)),
    }
}

/// An edit that came to nothing, in the words of a tool.
pub(super) fn failed(error: &EditError) -> ToolError {
    let kind = match error {
        EditError::EmptyOld => ErrorKind::FileExists,
        EditError::NoOccurrence { .. } => ErrorKind::NoOccurrence,
        EditError::SeveralOccurrences { .. } => ErrorKind::OccurrenceMismatch,
        EditError::NoChange => ErrorKind::NoChange,
        EditError::OmissionPlaceholder(_) => ErrorKind::InvalidParams,
    };
    let shown = match error {
        EditError::EmptyOld => "the file exists already".to_owned(),
        EditError::NoOccurrence { .. } => "the text to replace is not in the file".to_owned(),
        EditError::SeveralOccurrences { count, .. } => {
            format!("the text to replace is in the file {count} times")
        }
        EditError::NoChange => "it would change nothing".to_owned(),
        EditError::OmissionPlaceholder(_) => "it leaves out parts of the text".to_owned(),
    };
    ToolError::new(kind, error.to_string()).shown_as(shown)
}
