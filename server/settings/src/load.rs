//! Everything about one workspace folder, loaded in the order in which one thing depends on another.
//!
//! The folder's own file counts only if the folder is trusted; whether it is trusted depends on the other
//! files; which `.env` counts depends on both. A window with several roots loads each of them.

use std::path::{Path, PathBuf};

use crate::env_file::{self, Folder};
use crate::environment::Environment;
use crate::layer::{self, FileReport, Layer, Scope, SkipReason};
use crate::locations::{Locations, WorkspaceIsHome};
use crate::merge::{combine_mcp_lists, merge};
use crate::ownership;
use crate::problem::{Problem, Severity};
use crate::schema;
use crate::secure::{self, Disk, Inspect};
use crate::settings::Settings;
use crate::trust::{self, EditorTrust, TrustDecision};

/// The outcome. Whatever is wrong is in `problems`; everything else is usable regardless.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Loaded {
    pub merged: Settings,
    /// The four settings files, from the lowest to the highest.
    pub files: Vec<FileReport>,
    pub problems: Vec<Problem>,
    pub trust: TrustDecision,
    /// The one `.env` file that was read.
    pub env_file: Option<PathBuf>,
    /// The environment that was handed in, with the gaps filled from `env_file`. Settings were expanded
    /// without the latter, as the twin does.
    pub env: Environment,
    pub locations: Locations,
}

impl Loaded {
    /// Whether a file could not be used at all. The twin refuses to start then.
    pub fn has_errors(&self) -> bool {
        self.problems
            .iter()
            .any(|problem| problem.severity == Severity::Error)
    }
}

pub fn load(environment: &Environment, workspace_dir: &Path, editor: EditorTrust) -> Loaded {
    load_from(&Disk, environment, workspace_dir, editor)
}

fn load_from(
    disk: &dyn Inspect,
    environment: &Environment,
    workspace_dir: &Path,
    editor: EditorTrust,
) -> Loaded {
    let locations = Locations::new(environment, workspace_dir);
    let read_system = |path: &Path, scope| read_system_file(disk, path, scope, environment);
    let system_defaults = read_system(&locations.system_defaults, Scope::SystemDefaults);
    let user = read_user_file(&locations.user, environment);
    let system = read_system(&locations.system, Scope::System);

    let rules = trust::read_rules(&locations.trusted_folders);
    let without_workspace = combine(&[&system_defaults, &user, &system]);
    let trust = trust::decide(
        environment,
        &without_workspace,
        editor,
        rules.rules.as_ref(),
        workspace_dir,
    );
    let workspace = read_workspace_file(&locations, &trust, environment);
    let layers = [system_defaults, user, workspace, system];
    let merged = combine(&layers.each_ref());

    let folder = if trust.is_trusted() {
        Folder::Trusted
    } else {
        Folder::Untrusted
    };
    let applied = env_file::apply(environment, &locations, workspace_dir, &merged, folder);

    let mut files = Vec::new();
    let mut problems = Vec::new();
    for layer in layers {
        files.push(layer.report);
        problems.extend(layer.problems);
    }
    problems.extend(rules.problems);
    problems.extend(applied.problems);
    Loaded {
        merged,
        files,
        problems,
        trust,
        env_file: applied.file,
        env: applied.environment,
        locations,
    }
}

/// Layers from the lowest to the highest, on top of the defaults.
fn combine(layers: &[&Layer]) -> Settings {
    let mut settings = schema::defaults();
    for layer in layers {
        merge(&mut settings, &layer.settings);
    }
    let sources: Vec<_> = layers.iter().map(|layer| &layer.settings).collect();
    combine_mcp_lists(&mut settings, &sources);
    Settings::new(settings)
}

fn read_user_file(path: &Path, environment: &Environment) -> Layer {
    if !ownership::is_foreign(path) {
        return layer::read(path, Scope::User, environment);
    }
    let mut layer = Layer::skipped(path, Scope::User, SkipReason::ForeignOwner);
    layer.problems.push(ownership::problem(path));
    layer
}

fn read_system_file(
    disk: &dyn Inspect,
    path: &Path,
    scope: Scope,
    environment: &Environment,
) -> Layer {
    match secure::check(path, disk) {
        Ok(()) => layer::read(path, scope, environment),
        Err(weakness) => {
            let mut layer = Layer::skipped(path, scope, SkipReason::NotSecure);
            layer.problems.push(
                Problem::warning(path, format!("is not used: {weakness}")).fixed_by(
                    "let root own it and the folders above it, and nobody else write to them",
                ),
            );
            layer
        }
    }
}

fn read_workspace_file(
    locations: &Locations,
    trust: &TrustDecision,
    environment: &Environment,
) -> Layer {
    let path = &locations.workspace;
    match (locations.workspace_is_home, trust.is_trusted()) {
        (WorkspaceIsHome::Yes, _) => {
            Layer::skipped(path, Scope::Workspace, SkipReason::FolderIsHome)
        }
        (WorkspaceIsHome::No, false) => {
            Layer::skipped(path, Scope::Workspace, SkipReason::FolderNotTrusted)
        }
        (WorkspaceIsHome::No, true) => layer::read(path, Scope::Workspace, environment),
    }
}

#[cfg(test)]
mod tests;
