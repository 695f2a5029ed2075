//! The merged settings, as the rest of the program reads them.

use std::fmt;

use serde_json::{Map, Value};

/// Settings by path. Values may be secrets, so `Debug` shows the sections only.
#[derive(Clone, Default, PartialEq)]
pub struct Settings {
    values: Map<String, Value>,
}

impl Settings {
    pub(crate) fn new(values: Map<String, Value>) -> Self {
        Self { values }
    }

    /// The value at keys joined by dots, such as `tools.shell.pager`.
    ///
    /// A value of a wrong type is kept as the user wrote it and was reported as a problem; a caller that
    /// gets one uses its own default.
    pub fn get(&self, path: &str) -> Option<&Value> {
        let mut keys = path.split('.');
        let first = self.values.get(keys.next()?)?;
        keys.try_fold(first, |value, key| value.get(key))
    }

    pub fn as_map(&self) -> &Map<String, Value> {
        &self.values
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.values.keys()).finish()
    }
}
