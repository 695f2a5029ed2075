//! What lies in the keychain: the twin's credentials, as JSON.

use std::time::{SystemTime, UNIX_EPOCH};

use pollux_model::ApiKey;
use serde::{Deserialize, Serialize};

/// The twin's name for the one key that it keeps.
pub(super) const ACCOUNT: &str = "default-api-key";

/// An entry as it is written.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Entry {
    server_name: &'static str,
    token: Token,
    /// In milliseconds since 1970.
    updated_at: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Token {
    access_token: String,
    token_type: &'static str,
}

/// As much of an entry as has to be there.
#[derive(Deserialize)]
struct Found {
    token: FoundToken,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FoundToken {
    access_token: String,
}

impl Entry {
    pub(super) fn new(key: &str, now: SystemTime) -> Self {
        let age = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            server_name: ACCOUNT,
            token: Token {
                access_token: key.to_owned(),
                token_type: "ApiKey",
            },
            updated_at: u64::try_from(age.as_millis()).unwrap_or(u64::MAX),
        }
    }

    pub(super) fn to_json(&self) -> String {
        // Strings and a number: this cannot fail, and an empty entry would be found out at once.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The key in an entry of the twin, or a bare key that somebody has put there by hand.
    pub(super) fn key_in(text: &str) -> Option<ApiKey> {
        let text = text.trim();
        let key = match text.starts_with('{') {
            true => serde_json::from_str::<Found>(text).ok()?.token.access_token,
            false => text.to_owned(),
        };
        looks_like_a_key(key.trim()).then(|| ApiKey::new(&key))?
    }
}

/// A key travels in a header, and nobody gives out longer ones.
pub(crate) fn looks_like_a_key(text: &str) -> bool {
    const LONGEST: usize = 1024;
    let plain = text.bytes().all(|byte| byte.is_ascii_graphic());
    plain && !text.is_empty() && text.len() <= LONGEST
}
