//! The process environment, read once and handed on as data.

use std::path::PathBuf;
use std::sync::Arc;

use pollux_settings::Environment;
use pollux_workspace::DoorContext;

/// Variables that are no valid Unicode are not for us.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place that reads the environment"
)]
pub(crate) fn of_this_process() -> Environment {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// Why this user's files cannot be found. Any other folder could hold somebody else's settings and rules.
pub(crate) fn home_problem(environment: &Environment) -> Option<String> {
    let name = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    match environment.home() {
        None => Some(format!(
            "{name} is not set, so there is no folder for settings and sessions; set it to your home folder"
        )),
        Some(home) if !home.is_absolute() => Some(format!(
            "the home folder `{}` is not an absolute path; set {name} to your home folder",
            home.display()
        )),
        Some(_) => None,
    }
}

/// What a door of this process tells the host about itself.
pub(crate) fn door_context(environment: &Environment) -> DoorContext {
    #[expect(
        clippy::disallowed_methods,
        reason = "a door works where it was started"
    )]
    let folder = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    let variables = environment
        .iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
    DoorContext {
        folder,
        environment: Arc::new(variables.collect()),
    }
}

/// The environment a door was started with.
pub(crate) fn of_door(context: &DoorContext) -> Environment {
    context
        .environment
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect()
}
