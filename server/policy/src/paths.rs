//! Paths without a disk.

use std::path::{Component, Path, PathBuf};

use crate::Context;

/// Where a path leads: as it reads, and after links where that is known.
pub(crate) struct Target {
    pub(crate) plain: PathBuf,
    pub(crate) resolved: Option<PathBuf>,
    /// `..` behind a link leads elsewhere than the text says: the kernel goes up from where the link leads.
    pub(crate) walked: Option<PathBuf>,
}

impl Target {
    pub(crate) fn of(path: &str, folder: &Path, context: &Context<'_>) -> Self {
        let written = folder.join(path);
        let plain = normalized(&written);
        let resolved = context.view.resolve(&plain);
        let walked = context.view.resolve(&written).map(|path| normalized(&path));
        Self {
            plain,
            resolved,
            walked,
        }
    }

    pub(crate) fn forms(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(self.plain.as_path())
            .chain(self.resolved.as_deref())
            .chain(self.walked.as_deref())
    }

    /// A path whose links cannot be followed is nowhere.
    pub(crate) fn is_inside(&self, context: &Context<'_>) -> bool {
        let is_inside = |path: &Option<PathBuf>| {
            path.as_deref().is_some_and(|path| {
                let path = normalized(path);
                context.roots.iter().any(|root| path.starts_with(root))
            })
        };
        is_inside(&self.resolved) && is_inside(&self.walked)
    }

    /// What follows the workspace's folder, so that a folder above it does not count.
    pub(crate) fn below_roots<'a>(path: &'a Path, context: &'a Context<'_>) -> &'a Path {
        let mut below = path;
        for root in context.roots {
            if let Ok(rest) = path.strip_prefix(root)
                && rest.components().count() < below.components().count()
            {
                below = rest;
            }
        }
        below
    }
}

/// Without `.` and `..`, as far as the text tells.
pub(crate) fn normalized(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => out.push(component),
        }
    }
    out
}
