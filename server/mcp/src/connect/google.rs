//! Tokens for servers that know their visitors by Google, without anybody signing in on a page.
//!
//! The machine knows who it is: by a file that `gcloud` has written, or by asking the metadata server of its cloud. A
//! service account can be impersonated on top of that.

mod default_credentials;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use pollux_model::Http;
use serde_json::{Value, json};
use url::Url;

use super::auth::now;
use super::{Provider, Reach, ServerConfig};

pub use default_credentials::{GoogleAddresses, GoogleIdentity};

use default_credentials::AccessToken;

/// A token is fetched anew so long before its end.
const SOON: Duration = Duration::from_secs(5 * 60);
/// What it takes to speak for somebody else.
const CLOUD: &str = "https://www.googleapis.com/auth/cloud-platform";

/// Why there is no token.
#[derive(Debug, thiserror::Error)]
pub(super) enum GoogleError {
    #[error("`google_credentials` are for *.googleapis.com and *.luci.app, and not for {0}")]
    ForeignHost(String),
    #[error("`google_credentials` need `oauth.scopes`")]
    NoScopes,
    #[error("`service_account_impersonation` needs `{0}`")]
    Missing(&'static str),
    #[error(
        "nobody is signed in at Google here; `gcloud auth application-default login` does that"
    )]
    Nobody,
    #[error("{0} cannot be used here: its kind is `{1}`")]
    WrongKind(String, String),
    #[error("{0}")]
    Unreadable(String),
    #[error("{host} answers {status}")]
    Refused { host: String, status: u16 },
    #[error("{0} cannot be reached")]
    Unreachable(String),
    #[error("there is no token in the answer of {0}")]
    NoToken(String),
}

/// Gets tokens from Google, and keeps them for as long as they are good.
pub struct Google {
    http: Http,
    identity: GoogleIdentity,
    kept: Mutex<HashMap<String, Kept>>,
}

#[derive(Clone)]
struct Kept {
    token: String,
    /// In milliseconds since 1970.
    ends: u64,
}

impl Google {
    pub fn new(http: Http, identity: GoogleIdentity) -> Self {
        Self {
            http,
            identity,
            kept: Mutex::default(),
        }
    }

    /// The token for a server, where its settings name one of these ways. Why there is none is told in the log.
    pub(super) async fn token(&self, server: &ServerConfig) -> Option<String> {
        let soon = u64::try_from(SOON.as_millis()).unwrap_or_default();
        let known = self.lock().get(&server.name).cloned();
        if let Some(known) = known.filter(|known| known.ends > now().saturating_add(soon)) {
            return Some(known.token);
        }
        match self.fetch(server).await {
            Ok(fresh) => {
                let token = fresh.token.clone();
                self.lock().insert(server.name.clone(), fresh);
                Some(token)
            }
            Err(error) => {
                tracing::warn!(server = server.name, %error, "there is no token of Google");
                None
            }
        }
    }

    /// A token that was refused, fetched anew.
    pub(super) async fn renewed(&self, server: &ServerConfig, refused: &str) -> Option<String> {
        self.lock().remove(&server.name);
        let fresh = self.token(server).await;
        fresh.filter(|fresh| fresh != refused)
    }

    async fn fetch(&self, server: &ServerConfig) -> Result<Kept, GoogleError> {
        match &server.provider {
            Provider::Discovery | Provider::GoogleCredentials => {
                let host = host(server).unwrap_or_default();
                if !is_google(&host) {
                    return Err(GoogleError::ForeignHost(host));
                }
                let scopes = scopes(server);
                if scopes.is_empty() {
                    return Err(GoogleError::NoScopes);
                }
                let token = self.identity.access_token(&self.http, &scopes).await?;
                Ok(Kept::from(token))
            }
            Provider::Impersonation { account, audience } => {
                let account = account.as_deref();
                let account = account.ok_or(GoogleError::Missing("targetServiceAccount"))?;
                let audience = audience.as_deref();
                let audience = audience.ok_or(GoogleError::Missing("targetAudience"))?;
                self.impersonate(account, audience).await
            }
        }
    }

    async fn impersonate(&self, account: &str, audience: &str) -> Result<Kept, GoogleError> {
        let scopes = [CLOUD.to_owned()];
        let ours = self.identity.access_token(&self.http, &scopes).await?;
        let url = self.identity.addresses.impersonation(account)?;
        let body = json!({ "audience": audience, "includeEmail": true });
        let client = default_credentials::client(&self.http, &url).await?;
        let request = client
            .post(url.clone())
            .bearer_auth(&ours.token)
            .header("content-type", "application/json")
            .body(body.to_string());
        let answer = default_credentials::answer(&url, request).await?;
        let token = answer.get("token").and_then(Value::as_str);
        let token = token.ok_or_else(|| GoogleError::NoToken(default_credentials::name(&url)))?;
        Ok(Kept {
            token: token.to_owned(),
            ends: end_of(token).unwrap_or(ours.ends),
        })
    }

    /// Every change is a single insertion or removal, so a panic elsewhere leaves nothing half done.
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl From<AccessToken> for Kept {
    fn from(AccessToken { token, ends }: AccessToken) -> Self {
        Self { token, ends }
    }
}

fn host(server: &ServerConfig) -> Option<String> {
    let (Reach::Http { url, .. } | Reach::Sse { url, .. }) = &server.reach else {
        return None;
    };
    let url = Url::parse(url).ok()?;
    let host = url.host_str().map(str::to_owned);
    // A token must not be read on its way.
    host.filter(|_| url.scheme() == "https")
}

fn is_google(host: &str) -> bool {
    [".googleapis.com", ".luci.app"]
        .iter()
        .any(|end| host.strip_suffix(end).is_some_and(|name| !name.is_empty()))
}

fn scopes(server: &ServerConfig) -> Vec<String> {
    let scopes = server.oauth.as_ref().and_then(|oauth| oauth.get("scopes"));
    let scopes = scopes.and_then(Value::as_array).into_iter().flatten();
    let scopes = scopes.filter_map(Value::as_str);
    scopes.map(str::to_owned).collect()
}

/// When a signed token ends, as it says itself. Nobody here relies on it being true.
fn end_of(token: &str) -> Option<u64> {
    let claims = token.split('.').nth(1)?;
    let claims = BASE64_URL_SAFE_NO_PAD.decode(claims).ok()?;
    let claims: Value = serde_json::from_slice(&claims).ok()?;
    claims.get("exp")?.as_u64()?.checked_mul(1_000)
}
