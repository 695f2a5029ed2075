//! Which commands the settings want confined, and to what.

use std::path::{Path, PathBuf};

use pollux_exec::{
    Network, PrivateFolder, SandboxProfile, Variable, private_caches, read_only_support,
    sandbox_support,
};
use pollux_settings::Loaded;
use serde_json::Value;

/// What the settings and the environment say about the sandbox.
#[derive(Debug, PartialEq, Eq)]
enum SandboxSetting {
    Off,
    On,
    /// A program of Gemini CLI that Pollux does not use, such as `docker`.
    OtherProgram(String),
}

/// `GEMINI_SANDBOX` counts before the setting, and `SANDBOX` says that we are inside of one.
fn setting(loaded: &Loaded) -> SandboxSetting {
    let settings = &loaded.merged;
    let is_on = |name: &str| settings.get(name).and_then(Value::as_bool) == Some(true);
    let wanted = match loaded.env.get("SANDBOX") {
        Some(inside) if !inside.is_empty() => SandboxSetting::Off,
        _ => match loaded.env.get("GEMINI_SANDBOX") {
            Some(word) if !word.trim().is_empty() => from_word(word),
            _ => settings
                .get("tools.sandbox")
                .map_or(SandboxSetting::Off, from_value),
        },
    };
    match wanted {
        SandboxSetting::Off if is_on("security.toolSandboxing") => SandboxSetting::On,
        wanted => wanted,
    }
}

fn from_value(value: &Value) -> SandboxSetting {
    match value {
        Value::Bool(true) => SandboxSetting::On,
        Value::String(word) => from_word(word),
        Value::Object(object) => {
            let enabled = object.get("enabled").and_then(Value::as_bool);
            let command = object.get("command").and_then(Value::as_str);
            match (enabled, command) {
                (Some(false), _) | (None, None) => SandboxSetting::Off,
                (_, Some(command)) => from_word(command),
                (Some(true), None) => SandboxSetting::On,
            }
        }
        _ => SandboxSetting::Off,
    }
}

fn from_word(word: &str) -> SandboxSetting {
    match word.trim().to_lowercase().as_str() {
        "" | "0" | "false" => SandboxSetting::Off,
        "1" | "true" => SandboxSetting::On,
        program => SandboxSetting::OtherProgram(program.to_owned()),
    }
}

/// Why nothing can be run as the settings want it.
pub(crate) fn unsupported(loaded: &Loaded) -> Option<String> {
    match setting(loaded) {
        SandboxSetting::OtherProgram(program) => Some(format!(
            "the sandbox `{program}` is not supported: Pollux confines commands with the kernel. \
             Set tools.sandbox to true for that, or to false."
        )),
        SandboxSetting::Off | SandboxSetting::On => None,
    }
}

/// What confined commands may touch. Where the system cannot enforce it, the setting is not quietly ignored: a
/// command with this profile does not start, and says why. A program that is not supported confines no less.
///
/// Outside of the workspace they write to one folder of their own, and are told so by `TMPDIR` and its like.
pub(super) fn profile(
    loaded: &Loaded,
    folder: &Path,
    environment: &mut Vec<Variable>,
) -> (Option<SandboxProfile>, Option<PrivateFolder>) {
    if setting(loaded) == SandboxSetting::Off {
        return (None, None);
    }
    let settings = &loaded.merged;
    let is_on = |name: &str| settings.get(name).and_then(Value::as_bool) == Some(true);
    let temporary = match PrivateFolder::new() {
        Ok(temporary) => Some(temporary),
        Err(error) => {
            tracing::warn!(%error, "there is no place for temporary files of commands");
            None
        }
    };
    let place = temporary.as_ref().map_or(folder, PrivateFolder::path);
    let mut profile = SandboxProfile::for_workspace(&[folder.to_owned()], place);
    if let Some(temporary) = &temporary {
        for (name, value) in private_caches(temporary.path()) {
            environment.retain(|(known, _)| *known != *name);
            environment.push((name.into(), value.into()));
        }
    }
    for name in ["tools.sandboxAllowedPaths", "tools.sandbox.allowedPaths"] {
        let paths = settings.get(name).and_then(Value::as_array);
        let paths = paths.into_iter().flatten().filter_map(Value::as_str);
        profile.writable.extend(paths.map(PathBuf::from));
    }
    if is_on("tools.sandboxNetworkAccess") || is_on("tools.sandbox.networkAccess") {
        profile.network = Network::Allowed;
    }
    (Some(profile), temporary)
}

/// What confines commands in a folder, in words for a person.
pub(crate) fn confinement(loaded: &Loaded) -> String {
    let support = sandbox_support();
    let all = match (setting(loaded), unsupported(loaded)) {
        (_, Some(unsupported)) => unsupported,
        (SandboxSetting::Off, None) => {
            format!("off (security.toolSandboxing); this system could confine {support}")
        }
        (_, None) => format!("on; {support}"),
    };
    format!("{all}; commands that only read are {}", read_only_support())
}

#[cfg(test)]
mod tests;
