//! From what a person typed to a file of the workspace.

use std::path::{Path, PathBuf};

use super::ReferenceProblem;
use super::parse::Token;
use crate::prompt::place::normal;
use crate::prompt::reading::{
    EntryKind, FileKind, Found, IgnoreRule, ReadError, Reading, Visibility,
};
use crate::{PathError, WorkspacePath};

/// What may follow a path without a blank in between.
const TRAILING: [char; 7] = [':', '\'', '"', '`', '*', '>', '.'];

pub(super) enum Resolution<'a> {
    /// With the rest of the token that does not belong to the path.
    File(Target, &'a str),
    Folder(Target, &'a str),
    Missing,
    Refused(ReferenceProblem),
}

/// Something that exists in the workspace and may be shown.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) path: PathBuf,
    pub(super) label: String,
    pub(super) bytes: u64,
}

impl Target {
    pub(super) fn label_below(&self, name: &str) -> String {
        match self.label.as_str() {
            "" => name.to_owned(),
            label => format!("{label}/{name}"),
        }
    }
}

pub(super) struct Workspace<'a> {
    reading: &'a dyn Reading,
    roots: &'a [PathBuf],
    real_roots: Vec<PathBuf>,
    ignore: IgnoreRule<'a>,
}

impl<'a> Workspace<'a> {
    pub(super) async fn new(
        reading: &'a dyn Reading,
        roots: &'a [PathBuf],
        ignore: IgnoreRule<'a>,
    ) -> Self {
        let mut real_roots = Vec::new();
        for root in roots {
            if let Ok(found) = reading.look(root).await {
                real_roots.push(found.real_path);
            }
        }
        Self {
            reading,
            roots,
            real_roots,
            ignore,
        }
    }

    pub(super) fn reading(&self) -> &'a dyn Reading {
        self.reading
    }

    /// The token as it is, then without what is likely not meant: punctuation, a line number.
    pub(super) async fn resolve<'t>(&self, token: &'t Token<'_>) -> Resolution<'t> {
        let whole = token.path.as_str();
        let trimmed = whole.trim_end_matches(TRAILING);
        let mut spellings = vec![whole, trimmed, without_line(trimmed)];
        spellings.dedup();
        let mut answer = Resolution::Missing;
        for spelled in spellings.into_iter().filter(|spelled| !spelled.is_empty()) {
            let rest = whole.get(spelled.len()..).unwrap_or_default();
            match self.try_roots(spelled, rest).await {
                Resolution::Missing => {}
                Resolution::Refused(problem) => answer = Resolution::Refused(problem),
                found => return found,
            }
        }
        answer
    }

    async fn try_roots<'t>(&self, spelled: &str, rest: &'t str) -> Resolution<'t> {
        let mut outside = None;
        for root in self.roots {
            let place = normal(&root.join(spelled)).and_then(|path| self.inside(&path).transpose());
            let path = match place {
                Some(Ok(path)) => path,
                Some(Err(problem)) => return Resolution::Refused(problem),
                None => {
                    outside = normal(&root.join(spelled));
                    continue;
                }
            };
            match self.reading.look(&path).await {
                Ok(found) => return self.allow(path, &found, rest),
                Err(ReadError::NotFound) => {}
                Err(error) => {
                    let reason = error.to_string();
                    return Resolution::Refused(ReferenceProblem::Unreadable { reason });
                }
            }
        }
        // `me@x.com/../..` is no attempt at anything: only what exists is worth a word.
        match outside {
            Some(path) if self.reading.look(&path).await.is_ok() => {
                Resolution::Refused(ReferenceProblem::OutsideWorkspace)
            }
            _ => Resolution::Missing,
        }
    }

    /// The path if it is in a root by its spelling and not closed; nothing when it is in none.
    fn inside(&self, path: &Path) -> Result<Option<PathBuf>, ReferenceProblem> {
        match check(self.roots, path) {
            Ok(()) => Ok(Some(path.to_owned())),
            Err(
                PathError::OutsideWorkspace | PathError::ControlCharacter | PathError::LogFragment,
            ) => Ok(None),
            Err(closed) => Err(ReferenceProblem::Closed(closed)),
        }
    }

    fn allow<'t>(&self, path: PathBuf, found: &Found, rest: &'t str) -> Resolution<'t> {
        match check(&self.real_roots, &found.real_path) {
            Ok(()) => {}
            Err(closed @ PathError::Closed { .. }) => {
                return Resolution::Refused(ReferenceProblem::Closed(closed));
            }
            Err(_) => return Resolution::Refused(ReferenceProblem::OutsideWorkspace),
        }
        let kind = match found.kind {
            FileKind::File => EntryKind::File,
            FileKind::Folder => EntryKind::Folder,
            FileKind::Other => {
                let reason = ReadError::NotAFile.to_string();
                return Resolution::Refused(ReferenceProblem::Unreadable { reason });
            }
        };
        if self.is_ignored(&path, kind) {
            return Resolution::Refused(ReferenceProblem::Ignored);
        }
        let target = Target {
            label: self.label(&path),
            bytes: found.bytes,
            path,
        };
        match kind {
            EntryKind::Folder => Resolution::Folder(target, rest),
            EntryKind::File | EntryKind::Link => Resolution::File(target, rest),
        }
    }

    /// Whether the real file is in the workspace and not closed.
    pub(super) fn holds(&self, found: &Found) -> bool {
        check(&self.real_roots, &found.real_path).is_ok()
    }

    /// A file in an ignored folder is ignored, whatever the rule says about the file itself.
    pub(super) fn is_ignored(&self, path: &Path, kind: EntryKind) -> bool {
        let ignored = |path: &Path, kind| (self.ignore)(path, kind) == Visibility::Ignored;
        let inside = |folder: &&Path| {
            let mut roots = self.roots.iter();
            roots.any(|root| folder.starts_with(root) && *folder != root)
        };
        let mut folders = path.ancestors().skip(1).take_while(inside);
        ignored(path, kind) || folders.any(|folder| ignored(folder, EntryKind::Folder))
    }

    /// Relative to the first root, as the tools take it; the whole path in the other ones.
    pub(super) fn label(&self, path: &Path) -> String {
        let first = self.roots.first();
        let relative = first.and_then(|root| path.strip_prefix(root).ok());
        relative.unwrap_or(path).display().to_string()
    }
}

/// Inside one of the roots and not in a closed place. A root itself is fine.
fn check(roots: &[PathBuf], path: &Path) -> Result<(), PathError> {
    let spelled = path.to_str().ok_or(PathError::OutsideWorkspace)?;
    for root in roots {
        match WorkspacePath::new(root, spelled) {
            Ok(_) | Err(PathError::Empty) => return Ok(()),
            Err(PathError::OutsideWorkspace) => {}
            Err(error) => return Err(error),
        }
    }
    Err(PathError::OutsideWorkspace)
}

/// `a.rs:12:5` is `a.rs` for us.
fn without_line(spelled: &str) -> &str {
    let mut path = spelled;
    for _ in 0..2 {
        path = match path.rsplit_once(':') {
            Some((before, number))
                if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) =>
            {
                before
            }
            _ => path,
        };
    }
    path
}
