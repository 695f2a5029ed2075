//! `@path` in a memory file: the text of another file, put in its place.
//!
//! An import stays inside the project of the file that asks for it, links followed; is at most
//! [`MAX_IMPORT_DEPTH`] deep; and never contains itself. Text between backticks is left alone.

mod scan;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use self::scan::{Piece, pieces};
use crate::prompt::cap::clip;
use crate::prompt::place::normal;
use crate::prompt::reading::{FileIdentity, FileKind, Found, ReadError, Reading};
use crate::{PathError, WorkspacePath};

/// Imports within imports.
pub const MAX_IMPORT_DEPTH: usize = 5;
/// Files that one memory file may pull in, however they are nested.
pub const MAX_IMPORTS: usize = 100;

/// `context.importFormat`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ImportFormat {
    /// The imported text stands where it was asked for.
    #[default]
    Tree,
    /// The files stand one after the other, each once.
    Flat,
}

/// Why an import is not there.
#[derive(Debug, thiserror::Error)]
enum ImportError {
    #[error("Path traversal attempt")]
    Traversal,
    #[error("too many imports")]
    TooMany,
    #[error("the size limit is reached")]
    TooLong,
    #[error(transparent)]
    Closed(#[from] PathError),
    #[error(transparent)]
    Unreadable(#[from] ReadError),
}

/// Processes the imports of one memory file.
pub(super) struct Importer<'a> {
    reading: &'a dyn Reading,
    /// The project as it is spelled in paths, and with every link followed.
    root: PathBuf,
    real_root: PathBuf,
    /// Bytes that may still be read. What is read may be shown, so this also bounds the work.
    room: usize,
    imports_left: usize,
    imported: BTreeSet<FileIdentity>,
}

/// A file on the way from the memory file to the text at hand.
struct Link<'a> {
    identity: &'a FileIdentity,
    above: Option<&'a Link<'a>>,
    depth: usize,
}

impl Link<'_> {
    fn contains(&self, identity: &FileIdentity) -> bool {
        self.identity == identity || self.above.is_some_and(|above| above.contains(identity))
    }
}

impl<'a> Importer<'a> {
    pub(super) fn new(reading: &'a dyn Reading, root: PathBuf, room: usize) -> Self {
        Self {
            reading,
            real_root: root.clone(),
            root,
            room,
            imports_left: MAX_IMPORTS,
            imported: BTreeSet::new(),
        }
    }

    /// The text with its imports in place.
    pub(super) async fn run(
        &mut self,
        text: &str,
        path: &Path,
        identity: &FileIdentity,
        format: ImportFormat,
    ) -> String {
        if let Ok(found) = self.reading.look(&self.root).await {
            self.real_root = found.real_path;
        }
        self.room = self.room.saturating_sub(text.len());
        let link = Link {
            identity,
            above: None,
            depth: 0,
        };
        match format {
            ImportFormat::Tree => self.tree(text, path, &link).await,
            ImportFormat::Flat => {
                let mut files = Vec::new();
                self.flat(text.to_owned(), path.to_owned(), &link, &mut files)
                    .await;
                files.join("\n\n")
            }
        }
    }

    /// Every file that was put in place.
    pub(super) fn into_imported(self) -> BTreeSet<FileIdentity> {
        self.imported
    }

    /// Boxed, because it calls itself.
    fn tree<'b>(
        &'b mut self,
        text: &'b str,
        path: &'b Path,
        link: &'b Link<'b>,
    ) -> BoxFuture<'b, String> {
        async move {
            if link.depth >= MAX_IMPORT_DEPTH {
                return text.to_owned();
            }
            let mut result = String::with_capacity(text.len());
            for piece in pieces(text) {
                match piece {
                    Piece::Text(text) => result.push_str(text),
                    Piece::Import(spelled) => {
                        let import = self.one_of_tree(spelled, path, link).await;
                        result.push_str(&import);
                    }
                }
            }
            result
        }
        .boxed()
    }

    async fn one_of_tree(&mut self, spelled: &str, path: &Path, link: &Link<'_>) -> String {
        let (target, found) = match self.find(spelled, path).await {
            Ok(found) => found,
            Err(error) => return failure(spelled, &error),
        };
        if link.contains(&found.identity) {
            return format!("<!-- File already processed: {spelled} -->");
        }
        let text = match self.read(&target).await {
            Ok(text) => text,
            Err(error) => return failure(spelled, &error),
        };
        self.imported.insert(found.identity.clone());
        let below = Link {
            identity: &found.identity,
            above: Some(link),
            depth: link.depth + 1,
        };
        let text = self.tree(&text, &target, &below).await;
        format!("<!-- Imported from: {spelled} -->\n{text}\n<!-- End of import from: {spelled} -->")
    }

    /// The import marks stay in the text here; an import that fails is only not listed.
    fn flat<'b>(
        &'b mut self,
        text: String,
        path: PathBuf,
        link: &'b Link<'b>,
        files: &'b mut Vec<String>,
    ) -> BoxFuture<'b, ()> {
        async move {
            let name = path.display();
            files.push(format!(
                "--- File: {name} ---\n{}\n--- End of File: {name} ---",
                text.trim()
            ));
            if link.depth >= MAX_IMPORT_DEPTH {
                return;
            }
            for piece in pieces(&text) {
                let Piece::Import(spelled) = piece else {
                    continue;
                };
                let Ok((target, found)) = self.find(spelled, &path).await else {
                    continue;
                };
                if link.contains(&found.identity) || self.imported.contains(&found.identity) {
                    continue;
                }
                let Ok(text) = self.read(&target).await else {
                    continue;
                };
                self.imported.insert(found.identity.clone());
                let below = Link {
                    identity: &found.identity,
                    above: Some(link),
                    depth: link.depth + 1,
                };
                self.flat(text, target, &below, files).await;
            }
        }
        .boxed()
    }

    /// The file that an import names. Checked by spelling first, so that nothing outside is even looked at.
    async fn find(&mut self, spelled: &str, from: &Path) -> Result<(PathBuf, Found), ImportError> {
        if spelled.contains("://") {
            return Err(ImportError::Traversal);
        }
        let folder = from.parent().unwrap_or(from);
        let target = normal(&folder.join(spelled)).ok_or(ImportError::Traversal)?;
        check_inside(&self.root, &target)?;
        let left = self.imports_left.checked_sub(1);
        self.imports_left = left.ok_or(ImportError::TooMany)?;
        let found = self.reading.look(&target).await?;
        check_inside(&self.real_root, &found.real_path)?;
        match found.kind {
            FileKind::File => Ok((target, found)),
            FileKind::Folder | FileKind::Other => Err(ReadError::NotAFile.into()),
        }
    }

    async fn read(&mut self, target: &Path) -> Result<String, ImportError> {
        if self.room == 0 {
            return Err(ImportError::TooLong);
        }
        let head = self.reading.head(target, self.room).await?;
        let text = String::from_utf8_lossy(&head.bytes);
        let text = clip(&text, self.room).to_owned();
        // An empty file costs something too, or a thousand of them would be free.
        self.room = self.room.saturating_sub(text.len().max(1));
        Ok(match head.is_whole() {
            true => text,
            false => format!("{text}\n[Cut: the size limit is reached.]"),
        })
    }
}

/// Inside the project, and in no place that is closed to the model, such as `.env`.
fn check_inside(root: &Path, target: &Path) -> Result<(), ImportError> {
    let spelled = target.to_str().ok_or(ImportError::Traversal)?;
    match WorkspacePath::new(root, spelled) {
        Ok(_) => Ok(()),
        Err(PathError::OutsideWorkspace | PathError::ControlCharacter | PathError::LogFragment) => {
            Err(ImportError::Traversal)
        }
        Err(PathError::Empty) => Err(ReadError::NotAFile.into()),
        Err(closed @ PathError::Closed { .. }) => Err(closed.into()),
    }
}

fn failure(spelled: &str, error: &ImportError) -> String {
    format!("<!-- Import failed: {spelled} - {error} -->")
}
