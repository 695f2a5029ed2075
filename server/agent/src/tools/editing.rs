//! What the tools that edit have in common: the file they mean, and the build files they touched.

use std::path::Path;

use pollux_search::find_by_suffix;
use pollux_text::EditError;

use super::searching::SearchSetup;
use super::{Desk, ErrorKind, ToolError};
use crate::{FileError, WorkspacePath};

/// The file a call means, and its text if it is there.
pub(super) async fn file(
    desk: &Desk<'_>,
    search: &SearchSetup,
) -> Result<(WorkspacePath, Option<String>), ToolError> {
    let path = desk.path()?;
    match desk.or_cancelled(desk.config.files.read(&path)).await? {
        Ok(text) => Ok((path, Some(text))),
        Err(FileError::NotFound) => elsewhere(desk, search, path).await,
        Err(error) => Err(error.into()),
    }
}

/// Models forget the first folders of a path. Where only one file can be meant, it is.
async fn elsewhere(
    desk: &Desk<'_>,
    search: &SearchSetup,
    path: WorkspacePath,
) -> Result<(WorkspacePath, Option<String>), ToolError> {
    let spelled = desk.params().string("file_path")?;
    if Path::new(spelled).is_absolute() {
        return Ok((path, None));
    }
    let relative = path.as_path().to_owned();
    let found = search
        .look(desk, search.ignore.clone(), move |tree| {
            find_by_suffix(tree, &relative)
        })
        .await?;
    let meant = found
        .and_then(|found| WorkspacePath::new(&desk.config.root, &found.to_string_lossy()).ok());
    let Some(meant) = meant else {
        return Ok((path, None));
    };
    let text = desk.read(&meant).await?;
    Ok((meant, Some(text)))
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
