//! Streamable HTTP with signed requests.

mod opening;
mod posting;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::stream::BoxStream;
use http::{HeaderName, HeaderValue, StatusCode};
use reqwest::Client;
use rmcp::model::{ClientJsonRpcMessage, ClientNotification, ClientRequest};
use rmcp::transport::streamable_http_client::{
    StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::{Error as SseError, Sse};

use super::signature::{Moment, Refusal, Signature};

use opening::Opening;
use posting::Post;

type Failure = StreamableHttpError<reqwest::Error>;
type Events = BoxStream<'static, Result<Sse, SseError>>;
type Headers = HashMap<HeaderName, HeaderValue>;

/// Of an event, and of an answer that is none. As long as a message of the other transports.
const LARGEST_EVENT: usize = 16 * 1024 * 1024;

#[derive(Clone)]
pub(in crate::connect) struct SignedClient {
    client: Client,
    signature: Signature,
    opening: Arc<Opening>,
}

impl SignedClient {
    pub(in crate::connect) fn new(client: Client, signature: Signature) -> Self {
        Self {
            client,
            signature,
            opening: Arc::default(),
        }
    }
}

/// Not every server that turns us away says how it wants to be asked.
fn refusal(failure: &Failure) -> Option<Refusal> {
    let said = |challenge: &str| Some(challenge.to_owned()).filter(|text| !text.is_empty());
    match failure {
        StreamableHttpError::AuthRequired(error) => Some(Refusal::Token {
            challenge: said(&error.www_authenticate_header),
        }),
        StreamableHttpError::InsufficientScope(error) => Some(Refusal::Right {
            challenge: said(&error.www_authenticate_header),
        }),
        _ => None,
    }
}

/// The failures that the library knows by other names than we do.
fn named(failure: Failure) -> Failure {
    let auth = rmcp::transport::streamable_http_client::AuthRequiredError::new(String::new());
    match failure {
        StreamableHttpError::UnexpectedServerResponse(text) if text.starts_with("HTTP 401") => {
            StreamableHttpError::AuthRequired(auth)
        }
        StreamableHttpError::Client(error) => match error.status() {
            Some(StatusCode::UNAUTHORIZED) => StreamableHttpError::AuthRequired(auth),
            // Said of a stream that is not there, where 405 would be the word for it.
            Some(StatusCode::NOT_FOUND) => StreamableHttpError::ServerDoesNotSupportSse,
            _ => StreamableHttpError::Client(error),
        },
        other => other,
    }
}

impl StreamableHttpClient for SignedClient {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let largest = LARGEST_EVENT;
        self.post_message_with_max_sse_event_size(uri, message, session_id, token, headers, largest)
            .await
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        _: Option<String>,
        headers: Headers,
        largest: usize,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        if session_id.is_some() {
            match &message {
                ClientJsonRpcMessage::Notification(note)
                    if matches!(
                        note.notification,
                        ClientNotification::InitializedNotification(_)
                    ) =>
                {
                    self.opening.begins();
                }
                ClientJsonRpcMessage::Request(request)
                    if matches!(request.request, ClientRequest::CallToolRequest(_)) =>
                {
                    self.opening.settled().await;
                }
                _ => {}
            }
        }
        let post = |token| {
            let (client, uri, message) = (self.client.clone(), uri.clone(), message.clone());
            let (session, headers) = (session_id.clone(), headers.clone());
            async move {
                let post = Post {
                    uri: &uri,
                    message: &message,
                    session: session.as_deref(),
                    token,
                    headers,
                    largest,
                };
                post.send(&client).await.map_err(named)
            }
        };
        self.signature
            .send(Moment::of(&message), post, refusal)
            .await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        _: Option<String>,
        headers: Headers,
    ) -> Result<(), Failure> {
        let token = self.signature.token().await;
        self.client
            .delete_session(uri, session_id, token, headers)
            .await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<Events, Failure> {
        let (session, last, largest) = (session_id, last_event_id, LARGEST_EVENT);
        self.get_stream_with_max_sse_event_size(uri, session, last, token, headers, largest)
            .await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        _: Option<String>,
        headers: Headers,
        largest: usize,
    ) -> Result<Events, Failure> {
        let get = |token| {
            let (client, uri, session) = (self.client.clone(), uri.clone(), session_id.clone());
            let (last, headers) = (last_event_id.clone(), headers.clone());
            async move {
                let getting = client.get_stream_with_max_sse_event_size(
                    uri, session, last, token, headers, largest,
                );
                getting.await.map_err(named)
            }
        };
        // Nobody is asked for the sake of a stream that may stay away: the next request will do that.
        let opened = self.signature.send(Moment::Beginning, get, refusal).await;
        self.opening.is_over();
        opened
    }
}
