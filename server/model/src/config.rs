//! Model configuration: which parameters a model is asked with, by name, inheritance and overrides.
//!
//! Owns the defaults, their merge with the `modelConfigs` setting, and the user-facing model names. Reads no file:
//! the setting arrives as a JSON value.

mod defaults;
mod names;
mod settings;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

pub(crate) use names::{FLASH_LITE, PREVIEW_FLASH, PREVIEW_PRO, STABLE_FLASH, STABLE_PRO};
pub use names::{
    Family, Previews, concrete_model, embedding_model, family, is_auto, stable_flash, stable_pro,
};

/// A longer chain is a mistake, and resolving it would cost every request.
const MAX_ALIAS_DEPTH: usize = 100;
/// What an unknown chat model is configured like.
const CHAT_FALLBACK: &str = "chat-base";
/// The scope of requests that belong to no agent.
const CORE_SCOPE: &str = "core";

/// Every alias and override that is in force.
#[derive(Clone, Debug)]
pub struct ModelConfigs {
    aliases: BTreeMap<String, Alias>,
    /// Names that the person defined: they win over user-facing names such as `pro`.
    custom: BTreeSet<String>,
    overrides: Vec<Override>,
}

/// What is being asked for.
#[derive(Clone, Copy, Debug)]
pub struct ModelKey<'a> {
    /// An alias, a user-facing name or a model's id.
    pub name: &'a str,
    pub purpose: Purpose,
    /// The agent on whose behalf the request is made; none is the core.
    pub scope: Option<&'a str>,
    pub attempt: Attempt,
    pub previews: Previews,
}

/// Decides what an unknown name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A conversation: an unknown model gets the parameters of chat models.
    Chat,
    /// A call of the agent's own machinery: an unknown model gets no parameters.
    Utility,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt {
    First,
    Retry,
}

/// A model's id and the parameters to ask it with.
#[derive(Clone, Debug, PartialEq)]
pub struct ResolvedModel {
    pub model: String,
    /// Under Gemini's names. Besides `generationConfig` it may hold `tools` (web search and web fetch).
    pub generation: Map<String, Value>,
}

/// Why a name has no configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    #[error("modelConfigs.{at} is not {expected}")]
    Malformed { at: String, expected: &'static str },
    #[error("model alias {alias:?} extends {parent:?}, which does not exist")]
    MissingParent { alias: String, parent: String },
    #[error("model alias {0:?} extends itself")]
    Circular(String),
    #[error("model alias {0:?} has more than {MAX_ALIAS_DEPTH} ancestors")]
    TooDeep(String),
    #[error("model configuration {0:?} names no model")]
    NoModel(String),
}

#[derive(Clone, Debug, Default)]
struct Alias {
    extends: Option<String>,
    config: Partial,
}

/// The part of a configuration that one alias or override contributes.
#[derive(Clone, Debug, Default)]
struct Partial {
    model: Option<String>,
    generation: Map<String, Value>,
}

#[derive(Clone, Debug)]
struct Override {
    conditions: Vec<Condition>,
    config: Partial,
}

#[derive(Clone, Debug)]
enum Condition {
    Model(String),
    Scope(String),
    Attempt(Attempt),
    /// Newer than this code, or of a wrong type. It cannot be said to hold.
    Unknown,
}

/// The aliases that a name stands for, root first, and what they add up to.
struct Lineage<'a> {
    names: Vec<&'a str>,
    model: Option<&'a str>,
    config: Partial,
}

impl Default for ModelConfigs {
    fn default() -> Self {
        Self {
            aliases: defaults::aliases(),
            custom: BTreeSet::new(),
            overrides: defaults::overrides(),
        }
    }
}

impl ModelConfigs {
    /// The defaults, changed by the `modelConfigs` setting.
    pub fn from_settings(setting: &Value) -> Result<Self, ConfigError> {
        settings::parse(setting)
    }

    /// Whether the defaults or the person give this name a meaning.
    pub fn has_alias(&self, name: &str) -> bool {
        self.aliases.contains_key(name)
    }

    /// The model and parameters for a request.
    pub fn resolve(&self, key: &ModelKey<'_>) -> Result<ResolvedModel, ConfigError> {
        // A name without access to previews must take the parameters of the model it ends up with, so user-facing
        // names become models before the lookup, unless the person gave the name a meaning.
        let name = if self.custom.contains(key.name) {
            key.name
        } else {
            concrete_model(key.name, key.previews)
        };
        let lineage = self.lineage(name, key.purpose)?;
        let overrides = self.matching_overrides(&lineage, key);
        let mut config = lineage.config;
        for found in overrides {
            config.absorb(&found.config);
        }
        let model = config
            .model
            .ok_or_else(|| ConfigError::NoModel(key.name.to_owned()))?;
        Ok(ResolvedModel {
            model: concrete_model(&model, key.previews).to_owned(),
            generation: config.generation,
        })
    }

    fn lineage<'a>(&'a self, name: &'a str, purpose: Purpose) -> Result<Lineage<'a>, ConfigError> {
        if self.aliases.contains_key(name) {
            return self.alias_lineage(name);
        }
        let mut lineage = match purpose {
            Purpose::Chat if self.aliases.contains_key(CHAT_FALLBACK) => {
                self.alias_lineage(CHAT_FALLBACK)?
            }
            Purpose::Chat | Purpose::Utility => Lineage {
                names: Vec::new(),
                model: None,
                config: Partial::default(),
            },
        };
        lineage.names.push(name);
        lineage.model = Some(name);
        lineage.config.model = Some(name.to_owned());
        Ok(lineage)
    }

    fn alias_lineage<'a>(&'a self, name: &'a str) -> Result<Lineage<'a>, ConfigError> {
        let mut found: Vec<(&str, &Alias)> = Vec::new();
        let mut next = Some(name);
        while let Some(current) = next {
            if found.iter().any(|(seen, _)| *seen == current) {
                return Err(ConfigError::Circular(name.to_owned()));
            }
            if found.len() > MAX_ALIAS_DEPTH {
                return Err(ConfigError::TooDeep(name.to_owned()));
            }
            let Some(alias) = self.aliases.get(current) else {
                let child = found.last().map_or(name, |(child, _)| child);
                return Err(ConfigError::MissingParent {
                    alias: child.to_owned(),
                    parent: current.to_owned(),
                });
            };
            found.push((current, alias));
            next = alias.extends.as_deref();
        }
        found.reverse();
        let mut config = Partial::default();
        let mut model = None;
        for (_, alias) in &found {
            config.absorb(&alias.config);
            model = alias.config.model.as_deref().or(model);
        }
        let names = found.into_iter().map(|(name, _)| name).collect();
        Ok(Lineage {
            names,
            model,
            config,
        })
    }

    /// In the order of application: the later one wins.
    fn matching_overrides(&self, lineage: &Lineage<'_>, key: &ModelKey<'_>) -> Vec<&Override> {
        let mut found: Vec<_> = self
            .overrides
            .iter()
            .filter_map(|entry| Some((entry.level(lineage, key)?, entry)))
            .collect();
        // The sort is stable: equal ones stay in the order in which they were written.
        found.sort_by_key(|(level, entry)| (*level, entry.conditions.len()));
        found.into_iter().map(|(_, entry)| entry).collect()
    }
}

impl Override {
    /// How close to the requested name the override applies, or nothing if it does not: 0 for a global one or one
    /// for the model, then one more per alias from the root to the leaf.
    fn level(&self, lineage: &Lineage<'_>, key: &ModelKey<'_>) -> Option<usize> {
        if self.conditions.is_empty() {
            return None;
        }
        let mut level = 0;
        for condition in &self.conditions {
            match condition {
                Condition::Model(name) => {
                    let depth = lineage.names.iter().rposition(|known| known == name);
                    level = match depth {
                        Some(depth) => depth + 1,
                        None if lineage.model == Some(name.as_str()) => 0,
                        None => return None,
                    };
                }
                Condition::Scope(scope) => {
                    let actual = key.scope.unwrap_or(CORE_SCOPE);
                    if actual != scope {
                        return None;
                    }
                }
                Condition::Attempt(attempt) if *attempt == key.attempt => {}
                Condition::Attempt(_) | Condition::Unknown => return None,
            }
        }
        Some(level)
    }
}

impl Partial {
    fn absorb(&mut self, newer: &Self) {
        if let Some(model) = &newer.model {
            self.model = Some(model.clone());
        }
        merge(&mut self.generation, &newer.generation);
    }
}

/// Objects are merged key by key; everything else, arrays too, is replaced.
fn merge(into: &mut Map<String, Value>, newer: &Map<String, Value>) {
    for (key, value) in newer {
        match (into.get_mut(key), value) {
            (Some(Value::Object(old)), Value::Object(new)) => merge(old, new),
            _ => {
                into.insert(key.clone(), value.clone());
            }
        }
    }
}
