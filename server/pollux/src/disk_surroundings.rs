//! A terminal has no editor: a prompt names files of the disk.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

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
    /// Read when the first path is asked about: most prompts name none.
    pub(crate) fn now(&self) -> Arc<Ignoring> {
        let Self { root, files } = self.clone();
        let rules = OnceLock::new();
        Arc::new(move |path: &Path, kind: EntryKind| {
            let rules = rules.get_or_init(|| IgnoreRules::new(&root, &files));
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
