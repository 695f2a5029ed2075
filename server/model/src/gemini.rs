//! The Gemini API by REST, and Vertex AI in express mode, which speaks the same language under other paths.

mod body;
mod config;
mod decoder;
mod grounding;
mod refusal;
mod thought;

use bytes::Bytes;
use reqwest::Method;
use tokio_util::sync::CancellationToken;

pub use config::{GeminiApi, GeminiConfig, KeyMechanism};
pub(crate) use decoder::Decoder;
pub(crate) use refusal::{refused, says_quota_used_up};

use crate::http::{Endpoint, Exchange, Http, KeyHeader, configuration};
use crate::wire::{Call, CallIds, Dialect};
use crate::{Answer, EventStream, ModelError, ReplyFlaw, Request};

/// A Gemini model at one address. Clones share their connections.
#[derive(Clone, Debug)]
pub struct Gemini {
    config: GeminiConfig,
    endpoint: Endpoint,
    http: Http,
    ids: CallIds,
}

#[derive(Clone, Copy)]
enum Action {
    Stream,
    Generate,
    CountTokens,
}

impl Gemini {
    /// Checks the address, the key and the headers. Nothing is sent.
    pub fn new(config: GeminiConfig, http: Http) -> Result<Self, ModelError> {
        let header = match config.key_mechanism {
            KeyMechanism::GoogApiKey => KeyHeader::Goog,
            KeyMechanism::Bearer => KeyHeader::Bearer,
        };
        let key = config.key.as_ref().map(|key| (key, header));
        let endpoint = Endpoint::new(&config.base_url, key, &config.headers)?.require_https()?;
        if config.model.trim().is_empty() {
            return Err(configuration("the model has no name"));
        }
        Ok(Self {
            config,
            endpoint,
            http,
            ids: CallIds::default(),
        })
    }

    pub fn name(&self) -> &str {
        &self.config.model
    }

    /// See [`Model::stream`](crate::Model::stream).
    pub fn stream(&self, request: &Request, cancel: CancellationToken) -> EventStream {
        match body::generate(request, self.name()) {
            Ok(body) => self.call(Action::Stream, body).stream(cancel),
            Err(error) => crate::stream::failed(error),
        }
    }

    /// See [`Model::stream_whole`](crate::Model::stream_whole).
    pub fn stream_whole(&self, request: &Request, cancel: CancellationToken) -> EventStream {
        match body::generate(request, self.name()) {
            Ok(body) => self.call(Action::Generate, body).stream(cancel),
            Err(error) => crate::stream::failed(error),
        }
    }

    /// The same, for callers who need the answer as a whole. An answer that was cut off is an error.
    pub async fn generate(
        &self,
        request: &Request,
        cancel: CancellationToken,
    ) -> Result<Answer, ModelError> {
        Answer::collect(self.stream_whole(request, cancel)).await
    }

    /// How many tokens the conversation takes, by the provider's own count. The system instruction and the tools
    /// are not part of it.
    pub async fn count_tokens(
        &self,
        request: &Request,
        cancel: CancellationToken,
    ) -> Result<u64, ModelError> {
        let body = body::count_tokens(request, self.name())?;
        let reply = self.call(Action::CountTokens, body).fetch(cancel).await?;
        let count: Option<serde_json::Value> = serde_json::from_slice(&reply).ok();
        let total = count.as_ref().and_then(|count| count.get("totalTokens"));
        total.and_then(serde_json::Value::as_u64).ok_or_else(|| {
            ModelError::bad_reply(ReplyFlaw::Incomplete, "the token count is missing")
        })
    }

    fn call(&self, action: Action, body: Bytes) -> Call {
        Call {
            exchange: Exchange {
                http: self.http.clone(),
                endpoint: self.endpoint.clone(),
                method: Method::POST,
                url: self.url(action),
                body,
            },
            dialect: Dialect::Gemini,
            retry: match action {
                // Nobody waits for a count: it can be estimated.
                Action::CountTokens => self.config.retry.clone().with_attempts(1),
                Action::Stream | Action::Generate => self.config.retry.clone(),
            },
            ids: self.ids.clone(),
        }
    }

    fn url(&self, action: Action) -> reqwest::Url {
        let method = match action {
            Action::Stream => "streamGenerateContent",
            Action::Generate => "generateContent",
            Action::CountTokens => "countTokens",
        };
        let model = self.config.model.trim();
        let model = model.strip_prefix("models/").unwrap_or(model);
        let last = format!("{model}:{method}");
        let version = self.config.version();
        let mut url = match self.config.api {
            GeminiApi::Developer => self.endpoint.url(&[version, "models", &last]),
            GeminiApi::VertexExpress => {
                let path = [version, "publishers", "google", "models", &last];
                self.endpoint.url(&path)
            }
        };
        if matches!(action, Action::Stream) {
            url.set_query(Some("alt=sse"));
        }
        url
    }
}

#[cfg(test)]
mod tests;
