//! The folders in which definitions lie.

#[cfg(test)]
mod tests;

use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::{AgentFiles, AgentOrigin, definition};
use crate::load::Loaded;
use crate::locations::WorkspaceIsHome;
use crate::ownership::{self, is_foreign};
use crate::problem::Problem;
use crate::source;

/// Of one file. Nobody writes longer instructions by hand.
const LARGEST_FILE: u64 = 1024 * 1024;
const MOST_FILES: usize = 500;

/// Where the agents of one workspace folder are described. Looks at nothing before it is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentFolders {
    project: ProjectFolder,
    user: PathBuf,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum ProjectFolder {
    Trusted(PathBuf),
    Untrusted(PathBuf),
    /// It is the user's own.
    IsHome,
}

/// What the folders looked like. Whoever has the same again would read the same.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FolderStamp(Vec<(PathBuf, u64, Option<SystemTime>)>);

impl AgentFolders {
    pub fn new(loaded: &Loaded, folder: &Path) -> Self {
        let locations = &loaded.locations;
        let project = folder.join(".gemini").join("agents");
        Self {
            project: match (locations.workspace_is_home, loaded.trust.is_trusted()) {
                (WorkspaceIsHome::Yes, _) => ProjectFolder::IsHome,
                (WorkspaceIsHome::No, true) => ProjectFolder::Trusted(project),
                (WorkspaceIsHome::No, false) => ProjectFolder::Untrusted(project),
            },
            user: locations.gemini_dir.join("agents"),
        }
    }

    pub fn read(&self) -> AgentFiles {
        let mut found = AgentFiles::default();
        match &self.project {
            ProjectFolder::Trusted(folder) => read_folder(folder, AgentOrigin::Project, &mut found),
            ProjectFolder::Untrusted(folder) if !files(folder).is_empty() => {
                let problem = Problem::warning(
                    folder,
                    "the agents of this project are left out, because its folder is not trusted",
                );
                found.problems.push(problem);
            }
            ProjectFolder::Untrusted(_) | ProjectFolder::IsHome => {}
        }
        read_folder(&self.user, AgentOrigin::User, &mut found);
        found
    }

    /// Much faster than [`Self::read`].
    pub fn stamp(&self) -> FolderStamp {
        let project = match &self.project {
            ProjectFolder::Trusted(folder) | ProjectFolder::Untrusted(folder) => Some(folder),
            ProjectFolder::IsHome => None,
        };
        let folders = project.into_iter().chain([&self.user]);
        let files = folders.flat_map(|folder| files(folder));
        FolderStamp(
            files
                .map(|path| {
                    let known = fs::metadata(&path).ok();
                    let length = known.as_ref().map_or(0, fs::Metadata::len);
                    (path, length, known.and_then(|known| known.modified().ok()))
                })
                .collect(),
        )
    }
}

fn read_folder(folder: &Path, origin: AgentOrigin, found: &mut AgentFiles) {
    for path in files(folder) {
        // A repository is trusted as a whole, whoever its files belong to.
        if origin == AgentOrigin::User && (is_foreign(folder) || is_foreign(&path)) {
            found.problems.push(ownership::problem(&path));
            continue;
        }
        match source::read_up_to(&path, LARGEST_FILE) {
            Ok(Some(source)) => {
                let read = definition::read(&path, &source.text, origin);
                found.agents.extend(read.agent);
                found.problems.extend(read.problems);
            }
            // It has gone meanwhile.
            Ok(None) => {}
            Err(problem) => found.problems.push(problem),
        }
    }
}

/// By name. A folder that is not there has none, and links lead out of it and do not count.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .filter(is_definition)
        .map(|entry| entry.path())
        .take(MOST_FILES)
        .collect();
    files.sort();
    files
}

fn is_definition(entry: &DirEntry) -> bool {
    let name = entry.file_name();
    let is_named = name
        .to_str()
        .is_some_and(|name| name.ends_with(".md") && !name.starts_with('_'));
    is_named && entry.file_type().is_ok_and(|kind| kind.is_file())
}
