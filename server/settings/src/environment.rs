//! The variables a door was started with, handed in as data.
//!
//! This crate never asks the process for its environment: one host serves many doors, and each door has
//! variables of its own. Values may be secrets, so `Debug` shows names only.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// Variables by name. Pairs that are not valid Unicode are left out by the caller.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment {
    variables: BTreeMap<String, String>,
}

impl Environment {
    pub fn get(&self, name: &str) -> Option<&str> {
        if let Some(value) = self.variables.get(name) {
            return Some(value);
        }
        // Windows treats `Path` and `PATH` as one variable.
        if cfg!(windows) {
            return self
                .variables
                .iter()
                .find(|(key, _)| key.eq_ignore_ascii_case(name))
                .map(|(_, value)| value.as_str());
        }
        None
    }

    /// All pairs, in the order of their names, for handing to a child process.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.variables
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The folder that contains `.gemini`.
    pub fn home(&self) -> Option<PathBuf> {
        let system_name = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        self.filled("GEMINI_CLI_HOME")
            .or_else(|| self.filled(system_name))
            .map(PathBuf::from)
    }

    /// Where temporary files go, which stands in for a home that does not exist.
    pub(crate) fn temporary_folder(&self) -> PathBuf {
        let fallback = if cfg!(windows) { r"C:\Temp" } else { "/tmp" };
        let names: &[&str] = if cfg!(windows) {
            &["TEMP", "TMP"]
        } else {
            &["TMPDIR", "TMP", "TEMP"]
        };
        names
            .iter()
            .find_map(|name| self.filled(name))
            .map_or_else(|| PathBuf::from(fallback), PathBuf::from)
    }

    /// A path variable that is set to nothing means it is not set.
    pub(crate) fn filled(&self, name: &str) -> Option<&str> {
        self.get(name).filter(|value| !value.is_empty())
    }

    pub(crate) fn set(&mut self, name: &str, value: String) {
        self.variables.insert(name.to_owned(), value);
    }
}

impl<K: Into<String>, V: Into<String>> FromIterator<(K, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let variables = pairs
            .into_iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        Self { variables }
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.variables.keys()).finish()
    }
}

#[cfg(test)]
mod tests;
