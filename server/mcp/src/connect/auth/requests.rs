//! Every request of a sign-in, looked at before it is sent and after it is answered.

use std::sync::OnceLock;
use std::time::Duration;

use http::header::{CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, Method};
use pollux_model::Http;
use reqwest::Client;
use rmcp::transport::auth::{
    OAuthHttpClient, OAuthHttpClientFuture, OAuthHttpRequest, WWWAuthenticateParams,
};
use serde_json::Value;
use url::Url;

use super::addresses::{AddressError, Surroundings};
use super::answers::{foreign_resource, token_answer};

/// Metadata and tokens are a few kilobytes.
const LARGEST: usize = 1024 * 1024;
const PATIENCE: Duration = Duration::from_secs(30);

/// Why a request came to nothing.
#[derive(Debug, thiserror::Error)]
pub(super) enum RequestError {
    #[error(transparent)]
    Address(#[from] AddressError),
    #[error("the metadata is about another resource, `{0}`")]
    ForeignResource(String),
    #[error("the metadata is said to be on another server, {0}")]
    ForeignMetadata(String),
    #[error("the answer is longer than {LARGEST} bytes")]
    TooLarge,
    #[error("the request cannot be sent: {0}")]
    Unsendable(String),
    #[error("{0}")]
    Unreachable(String),
}

pub(super) type Answer = http::Response<Vec<u8>>;

pub(super) struct Requests {
    client: Client,
    server: Url,
    surroundings: Surroundings,
    /// What a server gave us when it registered us. The library keeps it to itself.
    client_secret: OnceLock<String>,
}

impl Requests {
    pub(super) async fn of(http: &Http, server: &Url) -> Result<Self, RequestError> {
        let surroundings = Surroundings::of(server);
        let client = http.client_within(surroundings.reach).await;
        let client = client.map_err(|error| RequestError::Unreachable(error.to_string()))?;
        Ok(Self {
            client,
            server: server.clone(),
            surroundings,
            client_secret: OnceLock::new(),
        })
    }

    pub(super) fn surroundings(&self) -> Surroundings {
        self.surroundings
    }

    pub(super) fn client_secret(&self) -> Option<String> {
        self.client_secret.get().cloned()
    }

    pub(super) async fn send(
        &self,
        request: http::Request<Vec<u8>>,
    ) -> Result<Answer, RequestError> {
        let is_post = request.method() == Method::POST;
        let wants_token = is_post && is_form(request.headers());
        let unsendable =
            |error: reqwest::Error| RequestError::Unsendable(error.without_url().to_string());
        let request = reqwest::Request::try_from(request).map_err(unsendable)?;
        let url = request.url().clone();
        self.surroundings.check(&url)?;
        let sending = self.exchange(request);
        let answer = tokio::time::timeout(PATIENCE, sending).await;
        let late = || RequestError::Unreachable("it does not answer".to_owned());
        let mut answer = answer.map_err(|_elapsed| late())??;
        self.check_pointer(answer.headers())?;
        if url.path().contains("/.well-known/oauth-protected-resource")
            && answer.status().is_success()
            && let Some(resource) = foreign_resource(&self.server, answer.body())
        {
            return Err(RequestError::ForeignResource(resource));
        }
        if wants_token && let Some(mended) = token_answer(answer.body()) {
            *answer.body_mut() = mended.to_string().into_bytes();
            let json = HeaderValue::from_static("application/json");
            answer.headers_mut().insert(CONTENT_TYPE, json);
        }
        if is_post && !wants_token {
            self.registered(answer.body());
        }
        Ok(answer)
    }

    fn registered(&self, answer: &[u8]) {
        let answer = serde_json::from_slice::<Value>(answer).unwrap_or_default();
        let secret = answer.get("client_secret").and_then(Value::as_str);
        if let Some(secret) = secret.filter(|secret| !secret.is_empty()) {
            self.client_secret.get_or_init(|| secret.to_owned());
        }
    }

    async fn exchange(&self, request: reqwest::Request) -> Result<Answer, RequestError> {
        let mut response = self.client.execute(request).await.map_err(unreachable)?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(unreachable)? {
            if body.len() + chunk.len() > LARGEST {
                return Err(RequestError::TooLarge);
            }
            body.extend_from_slice(&chunk);
        }
        Ok(http::Response::<reqwest::Body>::from(response).map(|_read| body))
    }

    /// A server describes itself. Metadata elsewhere could be anybody's.
    fn check_pointer(&self, headers: &HeaderMap) -> Result<(), RequestError> {
        let challenges = headers.get_all(WWW_AUTHENTICATE);
        for challenge in challenges.iter().filter_map(|value| value.to_str().ok()) {
            check_challenge(&self.server, challenge)?;
        }
        Ok(())
    }
}

/// Refuses metadata of another origin.
pub(super) fn check_challenge(server: &Url, challenge: &str) -> Result<(), RequestError> {
    let pointer = WWWAuthenticateParams::parse(challenge, server).resource_metadata_url;
    match pointer {
        Some(pointer) if pointer.origin() != server.origin() => {
            let host = pointer.host_str().unwrap_or_default().to_owned();
            Err(RequestError::ForeignMetadata(host))
        }
        Some(_) | None => Ok(()),
    }
}

impl OAuthHttpClient for Requests {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        // Redirects are never followed here: the library follows those of metadata itself, within an origin.
        Box::pin(async move { Ok(self.send(request.request).await?) })
    }
}

fn is_form(headers: &HeaderMap) -> bool {
    let kind = headers
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("application/x-www-form-urlencoded"))
}

/// Without the address, which may hold a secret, and with the innermost cause, which says most.
fn unreachable(error: reqwest::Error) -> RequestError {
    let error = error.without_url();
    let mut cause: &dyn std::error::Error = &error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    RequestError::Unreachable(cause.to_string())
}
