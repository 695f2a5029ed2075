//! Which `.env` file counts, and which of its variables.
//!
//! One file only: the nearest. It fills gaps and never overrides what is set. A folder that is not
//! trusted may name an API key, because a person put it there to be used, and nothing else.

use std::path::{Path, PathBuf};

use crate::dotenv::{self, OddityKind};
use crate::environment::Environment;
use crate::locations::Locations;
use crate::ownership::is_foreign;
use crate::problem::{Place, Problem, Severity, shorten};
use crate::settings::Settings;
use crate::source;

/// What a folder without trust may set.
const HARMLESS: &[&str] = &[
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_CLOUD_LOCATION",
];

/// Never taken from a project's own `.env`: these name a program to start.
const NEVER_FROM_PROJECT: &[&str] = &[
    "GEMINI_CLI_IDE_SERVER_STDIO_COMMAND",
    "GEMINI_CLI_IDE_SERVER_STDIO_ARGS",
];

const CLOUD_PROJECT: &str = "GOOGLE_CLOUD_PROJECT";
const ORIGINAL_CLOUD_PROJECT: &str = "_GEMINI_USER_GCP_PROJECT";
const CLOUD_SHELL_PROJECT: &str = "cloudshell-gca";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Folder {
    Trusted,
    Untrusted,
}

pub(crate) struct Applied {
    pub(crate) file: Option<PathBuf>,
    pub(crate) environment: Environment,
    pub(crate) problems: Vec<Problem>,
}

pub(crate) fn apply(
    environment: &Environment,
    locations: &Locations,
    workspace_dir: &Path,
    settings: &Settings,
    folder: Folder,
) -> Applied {
    let mut result = environment.clone();
    let file = find(locations, workspace_dir, settings, folder);
    let (pairs, problems) = file.as_deref().map(read).unwrap_or_default();
    let accepted: Vec<(String, String)> = pairs
        .into_iter()
        .filter_map(|(name, value)| match folder {
            Folder::Trusted => Some((name, value)),
            Folder::Untrusted if HARMLESS.contains(&name.as_str()) => {
                Some((name, without_syntax(&value)))
            }
            Folder::Untrusted => None,
        })
        .collect();
    let belongs_to_twin = file
        .as_deref()
        .is_some_and(|path| path.iter().any(|part| part == ".gemini"));
    for (name, value) in &accepted {
        let excluded = !belongs_to_twin && is_excluded(settings, name);
        if !excluded && environment.get(name).is_none() {
            result.set(name, value.clone());
        }
    }
    let from_file = accepted.iter().find(|(name, _)| name == CLOUD_PROJECT);
    choose_cloud_project(
        &mut result,
        settings,
        from_file.map(|(_, value)| value.as_str()),
    );
    Applied {
        file,
        environment: result,
        problems,
    }
}

fn find(
    locations: &Locations,
    workspace_dir: &Path,
    settings: &Settings,
    folder: Folder,
) -> Option<PathBuf> {
    let ignores_local = settings.get("advanced.ignoreLocalEnv") == Some(&true.into());
    let home = locations.home.as_deref();
    workspace_dir
        .ancestors()
        .filter(|level| !level.as_os_str().is_empty())
        .chain(home)
        .flat_map(|level| {
            let of_twin = (folder == Folder::Trusted).then(|| level.join(".gemini").join(".env"));
            let plain = (!ignores_local || home == Some(level)).then(|| level.join(".env"));
            [of_twin, plain]
        })
        .flatten()
        // A pipe would block whoever reads it.
        .filter(|candidate| candidate.is_file())
        // Above the workspace anybody could have put one, as in a folder for temporary files.
        .find(|candidate| candidate.starts_with(workspace_dir) || !is_foreign(candidate))
}

type Pairs = Vec<(String, String)>;

fn read(path: &Path) -> (Pairs, Vec<Problem>) {
    let text = match source::read(path) {
        Ok(Some(source)) => source.text,
        Ok(None) => return Default::default(),
        Err(problem) => {
            let severity = Severity::Warning;
            return (
                Vec::new(),
                vec![Problem {
                    severity,
                    ..problem
                }],
            );
        }
    };
    let found = dotenv::parse(&text);
    let problems = found
        .oddities
        .iter()
        .map(|oddity| {
            let message = match oddity.kind {
                OddityKind::NotAnAssignment => "this line is skipped: it is not NAME=value",
                OddityKind::QuoteNeverCloses => {
                    "the quoted value does not end where its line does, so the quote is part of it"
                }
            };
            Problem::warning(path, message).at(Place {
                line: oddity.line,
                column: 1,
            })
        })
        .collect();
    (found.pairs, shorten(path, problems))
}

fn is_excluded(settings: &Settings, name: &str) -> bool {
    let listed = settings
        .get("advanced.excludedEnvVars")
        .and_then(|list| list.as_array())
        .is_some_and(|names| names.iter().any(|excluded| excluded == name));
    listed || NEVER_FROM_PROJECT.contains(&name)
}

/// Leaves what keys, project names and regions are made of, and nothing a shell would act on.
fn without_syntax(value: &str) -> String {
    value
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/'))
        .collect()
}

/// Cloud Shell presets a project of its own that these calls cannot be billed to.
fn choose_cloud_project(
    environment: &mut Environment,
    settings: &Settings,
    from_file: Option<&str>,
) {
    if environment.get("CLOUD_SHELL") != Some("true") {
        return;
    }
    let original = environment
        .get(ORIGINAL_CLOUD_PROJECT)
        .or(environment.get(CLOUD_PROJECT))
        .map(str::to_owned);
    let selected = settings
        .get("security.auth.selectedType")
        .and_then(|value| value.as_str());
    let project = match (selected, from_file) {
        (Some("vertex-ai"), _) => original.clone(),
        (_, Some(project)) => Some(project.to_owned()),
        (_, None) => Some(CLOUD_SHELL_PROJECT.to_owned()),
    };
    if let Some(original) = original {
        environment.set(ORIGINAL_CLOUD_PROJECT, original);
    }
    if let Some(project) = project {
        environment.set(CLOUD_PROJECT, project);
    }
}

#[cfg(test)]
mod tests;
