//! The registry that gives each folder a short name: `projects.json`, shared with the twin.
//!
//! The look-up is that of the settings crate; this module adds the writing. Names are claimed by markers
//! that are made with `O_EXCL`, so two programs never get one name even if a lock was lost.

mod former;
mod slug;

use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use pollux_settings::{
    Durability, Locations, MARKER, Patience, create_private_file, create_private_folder,
    find_project, lock_file, marked_owner, real_path, replace_file,
};
use serde_json::{Map, Value};

use crate::error::SessionError;
use crate::project::Project;
use crate::time::millis;

/// The twin's patience with the lock.
const PATIENCE: Patience = Patience {
    attempts: 101,
    pause: Duration::from_millis(100),
};

/// Finds the name of `folder`, or gives it one. What an older twin recorded about the folder is copied to
/// it once.
///
/// Blocks for up to ten seconds while another program writes the registry.
pub fn project_for(
    locations: &Locations,
    folder: &Path,
    now: SystemTime,
) -> Result<Project, SessionError> {
    claim(locations, folder, now, PATIENCE)
}

/// The folders that have a name. A registry that cannot be read names none.
pub fn registered_folders(locations: &Locations) -> Vec<PathBuf> {
    let text = std::fs::read(&locations.projects).unwrap_or_default();
    let document: Map<String, Value> = serde_json::from_slice(&text).unwrap_or_default();
    let keys = slugs(&document).map(|(key, _)| PathBuf::from(key));
    keys.collect()
}

fn claim(
    locations: &Locations,
    folder: &Path,
    now: SystemTime,
    patience: Patience,
) -> Result<Project, SessionError> {
    let root = real_path(folder);
    let Some(key) = root
        .to_str()
        .filter(|_| root.is_absolute())
        .map(registry_key)
    else {
        return Err(SessionError::UnsuitableFolder { folder: root });
    };
    let registry = Registry {
        locations,
        folder,
        root: &root,
        key,
    };
    if let Some(project) = registry.settled() {
        return Ok(project);
    }
    let file = &locations.projects;
    create_private_folder(&locations.runtime_dir)
        .map_err(SessionError::io(&locations.runtime_dir))?;
    let Some(_lock) = lock_file(file, patience).map_err(SessionError::io(file))? else {
        return Err(SessionError::Busy { path: file.clone() });
    };
    registry.claim_under_lock(now)
}

struct Registry<'a> {
    locations: &'a Locations,
    folder: &'a Path,
    root: &'a Path,
    key: String,
}

impl Registry<'_> {
    /// The project, if nothing is left to be written for it.
    fn settled(&self) -> Option<Project> {
        let lookup = find_project(self.locations, self.folder);
        if lookup.problem.is_some() {
            return None;
        }
        let project = self.project(lookup.project?.slug);
        let marked = self
            .bases()
            .iter()
            .all(|base| marked_owner(&base.join(&project.slug)).is_some());
        let registered = self.read().ok()?.is_some_and(|document| {
            slugs(&document).any(|(key, slug)| key == self.key && slug == project.slug)
        });
        let complete = self
            .bases()
            .iter()
            .all(|base| !former::is_awaited(base, &project.slug, self.root));
        (marked && registered && complete).then_some(project)
    }

    fn claim_under_lock(&self, now: SystemTime) -> Result<Project, SessionError> {
        let document = match self.read()? {
            Some(document) => document,
            None => {
                self.keep_broken_registry_aside(now)?;
                Map::new()
            }
        };
        let slug = match find_project(self.locations, self.folder).project {
            Some(found) => {
                self.mark(&found.slug)?;
                found.slug
            }
            None => self.claim_new_slug(&document)?,
        };
        self.register(document, &slug)?;
        for base in self.bases() {
            former::copy(&base, &slug, self.root)?;
        }
        Ok(self.project(slug))
    }

    fn project(&self, slug: String) -> Project {
        Project::new(self.locations, slug, self.root.to_path_buf())
    }

    /// The folders in which a project has a folder of its name.
    fn bases(&self) -> [PathBuf; 2] {
        ["tmp", "history"].map(|name| self.locations.runtime_dir.join(name))
    }

    /// `Ok(None)` means that the registry is broken.
    fn read(&self) -> Result<Option<Map<String, Value>>, SessionError> {
        let path = &self.locations.projects;
        let text = match std::fs::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Some(Map::new())),
            Err(source) => return Err(SessionError::io(path)(source)),
        };
        let document: Option<Map<String, Value>> = serde_json::from_slice(&text).ok();
        Ok(document.filter(|document| document.get("projects").is_some_and(Value::is_object)))
    }

    /// The markers bring the names back; the file may still tell a person what happened.
    fn keep_broken_registry_aside(&self, now: SystemTime) -> Result<(), SessionError> {
        let path = &self.locations.projects;
        let mut aside = path.clone().into_os_string();
        aside.push(format!(".broken-{}", millis(now)));
        std::fs::rename(path, aside).map_err(SessionError::io(path))
    }

    fn claim_new_slug(&self, document: &Map<String, Value>) -> Result<String, SessionError> {
        let mut number = 0_u64;
        loop {
            let candidate = slug::numbered(self.root, number);
            number += 1;
            let taken = slugs(document).any(|(_, slug)| slug == candidate)
                || self
                    .bases()
                    .iter()
                    .any(|base| marked_owner(&base.join(&candidate)).is_some());
            if !taken && self.mark(&candidate)? == Marked::ByUs {
                return Ok(candidate);
            }
        }
    }

    fn mark(&self, slug: &str) -> Result<Marked, SessionError> {
        for base in self.bases() {
            let folder = base.join(slug);
            create_private_folder(&folder).map_err(SessionError::io(&folder))?;
            let marker = folder.join(MARKER);
            match create_private_file(&marker) {
                Ok(mut file) => file
                    .write_all(self.key.as_bytes())
                    .map_err(SessionError::io(&marker))?,
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    let text = std::fs::read(&marker).map_err(SessionError::io(&marker))?;
                    match text.trim_ascii() {
                        // Its owner was killed before it could sign.
                        b"" => replace_file(&marker, self.key.as_bytes(), Durability::Process)
                            .map_err(SessionError::io(&marker))?,
                        owner if owner == self.key.as_bytes() => {}
                        _another => return Ok(Marked::ByAnother),
                    }
                }
                Err(source) => return Err(SessionError::io(&marker)(source)),
            }
        }
        Ok(Marked::ByUs)
    }

    fn register(&self, mut document: Map<String, Value>, slug: &str) -> Result<(), SessionError> {
        let projects = document
            .entry("projects")
            .or_insert_with(|| Value::Object(Map::new()));
        let known = projects.get(&self.key).and_then(Value::as_str) == Some(slug);
        if known {
            return Ok(());
        }
        if let Value::Object(projects) = projects {
            projects.insert(self.key.clone(), Value::from(slug));
        }
        let path = &self.locations.projects;
        serde_json::to_vec_pretty(&document)
            .map_err(io::Error::from)
            .and_then(|bytes| replace_file(path, &bytes, Durability::PowerCut))
            .map_err(SessionError::io(path))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marked {
    ByUs,
    ByAnother,
}

fn slugs(document: &Map<String, Value>) -> impl Iterator<Item = (&str, &str)> {
    document
        .get("projects")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .filter_map(|(key, slug)| Some((key.as_str(), slug.as_str()?)))
}

/// Windows does not tell names apart by case, and the twin writes them in one.
fn registry_key(root: &str) -> String {
    if cfg!(windows) {
        root.to_lowercase()
    } else {
        root.to_owned()
    }
}

#[cfg(test)]
mod tests;
