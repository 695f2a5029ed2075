//! The transport before streamable HTTP: one stream of events that never ends, and requests beside it.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use bytes::Bytes;
use pollux_model::SseDecoder;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, WWW_AUTHENTICATE};
use reqwest::{Client, RequestBuilder, Response, StatusCode, Url};
use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

use super::auth::{Moment, Refusal, Signature};

/// As long as a message of the other transports.
const LARGEST_EVENT: usize = 16 * 1024 * 1024;
/// Messages that wait to be looked at. A server that sends faster waits.
const WAITING: usize = 64;

#[derive(Debug, thiserror::Error)]
pub(super) enum SseError {
    #[error("the server wants somebody to sign in")]
    Unauthorized { challenge: Option<String> },
    #[error("the server answers {0}")]
    Status(StatusCode),
    #[error("the server does not answer with a stream of events")]
    NoStream,
    #[error("the stream ended before it said where requests go")]
    NoEndpoint,
    #[error("requests would go to another server: {0}")]
    ForeignEndpoint(String),
    #[error("the server cannot be reached: {0}")]
    Unreachable(#[source] reqwest::Error),
    #[error("a message cannot be written: {0}")]
    Unwritable(#[source] serde_json::Error),
}

pub(super) struct SseTransport {
    client: Client,
    headers: HeaderMap,
    signature: Signature,
    endpoint: Url,
    incoming: mpsc::Receiver<RxJsonRpcMessage<RoleClient>>,
    _reading: AbortOnDropHandle<()>,
}

impl SseTransport {
    /// Opens the stream and waits for it to say where requests go.
    pub(super) async fn open(
        client: Client,
        url: Url,
        headers: HeaderMap,
        signature: Signature,
    ) -> Result<Self, SseError> {
        let parameter = token_parameter(&signature);
        let get = |token: Option<String>| {
            let mut url = url.clone();
            if let (Some(parameter), Some(token)) = (&parameter, &token) {
                url.query_pairs_mut().append_pair(parameter, token);
            }
            let request = client.get(url).headers(headers.clone());
            let request = signed(request, token).header(ACCEPT, "text/event-stream");
            async move { fine(request.send().await.map_err(unreachable)?) }
        };
        let response = signature.send(Moment::Beginning, get, refusal).await?;
        let kind = response.headers().get(CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if !kind.starts_with("text/event-stream") {
            return Err(SseError::NoStream);
        }
        let mut stream = Stream {
            response,
            decoder: SseDecoder::with_limit(LARGEST_EVENT),
            events: VecDeque::new(),
        };
        let endpoint = loop {
            match stream.next().await {
                None => return Err(SseError::NoEndpoint),
                Some((event, data)) if event == "endpoint" => break data,
                Some(_) => {}
            }
        };
        let endpoint = same_origin(&url, endpoint.trim())?;
        let (sender, incoming) = mpsc::channel(WAITING);
        let reading = tokio::spawn(async move {
            while let Some((event, data)) = stream.next().await {
                if !matches!(event.as_str(), "" | "message") {
                    continue;
                }
                match serde_json::from_str(&data) {
                    Ok(message) => {
                        if sender.send(message).await.is_err() {
                            return;
                        }
                    }
                    Err(error) => tracing::debug!(%error, "a server sends what is no message"),
                }
            }
        });
        Ok(Self {
            client,
            headers,
            signature,
            endpoint,
            incoming,
            _reading: AbortOnDropHandle::new(reading),
        })
    }
}

/// What a token was meant for must not go elsewhere.
fn same_origin(url: &Url, endpoint: &str) -> Result<Url, SseError> {
    let foreign = || SseError::ForeignEndpoint(endpoint.chars().take(200).collect());
    let joined = url.join(endpoint).map_err(|_| foreign())?;
    match joined.origin() == url.origin() {
        true => Ok(joined),
        false => Err(foreign()),
    }
}

/// Browsers cannot put a header on a stream of events, so some servers look for the token in the address.
fn token_parameter(signature: &Signature) -> Option<String> {
    let oauth = signature.server.oauth.as_ref()?;
    let name = oauth.get("tokenParamName")?.as_str()?;
    Some(name.to_owned()).filter(|name| !name.is_empty())
}

fn signed(request: RequestBuilder, token: Option<String>) -> RequestBuilder {
    match token {
        Some(token) => request.bearer_auth(token),
        None => request,
    }
}

fn refusal(error: &SseError) -> Option<Refusal> {
    match error {
        SseError::Unauthorized { challenge } => Some(Refusal::Token {
            challenge: challenge.clone(),
        }),
        _ => None,
    }
}

fn fine(response: Response) -> Result<Response, SseError> {
    match response.status() {
        status if status.is_success() => Ok(response),
        StatusCode::UNAUTHORIZED => {
            let challenge = response.headers().get(WWW_AUTHENTICATE);
            let challenge = challenge.and_then(|challenge| challenge.to_str().ok());
            Err(SseError::Unauthorized {
                challenge: challenge.map(str::to_owned),
            })
        }
        status => Err(SseError::Status(status)),
    }
}

fn unreachable(error: reqwest::Error) -> SseError {
    SseError::Unreachable(error.without_url())
}

struct Stream {
    response: Response,
    decoder: SseDecoder,
    events: VecDeque<pollux_model::SseEvent>,
}

impl Stream {
    async fn next(&mut self) -> Option<(String, String)> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Some((event.event, event.data));
            }
            let bytes = self.response.chunk().await.ok()??;
            if let Err(error) = self.decoder.feed(&bytes, &mut self.events) {
                tracing::warn!(%error, "a server's stream is given up");
                return None;
            }
        }
    }
}

impl Transport<RoleClient> for SseTransport {
    type Error = SseError;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), SseError>> + Send + 'static {
        let moment = Moment::of(&item);
        let body = serde_json::to_vec(&item).map_err(SseError::Unwritable);
        let (client, headers) = (self.client.clone(), self.headers.clone());
        let (endpoint, signature) = (self.endpoint.clone(), self.signature.clone());
        async move {
            let body = Bytes::from(body?);
            let post = |token| {
                let request = client.post(endpoint.clone()).headers(headers.clone());
                let request = signed(request, token)
                    .header(CONTENT_TYPE, "application/json")
                    .body(body.clone());
                async move { fine(request.send().await.map_err(unreachable)?).map(drop) }
            };
            signature.send(moment, post, refusal).await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.incoming.recv().await
    }

    async fn close(&mut self) -> Result<(), SseError> {
        self.incoming.close();
        Ok(())
    }
}
