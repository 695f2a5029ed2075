//! The keychain of the system, where a Gemini key may lie, and what somebody has signed in with at MCP servers.
//!
//! It is reached through the system's own client (`secret-tool`, `security`), under the names and in the format of the
//! twin, so that a key that one of the two has stored is there for both.
//!
//! # Invariants
//!
//! - Keys travel through pipes only: never as an argument, which every user of a machine can read.
//! - The client is taken from folders that belong to the system. Whatever `PATH` says, nothing else is given a key.
//! - Nothing here outlives its deadline; a keychain that waits for a password is a keychain without a key.

mod entry;
mod system;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use pollux_exec::{ProgramEnd, ProgramRun, ProgramVariables, Variable, run_program};
use pollux_model::ApiKey;
use pollux_settings::Environment;

pub(crate) use entry::looks_like_a_key;
pub(crate) use system::Item;

use entry::Entry;
use system::{Call, System};

/// A session must not wait longer for a key that may not be there.
pub(crate) const SOON: Duration = Duration::from_secs(2);

/// Somebody sits in front of it, and may have to type a password first.
pub(crate) const IN_PERSON: Duration = Duration::from_secs(60);

/// Where the twin keeps its key.
const KEY: Item<'static> = Item {
    service: "gemini-cli-api-key",
    account: entry::ACCOUNT,
};

/// An entry is a few hundred bytes, and tokens may be some thousand.
const OUTPUT_LIMIT: usize = 64 * 1024;

/// Why the keychain is of no use.
#[derive(Debug, thiserror::Error)]
pub(crate) enum KeychainError {
    #[error("there is no keychain that Pollux knows on this system")]
    NoKeychain,
    #[error("there is no session bus here, and so no keychain")]
    NoBus,
    #[error("{program} is not installed ({advice})")]
    NoClient {
        program: &'static str,
        advice: &'static str,
    },
    #[error("it has not answered within {}; it may be locked", humantime::format_duration(*.0))]
    Silent(Duration),
    #[error("it said: {0}")]
    Refused(String),
    #[error("what it holds as {} is no key", KEY.service)]
    NotAKey,
    #[error("it does not give back what was stored")]
    NotKept,
    #[error("its client cannot be run")]
    Broken(#[from] std::io::Error),
}

/// The keychain of the person who has this environment, ready to be asked.
#[derive(Debug)]
pub(crate) struct Keychain {
    system: System,
    program: PathBuf,
    variables: Vec<(&'static str, String)>,
    patience: Duration,
}

/// Whether there was something to remove.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cleared {
    Removed,
    WasEmpty,
}

/// Removes the key of the person who has this environment. Where there is no keychain there is no key either. Blocks.
pub(crate) fn forget(door: &Environment) -> Result<(), KeychainError> {
    match Keychain::open(door, SOON) {
        Ok(keychain) => keychain.clear().map(drop),
        Err(KeychainError::NoKeychain | KeychainError::NoBus | KeychainError::NoClient { .. }) => {
            Ok(())
        }
        Err(error) => Err(error),
    }
}

/// The key for a session that has no other. Blocks, for [`SOON`] at most; why there is none is told in the log.
pub(crate) fn key_for_session(door: &Environment) -> Option<ApiKey> {
    match find(door, SOON) {
        Ok(key) => key,
        Err(
            error @ (KeychainError::NoKeychain
            | KeychainError::NoBus
            | KeychainError::NoClient { .. }),
        ) => {
            tracing::debug!(%error, "no keychain");
            None
        }
        Err(error) => {
            tracing::warn!(%error, "the keychain was asked for a key in vain");
            None
        }
    }
}

pub(crate) fn find(
    environment: &Environment,
    patience: Duration,
) -> Result<Option<ApiKey>, KeychainError> {
    Keychain::open(environment, patience)?.find()
}

impl Keychain {
    /// Finds the client; asks nothing yet.
    pub(crate) fn open(
        environment: &Environment,
        patience: Duration,
    ) -> Result<Self, KeychainError> {
        let system = System::here().ok_or(KeychainError::NoKeychain)?;
        if system == System::SecretService && !has_bus(environment) {
            // Its client would start a bus of its own, and find nothing there.
            return Err(KeychainError::NoBus);
        }
        let program = system.client().ok_or(KeychainError::NoClient {
            program: system.program(),
            advice: system.advice(),
        })?;
        let variables = system::VARIABLES
            .iter()
            .filter_map(|name| Some((*name, environment.get(name)?.to_owned())))
            .collect();
        Ok(Self {
            system,
            program,
            variables,
            patience,
        })
    }

    pub(crate) fn find(&self) -> Result<Option<ApiKey>, KeychainError> {
        let Some(text) = self.read(KEY)? else {
            return Ok(None);
        };
        match Entry::key_in(&text) {
            Some(key) => Ok(Some(key)),
            None => Err(KeychainError::NotAKey),
        }
    }

    pub(crate) fn store(&self, key: &str) -> Result<(), KeychainError> {
        self.write(KEY, &Entry::new(key, SystemTime::now()).to_json())
    }

    pub(crate) fn clear(&self) -> Result<Cleared, KeychainError> {
        self.remove(KEY)
    }

    pub(crate) fn read(&self, item: Item<'_>) -> Result<Option<String>, KeychainError> {
        let end = self.ask(&self.system.lookup(item))?;
        if end.code == Some(0) {
            return Ok(Some(String::from_utf8_lossy(&end.stdout).into_owned()));
        }
        match self.system.is_missing(&end) {
            true => Ok(None),
            false => Err(refused(&end)),
        }
    }

    /// Replaces what is there, and makes sure that it is there.
    pub(crate) fn write(&self, item: Item<'_>, secret: &str) -> Result<(), KeychainError> {
        let end = self.ask(&self.system.store(item, secret))?;
        if end.code != Some(0) {
            return Err(refused(&end));
        }
        // One client ends its output with a line break, and the other does not.
        match self
            .read(item)?
            .is_some_and(|kept| kept.trim_end() == secret.trim_end())
        {
            true => Ok(()),
            false => Err(KeychainError::NotKept),
        }
    }

    pub(crate) fn remove(&self, item: Item<'_>) -> Result<Cleared, KeychainError> {
        let end = self.ask(&self.system.clear(item))?;
        if end.code == Some(0) {
            return Ok(Cleared::Removed);
        }
        match self.system.is_missing(&end) {
            true => Ok(Cleared::WasEmpty),
            false => Err(refused(&end)),
        }
    }

    fn ask(&self, call: &Call) -> Result<ProgramEnd, KeychainError> {
        let program = self.program.to_string_lossy().into_owned();
        let mut argv = vec![program];
        argv.extend(call.arguments.iter().cloned());
        let variables: Vec<Variable> = self
            .variables
            .iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        let thread = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        thread.block_on(async {
            let running = run_program(ProgramRun {
                argv: &argv,
                folder: Path::new("/"),
                input: call.input.as_bytes(),
                output_limit: OUTPUT_LIMIT,
                variables: ProgramVariables::Only(&variables),
                time_limit: None,
            });
            match tokio::time::timeout(self.patience, running).await {
                Ok(end) => Ok(end?),
                Err(_late) => Err(KeychainError::Silent(self.patience)),
            }
        })
    }
}

fn has_bus(environment: &Environment) -> bool {
    let filled = |name: &str| environment.get(name).filter(|value| !value.is_empty());
    filled("DBUS_SESSION_BUS_ADDRESS").is_some()
        || filled("XDG_RUNTIME_DIR").is_some_and(|folder| Path::new(folder).join("bus").exists())
}

/// One line of what the client complained about. It does not repeat what it was given.
fn refused(end: &ProgramEnd) -> KeychainError {
    let said = String::from_utf8_lossy(&end.stderr);
    let line = said.lines().find(|line| !line.trim().is_empty());
    KeychainError::Refused(line.unwrap_or("nothing").trim().to_owned())
}
