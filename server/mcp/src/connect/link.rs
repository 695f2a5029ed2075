//! One connection to a server, by whichever way its settings say.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_exec::{ServerProgram, Variable};
use pollux_model::Http;
use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use rmcp::service::{ClientInitializeError, QuitReason, RunningService};
use rmcp::transport::streamable_http_client::{
    StreamableHttpClientTransportConfig, StreamableHttpError,
};
use rmcp::transport::{StreamableHttpClientTransport, Transport};
use rmcp::{RoleClient, ServiceExt};

use super::auth::{Signature, SignedClient};
use super::catalogue::line;
use super::config::Fallback;
use super::environment::{expanded, lookup, server_variables};
use super::listener::Listener;
use super::program::{self, Process};
use super::sse::{SseError, SseTransport};
use super::{Means, Reach, ServerConfig};

/// The side of a connection that is ours.
pub(super) type Service = RunningService<RoleClient, Listener>;

/// A connection that is ready for requests.
pub(super) struct Link {
    pub(super) service: Service,
    process: Option<Process>,
}

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub(super) enum LinkError {
    #[error("it wants you to sign in")]
    Unauthorized { challenge: Option<String> },
    #[error("{0}")]
    Failed(String),
}

/// What a server is connected with.
pub(super) struct Place<'a> {
    pub(super) means: &'a Means,
    pub(super) environment: &'a [Variable],
    pub(super) folder: &'a Path,
}

pub(super) async fn open(
    config: &ServerConfig,
    place: &Place<'_>,
    listener: Listener,
) -> Result<Link, LinkError> {
    match &config.reach {
        Reach::Program {
            argv,
            folder,
            variables,
        } => {
            let folder = folder.as_ref().map(|folder| place.folder.join(folder));
            let program = ServerProgram {
                argv,
                folder: folder.as_deref().unwrap_or(place.folder),
                environment: &server_variables(place.environment, variables),
            };
            let (service, process) = program::run(program, place.means, listener).await?;
            Ok(Link {
                service,
                process: Some(process),
            })
        }
        Reach::Http {
            url,
            headers,
            fallback,
        } => {
            let http = Address::of(config, place, url, headers).await?;
            match (http.by_http(listener.clone()).await, fallback) {
                (Err(LinkError::Failed(first)), Fallback::Sse) => {
                    // The first error says more about what was configured.
                    let older = http.by_sse(listener).await;
                    older.map_err(|error| match error {
                        LinkError::Failed(_) => LinkError::Failed(first),
                        unauthorized => unauthorized,
                    })
                }
                (answer, _) => answer,
            }
        }
        Reach::Sse { url, headers } => {
            let address = Address::of(config, place, url, headers).await?;
            address.by_sse(listener).await
        }
    }
}

impl Link {
    /// Waits for the end of the connection, and says how it came about.
    pub(super) async fn ended(self) -> String {
        let Self { service, process } = self;
        let Some(mut process) = process else {
            return match service.waiting().await {
                Ok(QuitReason::Closed | QuitReason::Cancelled) => {
                    "it has closed the connection".to_owned()
                }
                Ok(_) | Err(_) => "the connection broke".to_owned(),
            };
        };
        // Somebody else may hold the output open behind a server that has ended.
        tokio::select! {
            _closed = service.waiting() => process.after_its_output().await,
            exit = process.ended() => process.last_words(exit).await,
        }
    }
}

/// Introduces us to a server. Boxed, because the compiler cannot see through the types of a transport.
pub(super) fn served<T>(
    listener: Listener,
    transport: T,
) -> BoxFuture<'static, Result<Service, ClientInitializeError>>
where
    T: Transport<RoleClient> + 'static,
{
    async move { listener.serve(transport).await }.boxed()
}

/// A server may show its stream to everybody and turn away whoever speaks.
fn of_sse(error: ClientInitializeError) -> LinkError {
    if let ClientInitializeError::TransportError { error, .. } = &error
        && let Some(SseError::Unauthorized { challenge }) = error.error.downcast_ref()
    {
        let challenge = challenge.clone();
        return LinkError::Unauthorized { challenge };
    }
    LinkError::Failed(told(&error))
}

/// Why a server has not taken us in. The library would name its own types.
fn told(error: &ClientInitializeError) -> String {
    let cause = match error {
        ClientInitializeError::TransportError { error, .. } => &error.error,
        ClientInitializeError::JsonRpcError(error) => {
            return format!("it refuses: {}", line(&error.message));
        }
        ClientInitializeError::ConnectionClosed(_) => {
            return "it has closed the connection".to_owned();
        }
        ClientInitializeError::ExpectedInitResponse(_)
        | ClientInitializeError::ExpectedInitResult(_) => {
            return "it answers something else than was asked".to_owned();
        }
        other => return line(&other.to_string()),
    };
    if let Some(error) = cause.downcast_ref::<SseError>() {
        return line(&error.to_string());
    }
    match cause.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
        Some(StreamableHttpError::Client(error)) => out_of_reach(error),
        Some(StreamableHttpError::HttpStatus(error)) => format!("it answers {error}"),
        Some(StreamableHttpError::UnexpectedServerResponse(text)) => {
            format!("it answers {}", line(text))
        }
        Some(StreamableHttpError::UnexpectedContentType(_)) => {
            "it answers neither with JSON nor with a stream of events".to_owned()
        }
        Some(other) => line(&other.to_string()),
        None => line(&cause.to_string()),
    }
}

/// Why an address does not answer. What is wrong stands at the end of the causes, and not in the first.
pub(super) fn out_of_reach(error: &reqwest::Error) -> String {
    if let Some(status) = error.status() {
        return format!("it answers HTTP {status}");
    }
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    let cause = line(&cause.to_string());
    format!("it cannot be reached: {cause}")
}

/// A server that is reached over the network.
struct Address {
    client: reqwest::Client,
    url: Url,
    headers: HeaderMap,
    signature: Signature,
}

impl Address {
    async fn of(
        config: &ServerConfig,
        place: &Place<'_>,
        url: &str,
        headers: &[(String, String)],
    ) -> Result<Self, LinkError> {
        let url = Url::parse(url).ok();
        let url = url.filter(|url| matches!(url.scheme(), "http" | "https"));
        let url = url.ok_or_else(|| LinkError::Failed("its address is no address".to_owned()))?;
        let client = Http::client_for(&place.means.http, &url).await;
        let client = client.map_err(|error| LinkError::Failed(error.to_string()))?;
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let value = expanded(value, &|name| lookup(place.environment, name));
            let header = (
                HeaderName::try_from(name.as_str()),
                HeaderValue::try_from(value),
            );
            let (Ok(name), Ok(value)) = header else {
                return Err(LinkError::Failed(format!(
                    "its header `{name}` is no header"
                )));
            };
            map.insert(name, value);
        }
        Ok(Self {
            client,
            url,
            headers: map,
            signature: Signature {
                server: Arc::new(config.clone()),
                authorization: Arc::clone(&place.means.authorization),
            },
        })
    }

    async fn by_http(&self, listener: Listener) -> Result<Link, LinkError> {
        let mut config = StreamableHttpClientTransportConfig::with_uri(self.url.as_str());
        let headers = self.headers.iter();
        let headers = headers.map(|(name, value)| (name.clone(), value.clone()));
        config.custom_headers = headers.collect::<HashMap<_, _>>();
        let client = SignedClient::new(self.client.clone(), self.signature.clone());
        let transport = StreamableHttpClientTransport::with_client(client, config);
        match served(listener, transport).await {
            Ok(service) => Ok(Link {
                service,
                process: None,
            }),
            Err(error) if error.is_authorization_required() => Err(LinkError::Unauthorized {
                challenge: error.auth_challenge().map(str::to_owned),
            }),
            Err(error) => Err(LinkError::Failed(told(&error))),
        }
    }

    async fn by_sse(&self, listener: Listener) -> Result<Link, LinkError> {
        let opened = SseTransport::open(
            self.client.clone(),
            self.url.clone(),
            self.headers.clone(),
            self.signature.clone(),
        );
        let transport = opened.await.map_err(|error| match error {
            SseError::Unauthorized { challenge } => LinkError::Unauthorized { challenge },
            SseError::Unreachable(error) => LinkError::Failed(out_of_reach(&error)),
            error => LinkError::Failed(error.to_string()),
        })?;
        let service = served(listener, transport).await.map_err(of_sse)?;
        Ok(Link {
            service,
            process: None,
        })
    }
}
