//! What memory files are called.

use std::path::{Component, Path, PathBuf};

const SHARED_NAME: &str = "AGENTS.md";
const OWN_NAME: &str = "GEMINI.md";
/// A setting with more names is cut: every name costs a look at every folder.
const MAX_NAMES: usize = 16;

/// The names in order of precedence, the least first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryNames(Vec<PathBuf>);

impl MemoryNames {
    /// `AGENTS.md` and `GEMINI.md` are always read, before the configured names unless they are among them. A
    /// name that leads out of its folder is dropped: the setting may come from the project.
    pub fn new(configured: &[String]) -> Self {
        let always = [SHARED_NAME, OWN_NAME];
        let always = always
            .into_iter()
            .filter(|name| !configured.iter().any(|other| other.trim() == *name));
        let mut names: Vec<PathBuf> = Vec::new();
        for name in always.chain(configured.iter().map(|name| name.trim())) {
            let path = PathBuf::from(name);
            if stays_inside(&path) && !names.contains(&path) && names.len() < MAX_NAMES {
                names.push(path);
            }
        }
        Self(names)
    }

    pub(super) fn in_folder(&self, folder: &Path) -> Vec<PathBuf> {
        self.0.iter().map(|name| folder.join(name)).collect()
    }
}

fn stays_inside(path: &Path) -> bool {
    let mut components = path.components().peekable();
    components.peek().is_some() && components.all(|part| matches!(part, Component::Normal(_)))
}
