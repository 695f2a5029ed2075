//! The environment of a command: the user's, without secrets, and with everything that would wait
//! for a person switched off.

mod secrets;

use std::ffi::{OsStr, OsString};

use self::secrets::Secrets;

/// A variable and its value.
pub type Variable = (OsString, OsString);

#[derive(Debug, Clone, Default)]
pub struct EnvironmentOptions {
    pub redaction: Redaction,
    /// What `git commit` signs with. The user's own configuration of git is not read, because
    /// it can start programs.
    pub git_identity: Option<GitIdentity>,
    /// `cat`, if nothing else is wanted.
    pub pager: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitIdentity {
    pub name: String,
    pub email: String,
}

/// Which variables a command does not get to see. On a build machine of GitHub only well-known
/// ones are handed on, whatever is said here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Redaction {
    #[default]
    Off,
    On {
        /// Names that are handed on although they look secret; a value that looks secret is not.
        allowed: Vec<String>,
        blocked: Vec<String>,
    },
}

/// What the child gets to see of these variables, with what a command needs added.
pub fn sanitised(
    environment: impl IntoIterator<Item = Variable>,
    options: &EnvironmentOptions,
) -> Vec<Variable> {
    let mut variables = redacted(environment, &options.redaction);
    let pager = options.pager.as_deref().unwrap_or("cat");
    let mut settings = take_git_settings(&mut variables);
    settings.extend(git_settings(pager, options.git_identity.as_ref()));
    set(
        &mut variables,
        "GIT_CONFIG_COUNT",
        &settings.len().to_string(),
    );
    for (place, (key, value)) in settings.into_iter().enumerate() {
        variables.push((format!("GIT_CONFIG_KEY_{place}").into(), key));
        variables.push((format!("GIT_CONFIG_VALUE_{place}").into(), value));
    }
    for (name, value) in ADDED {
        set(&mut variables, name, value);
    }
    set(&mut variables, "PAGER", pager);
    set(&mut variables, "GIT_PAGER", pager);
    variables
}

/// The variables without the secret ones; for other children than shell commands too.
pub fn redacted(
    environment: impl IntoIterator<Item = Variable>,
    redaction: &Redaction,
) -> Vec<Variable> {
    let mut variables: Vec<Variable> = environment.into_iter().collect();
    let strict = is_build_machine(&variables);
    let secrets = match redaction {
        Redaction::Off if !strict => return variables,
        Redaction::Off => Secrets::new(&[], &[], strict),
        Redaction::On { allowed, blocked } => Secrets::new(allowed, blocked, strict),
    };
    variables.retain(|(name, value)| !secrets.contains(name, value));
    variables
}

/// Nobody answers a question, opens a window or pages through an output here. Git reads neither
/// the user's nor the system's configuration: both may name programs to run.
const ADDED: &[(&str, &str)] = &[
    ("GEMINI_CLI", "1"),
    ("TERM", "xterm-256color"),
    ("GIT_CONFIG_GLOBAL", NOTHING),
    ("GIT_CONFIG_SYSTEM", NOTHING),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", ""),
    ("SSH_ASKPASS", ""),
    ("GH_PROMPT_DISABLED", "1"),
    ("GCM_INTERACTIVE", "never"),
    ("DISPLAY", ""),
    ("DBUS_SESSION_BUS_ADDRESS", ""),
];

const NOTHING: &str = if cfg!(windows) { "NUL" } else { "/dev/null" };

/// Settings of git that name a program, emptied: those of a repository count otherwise.
fn git_settings(pager: &str, identity: Option<&GitIdentity>) -> Vec<Variable> {
    const EMPTIED: &[&str] = &[
        "credential.helper",
        "core.fsmonitor",
        "core.hooksPath",
        "core.sshCommand",
        "core.editor",
        "sequence.editor",
        "diff.external",
    ];
    let mut settings: Vec<(&str, &str)> = EMPTIED.iter().map(|key| (*key, "")).collect();
    settings.push(("core.pager", pager));
    if let Some(identity) = identity {
        settings.push(("user.name", &identity.name));
        settings.push(("user.email", &identity.email));
    }
    let owned = |(key, value): (&str, &str)| (key.into(), value.into());
    settings.into_iter().map(owned).collect()
}

/// The settings that the variables already carry. Git refuses to work if one that is counted is
/// missing, and redaction may have taken it.
fn take_git_settings(variables: &mut Vec<Variable>) -> Vec<Variable> {
    const MANY: usize = 1000;
    let count = get(variables, "GIT_CONFIG_COUNT")
        .and_then(|count| count.to_str()?.parse::<usize>().ok())
        .unwrap_or(0);
    let whole = (0..count.min(MANY)).filter_map(|place| {
        let key = get(variables, &format!("GIT_CONFIG_KEY_{place}"))?;
        let value = get(variables, &format!("GIT_CONFIG_VALUE_{place}"))?;
        Some((key.to_owned(), value.to_owned()))
    });
    let settings = whole.collect();
    variables.retain(|(name, _)| {
        let name = name.to_string_lossy();
        !name.starts_with("GIT_CONFIG_KEY_") && !name.starts_with("GIT_CONFIG_VALUE_")
    });
    settings
}

fn is_build_machine(variables: &[Variable]) -> bool {
    get(variables, "GITHUB_SHA").is_some_and(|value| !value.is_empty())
        || get(variables, "SURFACE").is_some_and(|value| value == "Github")
}

fn get<'a>(variables: &'a [Variable], name: &str) -> Option<&'a OsStr> {
    variables
        .iter()
        .find(|(known, _)| known == name)
        .map(|(_, value)| value.as_os_str())
}

fn set(variables: &mut Vec<Variable>, name: &str, value: &str) {
    variables.retain(|(known, _)| known != name);
    variables.push((name.into(), value.into()));
}

#[cfg(test)]
mod tests;
