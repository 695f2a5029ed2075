//! Tokens of MCP servers in the keychain of the system, under the names that the twin gives them.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use pollux_mcp::connect::{Credentials, Vault};
use pollux_settings::Environment;
use serde_json::json;

use super::sealed_tokens::{SERVICE, account};
use crate::keychain::{Item, Keychain, KeychainError, SOON};

/// A keychain that waits for a password is left alone for so long: ten servers must not ask for it ten times.
const LEFT_ALONE: Duration = Duration::from_secs(60);

pub(super) struct KeychainTokens {
    keychain: Keychain,
    silent_since: Mutex<Option<Instant>>,
}

impl KeychainTokens {
    /// Nothing where there is no keychain, or where the person does not want it.
    pub(super) fn open(environment: &Environment) -> Option<Self> {
        if environment.get("GEMINI_FORCE_FILE_STORAGE") == Some("true") {
            return None;
        }
        match Keychain::open(environment, SOON) {
            Ok(keychain) => Some(Self::of(keychain)),
            Err(error) => {
                tracing::debug!(%error, "tokens do not go into a keychain");
                None
            }
        }
    }

    pub(super) fn of(keychain: Keychain) -> Self {
        Self {
            keychain,
            silent_since: Mutex::default(),
        }
    }

    /// Asks one thing at a time, and not at all soon after it has kept somebody waiting.
    fn ask<T>(
        &self,
        server: &str,
        asking: impl FnOnce(&Keychain, Item<'_>) -> Result<T, KeychainError>,
    ) -> Result<T, String> {
        let account = account(server);
        // Its client would take the name for an option, or for none.
        if account.is_empty() || account.starts_with('-') {
            return Err(format!("`{server}` is no name for a keychain"));
        }
        let silent_since = self.silent_since.lock();
        let mut silent_since = silent_since.unwrap_or_else(PoisonError::into_inner);
        if silent_since.is_some_and(|since| since.elapsed() < LEFT_ALONE) {
            return Err("the keychain has not answered just now".to_owned());
        }
        let item = Item {
            service: SERVICE,
            account: &account,
        };
        let answer = asking(&self.keychain, item);
        *silent_since = match &answer {
            Err(KeychainError::Silent(_)) => Some(Instant::now()),
            Ok(_) | Err(_) => None,
        };
        answer.map_err(|error| format!("the keychain is of no use: {error}"))
    }
}

impl Vault for KeychainTokens {
    fn load(&self, server: &str) -> Result<Option<Credentials>, String> {
        let Some(text) = self.ask(server, |keychain, item| keychain.read(item))? else {
            return Ok(None);
        };
        let credentials = serde_json::from_str(&text);
        credentials.map_err(|_hides_secrets| format!("the entry of {server} is none"))
    }

    fn save(&self, credentials: &Credentials) -> Result<(), String> {
        let secret = json!(credentials).to_string();
        self.ask(&credentials.server_name, |keychain, item| {
            keychain.write(item, &secret)
        })
    }

    fn delete(&self, server: &str) -> Result<(), String> {
        let removed = self.ask(server, |keychain, item| keychain.remove(item));
        removed.map(|_cleared| ())
    }
}
