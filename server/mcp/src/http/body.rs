//! What goes out and what comes in.

use std::convert::Infallible;
use std::time::Duration;

use bytes::Bytes;
use futures_util::Stream;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue};
use hyper::{Request, Response, StatusCode};
use serde_json::Value;

use super::Reply;

pub(crate) type Body = BoxBody<Bytes, Infallible>;

/// What the companion of the twin takes: a file of a few megabytes, escaped.
pub(crate) const LARGEST: usize = 10 * 1024 * 1024;

/// How long a body may take. It comes from the same machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// A plain sentence.
pub(crate) fn said(status: StatusCode, words: &'static str) -> Reply {
    reply(
        status,
        "text/plain; charset=utf-8",
        Bytes::from_static(words.as_bytes()),
    )
}

pub(crate) fn json(status: StatusCode, value: &Value) -> Reply {
    reply(status, "application/json", value.to_string().into())
}

fn reply(status: StatusCode, kind: &'static str, bytes: Bytes) -> Reply {
    let mut reply = Response::new(Full::new(bytes).boxed());
    *reply.status_mut() = status;
    let headers = reply.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    reply
}

/// Server-sent events, for as long as they come.
pub(crate) fn streamed(events: impl Stream<Item = Bytes> + Send + Sync + 'static) -> Reply {
    use futures_util::StreamExt;
    let frames = events.map(|event| Ok::<_, Infallible>(Frame::data(event)));
    let mut reply = Response::new(BodyExt::boxed(StreamBody::new(frames)));
    let headers = reply.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(
        CACHE_CONTROL,
        HeaderValue::from_static("no-cache, no-transform"),
    );
    reply
}

/// A refusal for a body that says itself that it is too large, before anything of it is waited for.
pub(crate) fn refused_by_length(headers: &HeaderMap) -> Option<Reply> {
    let length = headers.get(CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    length
        .is_some_and(|length| length > LARGEST)
        .then(too_large)
}

/// Reads a body whole, unless it is too large or too slow.
pub(crate) async fn read(request: Request<Incoming>) -> Result<Bytes, Box<Reply>> {
    if let Some(refused) = refused_by_length(request.headers()) {
        return Err(Box::new(refused));
    }
    let reading = Limited::new(request.into_body(), LARGEST).collect();
    let refused = match tokio::time::timeout(PATIENCE, reading).await {
        Ok(Ok(body)) => return Ok(body.to_bytes()),
        Err(_) => said(StatusCode::REQUEST_TIMEOUT, "the body takes too long"),
        Ok(Err(error)) if error.is::<LengthLimitError>() => too_large(),
        Ok(Err(_)) => said(StatusCode::BAD_REQUEST, "the body cannot be read"),
    };
    Err(Box::new(refused))
}

fn too_large() -> Reply {
    let mut reply = said(
        StatusCode::PAYLOAD_TOO_LARGE,
        "the body has more than 10 MB",
    );
    // What is left of it is not read, so nothing can follow on this connection.
    let close = HeaderValue::from_static("close");
    reply.headers_mut().insert(hyper::header::CONNECTION, close);
    reply
}
