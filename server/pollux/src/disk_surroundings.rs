//! A terminal has no editor: a prompt names files of the disk.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_agent::prompt::{EditorContext, EntryKind, Reading, Visibility};
use pollux_agent::{Ignoring, Surroundings};
use pollux_search::{IgnoreRules, Kind, RuleFiles};

use crate::prompt_files::DiskReading;

pub(crate) struct DiskSurroundings {
    pub(crate) ignored: Ignored,
}

impl Surroundings for DiskSurroundings {
    fn editor(&self) -> BoxFuture<'_, Option<EditorContext>> {
        async { None }.boxed()
    }

    fn reading(&self) -> &dyn Reading {
        &DiskReading
    }

    fn ignoring(&self) -> Arc<Ignoring> {
        self.ignored.now()
    }
}

/// What the ignore files of a folder say.
#[derive(Clone)]
pub(crate) struct Ignored {
    pub(crate) root: PathBuf,
    pub(crate) files: RuleFiles,
}

impl Ignored {
    pub(crate) fn now(&self) -> Arc<Ignoring> {
        let rules = IgnoreRules::new(&self.root, &self.files);
        Arc::new(move |path: &Path, kind: EntryKind| {
            let kind = match kind {
                EntryKind::File | EntryKind::Link => Kind::File,
                EntryKind::Folder => Kind::Folder,
            };
            match rules.is_ignored(path, kind) {
                true => Visibility::Ignored,
                false => Visibility::Visible,
            }
        })
    }
}
