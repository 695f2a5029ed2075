//! The process environment, read once and handed on as data.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use pollux_workspace::DoorContext;

/// Variables by name. Those that are no valid Unicode are not for us.
#[derive(Clone, Default)]
pub(crate) struct Environment(Arc<BTreeMap<String, String>>);

impl Environment {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that reads the environment"
    )]
    pub(crate) fn of_this_process() -> Self {
        std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect()
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// What a door of this process would tell the host.
    pub(crate) fn as_door(&self) -> DoorContext {
        #[expect(
            clippy::disallowed_methods,
            reason = "a door works where it was started"
        )]
        let folder = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
        DoorContext {
            folder,
            environment: Arc::clone(&self.0),
        }
    }
}

impl FromIterator<(String, String)> for Environment {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(variables: I) -> Self {
        Self(Arc::new(variables.into_iter().collect()))
    }
}

/// Values may be keys and tokens.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}
