//! Which agents of a project a person has looked at: one file, shared with the twin.
//!
//! An agent is acknowledged as it was then. Whoever changes its file has it asked about again.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::AgentFile;
use crate::json;
use crate::locations::Locations;
use crate::ownership::is_foreign;
use crate::paths;
use crate::shared_file::{Durability, Patience, create_private_folder, lock_file, replace_file};
use crate::source;

/// What has been acknowledged in one folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Acknowledged {
    hashes: BTreeMap<String, String>,
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AcknowledgeError {
    #[error("another program is writing {}", path.display())]
    Busy { path: PathBuf },
    #[error("{} cannot be written: {source}", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl Acknowledged {
    /// The path of the file.
    pub fn file(locations: &Locations) -> PathBuf {
        locations
            .gemini_dir
            .join("acknowledgments")
            .join("agents.json")
    }

    /// A file that is not understood acknowledges nothing.
    pub fn read(locations: &Locations, folder: &Path) -> Self {
        let projects = projects(&Self::file(locations));
        let folder = paths::comparable(folder);
        let own = projects
            .into_iter()
            .filter(|(project, _)| paths::comparable(Path::new(project)) == folder);
        let agents = own.filter_map(|(_, agents)| match agents {
            Value::Object(agents) => Some(agents),
            _ => None,
        });
        let hash = |(name, hash): (String, Value)| Some((name, hash.as_str()?.to_owned()));
        Self {
            hashes: agents.flatten().filter_map(hash).collect(),
        }
    }

    pub fn covers(&self, agent: &AgentFile) -> bool {
        self.hashes.get(&agent.name) == Some(&agent.hash)
    }
}

/// Adds these agents, as they are now, to those of `folder`. What stands there about other folders stays.
pub fn acknowledge<'a>(
    locations: &Locations,
    folder: &Path,
    agents: impl IntoIterator<Item = &'a AgentFile>,
) -> Result<(), AcknowledgeError> {
    let path = paths::real(&Acknowledged::file(locations));
    let failed = |source: io::Error| AcknowledgeError::Io {
        path: path.clone(),
        source,
    };
    if let Some(parent) = path.parent() {
        create_private_folder(parent).map_err(failed)?;
    }
    let Some(_lock) = lock_file(&path, Patience::USUAL).map_err(failed)? else {
        return Err(AcknowledgeError::Busy { path });
    };
    let mut projects = projects(&path);
    let comparable = paths::comparable(folder);
    let known = projects
        .keys()
        .find(|project| paths::comparable(Path::new(project)) == comparable);
    let project = known
        .cloned()
        .unwrap_or_else(|| paths::real(folder).to_string_lossy().into_owned());
    let entry = projects
        .entry(project)
        .or_insert_with(|| Value::Object(Map::new()));
    if !entry.is_object() {
        *entry = Value::Object(Map::new());
    }
    if let Value::Object(entry) = entry {
        for agent in agents {
            entry.insert(agent.name.clone(), Value::from(agent.hash.as_str()));
        }
    }
    let text = serde_json::to_string_pretty(&projects).unwrap_or_default();
    replace_file(&path, text.as_bytes(), Durability::PowerCut).map_err(failed)
}

fn projects(path: &Path) -> Map<String, Value> {
    if is_foreign(path) {
        return Map::new();
    }
    let source = source::read(path).ok().flatten();
    let document = source.and_then(|source| json::parse(source).ok());
    document.map(|document| document.object).unwrap_or_default()
}
