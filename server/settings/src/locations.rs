//! Where the twin keeps its files, on each platform and under each override.
//!
//! Owns the names of files and folders. Reads no file; it asks the disk only whether the folder is the
//! home folder.

use std::path::{Path, PathBuf};

use crate::environment::Environment;
use crate::paths;

/// The paths that belong to one workspace folder.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Locations {
    pub system_defaults: PathBuf,
    pub user: PathBuf,
    /// The folder's own file. Not read when `workspace_is_home` says so.
    pub workspace: PathBuf,
    pub system: PathBuf,
    pub workspace_is_home: WorkspaceIsHome,
    /// `~/.gemini`: settings, commands, skills, policies, agents, extensions.
    pub gemini_dir: PathBuf,
    /// Where state is kept: equal to `gemini_dir` except inside a macOS sandbox.
    pub runtime_dir: PathBuf,
    pub trusted_folders: PathBuf,
    pub projects: PathBuf,
    pub(crate) home: Option<PathBuf>,
}

/// In the home folder the workspace file would be the user file, loaded twice with different rights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkspaceIsHome {
    Yes,
    No,
}

impl Locations {
    pub fn new(environment: &Environment, workspace_dir: &Path) -> Self {
        let home = environment.home().map(|home| workspace_dir.join(home));
        let base = home
            .clone()
            .unwrap_or_else(|| environment.temporary_folder());
        let gemini_dir = base.join(".gemini");
        let runtime_dir = match environment.get("SANDBOX") {
            Some("sandbox-exec") => base.join(".cache").join(".gemini"),
            _ => gemini_dir.clone(),
        };
        let overridden = |name: &str| {
            environment
                .filled(name)
                .map(|path| workspace_dir.join(path))
        };
        let system = overridden("GEMINI_CLI_SYSTEM_SETTINGS_PATH")
            .unwrap_or_else(|| system_dir().join("settings.json"));
        let system_defaults = overridden("GEMINI_CLI_SYSTEM_DEFAULTS_PATH")
            .unwrap_or_else(|| system.with_file_name("system-defaults.json"));
        let is_home = home
            .as_deref()
            .is_some_and(|home| paths::comparable(home) == paths::comparable(workspace_dir));

        Self {
            system_defaults,
            user: gemini_dir.join("settings.json"),
            workspace: workspace_dir.join(".gemini").join("settings.json"),
            system,
            workspace_is_home: if is_home {
                WorkspaceIsHome::Yes
            } else {
                WorkspaceIsHome::No
            },
            trusted_folders: overridden("GEMINI_CLI_TRUSTED_FOLDERS_PATH")
                .unwrap_or_else(|| runtime_dir.join("trustedFolders.json")),
            projects: runtime_dir.join("projects.json"),
            gemini_dir,
            runtime_dir,
            home,
        }
    }
}

fn system_dir() -> &'static Path {
    Path::new(if cfg!(windows) {
        r"C:\ProgramData\gemini-cli"
    } else if cfg!(target_os = "macos") {
        "/Library/Application Support/GeminiCli"
    } else {
        "/etc/gemini-cli"
    })
}

#[cfg(test)]
mod tests;
