//! A message posted to a server, and an answer that has an end.
//!
//! The library reads an answer that is JSON to its end, wherever that is, and leaves a call to its time limit when an
//! event is too long. Here whoever asked gets an error as soon as an answer is longer than anybody reads.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use futures_util::StreamExt;
use futures_util::stream;
use http::header::{ACCEPT, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderName, StatusCode};
use reqwest::{Client, Response};
use rmcp::model::{ClientJsonRpcMessage, ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError, StreamableHttpError,
    StreamableHttpPostResponse,
};
use sse_stream::{Error as SseError, Sse, SseStream};

use super::{Events, Failure, Headers};

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");
/// Bytes of what a server says about an error.
const LARGEST_ERROR: usize = 256 * 1024;
/// Characters of it that are told.
const LONGEST_ERROR: usize = 500;

pub(super) struct Post<'a> {
    pub(super) uri: &'a str,
    pub(super) message: &'a ClientJsonRpcMessage,
    pub(super) session: Option<&'a str>,
    pub(super) token: Option<String>,
    pub(super) headers: Headers,
    /// Bytes of an answer, or of one event.
    pub(super) largest: usize,
}

impl Post<'_> {
    pub(super) async fn send(self, client: &Client) -> Result<StreamableHttpPostResponse, Failure> {
        let response = self.request(client)?.send().await?;
        let (status, headers) = (response.status(), response.headers());
        let challenge = headers.get(WWW_AUTHENTICATE);
        let challenge = challenge.map(|it| String::from_utf8_lossy(it.as_bytes()).into_owned());
        match (status, challenge) {
            (StatusCode::UNAUTHORIZED, Some(challenge)) => {
                let error = AuthRequiredError::new(challenge);
                return Err(StreamableHttpError::AuthRequired(error));
            }
            (StatusCode::FORBIDDEN, Some(challenge)) => {
                let error = InsufficientScopeError::new(challenge, None);
                return Err(StreamableHttpError::InsufficientScope(error));
            }
            (StatusCode::ACCEPTED | StatusCode::NO_CONTENT, _) => {
                return Ok(StreamableHttpPostResponse::Accepted);
            }
            (StatusCode::NOT_FOUND, _) if self.session.is_some() => {
                return Err(StreamableHttpError::SessionExpired);
            }
            _ => {}
        }
        match status.is_success() {
            true => self.answered(response).await,
            false => self.failed(response).await,
        }
    }

    fn request(&self, client: &Client) -> Result<reqwest::RequestBuilder, Failure> {
        let mut request = client
            .post(self.uri)
            .header(ACCEPT, "text/event-stream, application/json")
            .header(CONTENT_TYPE, "application/json");
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        for (name, value) in &self.headers {
            if [&ACCEPT, &SESSION, &LAST_EVENT].contains(&name) {
                return Err(StreamableHttpError::ReservedHeaderConflict(
                    name.to_string(),
                ));
            }
            request = request.header(name, value);
        }
        if let Some(session) = self.session {
            request = request.header(SESSION, session);
        }
        Ok(request.body(serde_json::to_vec(self.message)?))
    }

    async fn answered(self, response: Response) -> Result<StreamableHttpPostResponse, Failure> {
        let session = text(response.headers(), &SESSION);
        let kind = text(response.headers(), &CONTENT_TYPE);
        let id = match self.message {
            ClientJsonRpcMessage::Request(request) => Some(request.id.clone()),
            _ => None,
        };
        // Some say "fine" where "accepted" is the word.
        if id.is_none() && response.content_length() == Some(0) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        match kind.as_deref() {
            Some(kind) if kind.starts_with("text/event-stream") => {
                let events = events(response, self.largest, id);
                Ok(StreamableHttpPostResponse::Sse(events, session))
            }
            Some(kind) if kind.starts_with("application/json") => {
                let body = whole(response, self.largest).await?;
                match (parsed(body, self.largest, id.as_ref()), id) {
                    (Ok(message), _) => Ok(StreamableHttpPostResponse::Json(message, session)),
                    (Err(error), Some(_)) => Err(error),
                    (Err(error), None) => {
                        tracing::debug!(%error, "a server answers where nothing was asked");
                        Ok(StreamableHttpPostResponse::Accepted)
                    }
                }
            }
            _ => Err(StreamableHttpError::UnexpectedContentType(kind)),
        }
    }

    /// An error may come as a message, and is told as such then.
    async fn failed(self, response: Response) -> Result<StreamableHttpPostResponse, Failure> {
        let (status, headers) = (response.status(), response.headers());
        let is_json = text(headers, &CONTENT_TYPE);
        let is_json = is_json.is_some_and(|kind| kind.starts_with("application/json"));
        let is_known = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
        let known = is_known.then(|| {
            let error = HttpStatusError::new(status.as_u16(), text(headers, &RETRY_AFTER));
            StreamableHttpError::HttpStatus(error)
        });
        let session = text(headers, &SESSION);
        let known = match known {
            Some(known) if !is_json || status == StatusCode::TOO_MANY_REQUESTS => {
                return Err(known);
            }
            known => known,
        };
        let body = whole(response, LARGEST_ERROR).await.ok().flatten();
        let body = body.unwrap_or_default();
        let is_refusal = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
        if is_json
            && !is_refusal
            && let Ok(message @ ServerJsonRpcMessage::Error(_)) = serde_json::from_slice(&body)
        {
            return Ok(StreamableHttpPostResponse::Json(message, session));
        }
        Err(known.unwrap_or_else(|| unexpected(format!("HTTP {status}: {}", beginning(&body)))))
    }
}

/// All of an answer. Nothing if that is too much.
async fn whole(mut response: Response, most: usize) -> Result<Option<Vec<u8>>, reqwest::Error> {
    let length = response.content_length().unwrap_or_default();
    if usize::try_from(length).is_ok_and(|length| length > most) {
        return Ok(None);
    }
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await? {
        if body.len() + piece.len() > most {
            return Ok(None);
        }
        body.extend_from_slice(&piece);
    }
    Ok(Some(body))
}

fn parsed(
    body: Option<Vec<u8>>,
    largest: usize,
    id: Option<&RequestId>,
) -> Result<ServerJsonRpcMessage, Failure> {
    let Some(body) = body else {
        let error = too_large(largest);
        return match id {
            Some(id) => Ok(ServerJsonRpcMessage::error(error, Some(id.clone()))),
            None => Err(unexpected(error.message.into_owned())),
        };
    };
    let message = serde_json::from_slice(&body);
    message.map_err(|error| unexpected(format!("{error}: {}", beginning(&body))))
}

fn too_large(largest: usize) -> ErrorData {
    let megabytes = largest / (1024 * 1024);
    tracing::warn!("a server answers with more than is read");
    ErrorData::internal_error(format!("its answer is longer than {megabytes} MB"), None)
}

fn unexpected(text: String) -> Failure {
    StreamableHttpError::UnexpectedServerResponse(Cow::Owned(text))
}

fn beginning(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    text.chars().take(LONGEST_ERROR).collect()
}

fn text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let value = headers.get(name)?.to_str().ok()?;
    Some(value.to_owned())
}

#[derive(Debug, thiserror::Error)]
enum Broken {
    #[error("an event is too long")]
    TooLong,
    #[error(transparent)]
    Connection(reqwest::Error),
}

/// The events of an answer. One that is too long is an error for whoever asked, and the last.
fn events(response: Response, largest: usize, id: Option<RequestId>) -> Events {
    let reading = (Some(response), Length::default());
    let bytes = stream::unfold(reading, move |(response, mut length)| async move {
        let mut response = response?;
        match response.chunk().await {
            Ok(Some(piece)) if length.stays_below(largest, &piece) => {
                Some((Ok(piece), (Some(response), length)))
            }
            Ok(Some(_)) => Some((Err(Broken::TooLong), (None, length))),
            Ok(None) => None,
            Err(error) => Some((Err(Broken::Connection(error)), (None, length))),
        }
    });
    let events = SseStream::from_bytes_stream(bytes.boxed());
    let told = move |event: Result<Sse, SseError>| match (event, &id) {
        (Err(SseError::Body(error)), Some(id)) if is_too_long(&*error) => {
            let error = ServerJsonRpcMessage::error(too_large(largest), Some(id.clone()));
            Ok(Sse {
                data: serde_json::to_string(&error).ok(),
                ..Sse::default()
            })
        }
        (event, _) => event,
    };
    events.map(told).boxed()
}

fn is_too_long(error: &(dyn std::error::Error + Send + Sync + 'static)) -> bool {
    matches!(error.downcast_ref(), Some(Broken::TooLong))
}

/// How long an event is so far. It ends with an empty line; signs of life are no part of it.
#[derive(Debug, Default)]
struct Length {
    event: usize,
    line: usize,
    is_comment: bool,
    after_return: bool,
}

impl Length {
    fn stays_below(&mut self, largest: usize, bytes: &[u8]) -> bool {
        for byte in bytes {
            match byte {
                // The second half of one line end.
                b'\n' if self.after_return => {}
                b'\n' | b'\r' if self.line == 0 => self.event = 0,
                b'\n' | b'\r' => self.line = 0,
                _ => {
                    if self.line == 0 {
                        self.is_comment = *byte == b':';
                    }
                    self.line += 1;
                    self.event += usize::from(!self.is_comment);
                }
            }
            self.after_return = *byte == b'\r';
            if self.event > largest || self.line > largest {
                return false;
            }
        }
        true
    }
}
