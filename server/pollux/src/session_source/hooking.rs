//! The user's hooks, by the settings of a folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pollux_agent::{HookSettings, HookSetup, Hooks};
use pollux_settings::Loaded;

use crate::equipment;
use crate::programs::ChildPrograms;

/// What hooks are told of their session.
pub(super) struct About<'a> {
    pub(super) folder: &'a Path,
    pub(super) session: &'a str,
    pub(super) transcript: PathBuf,
    pub(super) plans: PathBuf,
}

/// None in a folder that is not trusted: settings of several files are one by now, and a hook runs unasked.
pub(super) fn hooks(loaded: &Loaded, about: About<'_>) -> Hooks {
    if !loaded.trust.is_trusted() {
        return Hooks::default();
    }
    let setting = |name: &str| loaded.merged.get(name);
    let settings = HookSettings::read(setting("hooks"), setting("hooksConfig"));
    for problem in settings.problems() {
        tracing::warn!(problem, "settings");
    }
    Hooks::new(HookSetup {
        settings,
        programs: Arc::new(ChildPrograms),
        variables: equipment::redacted_environment(loaded),
        session: about.session.to_owned(),
        transcript: Some(about.transcript),
        folder: about.folder.to_owned(),
        plans: Some(about.plans),
    })
}
