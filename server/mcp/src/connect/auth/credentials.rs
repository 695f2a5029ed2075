//! What somebody has signed in with, in the form that the twin keeps it in.

#[cfg(test)]
mod tests;

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

/// A token is renewed so long before its end.
const SOON: Duration = Duration::from_secs(5 * 60);
/// Whoever refuses a token that is younger does so for another reason than its age.
const YOUNG: Duration = Duration::from_secs(30);

/// For one server.
#[derive(Clone, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Credentials {
    pub server_name: String,
    pub token: Token,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// Of a client that was registered with one. The twin does not know this field, and leaves it out when it writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_server_url: Option<String>,
    /// In milliseconds since 1970.
    #[serde(default)]
    pub updated_at: u64,
}

#[derive(Clone, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Token {
    pub access_token: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refresh_token: Option<String>,
    /// In milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<u64>,
    #[serde(default = "bearer")]
    pub token_type: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
}

fn bearer() -> String {
    "Bearer".to_owned()
}

/// Where credentials are kept. Reads and writes files, so it is asked from a thread that may block. Errors are for
/// the log, and must not repeat a secret.
pub trait Vault: Send + Sync {
    fn load(&self, server: &str) -> Result<Option<Credentials>, String>;
    fn save(&self, credentials: &Credentials) -> Result<(), String>;
    fn delete(&self, server: &str) -> Result<(), String>;
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials")
            .field("server_name", &self.server_name)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Token").finish_non_exhaustive()
    }
}

impl Token {
    /// Of an answer in the words of OAuth.
    pub(super) fn of_answer(answer: &Value) -> Option<Self> {
        let text = |name: &str| answer.get(name).and_then(Value::as_str).map(str::to_owned);
        let lifetime = answer.get("expires_in").and_then(Value::as_u64);
        // The library writes a type in lower case, which some servers do not understand.
        let token_type = text("token_type").filter(|kind| !kind.eq_ignore_ascii_case("bearer"));
        Some(Self {
            access_token: text("access_token").filter(|token| !token.is_empty())?,
            refresh_token: text("refresh_token"),
            expires_at: lifetime.map(|seconds| now().saturating_add(seconds.saturating_mul(1_000))),
            token_type: token_type.unwrap_or_else(bearer),
            scope: text("scope"),
        })
    }
}

impl Credentials {
    /// Whether they were given out for this address. The twin does not always write down for which.
    pub(super) fn is_for(&self, url: &Url) -> bool {
        let Some(known) = &self.mcp_server_url else {
            return true;
        };
        let known = Url::parse(known).map(without_query);
        known.is_ok_and(|known| known == without_query(url.clone()))
    }

    pub(super) fn expires_soon(&self, now: u64) -> bool {
        let soon = u64::try_from(SOON.as_millis()).unwrap_or_default();
        self.token
            .expires_at
            .is_some_and(|end| end <= now.saturating_add(soon))
    }

    /// Whether they have been given out just now.
    pub(super) fn is_young(&self, now: u64) -> bool {
        let young = u64::try_from(YOUNG.as_millis()).unwrap_or_default();
        now.saturating_sub(self.updated_at) < young
    }

    pub(super) fn is_over(&self, now: u64) -> bool {
        self.token.expires_at.is_some_and(|end| end <= now)
    }

    /// A server that gives no new refresh token means the old one, if it is the same server.
    pub(super) fn take_over(&mut self, before: Option<Self>) {
        if let Some(before) = before
            && before.token_url == self.token_url
            && before.client_id == self.client_id
        {
            self.token.refresh_token = before.token.refresh_token;
        }
    }
}

pub(super) fn without_query(mut url: Url) -> Url {
    url.set_query(None);
    url.set_fragment(None);
    url
}

/// In milliseconds since 1970.
pub(in crate::connect) fn now() -> u64 {
    let age = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(age.as_millis()).unwrap_or(u64::MAX)
}
