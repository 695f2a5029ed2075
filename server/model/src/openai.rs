//! OpenAI-compatible chat completions: Ollama, llama.cpp, vLLM, LM Studio and the hosted ones.
//!
//! The servers differ in details; what they agree on is sent, and what any of them sends is understood.

mod body;
mod decoder;
mod list;
mod messages;
mod refusal;
mod window;

use bytes::Bytes;
use reqwest::Method;
use tokio_util::sync::CancellationToken;

pub(crate) use decoder::Decoder;
pub use list::first_model;
pub(crate) use refusal::refused;
pub use window::ContextWindow;

use crate::http::{CustomHeaders, Endpoint, Exchange, Http, KeyHeader, configuration};
use crate::retry::RetryPolicy;
use crate::wire::{Call, CallIds, Dialect};
use crate::{Answer, ApiKey, EventStream, ModelError, Request};

/// How to reach a chat-completions server.
#[derive(Clone)]
pub struct OpenAiConfig {
    /// With its version, such as `http://127.0.0.1:11434/v1`.
    pub base_url: String,
    /// Local servers want none. It is sent to the base URL and nowhere else.
    pub key: Option<ApiKey>,
    pub model: String,
    pub headers: CustomHeaders,
    pub retry: RetryPolicy,
    pub window: ContextWindow,
}

/// A model behind chat completions. Clones share their connections.
#[derive(Clone, Debug)]
pub struct OpenAi {
    config: OpenAiConfig,
    endpoint: Endpoint,
    http: Http,
    ids: CallIds,
}

/// Whether the reply comes in pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Delivery {
    Streamed,
    Whole,
}

impl OpenAiConfig {
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            key: None,
            model: model.into(),
            headers: CustomHeaders::default(),
            retry: RetryPolicy::default(),
            window: ContextWindow::default(),
        }
    }
}

/// Without the base URL: it may hold a password.
impl std::fmt::Debug for OpenAiConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenAiConfig")
            .field("key", &self.key)
            .field("model", &self.model)
            .field("headers", &self.headers)
            .field("retry", &self.retry)
            .finish_non_exhaustive()
    }
}

impl OpenAi {
    /// Checks the address, the key and the headers. Nothing is sent.
    pub fn new(config: OpenAiConfig, http: Http) -> Result<Self, ModelError> {
        let key = config.key.as_ref().map(|key| (key, KeyHeader::Bearer));
        let endpoint = Endpoint::new(&config.base_url, key, &config.headers)?;
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

    pub fn window(&self) -> &ContextWindow {
        &self.config.window
    }

    /// See [`Model::stream`](crate::Model::stream).
    pub fn stream(&self, request: &Request, cancel: CancellationToken) -> EventStream {
        match body::write(request, self.name(), Delivery::Streamed) {
            Ok(body) => self.call(body).stream(cancel),
            Err(error) => crate::stream::failed(error),
        }
    }

    /// See [`Model::stream_whole`](crate::Model::stream_whole).
    pub fn stream_whole(&self, request: &Request, cancel: CancellationToken) -> EventStream {
        match body::write(request, self.name(), Delivery::Whole) {
            Ok(body) => self.call(body).stream(cancel),
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

    fn call(&self, body: Bytes) -> Call {
        Call {
            exchange: Exchange {
                http: self.http.clone(),
                endpoint: self.endpoint.clone(),
                method: Method::POST,
                url: self.endpoint.url(&["chat", "completions"]),
                body,
            },
            dialect: Dialect::OpenAi,
            retry: self.config.retry.clone(),
            ids: self.ids.clone(),
        }
    }
}

#[cfg(test)]
mod tests;
