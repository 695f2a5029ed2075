//! Memory: what people wrote down for the agent in `GEMINI.md`, `AGENTS.md` and files they configured.
//!
//! **Precedence.** Outer folders come before inner ones. Within a folder `AGENTS.md`, which all tools share, comes
//! first, then `GEMINI.md`, then the configured names in their order. Where two disagree the later one counts, and
//! the system prompt says so. A name that is configured stands at its configured place.
//!
//! **Caps.** 64 KiB per file with its imports, 256 KiB for everything that is loaded at the start, 64 KiB for what
//! one tool call discovers. What is cut says so where it was cut.

mod discovery;
mod import;
mod load;
mod names;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub use import::{ImportFormat, MAX_IMPORT_DEPTH, MAX_IMPORTS};
pub use names::MemoryNames;

use self::discovery::Boundary;
use self::load::{Budget, Loader};
use super::reading::{FileIdentity, Reading};

/// Of one file, its imports included.
pub const MAX_MEMORY_FILE_BYTES: usize = 64 * 1024;
/// Of all files that are loaded when a session starts.
pub const MAX_MEMORY_BYTES: usize = 256 * 1024;
/// Of the files that one access to a file discovers.
pub const MAX_DISCOVERED_BYTES: usize = 64 * 1024;

/// Where memory is looked for, and how.
#[derive(Clone, Debug)]
pub struct MemorySettings {
    pub names: MemoryNames,
    /// `context.memoryBoundaryMarkers`: the upward walk ends at a folder that holds one of them.
    pub boundary_markers: Vec<String>,
    pub import_format: ImportFormat,
    /// The person's own folder, `~/.gemini`.
    pub global_folder: PathBuf,
    /// What the agent keeps for this project and this person, `~/.gemini/tmp/<id>/memory`.
    pub user_project_folder: PathBuf,
    /// Context files of active extensions.
    pub extension_files: Vec<PathBuf>,
    pub roots: Vec<PathBuf>,
    pub trust: Trust,
}

impl MemorySettings {
    /// The boundary when the setting is absent.
    pub const DEFAULT_BOUNDARY: &str = ".git";
}

/// Whether the person trusts the workspace. Nothing is read from a project that is not trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    Trusted,
    Untrusted,
}

/// Where a memory file belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    Global,
    UserProject,
    Extension,
    Project,
    /// Found when a tool touched a file near it.
    Discovered,
}

/// A file that is in front of the model, for lists such as `/memory`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryFile {
    pub path: PathBuf,
    pub tier: Tier,
    /// As shown, imports included.
    pub bytes: usize,
}

/// The texts of a session's start, one per place they go to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryTexts {
    pub global: String,
    pub user_project: String,
    pub extension: String,
    pub project: String,
}

/// The memory of one session. Remembers what the model has seen, so that nothing is shown twice.
#[derive(Debug)]
pub struct Memory {
    settings: MemorySettings,
    texts: MemoryTexts,
    files: Vec<MemoryFile>,
    /// Files of the start, and files they import.
    loaded: BTreeSet<FileIdentity>,
    discovered: BTreeSet<FileIdentity>,
}

impl Memory {
    /// Reads everything a session starts with. Files that cannot be read are as good as absent.
    pub async fn load(reading: &dyn Reading, settings: MemorySettings) -> Self {
        let mut loader = Loader::new(reading, &settings, Budget::new(MAX_MEMORY_BYTES));
        let names = &settings.names;
        let global = names.in_folder(&settings.global_folder);
        let global = loader.load(global, Tier::Global).await;
        let own = user_project_file(reading, &settings.user_project_folder).await;
        let user_project = loader
            .load(own.into_iter().collect(), Tier::UserProject)
            .await;
        let extension = settings.extension_files.clone();
        let extension = loader.load(extension, Tier::Extension).await;
        let project = match settings.trust {
            Trust::Untrusted => String::new(),
            Trust::Trusted => {
                let boundary = Boundary::new(reading, &settings);
                let folders = boundary.folders_of_roots().await;
                let files = folders.iter().flat_map(|folder| names.in_folder(folder));
                loader.load(files.collect(), Tier::Project).await
            }
        };
        let (files, loaded) = loader.finish();
        Self {
            texts: MemoryTexts {
                global,
                user_project,
                extension,
                project,
            },
            files,
            loaded,
            discovered: BTreeSet::new(),
            settings,
        }
    }

    pub fn texts(&self) -> &MemoryTexts {
        &self.texts
    }

    pub fn files(&self) -> &[MemoryFile] {
        &self.files
    }

    /// What the folders around a file say that the model has not seen yet, ready to be put behind a tool's result.
    /// Each file is returned once.
    pub async fn discover(&mut self, reading: &dyn Reading, path: &Path) -> Option<String> {
        if self.settings.trust == Trust::Untrusted {
            return None;
        }
        let boundary = Boundary::new(reading, &self.settings);
        let folders = boundary.folders_around(path).await;
        let names = &self.settings.names;
        let candidates = folders.iter().flat_map(|folder| names.in_folder(folder));
        let candidates: Vec<PathBuf> = candidates.collect();
        let budget = Budget::new(MAX_DISCOVERED_BYTES);
        let mut loader = Loader::new(reading, &self.settings, budget);
        loader.skip(self.loaded.iter().chain(&self.discovered));
        let text = loader.load(candidates, Tier::Discovered).await;
        let (files, seen) = loader.finish();
        self.files.extend(files);
        self.discovered.extend(seen);
        let shown = !text.is_empty();
        shown.then(|| {
            format!(
                "\n\n--- Newly Discovered Project Context ---\n{text}\n--- End Project Context ---"
            )
        })
    }

    /// Compression takes tool results away, and with them what was discovered: it may be shown again. What was
    /// loaded at the start stays in every request.
    pub fn forget_discovered(&mut self) {
        self.discovered.clear();
        self.files.retain(|file| file.tier != Tier::Discovered);
    }
}

/// `MEMORY.md`, or the name it had before.
async fn user_project_file(reading: &dyn Reading, folder: &Path) -> Option<PathBuf> {
    for name in ["MEMORY.md", "GEMINI.md"] {
        let path = folder.join(name);
        if reading.look(&path).await.is_ok() {
            return Some(path);
        }
    }
    None
}
