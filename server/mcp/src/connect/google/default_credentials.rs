//! Who this machine is at Google: the file of `gcloud`, or the metadata server.

use std::path::PathBuf;
use std::time::Duration;

use pollux_model::Http;
use reqwest::{Client, RequestBuilder};
use serde_json::Value;
use url::{Url, form_urlencoded};

use super::GoogleError;
use crate::connect::auth::now;

const PATIENCE: Duration = Duration::from_secs(10);
/// An answer is a few kilobytes.
const LARGEST: usize = 256 * 1024;

/// Where Google is. Another place only in tests, and where a machine has its metadata elsewhere.
#[derive(Clone, Debug)]
pub struct GoogleAddresses {
    pub tokens: String,
    pub impersonation: String,
    pub metadata: String,
}

impl Default for GoogleAddresses {
    fn default() -> Self {
        Self {
            tokens: "https://oauth2.googleapis.com/token".to_owned(),
            impersonation: "https://iamcredentials.googleapis.com".to_owned(),
            metadata: "http://metadata.google.internal".to_owned(),
        }
    }
}

impl GoogleAddresses {
    pub(super) fn impersonation(&self, account: &str) -> Result<Url, GoogleError> {
        let mut url = parsed(&self.impersonation)?;
        let method = format!("{account}:generateIdToken");
        if let Ok(mut path) = url.path_segments_mut() {
            path.clear()
                .extend(["v1", "projects", "-", "serviceAccounts", &method]);
        }
        Ok(url)
    }
}

/// Where to look for who we are.
#[derive(Clone, Debug, Default)]
pub struct GoogleIdentity {
    /// The first that exists counts.
    pub files: Vec<PathBuf>,
    pub addresses: GoogleAddresses,
}

pub(super) struct AccessToken {
    pub(super) token: String,
    /// In milliseconds since 1970.
    pub(super) ends: u64,
}

impl GoogleIdentity {
    pub(super) async fn access_token(
        &self,
        http: &Http,
        scopes: &[String],
    ) -> Result<AccessToken, GoogleError> {
        for file in &self.files {
            let text = match std::fs::read_to_string(file) {
                Ok(text) => text,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => {
                    let told = format!("{} cannot be read: {error}", file.display());
                    return Err(GoogleError::Unreadable(told));
                }
            };
            let name = file.display().to_string();
            return self.of_person(http, &name, &text).await;
        }
        self.of_machine(http, scopes).await
    }

    /// What somebody has signed in with by `gcloud`. Its scopes were settled then.
    async fn of_person(
        &self,
        http: &Http,
        file: &str,
        text: &str,
    ) -> Result<AccessToken, GoogleError> {
        let written: Value = serde_json::from_str(text)
            .map_err(|_hides_secrets| GoogleError::Unreadable(format!("{file} is no JSON")))?;
        let field = |name: &str| {
            written
                .get(name)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let kind = field("type");
        if kind != "authorized_user" {
            return Err(GoogleError::WrongKind(file.to_owned(), kind.to_owned()));
        }
        let form = form_urlencoded::Serializer::new(String::new())
            .append_pair("grant_type", "refresh_token")
            .append_pair("client_id", field("client_id"))
            .append_pair("client_secret", field("client_secret"))
            .append_pair("refresh_token", field("refresh_token"))
            .finish();
        let url = parsed(&self.addresses.tokens)?;
        let request = client(http, &url)
            .await?
            .post(url.clone())
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form);
        token_in(&url, &answer(&url, request).await?)
    }

    async fn of_machine(&self, http: &Http, scopes: &[String]) -> Result<AccessToken, GoogleError> {
        let mut url = parsed(&self.addresses.metadata)?;
        url.set_path("/computeMetadata/v1/instance/service-accounts/default/token");
        url.query_pairs_mut()
            .append_pair("scopes", &scopes.join(","));
        // The header is how a metadata server knows that no page in a browser asks.
        let request = client(http, &url)
            .await?
            .get(url.clone())
            .header("metadata-flavor", "Google");
        match answer(&url, request).await {
            Ok(answer) => token_in(&url, &answer),
            Err(GoogleError::Unreachable(_)) => Err(GoogleError::Nobody),
            Err(error) => Err(error),
        }
    }
}

fn parsed(text: &str) -> Result<Url, GoogleError> {
    Url::parse(text).map_err(|_| GoogleError::Unreadable(format!("`{text}` is no address")))
}

/// What an address is called where people read it.
pub(super) fn name(url: &Url) -> String {
    url.host_str().unwrap_or_default().to_owned()
}

pub(super) async fn client(http: &Http, url: &Url) -> Result<Client, GoogleError> {
    let client = http.client_for(url).await;
    client.map_err(|_| GoogleError::Unreachable(name(url)))
}

pub(super) async fn answer(url: &Url, request: RequestBuilder) -> Result<Value, GoogleError> {
    let exchange = async {
        let mut response = request.send().await.ok()?;
        let status = response.status();
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.ok()? {
            body.extend_from_slice(&chunk);
            if body.len() > LARGEST {
                return None;
            }
        }
        Some((status, body))
    };
    let answer = tokio::time::timeout(PATIENCE, exchange).await;
    let (status, body) = answer
        .ok()
        .flatten()
        .ok_or_else(|| GoogleError::Unreachable(name(url)))?;
    if !status.is_success() {
        return Err(GoogleError::Refused {
            host: name(url),
            status: status.as_u16(),
        });
    }
    serde_json::from_slice(&body).map_err(|_| GoogleError::NoToken(name(url)))
}

fn token_in(url: &Url, answer: &Value) -> Result<AccessToken, GoogleError> {
    let token = answer.get("access_token").and_then(Value::as_str);
    let token = token.ok_or_else(|| GoogleError::NoToken(name(url)))?;
    let seconds = answer.get("expires_in").and_then(Value::as_u64);
    let lasts = seconds.unwrap_or_default().saturating_mul(1_000);
    Ok(AccessToken {
        token: token.to_owned(),
        ends: now().saturating_add(lasts),
    })
}
