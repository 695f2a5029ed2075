//! Agents switched on and off: one entry of a settings file, and nothing else in it.

#[cfg(test)]
mod tests;

use std::path::Path;

use anyhow::{Result, bail};
use jsonc_parser::cst::{CstInputValue, CstObject};
use pollux_settings::{Loaded, WorkspaceIsHome};

use super::registry::Switch;
use crate::settings_file;

/// Where it is switched off, it is switched on.
pub(super) fn enable(loaded: &Loaded, name: &str) -> Result<String> {
    let mut changed = Vec::new();
    for file in [workspace(loaded), Some(loaded.locations.user.as_path())] {
        let Some(file) = file.filter(|file| file.exists()) else {
            continue;
        };
        let done = settings_file::change(file, |settings| match is_off(settings, name) {
            true => set(settings, name, Switch::On).map(Some),
            false => Ok(None),
        })?;
        if done.is_some() {
            changed.push(format!("`{}`", file.display()));
        }
    }
    Ok(match changed.is_empty() {
        true => format!("Nothing switches `{name}` off."),
        false => format!("`{name}` is switched on in {}.", changed.join(" and ")),
    })
}

/// For the project where that has settings of its own that count, else for everything.
pub(super) fn disable(loaded: &Loaded, name: &str) -> Result<String> {
    let file = workspace(loaded).unwrap_or(&loaded.locations.user);
    let done = settings_file::change(file, |settings| match is_off(settings, name) {
        true => Ok(None),
        false => set(settings, name, Switch::Off).map(Some),
    })?;
    let shown = file.display();
    Ok(match done {
        Some(()) => format!("`{name}` is switched off in `{shown}`."),
        None => format!("`{name}` is off in `{shown}` already."),
    })
}

/// The folder's own file, where it is read.
fn workspace(loaded: &Loaded) -> Option<&Path> {
    let counts =
        loaded.trust.is_trusted() && loaded.locations.workspace_is_home == WorkspaceIsHome::No;
    counts.then_some(loaded.locations.workspace.as_path())
}

fn is_off(settings: &CstObject, name: &str) -> bool {
    let overrides = settings
        .object_value("agents")
        .and_then(|agents| agents.object_value("overrides"));
    let own = overrides.and_then(|overrides| overrides.object_value(name));
    let enabled = own.and_then(|own| own.get("enabled"));
    let enabled = enabled.and_then(|enabled| enabled.value());
    enabled.is_some_and(|enabled| enabled.to_string() == "false")
}

fn set(settings: &CstObject, name: &str, switch: Switch) -> Result<()> {
    let own = settings
        .object_value_or_create("agents")
        .and_then(|agents| agents.object_value_or_create("overrides"))
        .and_then(|overrides| overrides.object_value_or_create(name));
    let Some(own) = own else {
        bail!("`agents.overrides.{name}` is not an object");
    };
    let value = CstInputValue::Bool(switch == Switch::On);
    match own.get("enabled") {
        Some(known) => known.set_value(value),
        None => {
            own.append("enabled", value);
        }
    }
    Ok(())
}
