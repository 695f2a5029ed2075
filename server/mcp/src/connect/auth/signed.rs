//! Requests to a server, each with the token that is good at the time.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::stream::BoxStream;
use http::{HeaderName, HeaderValue};
use reqwest::Client;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::{Error as SseError, Sse};

use super::super::authorization::SignedIn;
use super::super::{Authorization, ServerConfig};

type Failure = StreamableHttpError<reqwest::Error>;
type Events = BoxStream<'static, Result<Sse, SseError>>;
type Headers = HashMap<HeaderName, HeaderValue>;

#[derive(Clone)]
pub(in crate::connect) struct SignedClient {
    pub(in crate::connect) client: Client,
    pub(in crate::connect) server: Arc<ServerConfig>,
    pub(in crate::connect) authorization: Arc<dyn Authorization>,
}

impl SignedClient {
    async fn token(&self) -> Option<String> {
        self.authorization.token(&self.server).await
    }

    /// Whether somebody has signed in after a refusal in the midst of a conversation. One at its beginning is left to
    /// whoever connects, because a person takes longer than a connection may.
    async fn is_worth_another(&self, failure: &Failure, message: &ClientJsonRpcMessage) -> bool {
        let is_first = matches!(
            message,
            ClientJsonRpcMessage::Request(request)
                if matches!(request.request, ClientRequest::InitializeRequest(_))
        );
        let challenge = match failure {
            StreamableHttpError::InsufficientScope(error) => &error.www_authenticate_header,
            StreamableHttpError::AuthRequired(error) if !is_first => &error.www_authenticate_header,
            _ => return false,
        };
        let challenge = Some(challenge.as_str()).filter(|challenge| !challenge.is_empty());
        self.authorization.refused(&self.server, challenge).await == SignedIn::Yes
    }
}

/// Not every server that turns us away says how it wants to be asked.
fn named(failure: Failure) -> Failure {
    match failure {
        StreamableHttpError::UnexpectedServerResponse(text) if text.starts_with("HTTP 401") => {
            StreamableHttpError::AuthRequired(AuthRequiredError::new(String::new()))
        }
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
        _: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let largest = usize::MAX;
        self.post_message_with_max_sse_event_size(uri, message, session_id, None, headers, largest)
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
        let post = async || {
            let (uri, message) = (uri.clone(), message.clone());
            let (session, headers) = (session_id.clone(), headers.clone());
            let token = self.token().await;
            let posting = self.client.post_message_with_max_sse_event_size(
                uri, message, session, token, headers, largest,
            );
            posting.await.map_err(named)
        };
        match post().await {
            Err(failure) if self.is_worth_another(&failure, &message).await => post().await,
            answer => answer,
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        _: Option<String>,
        headers: Headers,
    ) -> Result<(), Failure> {
        let token = self.token().await;
        self.client
            .delete_session(uri, session_id, token, headers)
            .await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        _: Option<String>,
        headers: Headers,
    ) -> Result<Events, Failure> {
        let token = self.token().await;
        self.client
            .get_stream(uri, session_id, last_event_id, token, headers)
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
        let token = self.token().await;
        self.client
            .get_stream_with_max_sse_event_size(
                uri,
                session_id,
                last_event_id,
                token,
                headers,
                largest,
            )
            .await
    }
}
