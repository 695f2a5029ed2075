//! One request and its reply, with a limit on every wait.

use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Method, Response, Url};
use tokio::time::timeout;

use super::{Endpoint, Http};
use crate::{ErrorText, ModelError, NetworkCause, NetworkError, Phase, ReplyFlaw};

/// A body that describes an error is short; of a longer one the start will do.
const LONGEST_ERROR_BODY: usize = 256 << 10;

/// What to send. Cheap to send again.
#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    pub(crate) http: Http,
    pub(crate) endpoint: Endpoint,
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) body: Bytes,
}

/// A reply whose head has arrived with a good status.
#[derive(Debug)]
pub(crate) struct Reply {
    response: Response,
    idle_timeout: Duration,
    endpoint: Endpoint,
}

/// A reply with a bad status.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
    /// The `Retry-After` header, when it is in seconds.
    pub(crate) retry_after: Option<Duration>,
}

/// Why there is no [`Reply`].
pub(crate) enum NoReply {
    Refused(Refusal),
    Failed(ModelError),
}

impl Exchange {
    pub(crate) async fn send(&self) -> Result<Reply, NoReply> {
        let options = self.http.options();
        let client = self.http.client_for(&self.url).await;
        let client = client.map_err(NoReply::Failed)?;
        let request = client
            .request(self.method.clone(), self.url.clone())
            .headers(self.endpoint.headers().clone())
            .body(self.body.clone())
            .send();
        let response = match timeout(options.first_byte_timeout, request).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(NoReply::Failed(network(&self.endpoint, &error))),
            Err(_elapsed) => {
                let error = wait_error(&self.endpoint, NetworkCause::TimedOut);
                return Err(NoReply::Failed(error));
            }
        };
        let reply = Reply {
            response,
            idle_timeout: options.idle_timeout,
            endpoint: self.endpoint.clone(),
        };
        if reply.response.status().is_success() {
            Ok(reply)
        } else {
            Err(NoReply::Refused(reply.into_refusal().await))
        }
    }
}

impl Reply {
    /// The next piece of the body; `None` at its end.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>, ModelError> {
        self.chunk_within(self.idle_timeout).await
    }

    pub(crate) async fn chunk_within(
        &mut self,
        limit: Duration,
    ) -> Result<Option<Bytes>, ModelError> {
        match timeout(limit, self.response.chunk()).await {
            Ok(Ok(chunk)) => Ok(chunk),
            Ok(Err(error)) => Err(network(&self.endpoint, &error)),
            Err(_elapsed) => Err(wait_error(&self.endpoint, NetworkCause::Stalled)),
        }
    }

    /// Whether the body is one JSON value and no stream.
    pub(crate) fn is_json(&self) -> bool {
        let content_type = self.response.headers().get(CONTENT_TYPE);
        content_type.is_some_and(|value| value.as_bytes().starts_with(b"application/json"))
    }

    /// What the server calls its body.
    pub(crate) fn content_type(&self) -> String {
        let content_type = self.response.headers().get(CONTENT_TYPE);
        let named = content_type.and_then(|value| value.to_str().ok());
        let named = named
            .and_then(|value| value.split(';').next())
            .map(str::trim);
        match named {
            Some(named) if !named.is_empty() => named.chars().take(60).collect(),
            _ => "something".to_owned(),
        }
    }

    /// All of the body, unless it is longer than any answer.
    pub(crate) async fn whole(mut self, limit: usize) -> Result<Vec<u8>, ModelError> {
        let mut body = Vec::new();
        while let Some(chunk) = self.chunk().await? {
            if body.len() + chunk.len() > limit {
                let message = format!("the reply is longer than {limit} bytes");
                return Err(ModelError::bad_reply(ReplyFlaw::TooLong, message));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    /// The status tells most of it, so a body that breaks off is kept as far as it came.
    async fn into_refusal(mut self) -> Refusal {
        let status = self.response.status().as_u16();
        let seconds = self.response.headers().get(RETRY_AFTER);
        let seconds = seconds.and_then(|value| value.to_str().ok()?.trim().parse().ok());
        let mut body = Vec::new();
        while body.len() < LONGEST_ERROR_BODY
            && let Ok(Some(chunk)) = self.chunk().await
        {
            body.extend_from_slice(&chunk);
        }
        body.truncate(LONGEST_ERROR_BODY);
        Refusal {
            status,
            body,
            retry_after: seconds.map(Duration::from_secs),
        }
    }
}

fn network(endpoint: &Endpoint, error: &reqwest::Error) -> ModelError {
    let cause = match NetworkCause::of(error) {
        NetworkCause::Other if error.is_timeout() => NetworkCause::TimedOut,
        cause => cause,
    };
    // Outer errors repeat themselves and name the address; the innermost says what happened.
    let mut innermost: &dyn std::error::Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    let text = if std::error::Error::source(error).is_some() {
        let what = innermost.to_string();
        // The number adds nothing to the words before it.
        let what = what.split(" (os error").next().unwrap_or_default();
        format!("{}: {what}", endpoint.host())
    } else {
        endpoint.host()
    };
    failed(cause, endpoint.text(&text))
}

fn wait_error(endpoint: &Endpoint, cause: NetworkCause) -> ModelError {
    failed(cause, endpoint.text(&endpoint.host()))
}

fn failed(cause: NetworkCause, message: ErrorText) -> ModelError {
    ModelError::Network(NetworkError {
        phase: Phase::BeforeAnswer,
        cause,
        message,
    })
}
