//! The sub-agents of a session: those that come with Pollux and those that people have described, by the settings as
//! they are now.
//!
//! Nothing is read before the first prompt or the first `/agents`, and then only again when a file has changed.

mod built_in;
mod listing;
mod registry;
mod switching;
mod tempered;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use pollux_agent::agents::{AgentDefinition, AgentOrder, AgentRun, Agents};
use pollux_agent::prompt::{Audience, CalendarDate};
use pollux_agent::{Entry, Journal, Voices};
use pollux_settings::Loaded;
use pollux_settings::agents::{Acknowledged, AgentFolders, FolderStamp, acknowledge};

use listing::Problems;
use registry::Registry;
use tempered::Tempered;

/// What agents need of the session that they belong to.
pub(crate) trait Home: Send + Sync {
    /// As they are now.
    fn settings(&self) -> Loaded;

    /// The models that a name stands for; the error is for the log.
    fn voices(&self, model: &str) -> Result<Arc<dyn Voices>, String>;

    /// Where a run is taken down. Nothing: nowhere.
    fn journal(&self, run: &AgentRun<'_>) -> Option<Box<dyn Journal>>;
}

pub(crate) struct SessionAgents {
    folder: PathBuf,
    /// Those with which the session began.
    settings: Arc<Loaded>,
    audience: Audience,
    home: Box<dyn Home>,
    /// Nothing before somebody has asked.
    known: Mutex<Option<Known>>,
    /// What the person has been told of: hashes of files, and problems.
    told: Mutex<BTreeSet<String>>,
}

/// What was read, and what the files looked like then.
struct Known {
    stamp: Stamp,
    loaded: Arc<Loaded>,
    registry: Arc<Registry>,
}

#[derive(PartialEq)]
struct Stamp {
    folders: FolderStamp,
    /// Settings, trust and acknowledgements.
    files: Vec<Option<(u64, Option<SystemTime>)>>,
}

impl SessionAgents {
    pub(crate) fn new(
        folder: PathBuf,
        settings: Arc<Loaded>,
        audience: Audience,
        home: Box<dyn Home>,
    ) -> Self {
        Self {
            folder,
            settings,
            audience,
            home,
            known: Mutex::default(),
            told: Mutex::default(),
        }
    }

    /// Those that there are, as the files are now.
    fn registry(&self) -> Arc<Registry> {
        self.now().1
    }

    fn now(&self) -> (Arc<Loaded>, Arc<Registry>) {
        let folder = &self.folder;
        let mut known = locked(&self.known);
        let loaded = match &*known {
            Some(known) if known.stamp == stamp(&known.loaded, folder) => {
                return (Arc::clone(&known.loaded), Arc::clone(&known.registry));
            }
            Some(_) => Arc::new(self.home.settings()),
            None => Arc::clone(&self.settings),
        };
        self.read(&mut known, loaded)
    }

    fn read(&self, known: &mut Option<Known>, loaded: Arc<Loaded>) -> (Arc<Loaded>, Arc<Registry>) {
        // Before the files, so that what is written meanwhile is seen the next time.
        let stamp = stamp(&loaded, &self.folder);
        let registry = Arc::new(Registry::load(&loaded, &self.folder));
        for problem in &registry.problems {
            tracing::warn!(problem, "agents");
        }
        *known = Some(Known {
            stamp,
            loaded: Arc::clone(&loaded),
            registry: Arc::clone(&registry),
        });
        (loaded, registry)
    }

    /// Whatever the files look like.
    fn reload(&self) -> (Arc<Loaded>, Arc<Registry>) {
        let loaded = Arc::new(self.home.settings());
        self.read(&mut locked(&self.known), loaded)
    }

    /// Does what a person wants; the answer is Markdown. Reads and writes files.
    pub(crate) fn obey(&self, order: &AgentOrder) -> String {
        match order {
            AgentOrder::List => listing::list(&self.registry(), &self.folder),
            AgentOrder::Reload => {
                let before = self.known_registry();
                listing::reloaded(before.as_deref(), &self.reload().1)
            }
            AgentOrder::Enable(name) => self.switch(name, switching::enable),
            AgentOrder::Disable(name) => self.switch(name, switching::disable),
            AgentOrder::Acknowledge(name) => self.acknowledge(Some(name)),
            AgentOrder::AcknowledgeAll => self.acknowledge(None),
        }
    }

    fn known_registry(&self) -> Option<Arc<Registry>> {
        let known = locked(&self.known);
        known.as_ref().map(|known| Arc::clone(&known.registry))
    }

    fn switch(&self, name: &str, switch: fn(&Loaded, &str) -> anyhow::Result<String>) -> String {
        let (loaded, registry) = self.now();
        if !registry.entries.iter().any(|entry| entry.name() == name) {
            return format!(
                "There is no sub-agent `{name}`. `/agents` lists those that there are."
            );
        }
        let answer = match switch(&loaded, name) {
            Ok(answer) => answer,
            Err(error) => return format!("{error:#}."),
        };
        let (_, registry) = self.reload();
        match registry.standing(name) {
            Some(standing) => format!("{answer} It is {standing} now."),
            None => answer,
        }
    }

    /// One, or all that nobody has looked at.
    fn acknowledge(&self, name: Option<&str>) -> String {
        let (loaded, registry) = self.now();
        let unseen = registry
            .unseen()
            .filter(|file| name.is_none_or(|name| file.name == name));
        let unseen: Vec<_> = unseen.collect();
        if unseen.is_empty() {
            return match name {
                Some(name) => {
                    format!("No agent `{name}` of this project waits to be acknowledged.")
                }
                None => "No agent of this project waits to be acknowledged.".to_owned(),
            };
        }
        let names: Vec<String> = unseen
            .iter()
            .map(|file| format!("`{}`", file.name))
            .collect();
        if let Err(error) = acknowledge(&loaded.locations, &self.folder, unseen) {
            return format!("{error}.");
        }
        self.reload();
        let names = names.join(", ");
        format!("Acknowledged: {names}. A file that changes has to be acknowledged again.")
    }
}

impl Agents for SessionAgents {
    fn offered(&self) -> Vec<Arc<AgentDefinition>> {
        // Asked several times for every request; whether files have changed is looked at once per prompt.
        let known = self.known_registry();
        known.unwrap_or_else(|| self.registry()).offered()
    }

    fn voices(&self, agent: &AgentDefinition) -> Option<Arc<dyn Voices>> {
        let registry = self.known_registry()?;
        let entry = registry.entry(&agent.name)?;
        let model = entry.model.as_deref()?;
        match self.home.voices(model) {
            Ok(voices) => Some(voices),
            Err(error) => {
                tracing::warn!(
                    agent = agent.name,
                    model,
                    error,
                    "the session's model answers"
                );
                None
            }
        }
    }

    fn tempered(&self, agent: &AgentDefinition, voices: Arc<dyn Voices>) -> Arc<dyn Voices> {
        let registry = self.known_registry();
        let entry = registry
            .as_ref()
            .and_then(|registry| registry.entry(&agent.name));
        match entry {
            Some(entry) => Tempered::shared(voices, entry.generation.clone()),
            None => voices,
        }
    }

    fn fact(&self, name: &str) -> Option<String> {
        match name {
            "cliVersion" => Some(env!("CARGO_PKG_VERSION").to_owned()),
            "today" => Some(CalendarDate::of_local_seconds(seconds_now()).spelled_out()),
            _ => None,
        }
    }

    fn journal(&self, run: &AgentRun<'_>) -> Box<dyn Journal> {
        self.home
            .journal(run)
            .unwrap_or_else(|| Box::new(Unrecorded))
    }

    fn news(&self) -> Option<String> {
        let registry = self.registry();
        if self.audience == Audience::Headless {
            return None;
        }
        let mut told = locked(&self.told);
        let unseen = registry
            .unseen()
            .filter(|file| told.insert(file.hash.clone()));
        let unseen: Vec<&str> = unseen.map(|file| file.name.as_str()).collect();
        let problems = registry.problems.iter();
        let problems = problems.filter(|problem| told.insert((*problem).clone()));
        let problems = match problems.count() {
            0 => Problems::Known,
            _ => Problems::New,
        };
        listing::news(&unseen, problems)
    }
}

/// Keeps nothing.
struct Unrecorded;

impl Journal for Unrecorded {
    fn record(&mut self, _: Entry<'_>) {}
}

fn stamp(loaded: &Loaded, folder: &Path) -> Stamp {
    let locations = &loaded.locations;
    let acknowledged = Acknowledged::file(locations);
    let files = [
        &locations.system_defaults,
        &locations.user,
        &locations.workspace,
        &locations.system,
        &locations.trusted_folders,
        &acknowledged,
    ];
    let look = |path: &PathBuf| {
        let known = std::fs::metadata(path).ok()?;
        Some((known.len(), known.modified().ok()))
    };
    Stamp {
        folders: AgentFolders::new(loaded, folder).stamp(),
        files: files.into_iter().map(look).collect(),
    }
}

fn seconds_now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |time| i64::try_from(time.as_secs()).unwrap_or(0))
}

fn locked<T>(state: &Mutex<T>) -> MutexGuard<'_, T> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
