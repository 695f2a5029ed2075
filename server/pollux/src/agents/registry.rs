//! Who there is, in which order, and who of them may be asked.

#[cfg(test)]
pub(super) mod tests;

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use pollux_agent::agents::{AgentDefinition, AgentResult, AgentTools};
use pollux_settings::Loaded;
use pollux_settings::agents::{
    Acknowledged, AgentFile, AgentFiles, AgentFolders, AgentOrigin, agent_override, agents_are_on,
};
use serde_json::{Map, Value, json};

use super::built_in;

/// All agents of a folder. The first of a name has it.
#[derive(Default)]
pub(super) struct Registry {
    pub(super) entries: Vec<Entry>,
    /// In words for a person.
    pub(super) problems: Vec<String>,
    pub(super) switch: Switch,
}

/// Whether there are any: `experimental.enableAgents`. Also how one of them is to stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Switch {
    #[default]
    On,
    Off,
}

pub(super) struct Entry {
    pub(super) definition: Arc<AgentDefinition>,
    /// Nothing: that of the session.
    pub(super) model: Option<String>,
    /// How its model is asked, beyond what the settings say of that.
    pub(super) generation: Map<String, Value>,
    /// Nothing: it comes with Pollux.
    pub(super) file: Option<AgentFile>,
    pub(super) standing: Standing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    On,
    /// By the settings.
    Off,
    /// It comes with the project, and nobody has looked at it.
    Unseen,
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::On => "on",
            Self::Off => "off",
            Self::Unseen => "not acknowledged",
        })
    }
}

impl Entry {
    pub(super) fn name(&self) -> &str {
        &self.definition.name
    }
}

impl Registry {
    /// Reads the files.
    pub(super) fn load(loaded: &Loaded, folder: &Path) -> Self {
        if !agents_are_on(&loaded.merged) {
            return Self {
                switch: Switch::Off,
                ..Self::default()
            };
        }
        let files = AgentFolders::new(loaded, folder).read();
        let brings_any = |file: &AgentFile| file.origin == AgentOrigin::Project;
        let acknowledged = match files.agents.iter().any(brings_any) {
            true => Acknowledged::read(&loaded.locations, folder),
            false => Acknowledged::default(),
        };
        Self::of(loaded, files, &acknowledged)
    }

    fn of(loaded: &Loaded, files: AgentFiles, acknowledged: &Acknowledged) -> Self {
        let built_in = built_in::all().into_iter();
        let mut entries: Vec<Entry> = built_in.map(Entry::built_in).collect();
        let mut taken: BTreeSet<String> = entries
            .iter()
            .map(|entry| entry.name().to_owned())
            .collect();
        let problems = files.problems.iter().map(ToString::to_string);
        let mut problems: Vec<String> = problems.collect();
        // An agent that is not there yet keeps its name from others of its project only.
        let mut waiting: BTreeSet<String> = BTreeSet::new();
        for file in files.agents {
            let is_waiting = file.origin == AgentOrigin::Project && waiting.contains(&file.name);
            if taken.contains(&file.name) || is_waiting {
                problems.push(format!(
                    "{}: there is an agent `{}` already, and this one is left out (rename it)",
                    file.path.display(),
                    file.name
                ));
                continue;
            }
            let is_seen = file.origin == AgentOrigin::User || acknowledged.covers(&file);
            match is_seen {
                true => taken.insert(file.name.clone()),
                false => waiting.insert(file.name.clone()),
            };
            entries.push(Entry::described(
                file,
                match is_seen {
                    true => Standing::On,
                    false => Standing::Unseen,
                },
            ));
        }
        for entry in &mut entries {
            entry.apply_settings(loaded);
        }
        Self {
            entries,
            problems,
            switch: Switch::On,
        }
    }

    pub(super) fn offered(&self) -> Vec<Arc<AgentDefinition>> {
        let on = self
            .entries
            .iter()
            .filter(|entry| entry.standing == Standing::On);
        on.map(|entry| Arc::clone(&entry.definition)).collect()
    }

    /// The one that may be asked under this name, if any; else one that may not.
    pub(super) fn entry(&self, name: &str) -> Option<&Entry> {
        let mut named = self.entries.iter().filter(|entry| entry.name() == name);
        let first = named.clone().next();
        named
            .find(|entry| entry.standing != Standing::Unseen)
            .or(first)
    }

    pub(super) fn standing(&self, name: &str) -> Option<Standing> {
        self.entry(name).map(|entry| entry.standing)
    }

    /// Those that nobody has looked at.
    pub(super) fn unseen(&self) -> impl Iterator<Item = &AgentFile> {
        let unseen = |entry: &&Entry| entry.standing == Standing::Unseen;
        let entries = self.entries.iter().filter(unseen);
        entries.filter_map(|entry| entry.file.as_ref())
    }
}

impl Entry {
    fn built_in(definition: AgentDefinition) -> Self {
        Self {
            definition: Arc::new(definition),
            model: None,
            generation: Map::new(),
            file: None,
            standing: Standing::On,
        }
    }

    fn described(file: AgentFile, standing: Standing) -> Self {
        let mut generation = Map::new();
        if let Some(temperature) = file.temperature {
            generation.insert("temperature".to_owned(), json!(temperature));
            generation.insert("topP".to_owned(), json!(0.95));
        }
        let definition = AgentDefinition {
            name: file.name.clone(),
            display_name: file.display_name.clone(),
            description: file.description.clone(),
            instructions: file.instructions.clone(),
            query: "${query}".to_owned(),
            input: "query".to_owned(),
            tools: match &file.tools {
                Some(tools) => AgentTools::Named(tools.clone()),
                None => AgentTools::All,
            },
            result: AgentResult::Text,
            max_turns: file.max_turns.unwrap_or(AgentDefinition::MAX_TURNS),
            max_time: file.max_time.unwrap_or(AgentDefinition::MAX_TIME),
        };
        Self {
            definition: Arc::new(definition),
            model: file.model.clone(),
            generation,
            file: Some(file),
            standing,
        }
    }

    /// What the settings say counts over what the author says.
    fn apply_settings(&mut self, loaded: &Loaded) {
        let set = agent_override(&loaded.merged, self.name());
        if set.enabled == Some(false) && self.standing == Standing::On {
            self.standing = Standing::Off;
        }
        let definition = Arc::make_mut(&mut self.definition);
        if let Some(turns) = set.max_turns {
            definition.max_turns = turns;
        }
        if let Some(time) = set.max_time {
            definition.max_time = time;
        }
        if let Some(tools) = set.tools {
            definition.tools = AgentTools::Named(tools);
        }
        if set.model.is_some() {
            self.model = set.model;
        }
        self.generation.extend(set.generation);
    }
}
