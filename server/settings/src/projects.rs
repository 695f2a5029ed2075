//! Where the twin records the sessions of a folder. Looks only; the session log writes.
//!
//! `projects.json` gives each folder a short name. A marker file in `tmp/<name>` says whose it is, and
//! is believed over the registry, which may be lost or out of date.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::json;
use crate::locations::Locations;
use crate::paths;
use crate::problem::{Problem, Severity};
use crate::source;

/// The file in a project's folder that says which folder the project is.
pub const MARKER: &str = ".project_root";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    pub slug: String,
    /// The folder of recorded sessions, which may not exist yet.
    pub chats: PathBuf,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProjectLookup {
    pub project: Option<Project>,
    /// What is wrong with the registry. The markers may still have answered.
    pub problem: Option<Problem>,
}

/// Finds the name under which `folder` is recorded.
pub fn find_project(locations: &Locations, folder: &Path) -> ProjectLookup {
    let folder = paths::comparable(folder);
    let temporary = locations.runtime_dir.join("tmp");
    let history = locations.runtime_dir.join("history");
    let (registered, problem) = match registered_slug(&locations.projects, &folder) {
        Ok(slug) => (slug, None),
        Err(problem) => (None, Some(problem)),
    };
    let slug = registered
        .filter(|slug| {
            [&temporary, &history]
                .into_iter()
                .filter_map(|base| marked_owner(&base.join(slug)))
                .all(|owner| owner == folder)
        })
        .or_else(|| marked_slug(&temporary, &folder))
        .or_else(|| marked_slug(&history, &folder));
    ProjectLookup {
        project: slug.map(|slug| Project {
            chats: temporary.join(&slug).join("chats"),
            slug,
        }),
        problem,
    }
}

impl Project {
    /// How many main sessions are recorded, without opening any of them.
    pub fn count_sessions(&self) -> usize {
        std::fs::read_dir(&self.chats)
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| entry.file_name().to_str().is_some_and(is_session))
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
            .count()
    }
}

fn is_session(name: &str) -> bool {
    name.starts_with("session-") && (name.ends_with(".json") || name.ends_with(".jsonl"))
}

fn registered_slug(registry: &Path, folder: &Path) -> Result<Option<String>, Problem> {
    // The twin starts a new registry when this one is broken, so it costs nobody a session.
    let as_warning = |problem: Problem| Problem {
        severity: Severity::Warning,
        ..problem
    };
    let Some(source) = source::read(registry).map_err(as_warning)? else {
        return Ok(None);
    };
    let document = json::parse(source).map_err(as_warning)?;
    let Some(Value::Object(projects)) = document.object.get("projects") else {
        return Ok(None);
    };
    Ok(projects
        .iter()
        .filter_map(|(path, slug)| Some((path, slug.as_str()?)))
        .find(|(path, slug)| is_slug(slug) && paths::comparable(Path::new(path)) == folder)
        .map(|(_, slug)| slug.to_owned()))
}

fn marked_slug(temporary: &Path, folder: &Path) -> Option<String> {
    let mut slugs: Vec<String> = std::fs::read_dir(temporary)
        .ok()?
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| is_slug(name))
        .filter(|name| marked_owner(&temporary.join(name)).as_deref() == Some(folder))
        .collect();
    // The order of a folder's entries is chance; the answer must not be.
    slugs.sort();
    slugs.into_iter().next()
}

/// The folder that the marker in `project` names, in the form in which paths are compared.
pub fn marked_owner(project: &Path) -> Option<PathBuf> {
    let text = source::read(&project.join(MARKER)).ok()??.text;
    let path = Path::new(text.trim());
    path.is_absolute().then(|| paths::comparable(path))
}

/// The name becomes part of a path, so nothing else passes.
fn is_slug(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

#[cfg(test)]
mod tests;
